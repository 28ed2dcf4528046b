"""Tokens stand for the bytes that they were made from: added tokens as they are, others by their vocabulary."""

from dataclasses import replace

import pytest
from tokenarium.files.records import record_from_files
from tokenarium.files.sentencepiece.library import load as load_library
from tokenarium.files.sentencepiece.model import ScoredPiece, dump_model, load_model
from tokenarium.lab.detokenize import vocabulary_forms
from tokenarium.lab.tokenize import Tokenization
from tokenarium.registry import load
from tokenarium.serialize.columns import piece
from tokenarium.types import UNKNOWN, VocabEntry
from tokenizers import AddedToken, Tokenizer, models
from tokenizers import decoders as D
from tokenizers import normalizers as N
from tokenizers import pre_tokenizers as P

from tests.support.sentencepiece_models import trained

BYTES = P.ByteLevel.alphabet()


def library(model, **stages):
    made = Tokenizer(model)
    for name, stage in stages.items():
        setattr(made, name, stage)
    return made


def both(made):
    record = record_from_files("x", {"tokenizer.json": made.to_str().encode()})
    return [load(record, engine) for engine in ("tokenizers", "scratch")]


def byte_level():
    vocabulary = {char: id for id, char in enumerate(sorted(BYTES))}
    made = library(models.BPE(vocabulary, []), pre_tokenizer=P.ByteLevel(add_prefix_space=False), decoder=D.ByteLevel())
    made.add_tokens([AddedToken("<｜tool▁calls▁begin｜>", normalized=False), AddedToken("##x", normalized=False)])
    made.add_special_tokens(["<s▁>"])
    return made


def test_an_added_token_is_decoded_as_it_is_spelled():
    for tokenizer in both(byte_level()):
        assert tokenizer.decode([256, 257, 258]) == "<｜tool▁calls▁begin｜>##x<s▁>".encode()
        assert [tokenizer.entry(id).raw.decode() for id in (256, 257)] == ["<｜tool▁calls▁begin｜>", "##x"]


def test_a_hash_or_a_mark_in_a_vocabulary_that_does_not_use_them_is_itself():
    made = library(models.BPE({"##": 0, "▁": 1, "a": 2}, []), decoder=D.Fuse())
    for tokenizer in both(made):
        assert [tokenizer.entry(id).raw.decode() for id in range(3)] == ["##", "▁", "a"]


def test_the_api_shows_a_byte_level_token_as_text_and_the_dialects_as_in_its_file():
    theirs, ours = both(byte_level())
    for tokenizer in (theirs, ours):
        text = "é a"
        tokenization = Tokenization(text, tokenizer, tokenizer.encode(text))
        pieces = [piece(tokenization.entry(id)) for id in tokenization.encoding.ids.tolist()]
        assert pieces == [{"bytes_hex": "c3"}, {"bytes_hex": "a9"}, " ", "a"]
        assert vocabulary_forms(tokenization) == ["Ã", "©", "Ġ", "a"]


@pytest.mark.parametrize(
    "model",
    [
        models.BPE({"<unk>": 0, "▁": 1, "a": 2}, [], unk_token="<unk>"),
        models.Unigram([("<unk>", 0.0), ("▁", -1.0), ("a", -1.0)], unk_id=0, byte_fallback=False),
    ],
)
def test_an_unknown_token_that_is_normalized_keeps_its_kind(model):
    made = library(model, normalizer=N.Prepend("▁"))
    made.add_tokens([AddedToken("<unk>", normalized=True)])
    for tokenizer in both(made):
        encoding = tokenizer.encode("a日")
        assert (encoding.ids.tolist(), encoding.flags.tolist()) == ([1, 2, 0], [0, 0, UNKNOWN])
        assert tokenizer.entry(0) == VocabEntry(0, "▁<unk>", "▁<unk>".encode(), "unknown")


def test_the_stages_of_the_library_know_its_added_tokens():
    made = byte_level()
    made.normalizer = N.Lowercase()
    made.pre_tokenizer = P.Sequence([P.WhitespaceSplit(), P.ByteLevel(add_prefix_space=False)])
    for tokenizer in both(made):
        stages = tokenizer.stages("A##xB <｜tool▁calls▁begin｜>C")
        assert stages["normalize"] == ["a##xb <｜tool▁calls▁begin｜>c"]
        assert stages["pre-tokenize"] == ["a", "##x", "b", "<｜tool▁calls▁begin｜>", "c"]


def test_only_the_first_word_gets_the_mark_of_the_scheme_first_in_the_stages():
    made = library(models.BPE({"▁": 0, "a": 1, "b": 2}, []), pre_tokenizer=P.Metaspace(prepend_scheme="first"))
    made.add_tokens([AddedToken("<x>", normalized=False)])
    for tokenizer in both(made):
        assert tokenizer.stages("a<x>b")["pre-tokenize"] == ["▁a", "<x>", "b"]


def test_the_scheme_first_gives_no_mark_to_a_word_before_which_a_normalizer_has_removed_something():
    metaspace = P.Metaspace(prepend_scheme="first")
    made = library(models.BPE({"▁": 0, "a": 1}, []), normalizer=N.Strip(), pre_tokenizer=metaspace)
    for tokenizer in both(made):
        assert tokenizer.encode(" a").ids.tolist() == [1]
        assert [tokenizer.stages(text)["pre-tokenize"] for text in (" a", "a ")] == [["a"], ["▁a"]]


KEPT = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}


@pytest.mark.parametrize("kind", ["unigram no prefix", "unigram suffix", "bpe suffix", "bpe", "bpe bytes kept spaces"])
def test_decoding_takes_off_the_space_in_front_and_leaves_one_behind_as_the_library_does(kind):
    record = record_from_files("x", {"m": trained(kind)})
    for engine in ("sentencepiece", "scratch"):
        tokenizer = load(record, engine)
        assert tokenizer.decode(tokenizer.encode("the other").ids.tolist()) == b"the other" + b" " * ("suffix" in kind)
        if kind == "bpe bytes kept spaces":
            assert tokenizer.decode(tokenizer.encode("▁the").ids.tolist()) == b" the"


def test_a_piece_of_two_spaces_does_not_hide_that_spaces_are_removed():
    model = load_model(trained("bpe"))
    two = ScoredPiece("  ", 0.0, "user_defined")
    changed = replace(model, pieces=(*model.pieces, two), add_dummy_prefix=False, remove_extra_whitespaces=True)
    record = record_from_files("x", {"m": dump_model(changed)})
    ids = [[piece.text for piece in changed.pieces].index(text) for text in ("▁of", "  ", "▁of")]
    assert [load(record, engine).decode(ids) for engine in ("sentencepiece", "scratch")] == [b"of   of"] * 2


def test_without_a_dummy_prefix_a_leading_space_is_kept():
    model = replace(load_model(trained("bpe bytes kept spaces")), add_dummy_prefix=False)
    record = record_from_files("x", {"m": dump_model(model)})
    suffixed = replace(model, add_dummy_prefix=True, whitespace_as_suffix=True)
    for text in (" the", "the", "▁the"):
        for engine in ("sentencepiece", "scratch"):
            tokenizer = load(record, engine)
            ids = tokenizer.encode(text).ids.tolist()
            assert tokenizer.decode(ids).decode() == text.replace("▁", " ")
            assert tokenizer.decode(ids).decode() == load_library(record.info, model=dump_model(model)).library.decode(
                ids
            )
            after = load(record_from_files("y", {"m": dump_model(suffixed)}), engine)
            assert after.decode(after.encode(text).ids.tolist()) == b"the "
