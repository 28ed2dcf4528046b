"""A long text without spaces is divided, and has the ids and spans that sentencepiece gives."""

import random

import numpy as np
import pytest
import sentencepiece
from tokenarium.files.from_scratch_pieces import sentencepiece as from_scratch
from tokenarium.files.sentencepiece.model import SentencePieceModel, load_model
from tokenarium.scratch.compat.sentencepiece.encode import Normalizer
from tokenarium.scratch.compat.sentencepiece.unit_division import UnitDivision
from tokenarium.scratch.fast.unigram.encode import Unigram
from tokenarium.types import TokenizerInfo

from tests.support.sentencepiece_models import train

LINES = [
    "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
    "すべて人は、生命、自由及び身体の安全に対する権利を有する。",
]
ODD = ["\u3000", "が", "か\u3099", "！", "ﾊﾟ", "㍿", "①", "\u200b", "▁", " ", "  ", "你", "𝒜", "é", "e\u0301", "한"]
KINDS = {
    "collapsed spaces": {},
    "byte fallback": {"byte_fallback": True, "vocab_size": 400},
    "kept spaces": {"remove_extra_whitespaces": False, "normalization_rule_name": "identity"},
}


def kana_model(**options: object) -> bytes:
    return train(LINES * 5, **{"vocab_size": 120, "hard_vocab_limit": False, **options})


@pytest.mark.parametrize("kind", KINDS)
def test_ids_and_spans_are_those_of_the_library(kind):
    file = kana_model(**KINDS[kind])
    library = sentencepiece.SentencePieceProcessor(model_proto=file)
    ours = from_scratch(TokenizerInfo("", "", "other", (), None, False), model=load_model(file))
    drawn = random.Random(3)
    for odd in (0, 0.01, 0.1):
        for _ in range(2):
            pieces = [drawn.choice(ODD) if drawn.random() < odd else drawn.choice("".join(LINES)) for _ in range(4000)]
            text = "".join(pieces) + "".join(drawn.choices(LINES, k=5))
            found = library.encode(text, return_type="offset_mapping", return_bytes=True)
            expected = [(id, *span) for id, span in zip(found["ids"], found["offsets"], strict=True)]
            columns = ours.columns(text)
            assert columns is not None
            assert [*zip(*(column.tolist() for column in columns), strict=True)] == expected, ascii(text)


def division(model: SentencePieceModel) -> UnitDivision:
    ids = {piece.text: id for id, piece in enumerate(model.pieces)}
    scores = {piece.text: piece.score for piece in model.pieces if piece.kind == "normal"}
    return UnitDivision(Normalizer(charsmap=model.charsmap, collapse=True), Unigram(ids, scores))


def cuts(model: SentencePieceModel, text: str) -> list[int]:
    data = text.encode()
    places, _ = division(model).find_cuts(data, np.array([[0, len(data)]]))
    return [len(data[:place].decode()) for place in places.tolist()]


def test_a_text_is_divided_except_around_what_is_normalized_to_more_or_less_than_one_character():
    model = load_model(kana_model())
    assert len(cuts(model, LINES[0] * 100)) > 300
    places = cuts(model, LINES[0] * 100 + "㍿" + LINES[0] * 100)
    middle = 100 * len(LINES[0])
    longest = max(len(piece.text) for piece in model.pieces if piece.kind == "normal")
    assert places[0] < middle < places[-1]
    assert not [place for place in places if abs(place - middle) < longest]


def test_no_place_between_unknown_characters_divides_since_they_are_one_token():
    model = load_model(kana_model())
    assert cuts(model, "漢" * 4_000) == []
