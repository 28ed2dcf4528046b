"""Damaged files of every format are accepted or refused, and nothing else happens; kept here is what once did."""

import json

import pytest
from tokenarium.errors import BadFile
from tokenarium.files.json_objects import read_json
from tokenarium.files.records import record_from_files
from tokenarium.files.sentencepiece.model import ScoredPiece, SentencePieceModel, dump_model
from tokenarium.files.tokenizer_json.components import bpe, document
from tokenarium.lab.tokenizers.adding import try_engines

from tests.conftest import TIER
from tests.fuzz import KINDS, fuzz, outcome
from tests.support import tokenizers_trained
from tests.support.mutants import SEEDS, gguf_pieces, mutant
from tests.support.records import gpt2_files

MUTANTS = {"commit": 50, "nightly": 10_000}[TIER]


@pytest.mark.parametrize("kind", KINDS)
def test_mutants_are_accepted_or_refused(kind):
    report = fuzz(kind, MUTANTS)
    assert report.findings == {}
    assert report.outcomes.total() == MUTANTS
    assert min(report.outcomes["accepted"], report.outcomes["refused"]) > MUTANTS / 50


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_before_mutation_are_accepted(kind):
    seeds = SEEDS[kind]()
    assert {outcome(files) for files in seeds} == {"accepted"}
    assert mutant(seeds, kind, 5) == mutant(seeds, kind, 5)


def test_gguf_without_an_end_token_needs_none():
    assert record_from_files("a", {"a.gguf": gguf_pieces("llama")}).info.prefix == ("<s>",)


@pytest.mark.parametrize("id", [2**31 - 1, 2**32, 10**400])
def test_an_id_that_would_take_the_memory_of_all_below_it_is_refused(id):
    files = gpt2_with(vocabulary={"é": id})
    with pytest.raises(BadFile, match=r"has an id above 9999999, the largest allowed\.$"):
        record_from_files("a", files)


def gpt2_with(vocabulary):
    files = gpt2_files()
    return files | {"vocab.json": json.dumps({**json.loads(files["vocab.json"]), **vocabulary}).encode()}


def test_an_added_token_spelled_as_a_byte_is_as_long_as_it_is():
    files = gpt2_files(mask_token="Ġ")
    tokenizers, _ = try_engines(record_from_files("a", files))
    assert [tokenizer.encode("aéĠ b").byte_ends.tolist()[-1] for tokenizer in tokenizers] == [7, 7]
    assert outcome(files) == "accepted"


def test_an_end_of_word_mark_that_falls_back_to_bytes_is_of_the_last_character():
    byte_pieces = {piece: id for id, piece in enumerate(tokenizers_trained.BYTE_PIECES)}
    marks = {"end_of_word_suffix": "</w>", "continuing_subword_prefix": "##"}
    for names, expected in ((["end_of_word_suffix"], "né</w>"), ([*marks], "n##é</w>")):
        top = document(bpe(byte_pieces, [], byte_fallback=True, **{name: marks[name] for name in names}), [])
        tokenizers, _ = try_engines(record_from_files("a", {"a.json": json.dumps(top).encode()}))
        assert len(tokenizers) == 2
        for tokenizer in tokenizers:
            encoding = tokenizer.encode("né")
            assert bytes(encoding.ids.tolist()) == expected.encode()
            assert encoding.char_ends.max() == 2


def test_half_a_surrogate_pair_is_refused_and_a_whole_one_read():
    assert read_json(rb'{"a": "\ud83c\udf0d"}') == {"a": "🌍"}
    assert read_json(rb'{"a": "\\ud83c"}') == {"a": r"\ud83c"}
    for name in (rb'{"a": "\ud83c"}', rb'{"\uDF0D\ud83c": 1}'):
        with pytest.raises(BadFile, match="half a surrogate pair"):
            read_json(name)


def test_a_character_map_that_declares_more_than_it_has_is_refused():
    top = json.loads(tokenizers_trained.file("unigram precompiled"))
    top["normalizer"]["normalizers"][0]["precompiled_charsmap"] = "a" * 70_000
    with pytest.raises(BadFile, match="declares a trie of"):
        record_from_files("a", {"a.json": json.dumps(top).encode()})


@pytest.mark.parametrize("id", [{}, [], "x", None, 10**400, 1.5, float("inf")])
def test_ids_around_a_text_that_are_none_are_refused_by_the_engine(id):
    top = json.loads(tokenizers_trained.file("added to metaspace"))
    for token in top["post_processor"]["special_tokens"].values():
        token["ids"] = [id]
    with pytest.raises(BadFile):
        try_engines(record_from_files("a", {"a.json": json.dumps(top).encode()}))


@pytest.mark.parametrize(
    ("piece", "detail"),
    [
        (ScoredPiece("\0", -1.0), "Piece 1 contains the character U"),
        (ScoredPiece("a", 1.2e9), "Piece 1 has the score 1.2e"),
    ],
)
def test_a_piece_on_which_sums_or_matches_fail_is_refused(piece, detail):
    model = SentencePieceModel((ScoredPiece("<unk>", 0.0, "unknown"), piece), "unigram")
    with pytest.raises(BadFile, match=detail):
        record_from_files("a", {"a.model": dump_model(model)})


def added(content, id):
    options = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    return {"id": id, "content": content, **options}


def words(vocabulary, *tokens):
    """The files of a tokenizer of whole words with added tokens."""
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "a"}
    top = {"added_tokens": [added(*token) for token in tokens], "pre_tokenizer": {"type": "Whitespace"}, "model": model}
    return {"a.json": json.dumps(top).encode()}


@pytest.mark.parametrize("order", [("c", "x", "y"), ("x", "c", "y")])
def test_added_tokens_are_numbered_from_the_size_of_a_vocabulary_with_gaps(order):
    given = {"c": 10, "x": 11, "y": 12}
    files = words({"a": 0, "b": 1, "c": 10}, *((content, given[content]) for content in order))
    tokenizers, _ = try_engines(record_from_files("a", files))
    assert [tokenizer.encode("b c x y").ids.tolist() for tokenizer in tokenizers] == [[1, 10, 3, 4]] * 2


def test_two_added_tokens_with_one_id_are_left_to_the_library():
    files = words({"a": 0, "b": 1, "c": 3}, ("x", 3), ("c", 4))
    record = record_from_files("a", files)
    assert record.info.engines == ("tokenizers",)
    assert any("'x' and 'c' get the same id 3" in note for note in record.info.notes)
    assert outcome(files) == "accepted"


def test_a_score_beyond_all_floats_is_refused():
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", 10**400]]}
    assert outcome({"a.json": json.dumps({"added_tokens": [], "model": model}).encode()}) == "refused"
