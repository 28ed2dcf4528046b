"""The figures of training at scale in the store are those that the learners give."""

from dataclasses import replace

import pytest
from tokenarium.lab.learn.at_scale import POINTS, estimate_seconds, learn_book, load_figures, measure, save
from tokenarium.settings import Settings

STORE = Settings().store


def counted(figures):
    return [replace(one, index_seconds=0, fast_seconds=0) for one in figures.work], figures.stale, figures.uses


def test_the_figures_are_of_all_merges_and_of_the_book():
    figures, book = load_figures(STORE), learn_book(STORE)
    assert tuple(one.merges for one in figures.work) == POINTS
    assert figures.uses[0] == book.uses[-1]
    assert [figures.work[-1].text, figures.work[-1].table, figures.work[-1].index] == [811090949, 325109005, 1205337]
    assert figures.work[-1].text == sum(book.lengths[:-1]) - len(book.tokens) * book.words


def test_a_learner_that_was_timed_to_the_end_would_need_no_estimate():
    figures = load_figures(STORE)
    last = figures.work[-1].merges
    assert estimate_seconds(replace(figures, recounted={"table": (last, 9.0)}), "table") == 9.0


@pytest.mark.nightly
def test_measured_again_the_counts_are_the_same(registry, tmp_path):
    measured = measure(STORE, registry)
    (tmp_path / "moby-dick").mkdir()
    save(tmp_path, measured)
    assert counted(load_figures(tmp_path)) == counted(measured) == counted(load_figures(STORE))
