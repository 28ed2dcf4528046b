"""Where a piece may not go on."""

from itertools import pairwise

import numpy as np
import pytest
from tokenarium.scratch.compat.sentencepiece.scripts import borders, script_numbers


def parts(text, **options):
    alphabet = sorted({*text})
    codes = np.array([alphabet.index(char) + 1 for char in text] + [0])
    given = {"by_script": True, "single_digits": False, **options}
    places = [0, *np.flatnonzero(borders(alphabet, codes, **given)).tolist(), len(text)]
    return [text[begin:end] for begin, end in pairwise(places) if end > begin]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("▁abcабв", ["▁abc", "абв"]),
        ("▁don't", ["▁don", "'", "t"]),
        ("▁x2019", ["▁x", "2019"]),
        ("日本語ひらカタ", ["日本語ひらカタ"]),
        ("データ", ["データ"]),
        ("한국어中文", ["한국어", "中文"]),
        ("e\u0301a", ["e\u0301a"]),
        ("นี้ ไทย", ["นี้", " ", "ไทย"]),
    ],
)
def test_a_piece_keeps_to_one_script(text, cut):
    assert parts(text) == cut


def test_scripts_may_be_mixed_where_nothing_forbids_it():
    assert parts("▁abcабв1", by_script=False) == ["▁abcабв1"]


def test_single_digits_stand_alone():
    assert parts("▁a12b", by_script=False, single_digits=True) == ["▁a", "1", "2", "b"]
    assert parts("１2", single_digits=True) == ["１", "2"]


def test_a_script_that_is_not_listed_is_one_of_its_own():
    khitan, latin = script_numbers("\U00018b00a")
    assert khitan != latin
