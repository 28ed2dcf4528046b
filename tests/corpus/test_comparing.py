"""Vocabularies are compared by the tokens they give, by group, and documents stand out by what they are."""

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.corpus.comparing import compare_all, compare_groups, costs, rows
from tokenarium.corpus.counting import count_part, totals
from tokenarium.corpus.counts import MOST, DocumentCounts, Outlier, Outliers, scores
from tokenarium.corpus.lines import LineDocuments, count_white_space_words
from tokenarium.corpus.plan import Plan
from tokenarium.corpus.sources import parts, source
from tokenarium.settings import Settings

from tests.conftest import REGISTRY

SETTINGS = Settings(max_loaded=10**12)
HINDI, ENGLISH = "सब मनुष्य गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्र हैं", "All human beings are born free and equal"


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    """Counts in two vocabularies, by language."""
    path = tmp_path_factory.mktemp("a") / "a.jsonl"
    found = [(HINDI, "hi"), (ENGLISH, "en"), ("-" * 100, "en"), ("x " * 40, "en"), ("x " * 40, "hi")]
    path.write_text("\n".join(json.dumps({"text": text, "lang": lang}) for text, lang in found))
    plan = Plan(SETTINGS, ("o200k_base", "gpt2"), by="column", group="lang", details=True)
    (part,) = parts(source(str(path)))
    return count_part(plan, part)


def tokens(id, *texts):
    return sum(len(REGISTRY.get(id).encode(text)) for text in texts)


def test_groups_come_first_in_which_the_vocabularies_differ_most(counts):
    first, second = compare_groups(counts)
    assert (first.name, first.fewest, first.most, second.name) == ("hi", "o200k_base", "gpt2", "en")
    assert first.ratio == tokens("gpt2", HINDI, "x " * 40) / tokens("o200k_base", HINDI, "x " * 40)
    assert compare_all(counts).tallies["gpt2"].tokens == sum(group.tallies["gpt2"].tokens for group in (first, second))
    assert [(group.name, id) for group, id, _, _ in rows(counts, "gpt2")][-1] == ("", "gpt2")


def test_fertility_is_tokens_over_what_white_space_separates(counts):
    tally = counts.groups["hi"]["gpt2"]
    assert tally.words == len(HINDI.split()) + 40
    assert tally.tokens_per_word == tokens("gpt2", HINDI, "x " * 40) / tally.words


def test_cost_is_that_of_models_with_this_tokenizer():
    found = {one.model: one.total for one in costs({"o200k_base": DocumentCounts(tokens=2_000_000)})}
    assert found["GPT-4o"] == 5.0
    assert "GPT-4" not in found


def test_documents_stand_out_once_each(counts):
    found = counts.outliers["gpt2"]
    assert found["more"].documents[0].text == HINDI
    assert found["more"].documents[0].score == tokens("gpt2", HINDI) / tokens("o200k_base", HINDI)
    assert [one.text for one in found["more"].documents].count("x " * 40) == 1  # it occurs twice
    assert "more" not in counts.outliers["o200k_base"]
    assert [one.text for one in found["run"].documents] == ["x " * 40]
    assert totals(counts)["gpt2"].documents == 5


@given(st.lists(st.tuples(st.integers(0, 5), st.text("ab", max_size=3)), max_size=80), st.randoms())
def test_the_same_documents_stand_out_whatever_the_parts(documents, shuffled):
    def of(some):
        one = Outliers()
        scores = np.array([score for score, _ in some], float)
        one.add(scores, lambda row: Outlier(float(scores[row]), some[row][1], "f", 1, 1))
        return one

    whole = of(documents)
    order = documents[:]
    shuffled.shuffle(order)
    cut = random.Random(len(order)).randint(0, len(order))
    parted = of(order[:cut])
    parted += of(order[cut:])
    assert parted.documents == whole.documents
    best = {text: max(score for score, other in documents if other == text) for score, text in documents if score}
    expected = sorted((-score, text) for text, score in best.items())[:MOST]
    assert [(-one.score, one.text) for one in whole.documents] == expected


def test_scores_of_runs_and_unknown_tokens_are_those_of_each_document():
    ids = np.array([1] * 9 + [1, 2, 0] + [3] * 8, np.uint32)
    offsets = np.array([0, 9, 12, 12, 20])
    found = scores(ids, offsets, np.array([80, 80, 80, 80]), np.array([1, 0, 0, 2], np.uint8))
    assert found["run"].tolist() == [9, 0, 0, 8]
    assert found["unknown"].tolist() == [0, 1, 0, 8]
    assert found["dense"].tolist() == [9 / 80, 3 / 80, 0, 8 / 80]


@given(st.lists(st.text("a é\t\r\u3000", max_size=6), max_size=8))
def test_lines_are_those_of_python(texts):
    data = "\n".join(texts).encode()
    expected = [line.removesuffix(b"\r") for line in data.split(b"\n")]
    found = LineDocuments(data)
    assert [*found] == [found[row] for row in range(len(found))] == [line for line in expected if line]
    assert (found.bytes, found.characters) == (sum(map(len, found)), sum(len(line.decode()) for line in found))
    assert count_white_space_words(found) == sum(len(line.split()) for line in found)
