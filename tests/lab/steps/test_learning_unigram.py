"""Unigram training step by step: a literal run, and each step against what the learner does."""

from itertools import pairwise
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import TooLarge
from tokenarium.lab.steps.learning import FADING, learn
from tokenarium.lab.steps.options import StepsOptions
from tokenarium.lab.steps.step import Fact, Tile
from tokenarium.scratch.fast.unigram.encode import Unigram

from tests.support.strings import TEXTS

HUGS = "hug 10\npug 5\nhugs 5"
THE = "the 8\nthere 5\nthese 3\nhere 4\nher 2\nthree 2"
CORPORA = st.one_of(TEXTS, st.text("ab ", max_size=60), st.text("abc", max_size=80)).filter(str.strip)


def unigram(text, **options):
    return learn(StepsOptions(**{"text": text, "algorithm": "unigram", "merges": 1, **options}))


def every(run):
    return [*run.steps(0, run.total)]


def texts(row):
    return [tile.text for tile in row.tiles]


def candidates(step):
    return [(row.cells[0][0].text, *row.cells[1:], row.struck) for row in step.table.rows]


def said(step):
    return "".join(f"`{part.text}`" if isinstance(part, Tile) else part for part in step.sentence)


def test_a_run_begins_with_seeds_then_estimates_and_prunes_in_turns():
    run = unigram(HUGS, table=True)
    rounds = ["estimate", "estimate"]
    assert [step.stage for step in every(run)] == ["seed", *rounds, "prune", *rounds, "prune", *rounds]
    assert run.chart == [20, 20, 20, 20, 20, 20, 35, 35, 35]
    assert run.notes == ["1 token is kept besides the 5 characters.", FADING]
    assert (run.trees(3), run.boundaries(3)) == ((), ())


def test_seeds_are_ordered_by_count_times_length():
    first = every(unigram(HUGS, table=True))[0]
    assert said(first) == (
        "The seed vocabulary has 11 tokens: every character, and the substrings with the highest count × length."
    )
    assert [one[:2] for one in candidates(first)] == [
        ("hug", "15 × 3 = 45"), ("ug", "20 × 2 = 40"), ("hugs", "5 × 4 = 20"),
        ("pug", "5 × 3 = 15"), ("ugs", "5 × 3 = 15"), ("gs", "5 × 2 = 10"),
    ]  # fmt: skip
    assert first.facts == (
        Fact("corpus length in tokens", "20"), Fact("vocabulary size", "11"), Fact("log-likelihood", "−38.85"),
    )  # fmt: skip


def test_a_pruning_shows_removed_and_kept_tokens_and_the_words_that_change():
    step = every(unigram(HUGS, table=True))[6]
    assert said(step) == (
        "`hugs`, `pug` cost the least and are removed: 6 tokens remain. "
        "A loss is an estimate: the best split replaces each use of the token; everything else stays as it is. "
        "For `hugs`, it is 5 · (log 5/20 − log 15/25 − log 5/25) = 3.67."
    )
    assert candidates(step) == [
        ("hugs", "3.67", True), ("pug", "19.94", True), ("hug", "34.66", False),
    ]  # fmt: skip
    assert [*map(texts, step.rows)] == [["hug"], ["p", "u", "g"], ["hug", "s"]]
    assert [[tile.mark for tile in row.tiles] for row in step.rows] == [[""], ["new"] * 3, ["new"] * 2]
    assert step.facts[:2] == (Fact("corpus length in tokens", "35", "+15"), Fact("vocabulary size", "6", "−2"))
    assert not step.predictable


def test_the_log_likelihood_is_that_of_the_probabilities_and_waits_after_a_pruning():
    steps = every(unigram(HUGS, table=True))
    assert [(step.facts[2].value, step.facts[2].change) for step in steps[4:]] == [
        ("−20.83", "+0.16"), ("−20.81", "+0.02"), ("…", ""), ("−51.63", "−30.82"), ("−51.63", "+0.00"),
    ]  # fmt: skip
    assert said(steps[-1]).endswith(
        "The log-likelihood becomes −51.63. No pruning follows: these are the final probabilities."
    )
    assert candidates(steps[2])[:2] == [("hug", "0.5", False), ("pug", "0.247", False)]


def test_the_probabilities_of_every_round_sum_to_one_and_at_the_end_are_shares_of_the_corpus():
    run = unigram(THE, table=True, merges=4)
    rounds = [candidates(step) for step in every(run) if step.stage == "estimate"]
    sums = [sum(float(value.removeprefix("< ")) for _, value, *_ in tokens) for tokens in rounds[1:]]
    assert sums == pytest.approx([1] * len(sums), abs=0.01)
    assert dict(one[:2] for one in rounds[3])["the"] == "0.333"  # 8 of 24 tokens
    assert sum(exp(one["log_probability"]) for one in run.data()["vocabulary"]) == pytest.approx(1)


def test_the_lattice_of_a_short_word_has_every_matching_token_and_marks_the_best():
    lattice = every(unigram(HUGS, table=True))[-1].lattice
    assert lattice.characters == ("h", "u", "g")
    arcs = [(arc.start, arc.end, arc.tile.text, arc.best) for arc in lattice.arcs]
    assert arcs == [(0, 1, "h", False), (0, 3, "hug", True), (1, 2, "u", False), (2, 3, "g", False)]
    assert (lattice.sums[0], lattice.sums[3]) == ("0.00", lattice.arcs[1].value)


@given(CORPORA, st.sampled_from(["whole", "spaces", "gpt2"]), st.integers(1, 40))
def test_a_trace_replayed_to_its_end_is_the_last_step(text, pattern, merges):
    run = unigram(text, pattern=pattern, merges=merges)
    data = run.data()
    left = [piece["text"] for piece in data["pieces"]]
    for step in data["steps"]:
        for gone in step.get("removed", ()):
            left.remove(gone["text"])
    scores = {piece["text"]: piece["log_probability"] for piece in data["vocabulary"]}
    assert sorted(left) == sorted(scores)
    assert sum(map(exp, scores.values())) == pytest.approx(1)
    ids = {piece["text"]: id for id, piece in enumerate(data["pieces"])}
    model = Unigram({piece: ids[piece] for piece in scores}, scores, unknown=-1, wide=True)
    paths = [[id for id, _ in model.best(word["text"], 0.0).pieces] for word in data["words"]]
    assert sum(len(path) * word["count"] for path, word in zip(paths, data["words"], strict=True)) == run.chart[-1]
    if len(paths) <= 24:
        for row, path in zip(every(run)[-1].rows, paths, strict=True):
            assert [tile.key for tile in row.tiles] == path[: len(row.tiles)]
            assert len(row.tiles) + row.left_out_after == len(path)


@given(CORPORA, st.integers(1, 40))
def test_steps_are_consistent_with_each_other(text, merges):
    run = unigram(text, merges=merges)
    steps = every(run)
    assert [step.number for step in steps] == [*range(run.total)]
    assert [int(step.facts[0].value.replace(",", "")) for step in steps] == [*run.chart]
    for before, step in pairwise(steps):
        sizes = [int(one.facts[1].value.replace(",", "")) for one in (before, step)]
        assert sizes[0] - sizes[1] == len(run.data()["steps"][step.number - 1].get("removed", ()))
        assert step.stage == "prune" or not any(row.struck for row in step.table.rows)


def test_more_tokens_than_substrings_that_repeat_are_noted():
    run = unigram("abab", unit="bytes", merges=9)
    assert run.notes == [
        "A unigram vocabulary is learned from characters; the base unit is ignored.",
        "9 tokens were requested besides the 2 characters; only 1 was found.",
        FADING,
    ]
    assert run.data()["unit"] == "characters"


def test_a_word_of_five_thousand_characters_is_the_longest():
    with pytest.raises(TooLarge, match="has 5,001 characters; for Unigram the limit is 5,000") as caught:
        unigram("a" * 5_001)
    assert (caught.value.limit, caught.value.pointer) == (5_000, "/text")
