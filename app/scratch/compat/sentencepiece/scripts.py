"""Where sentencepiece's trainer (0.2) ends a piece: between scripts and, if requested, around each digit.

By the options `split_by_unicode_script` and `split_digits`.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import regex
from numpy.typing import NDArray

from ...fast.unigram.lattice_batch import Ints

SPACE = "▁"
"""The mark of a space; a piece may go on with any script after it."""
LONG_VOWEL = "ー"
"""Used like a letter in Japanese, though Unicode assigns it to no single script."""
DIGITS = frozenset("0123456789０１２３４５６７８９")
ANY = 0
SAME = 1
UNKNOWN = -1
"""No script · the script of the character before (combining marks) · a script that is not in `SCRIPTS`."""
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
"""Scripts joined by | count as one. The most frequent are first, so that the search ends early."""


@lru_cache
def _class(names: str) -> "regex.Pattern[str]":
    return regex.compile("|".join(rf"\p{{Script={name}}}" for name in names.split("|")))


def script_numbers(characters: Sequence[str]) -> list[int]:
    """Return a number for the script of each character; `ANY` for ▁, `SAME` for a mark that takes the script before it.

    >>> latin, kana, han, mark, space = script_numbers("aの日\\u0301▁")
    >>> latin != kana == han, mark == SAME, space == ANY
    (True, True, True)
    """
    numbers = {SPACE: ANY, LONG_VOWEL: 3}
    left = {*characters} - numbers.keys()
    for number, names in enumerate(SCRIPTS.split(), 2):
        if not left:
            break
        members = _class(names).findall("".join(left))
        numbers |= dict.fromkeys(members, SAME if names == "Inherited" else number)
        left.difference_update(members)
    return [numbers.get(character, UNKNOWN) for character in characters]


def borders(alphabet: Sequence[str], codes: Ints, *, by_script: bool, single_digits: bool) -> NDArray[np.bool_]:
    """Return, for each character of a corpus, True if no piece may contain it and the character before.

    `codes` are positions in the alphabet, from 1; 0 ends a word. Shape `(n,)`, as the result.

    >>> borders("1aб", np.array([2, 3, 1, 1, 0]), by_script=True, single_digits=False).tolist()
    [False, True, True, False, False]
    """
    split = np.zeros(len(codes), bool)
    if by_script:
        scripts = np.array([ANY, *script_numbers(alphabet)], np.int16)[codes]
        # A mark takes the script of the last character before it that is not a mark.
        scripts = scripts[
            np.maximum.accumulate(np.where(scripts == SAME, np.int32(0), np.arange(len(codes), dtype=np.int32)))
        ]
        split[1:] = (scripts[1:] != scripts[:-1]) & (scripts[1:] != ANY) & (scripts[:-1] != ANY)
    if single_digits:
        digit = np.array([False, *(character in DIGITS for character in alphabet)])[codes]
        split[1:] |= (digit[1:] | digit[:-1]) & (codes[1:] > 0) & (codes[:-1] > 0)
    return split
