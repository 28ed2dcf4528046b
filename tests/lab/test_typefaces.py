"""The bundled fonts: which letters they have, how wide these are, and fonts of the letters used alone."""

from io import BytesIO

import pytest
from fontTools.ttLib import TTFont
from tokenarium.lab.steps.tiles import visible
from tokenarium.lab.typefaces import FAMILIES, SIGNS, find_part, is_foreign, measure
from tokenarium.serialize.fonts import LINES, make_font


@pytest.mark.parametrize("face", FAMILIES)
def test_every_sign_of_the_tiles_has_a_letter(face):
    text = visible(" \t\n\r\u200b\u0301") + "▁→×−…·é"
    assert [char for char in text.replace("\u0301", "") if not find_part(char, face)] == []


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("face", FAMILIES)
def test_a_text_is_as_wide_as_the_font_says_that_a_picture_carries(face, bold):
    font = TTFont(BytesIO(make_font(find_part("a", face), face, "Wide", bold=bold, compressed=True)))
    advances = [font["hmtx"][font.getBestCmap()[ord(char)]][0] for char in "Wide"]
    assert measure("Wide", face, 1000, bold=bold) == pytest.approx(sum(advances), abs=2)


def test_a_font_has_the_letters_used_and_no_others():
    font = TTFont(BytesIO(make_font(find_part("a", "mono"), "mono", "token")))
    assert "".join(map(chr, font.getBestCmap())) == "eknot"
    assert font["name"].getBestFamilyName() == "Source Code Pro"


def test_every_sign_is_drawn_as_wide_as_a_letter():
    font = TTFont(BytesIO(make_font("signs", "mono", SIGNS)))
    assert {*SIGNS} == {*LINES} == {*map(chr, font.getBestCmap())}
    assert {advance for advance, _ in font["hmtx"].metrics.values()} == {600}


def test_a_letter_that_must_be_shaped_is_foreign():
    assert [is_foreign(text, "mono") for text in ("naïve", "e\u0301", "你", "שלום", "🌍")] == [False, *[True] * 4]
