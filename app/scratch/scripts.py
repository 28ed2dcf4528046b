"""Where a piece may not go on, as sentencepiece has it: at another script, and where it is asked for, at a digit."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import regex
from numpy.typing import NDArray

from app.scratch.lattices import Ints

SPACE = "▁"
"""Stands for a space; any script may go on behind it."""
LONG_VOWEL = "ー"
"""Stands in Japanese like a letter, though in no one script."""
DIGITS = frozenset("0123456789０１２３４５６７８９")
ANY, SAME, UNKNOWN = 0, 1, -1
"""Of no script, of that of what stands before it, and of one that is not among `SCRIPTS`."""
SCRIPTS = """
Latin Han|Hiragana|Katakana Common Cyrillic Arabic Devanagari Hangul Greek Hebrew Thai Inherited Bengali Tamil Telugu
Armenian Georgian Ethiopic Myanmar Khmer Lao Tibetan Gujarati Gurmukhi Kannada Malayalam Oriya Sinhala Mongolian
Cherokee Canadian_Aboriginal Thaana Syriac Tifinagh Nko Yi Vai Bopomofo Javanese Balinese Sundanese Ol_Chiki Lisu
Bamum Adlam Cham Tai_Le New_Tai_Lue Tai_Tham Tai_Viet Limbu Lepcha Meetei_Mayek Saurashtra Kayah_Li Rejang Buginese
Batak Tagalog Hanunoo Buhid Tagbanwa Syloti_Nagri Phags_Pa Samaritan Mandaic Coptic Gothic Runic Ogham Glagolitic
Old_Italic Deseret Shavian Osmanya Ugaritic Cuneiform Linear_B Cypriot Braille Old_Persian Kharoshthi Phoenician
Carian Lycian Lydian Old_Turkic Avestan Egyptian_Hieroglyphs Imperial_Aramaic Inscriptional_Parthian
Inscriptional_Pahlavi Old_South_Arabian Kaithi Brahmi Chakma Sharada Takri Sora_Sompeng Miao Meroitic_Cursive
Meroitic_Hieroglyphs Bassa_Vah Caucasian_Albanian Duployan Elbasan Grantha Khojki Khudawadi Linear_A Mahajani
Manichaean Mende_Kikakui Modi Mro Nabataean Old_North_Arabian Old_Permic Pahawh_Hmong Palmyrene Pau_Cin_Hau
Psalter_Pahlavi Siddham Tirhuta Warang_Citi Ahom Anatolian_Hieroglyphs Hatran Multani Old_Hungarian SignWriting
Bhaiksuki Marchen Newa Osage Tangut Masaram_Gondi Nushu Soyombo Zanabazar_Square
"""
"""Scripts that are taken for one stand together; those of most text stand first, so that it is soon done."""


@lru_cache
def _class(names: str) -> "regex.Pattern[str]":
    return regex.compile("|".join(rf"\p{{Script={name}}}" for name in names.split("|")))


def script_numbers(characters: Sequence[str]) -> list[int]:
    """A number for the script of each character; `ANY` for ▁, and `SAME` for a mark of the script that it stands in.

    >>> latin, kana, han, mark, space = script_numbers("aの日\\u0301▁")
    >>> latin != kana == han, mark == SAME, space == ANY
    (True, True, True)
    """
    found = {SPACE: ANY, LONG_VOWEL: 3}
    left = {*characters} - found.keys()
    for number, names in enumerate(SCRIPTS.split(), 2):
        if not left:
            break
        these = _class(names).findall("".join(left))
        found |= dict.fromkeys(these, SAME if names == "Inherited" else number)
        left.difference_update(these)
    return [found.get(character, UNKNOWN) for character in characters]


def borders(alphabet: Sequence[str], codes: Ints, *, by_script: bool, single_digits: bool) -> NDArray[np.bool_]:
    """The places where no piece goes on from the one before; codes are numbers in the alphabet, from 1, or 0 where a
    word ends.

    >>> borders("1aб", np.array([2, 3, 1, 1, 0]), by_script=True, single_digits=False).tolist()
    [False, True, True, False, False]
    """
    split = np.zeros(len(codes), bool)
    if by_script:
        scripts = np.array([ANY, *script_numbers(alphabet)], np.int16)[codes]
        scripts = scripts[
            np.maximum.accumulate(np.where(scripts == SAME, np.int32(0), np.arange(len(codes), dtype=np.int32)))
        ]
        split[1:] = (scripts[1:] != scripts[:-1]) & (scripts[1:] != ANY) & (scripts[:-1] != ANY)
    if single_digits:
        digit = np.array([False, *(character in DIGITS for character in alphabet)])[codes]
        split[1:] |= (digit[1:] | digit[:-1]) & (codes[1:] > 0) & (codes[:-1] > 0)
    return split
