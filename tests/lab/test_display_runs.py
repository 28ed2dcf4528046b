"""What cannot be seen is named; what belongs together stays together."""

import pytest
from hypothesis import given
from tokenarium.lab.display_runs import DisplayRun, char_name, label, plain, runs, spoken_label

from tests.support.strings import NASTY, TEXTS


def kinds(text):
    return [(run.kind, run.label) for run in runs(text) if run.kind != "text"]


@given(TEXTS)
def test_runs_join_to_the_text(text):
    assert "".join(run.text for run in runs(text)) == text
    assert "".join(run.text for run in plain(text)) == text


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_runs_of_nasty_strings_join_to_them_and_none_is_empty(text):
    assert "".join(run.text for run in runs(text)) == text
    assert all(run.text for run in (*runs(text), *plain(text)))


@pytest.mark.parametrize(
    ("char", "said"),
    [
        ("\0", "NUL"),
        ("\x1b", "ESC"),
        ("\x7f", "DEL"),
        ("\x85", "NEL"),
        ("\x9f", "U+009F"),
        ("\xa0", "NBSP"),
        ("\xad", "SHY"),
        ("\u200b", "ZWSP"),
        ("\u200d", "ZWJ"),
        ("\u202e", "RLO"),
        ("\u2028", "LSEP"),
        ("\u2066", "LRI"),
        ("\u3164", "HF"),
        ("\ue000", "U+E000"),
        ("\ufdd0", "U+FDD0"),
        ("\ufe0f", "VS16"),
        ("\ufeff", "BOM"),
        ("\ufffd", "U+FFFD"),
        ("\U000e0041", "U+E0041"),
        ("\U0010ffff", "U+10FFFF"),
    ],
)
def test_a_character_that_cannot_be_seen_is_a_named_chip(char, said):
    assert kinds(char) == [("chip", said)]
    assert char_name(char) == said


@pytest.mark.parametrize(
    "text",
    [
        "👩‍👩‍👧‍👦",
        "👩🏽‍🚀",
        "❤️‍🔥",
        "🏳️‍🌈",
        "7️⃣",
        "🇺🇳",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می\u200cخواهم",
        "क्\u200dष",
        "葛\U000e0100",
        "\u06dd١",
        "e\u0301",
        "नमस्ते",
        "السلام",
    ],
)
def test_joined_characters_stay_joined(text):
    assert runs(text) == [DisplayRun("text", text)]


def test_joiners_and_selectors_that_join_nothing_are_chips():
    assert kinds("a\u200db\u200cc") == [("chip", "ZWJ"), ("chip", "ZWNJ")]
    assert kinds("🙂\U000e0120\U000e0121") == [("chip", "U+E0121")]
    assert kinds("\U000e0067\U000e007f") == [("chip", "U+E0067"), ("chip", "U+E007F")]


def test_white_space_is_told_apart():
    assert [run.kind for run in runs(" \t\r\n")] == ["space", "tab", "return", "newline"]
    assert label(" \t\r\n") == "·→CR↵"


def test_a_mark_without_a_base_gets_a_dotted_circle():
    assert runs("\u0301\u0300") == [DisplayRun("mark", "\u0301\u0300", "◌")]
    assert label("a \u0301") == "a·◌\u0301"


@pytest.mark.parametrize(
    ("text", "said"),
    [(" ", "space"), ("    ", "4 spaces"), ("\t", "tab"), ("\n", "line break"), ("\u200b", "ZWSP"), ("a ", "")],
)
def test_tokens_that_show_nothing_can_be_read_aloud(text, said):
    assert spoken_label(runs(text)) == said


def test_a_very_long_run_of_marks_is_cut_in_linear_time():
    text = "a" + "\u0301" * 300_000
    assert "".join(run.text for run in runs(text)) == text
