"""Models of every kind are read and give the ids and spans that sentencepiece gives."""

import random

import pytest
import sentencepiece
from tokenarium.errors import EngineFailed
from tokenarium.files.protobuf import fields
from tokenarium.files.sentencepiece.model import load_model
from tokenarium.files.sentencepiece.scratch import load as from_scratch
from tokenarium.scratch.compat.sentencepiece.encode import Normalizer, SentencePiece
from tokenarium.types import TokenizerInfo

from tests.conftest import REPEATED, TIER
from tests.support.random_texts import texts as random_texts
from tests.support.sentencepiece_models import KINDS, WORDS, message, trained
from tests.support.strings import NASTY

PARTS = [
    *NASTY.values(),
    *WORDS,
    " ",
    "  ",
    "▁",
    "\u3000",
    "\u00a8",
    "ﷺ",
    "\x1e",
    "\u200b",
    "<ctl>",
    "<unk>",
    "<0x41>",
    "<s>",
    "é",
    "12",
]


def texts(seed, count):
    return random_texts(seed, count, PARTS, first=1)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_gives_the_ids_and_spans_of_the_library(kind):
    library = sentencepiece.SentencePieceProcessor(model_proto=trained(kind))
    ours = from_scratch(TokenizerInfo("", "", "other", (), None, False), model=load_model(trained(kind)))
    for text in texts(5, REPEATED):
        found = library.encode(text, return_type="offset_mapping", return_bytes=True)
        expected = [(id, *span) for id, span in zip(found["ids"], found["offsets"], strict=True)]
        assert [*zip(*ours.columns(text), strict=True)] == expected, ascii(text)


def unescaped(data):
    """The same model with spaces as spaces; no trainer makes one, but the library reads it."""
    parts = []
    for number, _, value, _ in fields(data):
        if number == 1:
            spelled = next(text for number, _, text, _ in fields(value) if number == 1)
            value = message(1, spelled.replace("▁".encode(), b" ")) + value[len(message(1, spelled)) :]
        parts.append(message(number, value))
    return b"".join(parts) + message(3, b"\x28\x00")


@pytest.mark.parametrize("kind", ["unigram", "unigram symbols bytes", "unigram suffix", "bpe", "bpe bytes kept spaces"])
def test_a_model_that_keeps_spaces_as_they_are_gives_what_the_library_gives(kind):
    data = unescaped(trained(kind))
    assert not load_model(data).escape_whitespaces
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    ours = from_scratch(TokenizerInfo("", "", "other", (), None, False), model=load_model(data))
    for text in texts(6, REPEATED // 2):
        found = library.encode(text, return_type="offset_mapping", return_bytes=True)
        expected = [(id, *span) for id, span in zip(found["ids"], found["offsets"], strict=True)]
        assert [*zip(*ours.columns(text), strict=True)] == expected, ascii(text)


@pytest.mark.parametrize(
    "kind",
    [
        "unigram",
        "unigram bytes",
        "unigram bytes identity kept spaces",
        "unigram over spaces",
        "unigram suffix",
        "bpe symbols",
    ],
)
def test_a_long_text_is_cut_the_same(kind):
    source = random.Random(2)
    text = " ".join(source.choices([*WORDS, "ڪ", "xyzzy", "  "], k={"commit": 20_000, "nightly": 60_000}[TIER]))
    library = sentencepiece.SentencePieceProcessor(model_proto=trained(kind))
    ours = from_scratch(TokenizerInfo("", "", "other", (), None, False), model=load_model(trained(kind)))
    assert ours.encode(text).ids.tolist() == library.encode(text)


def test_pieces_that_lose_text_are_refused():
    losing = SentencePiece(lambda normal: iter([(7, 1)]), Normalizer(), unknown=0)
    with pytest.raises(EngineFailed, match="lost a part of the normalized text"):
        losing.encode("ab")
