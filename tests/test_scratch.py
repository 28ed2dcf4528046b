"""Teaching files: what they import, that they pause where a step is made, and that the fast modules equal them."""

import ast
from itertools import pairwise
from math import exp, isclose, log

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch import bpe, learn_bpe, learn_unigram, learn_wordpiece, longest_match, unigram, wordpiece
from tokenarium.scratch.compat.unicode_versions import as_of_16
from tokenarium.scratch.fast.bpe.encode_pairs import PairMergedBytes, _merge_long, _merge_short, merge_pairs, rank_pairs
from tokenarium.scratch.fast.bpe.learn import BPELearner
from tokenarium.scratch.fast.bpe.symbol_corpus import build_byte_corpus
from tokenarium.scratch.fast.pretokenize import finder, split
from tokenarium.scratch.fast.unigram.encode import Unigram
from tokenarium.scratch.fast.unigram.lattice import likelihood, n_best, sums_before
from tokenarium.scratch.fast.wordpiece.encode import WordPiece
from tokenarium.scratch.padding import pad_rows
from tokenarium.scratch.pretokenize import GPT2, LLAMA3, pretokenize
from tokenarium.scratch.sample_unigram import n_best as best_ways
from tokenarium.settings import ROOT

from tests.support.patterns import STORED
from tests.support.strings import TEXTS

FILES = sorted((ROOT / "app" / "scratch").glob("*.py"))
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
SCORES = {"a": -1.0, "b": -2.0, "ab": -2.5}
WORDS = st.text("abc", max_size=10)


def imported(path):
    """The modules that a file imports: names of teaching files with a dot before them."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "").partition(".")[0]
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_teaching_file_imports_only_teaching_files_and_the_standard_library(path):
    standard = {"collections", "fractions", "heapq", "itertools", "math", "random", "re", "typing"}
    teaching = {f".{file.stem}" for file in FILES}
    arrays = ("byte_latent", "mel", "one_sequence", "rvq", "token_vectors", "untrained_rows")
    others = {"regex": ("pretokenize", "measures"), "numpy": arrays}
    assert {*imported(path)} <= standard | teaching | {name for name, files in others.items() if path.stem in files}


def test_the_reading_order_names_every_teaching_file():
    (doc,) = [path.read_text() for path in FILES if path.stem == "__init__"]
    listed = regex.findall(r"^(?:\d+\.|-) `(\w+)`", doc, regex.MULTILINE)
    assert sorted(listed) == [path.stem for path in FILES if path.stem != "__init__"]


def yield_at(tree, number):
    """The `yield` on a line of a file, and the statement before it in its block; None if the block begins with it."""
    for node in ast.walk(tree):
        for block in (getattr(node, name, None) for name in ("body", "orelse")):
            for at, statement in enumerate(block if isinstance(block, list) else ()):
                if statement.lineno == number and isinstance(getattr(statement, "value", None), ast.Yield):
                    return statement.value, block[at - 1] if at else None
    raise AssertionError(f"Line {number} is no yield.")


def written(statement):
    """The names that a statement writes, of a loop or a branch its last one; `name[]` is a part of `name`."""
    while hasattr(statement, "body"):
        statement = statement.body[-1]
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    names = [name for target in targets for name in getattr(target, "elts", [target])]
    return ", ".join(name.id if isinstance(name, ast.Name) else f"{name.value.id}[]" for name in names)


def paused(steps):
    """By kind of step, the class or name that the generator yields, and what it wrote before."""
    with open(steps.gi_code.co_filename, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    pauses = {}
    for step in steps:
        paused, before = yield_at(tree, steps.gi_frame.f_lineno)
        made = getattr(paused.value, "func", paused.value).id
        pauses.setdefault(type(step).__name__, set()).add((made, written(before) if before else None))
    return pauses


@pytest.mark.parametrize(
    ("steps", "pauses"),
    [
        (
            bpe.iter_merges("lower", lambda a, b: {"lo": 0}.get(a + b)),
            {"BPEStep": {("BPEStep", "tokens"), ("BPEStep", "tokens[]")}},
        ),
        (
            learn_bpe.iter_learning_steps(HUGS),
            {"PairCounts": {("PairCounts", "pairs")}, "Merged": {("Merged", "words")}},
        ),
        (
            wordpiece.iter_look_ups("playings", {"play", "##ing"}),
            {"LookUp": {("LookUp", "token")}, "WordTokens": {("WordTokens", None)}},
        ),
        (
            learn_wordpiece.iter_learning_steps(HUGS),
            {"PairScores": {("PairScores", "scores")}, "Merged": {("Merged", "words")}},
        ),
        (
            longest_match.iter_matches(b"aab", longest_match.trie({b"a": 1, b"b": 2, b"ac": 3})),
            {"TrieStep": {("TrieStep", "longest")}, "Match": {("longest", "start")}},
        ),
        (
            unigram.viterbi("abc", SCORES),
            {"Relaxed": {("Relaxed", "best[], start_of[]")}, "ScoredSegmentation": {("ScoredSegmentation", "end")}},
        ),
        (
            learn_unigram.iter_learning_steps(HUGS, size=9),
            {
                "SeedVocabulary": {("SeedVocabulary", "scores")},
                "EstimatedScores": {("EstimatedScores", "scores")},
                "PrunedVocabulary": {("PrunedVocabulary", "scores")},
            },
        ),
    ],
    ids=["bpe", "learn_bpe", "wordpiece", "learn_wordpiece", "longest_match", "unigram", "learn_unigram"],
)
def test_a_generator_pauses_behind_the_statement_that_made_the_step(steps, pauses):
    assert paused(steps) == pauses


def test_the_bytes_of_the_cat_in_the_hat():
    text = "the cat in the hat"
    alphabet = [chr(byte) for byte in range(256)]
    steps = [
        step
        for step in learn_bpe.iter_learning_steps({text: 1}, alphabet=alphabet)
        if isinstance(step, learn_bpe.Merged)
    ]
    assert [step.pair for step in steps[:3]] == [("t", "h"), ("th", "e"), ("the", " ")]
    assert steps[2].words == [[258, 99, 97, 116, 32, 105, 110, 32, 258, 104, 97, 116]]
    learner = BPELearner(build_byte_corpus({text: 1}))
    assert [step.spelling for step in learner.steps()] == ["".join(step.pair) for step in steps]


@given(TEXTS)
def test_pre_tokens_are_those_of_the_teaching_file(text):
    for pattern in (*STORED, GPT2, LLAMA3):
        taught = [(start, text[start : start + len(word)]) for start, word in pretokenize(as_of_16(text), pattern)]
        assert [*split(pattern, text)] == taught
        assert [*finder(pattern)(text)] == [word for _, word in taught]


@given(st.lists(st.tuples(WORDS, WORDS), max_size=8), st.text("abc", max_size=30))
def test_lists_of_merges_are_applied_as_by_the_teaching_file(merges, word):
    merges = [*dict.fromkeys((first, second) for first, second in merges if first and second)]
    tokens = bpe.encode_by_pairs(word, merges)
    for merge in (_merge_short, _merge_long, merge_pairs):
        assert merge(word, rank_pairs(merges)) == [(token, len(token)) for token in tokens]


@given(st.text("abc", max_size=30), st.integers(0, 20))
def test_ids_by_pairs_of_ids_are_those_of_the_teaching_file(text, size):
    alphabet = [chr(byte) for byte in range(256)]
    steps = [
        step
        for step in learn_bpe.iter_learning_steps({text: 1}, alphabet=alphabet)
        if isinstance(step, learn_bpe.Merged)
    ]
    pairs = [step.pair for step in steps[:size]]
    spelled = [*alphabet, *map("".join, pairs)]
    by_id = [(spelled.index(first), spelled.index(second)) for first, second in pairs]
    merges = {pair: (id, id) for id, pair in enumerate(by_id, 256)}
    tokens = bpe.encode_by_pairs(text, pairs)
    if len(set(spelled)) == len(spelled):  # else two tokens are spelled alike
        assert [spelled[id] for id, *_ in PairMergedBytes(merges).encode(text)] == tokens


@given(st.sets(st.text("abc", min_size=1, max_size=4)), st.sets(st.text("abc", min_size=1, max_size=4)), WORDS)
def test_longest_matches_are_those_of_the_teaching_file(first, continued, word):
    pieces = ["[UNK]", *sorted(first), *sorted("##" + token for token in continued)]
    fast = WordPiece({piece: id for id, piece in enumerate(pieces)})
    tokens = wordpiece.encode(word, {*pieces})
    assert [pieces[id] for id, *_ in fast.pieces(word)] == tokens
    assert [end - start for _, start, end in fast.pieces(word)] == (
        [len(word)] if tokens == ["[UNK]"] else [len(token.removeprefix("##")) for token in tokens]
    )


SCORED = st.dictionaries(st.text("abc", min_size=1, max_size=4), st.floats(-20, 0), min_size=1)


@given(SCORED, st.text("abcd", max_size=14))
def test_the_best_segmentation_and_its_score_are_those_of_the_teaching_file(scores, text):
    fast = Unigram({token: id for id, token in enumerate(scores, 1)}, scores, wide=True)
    tokens, score = unigram.segment(text, scores)
    best = fast.best(text, 0.0)
    edges = [0]
    for _, size in best.pieces:
        edges.append(edges[-1] + size)
    assert [text[start:end] for start, end in pairwise(edges)] == tokens
    assert best.end == score == sums_before(fast, text)[-1]
    assert isclose(n_best(fast, text, 1)[0][0], score, abs_tol=1e-9)


@given(SCORED, st.text("abc", max_size=9))
def test_all_segmentations_and_their_likelihood_are_those_of_the_teaching_file(scores, text):
    scores = {"a": -3.0, "b": -4.0, "c": -5.0, **scores}
    spelled = ["", *scores]
    fast = Unigram({token: id for id, token in enumerate(scores, 1)}, scores, wide=True)
    ways = [tuple(tokens) for tokens in unigram.segmentations(text, scores)]
    found = [tuple(spelled[id] for id, _ in cut) for _, cut in n_best(fast, text, 1_000)]
    assert sorted(found) == sorted(ways)
    total = log(sum(exp(sum(map(scores.get, tokens))) for tokens in ways))
    assert isclose(likelihood(fast, text), total, abs_tol=1e-9)


@given(WORDS, st.dictionaries(st.text("abc", min_size=1, max_size=3), st.floats(-9, 0), max_size=12), st.integers(1, 9))
def test_the_n_best_ways_are_those_of_trying_all(word, scores, n):
    every = sorted((sum(map(scores.__getitem__, way)) for way in unigram.segmentations(word, scores)), reverse=True)
    best = best_ways(word, scores, n)
    assert all(isclose(score, other, abs_tol=1e-9) for (score, _), other in zip(best, every[:n], strict=True))
    assert all("".join(way) == word for _, way in best)


@given(st.lists(st.lists(st.integers(1, 99), max_size=9), max_size=5), st.none() | st.integers(1, 9))
def test_a_padded_batch_is_a_rectangle_whose_mask_gives_the_ids_back(sequences, longest):
    rows = [*pad_rows(sequences, longest=longest)]
    assert len({len(row.ids) for row in rows} | {len(row.mask) for row in rows}) <= 1
    for ids, row in zip(sequences, rows, strict=True):
        assert [id for id, on in zip(row.ids, row.mask, strict=True) if on] == ids[: len(ids) - row.cut]
