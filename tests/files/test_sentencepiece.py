"""A SentencePiece model is read as sentencepiece reads it, and nonsense is refused by byte or piece."""

import random

import pytest
import sentencepiece
from tokenarium.errors import BadFile
from tokenarium.files.protobuf import fields
from tokenarium.files.sentencepiece.model import load_model
from tokenarium.files.sentencepiece.scratch import load as from_scratch
from tokenarium.types import TokenizerInfo

from tests.support.sentencepiece_models import KINDS, message, trained

INFO = TokenizerInfo("", "", "other", (), None, False)


def piece(text, kind=1, score=b"\0\0\x80\xbf"):
    return message(1, message(1, text) + b"\x15" + score + b"\x18" + bytes([kind]))


UNKNOWN = piece(b"<unk>", 2)
TRAINER = message(2, b"\x18\x02")  # BPE
BYTES = b"".join(piece(b"<0x%02X>" % byte, 6) for byte in range(256))
FALLBACK = message(2, b"\x98\x02\x01")
SPECS = message(2, b"") + message(3, b"")


@pytest.mark.parametrize("kind", KINDS)
def test_the_pieces_are_those_of_the_library(kind):
    library = sentencepiece.SentencePieceProcessor(model_proto=trained(kind))
    model = load_model(trained(kind))
    assert len(model.pieces) == library.get_piece_size()
    for id, found in enumerate(model.pieces):
        assert (found.text, found.score) == (library.id_to_piece(id), library.get_score(id))
        assert (found.kind == "control", found.kind == "byte") == (library.is_control(id), library.is_byte(id))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "The model ends at byte 0 without a trainer spec and a normalizer spec."),
        (b"\x0a", "Byte 1 of the model begins a number that does not end."),
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "Byte 1 of the model begins a number that does not end."),
        (b"\x0a\x05abc", "Byte 2 of the model begins field 1 of 5 bytes; it ends at 5."),
        (b"\x0a\xff\xff\xff\xff\x7f", "Byte 6 of the model begins field 1 of 34359738367 bytes; it ends at 6."),
        (b"\x0b", "Byte 0 of the model begins a field of wire type 3, which does not exist."),
        (b"\x08\x01", "Byte 1 of the model begins a value of wire type 0, expected 2."),
        (piece(b""), "Piece 0, at byte 2, is empty."),
        (piece(b"\xff"), "Piece 0, at byte 2, is not UTF-8 at its byte 0."),
        (piece(b"a", 7), "Piece 0, at byte 2, is of type 7; valid types are 1 to 6."),
        (piece(b"a", score=b"\0\0\xc0\x7f"), "Piece 0, at byte 2, has the score nan."),
        (piece(b"a", score=b"\0\0\x80\xff"), "Piece 0, at byte 2, has the score -inf."),
        (piece(b"a") + SPECS, "The model has 1 pieces, of which 0 are unknown; exactly one must be."),
        (UNKNOWN + piece(b"u", 2) + SPECS, "The model has 2 pieces, of which 2 are unknown; exactly one must be."),
        (UNKNOWN + piece(b"a") + piece(b"a") + SPECS, "Piece 2 repeats 'a' of piece 1."),
        (UNKNOWN + BYTES + SPECS, "'<0x00>' is not a byte piece of a model without byte fallback."),
        (UNKNOWN + FALLBACK + SPECS, "The byte piece <0x00> is missing."),
        (
            UNKNOWN + BYTES + piece(b"<0x100>", 6) + FALLBACK + SPECS,
            "'<0x100>' is not a byte piece of a model with byte fallback.",
        ),
        (UNKNOWN + message(2, b"\x18\x09"), "The model is of type 9; supported are unigram, bpe, word, char."),
        (UNKNOWN + TRAINER + piece(b"a", 5) + SPECS, "The piece 'a' is unused, which is not supported in a BPE model."),
        (
            UNKNOWN + message(3, message(2, b"\4\0\0\0abcd")),
            "The last value of the character map at byte 20 does not end.",
        ),
        (
            UNKNOWN + message(3, message(2, b"\x09\0\0\0abcd")),
            "The character map at byte 20 has 8 bytes, but declares a trie of 9 bytes.",
        ),
        (
            UNKNOWN + message(3, message(2, b"\4\0\0\0\0\1\0\0a\0")),
            "Unit 0 of the character map at byte 20 points to no value.",
        ),
    ],
)
def test_nonsense_is_refused_with_its_place(data, message):
    with pytest.raises(BadFile) as refused:
        load_model(data)
    assert refused.value.detail == message


def test_a_model_cut_off_anywhere_is_refused_also_between_two_fields():
    data = trained("unigram")
    ends = [at + len(value) for _, _, value, at in fields(data) if isinstance(value, bytes)]
    specs = [at for number, _, _, at in fields(data) if number in (2, 3)]
    for size in [*range(0, len(data), 97), *ends]:
        if size <= max(specs):
            with pytest.raises(BadFile):
                load_model(data[:size])


@pytest.mark.parametrize("kind", ["unigram", "unigram symbols bytes", "bpe", "bpe bytes"])
def test_a_mutant_is_refused_or_works(kind):
    source = random.Random(kind)
    original = trained(kind)
    for _ in range(150):
        data = bytearray(original)
        for _ in range(source.randint(1, 3)):
            at = source.randrange(len(data))
            end = at + source.choice([0, 1, 1, 4])
            data[at:end] = source.choice([b"", b"\0", b"\xff", b"\x7f\xff", bytes([source.randrange(256)])])
        try:
            model = load_model(bytes(data))
        except BadFile:
            continue
        assert len({found.text for found in model.pieces}) == len(model.pieces)
        rows = [*zip(*from_scratch(INFO, model=model).columns("the café 你好 <user>"), strict=True)]
        assert all(0 <= id < len(model.pieces) for id, _, _ in rows)
