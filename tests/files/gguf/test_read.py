"""GGUF headers: written here byte by byte, read back, and refused wherever they are damaged."""

from contextlib import suppress
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import BadFile
from tokenarium.files.gguf.convert import convert_to_sentencepiece
from tokenarium.files.gguf.read import load_gguf
from tokenarium.files.sentencepiece.model import ScoredPiece

from tests.support.gguf_files import WHOLE, gguf, numbers, text, texts


def test_a_header_is_read_into_tokens_types_scores_merges_and_options():
    gguf_ = load_gguf(gguf(**WHOLE) + b"tensors follow")
    assert (gguf_.model, gguf_.pre, gguf_.tokens) == ("gpt2", "qwen2", ("a", "b", "ab", "<s>"))
    assert gguf_.kinds == ("normal", "normal", "normal", "control")
    assert (gguf_.scores, gguf_.merges) == ((0.0, -1.0, -2.0, 0.0), (("a", "b"),))
    assert (gguf_.ids, gguf_.options) == ({"bos": 3, "separator": 2}, {"add_bos_token": True})
    assert gguf_.chat_template == "{{ messages }}"


def test_a_header_cut_anywhere_is_refused():
    whole = gguf(**WHOLE)
    for size in range(len(whole)):
        with pytest.raises(BadFile):
            load_gguf(whole[:size])


@given(st.data())
def test_a_damaged_header_is_read_or_refused_and_nothing_else_happens(data):
    damaged = bytearray(gguf(**WHOLE))
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    with suppress(BadFile):
        assert len(load_gguf(bytes(damaged)).tokens) <= 4


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"version": 1}, "The file is of GGUF version 1; versions 2 and 3 in little-endian order are read."),
        ({"count": 2**60}, f"The header declares {2**60} pairs; at most 100000 are read."),
        ({"tokens": texts()}, "The file has no tokenizer: the key tokenizer.ggml.tokens is missing or empty."),
        ({"tokens": numbers(4, "I", 1)}, "The key tokenizer.ggml.tokens is not a list of str."),
        ({"tokens": texts("a", "b", b"\xff", "c")}, "is not UTF-8."),
        ({"tokens": pack("<IIQ", 9, 8, 2**62)}, "items; at most 10000000 are read."),
        ({"tokens": pack("<IIQ", 9, 8, 9_000_000)}, "has 9000000 items, but the file ends at byte"),
        ({"tokens": pack("<IIQ", 9, 9, 1)}, "begins an array of the type 9, which is not supported."),
        ({"tokens": pack("<I", 77)}, "begins a value of type 77; valid types are 0 to 12."),
        ({"token_type": numbers(5, "i", 1, 1, 1)}, "The file has 4 tokens, 3 types and 4 scores."),
        ({"token_type": numbers(5, "i", 1, 1, 9, 1)}, "Token 2 has no valid type; valid types are 1 to 6."),
        ({"scores": numbers(6, "f", 0, 0, 0, float("nan"))}, "A score is not a finite number."),
        ({"merges": texts("ab")}, "Merge 0 is not two tokens with a space between them."),
        ({"bos_token_id": pack("<I", 8) + text("x")}, "The key tokenizer.ggml.bos_token_id is not an id."),
        ({"model": pack("<I?", 7, True)}, "The key tokenizer.ggml.model is missing or not a text."),
        ({"precompiled_charsmap": numbers(4, "I", 999)}, "has a value that is no byte."),
        ({"precompiled_charsmap": numbers(1, "b", 1, -1)}, "The character map has 2 bytes"),
    ],
)
def test_what_is_wrong_with_a_header_is_named(changes, detail):
    with pytest.raises(BadFile) as refused:
        load_gguf(gguf(**{**WHOLE, **changes}))
    assert detail in refused.value.detail


def test_another_file_and_a_repeated_key_are_refused():
    with pytest.raises(BadFile, match="does not begin with GGUF"):
        load_gguf(b"{}")
    pair = text("tokenizer.x") + pack("<I?", 7, True)
    with pytest.raises(BadFile, match=r"The key 'tokenizer.x' at byte 48 is repeated."):
        load_gguf(b"GGUF" + pack("<IQQ", 3, 0, 2) + pair + pair)


def test_a_sentencepiece_model_is_given_back_as_such():
    pairs = {
        "model": pack("<I", 8) + text("llama"),
        "tokens": texts("<unk>", "▁a", "<s>"),
        "token_type": numbers(5, "i", 3, 1, 3),
        "scores": numbers(6, "f", 0, -1, 0),
        "unknown_token_id": pack("<II", 4, 0),
        "add_space_prefix": pack("<I?", 7, False),
    }
    model = convert_to_sentencepiece(load_gguf(gguf(**pairs)))
    assert (model.algorithm, model.add_dummy_prefix, model.byte_fallback) == ("bpe", False, False)
    assert model.pieces == (ScoredPiece("<unk>", 0, "unknown"), ScoredPiece("▁a", -1), ScoredPiece("<s>", 0, "control"))
    with pytest.raises(BadFile, match="The model 'gpt2' is not a SentencePiece model; llama and t5 are"):
        convert_to_sentencepiece(load_gguf(gguf(**WHOLE)))
