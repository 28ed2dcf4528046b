"""Training step by step: the published examples step by step, and properties of every run."""

from collections import Counter
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import Invalid, LoneSurrogate, TooLarge
from tokenarium.lab.steps.learning import learn, word_counts
from tokenarium.lab.steps.options import StepsOptions
from tokenarium.lab.steps.step import Fact, Tile
from tokenarium.scratch.fast.bpe.learn import BPELearner
from tokenarium.scratch.fast.bpe.symbol_corpus import (
    build_byte_corpus,
    build_continued_corpus,
    build_marked_corpus,
    characters,
)
from tokenarium.scratch.fast.wordpiece.learn import WordPieceLearner
from tokenarium.scratch.learn_bpe import TieRule

from benchmarks.text import english
from tests.support.strings import TEXTS

SENNRICH = "low 5\nlowest 2\nnew 6\nwidest 3"
CHOICES = {
    "unit": st.sampled_from(["characters", "marked", "bytes"]),
    "pattern": st.sampled_from(["whole", "spaces", "gpt2", "cl100k", "o200k", "llama3"]),
    "ties": st.sampled_from(get_args(TieRule)),
    "merges": st.integers(1, 60),
}
CORPORA = st.one_of(TEXTS, st.text("ab ", max_size=60), st.text("abc", max_size=80)).filter(str.strip)


def bpe(text, **options):
    return learn(StepsOptions(**{"text": text, "merges": 2000, **options}))


def every(run):
    return [*run.steps(0, run.total)]


def step(run, number):
    return next(iter(run.steps(number, number + 1)))


def texts(row):
    return [tile.text for tile in row.tiles]


def pairs(step):
    return [(*(tile.text for tile in row.cells[0]), row.cells[1]) for row in step.table.rows]


def notes(step):
    return [row.cells[2] for row in step.table.rows]


def said(step):
    return "".join(f"`{part.text}`" if isinstance(part, Tile) else part for part in step.sentence)


def changes(run, name):
    return [fact.change for step in every(run) for fact in step.facts if fact.name == name]


def test_gages_own_string():
    _, second, last = every(bpe("ABABCABCD", pattern="whole", merges=10))
    assert pairs(second)[0] == ("A", "B", "3")
    assert texts(second.rows[0]) == ["AB", "AB", "C", "AB", "C", "D"]
    assert texts(last.rows[0]) == ["AB", "ABC", "ABC", "D"]


def test_sennrichs_own_words():
    steps = every(bpe("low 5\nlower 2\nnewest 6\nwidest 3", unit="marked", table=True, merges=10))
    assert pairs(steps[1])[0] == ("e", "s", "9")
    assert [pairs(step)[0][:2] for step in steps[1:5]] == [("e", "s"), ("es", "t"), ("est", "</w>"), ("l", "o")]


def test_a_variant_of_gages_string():
    first, second, last = every(bpe("cddcdycdyc", pattern="whole"))
    assert texts(first.rows[0]) == [*"cddcdycdyc"]
    assert said(first) == "At the start, each token is a character: 10 tokens, 3 of them distinct."
    assert texts(second.rows[0]) == ["cd", "d", "cd", "y", "cd", "y", "c"]
    assert said(second) == "`c` and `d` occur together 3 times, more than any other pair. They are merged into `cd`."
    assert texts(last.rows[0]) == ["cd", "d", "cdy", "cdy", "c"]
    assert said(last) == "`cd` and `y` occur together 2 times, more than any other pair. They are merged into `cdy`."


def test_the_walk_through_with_a_mistake():
    run = bpe("aabacaacbacb", pattern="whole")
    first, second = run.steps(1, 3)
    assert pairs(first) == [
        ("a", "c", "3"), ("a", "a", "2"), ("b", "a", "2"), ("c", "b", "2"), ("a", "b", "1"), ("c", "a", "1")
    ]  # fmt: skip
    assert texts(first.rows[0]) == ["a", "a", "b", "ac", "a", "ac", "b", "ac", "b"]
    assert pairs(second)[:2] == [("b", "ac", "2"), ("ac", "b", "2")]
    assert notes(second)[:3] == ["highest count, merged now", "tie, seen later", "waits"]
    assert said(second) == (
        "`b` and `ac` occur together 2 times, as does another pair; this pair was seen first. "
        "They are merged into `bac`."
    )
    assert texts(second.rows[0]) == ["a", "a", "bac", "a", "ac", "bac", "b"]


def test_ties_go_another_way_by_another_rule():
    smallest = bpe("aabacaacbacb", pattern="whole", ties="lexicographic")
    second = next(smallest.steps(2, 3))
    assert said(second) == (
        "`ac` and `b` occur together 2 times, as does another pair; this pair is lexicographically first. "
        "They are merged into `acb`."
    )
    assert notes(second)[:2] == ["highest count, merged now", "tie, lexicographically later"]
    greatest = next(bpe("aabacaacbacb", pattern="whole", ties="lexicographically-greatest").steps(2, 3))
    assert "this pair is lexicographically greatest. They are merged into `bac`." in said(greatest)
    assert notes(greatest)[:2] == ["highest count, merged now", "tie, lexicographically smaller"]


def test_a_variant_of_sennrichs_words_with_the_end_of_word_mark():
    run = bpe(SENNRICH, unit="marked", table=True, merges=10)
    steps = every(run)
    assert pairs(steps[1]) == [
        ("w", "</w>", "11"), ("l", "o", "7"), ("o", "w", "7"), ("n", "e", "6"), ("e", "w", "6"), ("e", "s", "5"),
        ("s", "t", "5"), ("t", "</w>", "5"), ("w", "i", "3"), ("i", "d", "3"), ("d", "e", "3"), ("w", "e", "2"),
    ]  # fmt: skip
    assert steps[1].table.left_out == 0
    assert [row.label for row in steps[0].rows] == ["×5", "×2", "×6", "×3"]
    assert [pairs(step)[0][:2] for step in steps[1:]] == [
        ("w", "</w>"), ("l", "o"), ("n", "e"), ("ne", "w</w>"), ("lo", "w</w>"), ("e", "s"), ("es", "t"),
        ("est", "</w>"), ("w", "i"), ("wi", "d"),
    ]  # fmt: skip
    assert [*map(texts, steps[-1].rows)] == [["low</w>"], ["lo", "w", "est</w>"], ["new</w>"], ["wid", "est</w>"]]
    assert run.notes == []


def test_low_lower_new_newer():
    run = bpe("low 5\nlower 2\nnew 6\nnewer 3", table=True, merges=4)
    assert [(*pairs(step)[0],) for step in run.steps(1, 5)] == [
        ("n", "e", "9"), ("ne", "w", "9"), ("l", "o", "7"), ("lo", "w", "7")
    ]  # fmt: skip
    assert [tile.text for tile in step(run, 4).learned] == ["ne", "new", "lo", "low"]


def test_the_bytes_of_the_cat_in_the_hat():
    run = bpe("the cat in the hat", unit="bytes", pattern="whole", merges=3)
    assert [(merge["pair"], merge["becomes"]) for merge in run.data()["merges"]] == [
        ([116, 104], 256), ([256, 101], 257), ([257, 32], 258)
    ]  # fmt: skip
    (last,) = run.steps(3, 4)
    assert [tile.key for tile in last.rows[0].tiles] == [258, 99, 97, 116, 32, 105, 110, 32, 258, 104, 97, 116]
    assert last.rows[0].tiles[0] == Tile("the ", 258, 0, "new", (Tile("the", 257, 0), Tile(" ", 32, 3)))
    assert [tile.at for tile in last.rows[0].tiles] == [0, 4, 5, 6, 7, 8, 9, 10, 11, 15, 16, 17]
    assert last.facts[2] == Fact("vocabulary size", "259", "+1")


def test_symbols_in_use_grow_stay_and_shrink():
    run = bpe("ab 2\nac 1\nb 1\nc 1", table=True, merges=1)
    assert changes(run, "symbols in use") == ["", "+1"]  # a is left in ac, b alone
    assert changes(bpe("ab ab b"), "symbols in use") == ["", "±0"]
    assert changes(bpe("ab ab"), "symbols in use") == ["", "−1"]
    assert changes(bpe("aab aab"), "corpus length in tokens") == ["", "−2", "−2"]


def test_hex_is_shown_of_bytes_that_are_no_text():
    run = bpe("🌍🌍", unit="bytes", pattern="whole")
    assert [tile.text for tile in step(run, 0).rows[0].tiles] == ["f0", "9f", "8c", "8d"] * 2
    assert [tile.text for tile in every(run)[-1].learned] == ["f0·9f→256", "f0·9f·8c→257", "🌍→258"]


def test_wordpiece_scores_a_pair_by_the_counts_of_its_parts():
    run = bpe("hug 10\npug 5\npun 12\nbun 4\nhugs 5", algorithm="wordpiece", table=True, merges=3)
    first, second, third = run.steps(1, 4)
    assert said(step(run, 0)) == (
        "At the start, each token is a character, with the prefix ## inside a word: 113 tokens, 7 of them distinct."
    )
    assert pairs(first)[:2] == [("##g", "##s", "5 / (20 · 5) = 0.05"), ("h", "##u", "15 / (15 · 36) = 0.0278")]
    assert said(first) == (
        "`##g` and `##s` occur together 5 times; in all they occur 20 and 5 times. "
        "The score 5 / (20 · 5) = 0.05 is the highest. They are merged into `##gs`."
    )
    assert [texts(row)[-1] for row in first.rows] == ["##g", "##g", "##n", "##n", "##gs"]
    assert said(second) == (
        "`h` and `##u` occur together 15 times; in all they occur 15 and 36 times. "
        "The score 15 / (15 · 36) = 0.0278 is shared with 5 other pairs; this pair was seen first. "
        "They are merged into `hu`."
    )
    assert notes(second) == ["highest score, merged now", *["tie, seen later"] * 5]
    assert pairs(third)[0] == ("hu", "##gs", "5 / (15 · 5) = 0.0667")
    assert (first.table.title, run.title, run.notes) == ("Pairs by score", "Training WordPiece", [])


def test_wordpiece_says_that_it_ignores_the_base_unit():
    run = bpe("aab aab", algorithm="wordpiece", unit="bytes")
    assert run.notes[0].startswith("WordPiece is learned from characters")
    assert run.data()["unit"] == "characters"


def test_the_tree_of_a_symbol_leads_to_the_steps_that_made_its_parts():
    run = bpe("the the", pattern="spaces")
    (top,) = run.trees(2)
    assert (top.tile.text, top.step, [(part.tile.text, part.step) for part in top.parts]) == (
        "the", 2, [("th", 1), ("e", None)]
    )  # fmt: skip
    assert [part.tile.text for part in top.parts[0].parts] == ["t", "h"]
    assert run.trees(0) == run.trees(3) == ()


def test_the_tree_of_a_very_long_symbol_is_truncated():
    run = bpe("a" * 50_000)

    def size(node):
        return 1 + sum(map(size, node.parts))

    assert run.total == 16
    assert run.trees(15)[0].tile.text == "a" * 32 + "…" + "a" * 32
    assert size(*run.trees(15)) == 127


def test_a_long_word_is_shown_around_its_first_merge():
    run = bpe("x" + "ab" * 3 + "".join(map(chr, range(0x4E00, 0x4E00 + 500))) + "ab yz")
    begin, step = run.steps(0, 2)
    assert [(len(row.tiles), row.left_out_before, row.left_out_after) for row in begin.rows] == [
        (60, 0, 449),
        (2, 0, 0),
    ]
    (row, other) = step.rows
    assert [tile.text for tile in row.tiles[:5]] == ["x", "ab", "ab", "ab", "\u4e00"]
    assert (row.left_out_before, len(row.tiles) + row.left_out_after) == (0, 505)
    assert texts(other) == ["y", "z"]


def test_of_many_words_the_most_frequent_that_changed_are_shown():
    run = bpe("\n".join(f"{chr(0x4E00 + i)}ab {i + 1}" for i in range(40)), table=True, merges=1)
    first = step(run, 1)
    assert [row.label for row in first.rows] == [f"×{count}" for count in range(40, 16, -1)]
    assert first.rows_left_out == 16
    assert {tile.text for row in first.rows for tile in row.tiles if tile.mark == "new"} == {"ab"}


WORDS = {
    "whole": ["I'll  12345"],
    "spaces": ["I'll", "12345"],
    "gpt2": ["I", "'ll", " ", " 12345"],
    "cl100k": ["I", "'ll", " ", "123", "45"],
    "o200k": ["I'll", " ", "123", "45"],
    "llama3": ["I", "'ll", " ", "123", "45"],
}


@pytest.mark.parametrize("pattern", WORDS)
def test_a_named_pattern_splits_the_corpus_into_words(pattern):
    text = "I'll  12345" if pattern in ("whole", "spaces", "gpt2") else "I'll 12345"
    rows = step(bpe(text, pattern=pattern), 0).rows
    assert ["".join(texts(row)) for row in rows] == WORDS[pattern]


def replayed(data):
    """Return the words after every merge of a trace, using nothing but its data."""
    words = [[*word["symbols"]] for word in data["words"]]
    for merge in data["merges"]:
        for word in words:
            for i in range(len(word)):
                if word[i : i + 2] == merge["pair"]:
                    word[i : i + 2] = [merge["becomes"]]
        assert (
            sum(len(word) * entry["count"] for word, entry in zip(words, data["words"], strict=True)) == merge["tokens"]
        )
        assert len({symbol for word in words for symbol in word}) == merge["in_use"]
    return words


@given(CORPORA, st.fixed_dictionaries(CHOICES))
def test_a_trace_replayed_to_its_end_is_the_last_step_and_what_plain_training_learns(text, options):
    run = bpe(text, **options)
    data = run.data()
    words = replayed(data)
    for row, word in zip(every(run)[-1].rows, words, strict=False):
        if len(words) <= 24 and not row.left_out_before + row.left_out_after:
            assert [tile.key for tile in row.tiles] == word

    kinds = {"characters": characters, "marked": build_marked_corpus, "bytes": build_byte_corpus}
    numbering = {"numbering": "gpt2"} if options["unit"] == "bytes" and options["ties"] == "smallest" else {}
    corpus = kinds[options["unit"]](word_counts(text, pattern=options["pattern"], table=False), **numbering)
    steps = BPELearner(corpus, ties=options["ties"]).steps(options["merges"])
    assert [[*map(ord, step.pair)] for step in steps] == [merge["pair"] for merge in data["merges"]]
    assert [[*map(ord, word)] for word in corpus.words] == words


@given(CORPORA, st.fixed_dictionaries(CHOICES))
def test_a_trace_of_wordpiece_replayed_is_what_plain_training_learns(text, options):
    data = bpe(text, algorithm="wordpiece", **options).data()
    corpus = build_continued_corpus(word_counts(text, pattern=options["pattern"], table=False))
    steps = WordPieceLearner(corpus, ties=options["ties"]).steps(options["merges"])
    assert [[*map(ord, step.pair)] for step in steps] == [merge["pair"] for merge in data["merges"]]
    assert [[*map(ord, word)] for word in corpus.words] == replayed(data)


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece"])
@given(text=CORPORA, options=st.fixed_dictionaries(CHOICES))
def test_steps_are_consistent_with_each_other(algorithm, text, options):
    run = bpe(text, algorithm=algorithm, **options)
    steps = every(run)
    assert [step.number for step in steps] == [*range(run.total)]
    assert [int(step.facts[0].value.replace(",", "")) for step in steps] == [*run.chart]
    for before, step in pairwise(steps):
        winner, *others = step.table.rows
        assert [winner.chosen, *(one.chosen for one in others)] == [True] + [False] * len(others)
        assert step.predictable == (notes(step)[1:2] == ["waits"])  # none of several is the right one
        assert int(step.facts[0].change.replace("−", "-")) < 0
        assert any(tile.mark == "new" for row in step.rows for tile in row.tiles)
        if not any(left_out(one) for one in (steps[0], before, step)):
            undone = [[half.key for tile in row.tiles for half in tile.halves or (tile,)] for row in step.rows]
            assert undone == [[tile.key for tile in row.tiles] for row in before.rows]


def left_out(step):
    return step.rows_left_out + sum(row.left_out_before + row.left_out_after for row in step.rows)


def test_table_lines_may_have_a_colon_a_comma_or_a_tab():
    run = bpe("low 5\n\nlow: 1\nnew, 2\r\nnewer\t3\n12:30  4", table=True)
    assert [(word["count"], len(word["symbols"])) for word in run.data()["words"]] == [(6, 3), (2, 3), (3, 5), (4, 5)]


@pytest.mark.parametrize("line", ["low", "5", "low 0", "low -1", "low 1.5", "low 9999999999", "a b 3"])
def test_a_bad_line_of_a_table_is_named(line):
    with pytest.raises(Invalid, match="Line 2 must be a word and its count") as caught:
        bpe(f"new 1\n{line}", table=True)
    assert caught.value.pointer == "/text"


@pytest.mark.parametrize(("text", "options"), [("", {"pattern": "whole"}), (" \n", {}), ("\n\n", {"table": True})])
def test_a_corpus_without_words_is_refused(text, options):
    with pytest.raises(Invalid, match="no words"):
        bpe(text, **options)


def test_a_corpus_may_have_200_kilobytes_and_no_more():
    assert bpe(english(200_000), pattern="gpt2", unit="bytes", merges=3).total == 4
    with pytest.raises(TooLarge) as caught:
        bpe("é" * 100_001)
    assert caught.value.limit == 200_000


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(LoneSurrogate):
        bpe("a\ud800")


def test_merges_that_the_corpus_cannot_fill_are_noted():
    assert bpe("abab", merges=9).notes == ["1 of 9 merges were learned; no remaining pair occurs more than once."]
    assert bpe("ab", merges=1).total == 1
    assert bpe("!", unit="bytes", ties="smallest").data()["words"] == [{"symbols": [0], "count": 1}]


@pytest.mark.parametrize("word", ["a" * 50_000, "ab" * 25_000, "".join(chr(97 + i * i % 26) for i in range(50_000))])
def test_a_word_of_fifty_thousand_letters_is_learned_from(word):
    run = bpe(word)
    assert run.chart[0] == 50_000
    assert run.chart[-1] < 10
    assert Counter(tile.mark for tile in every(run)[-1].rows[0].tiles)["new"] > 0
