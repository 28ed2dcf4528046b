"""Files of pictures: the browser is asked for the letters that the server has no font of."""

from base64 import b64encode
from io import BytesIO

import orjson
import pytest
from PIL import Image
from tokenarium.lab.sheets.beats import MAX_STEPS

FORM = {"branch": "encode", "tokenizer": "gpt2", "text": "a🌍", "step": "0"}


def png(width=9, height=9):
    written = BytesIO()
    Image.new("1", (width, height)).save(written, "PNG")
    return b64encode(written.getvalue()).decode()


def test_a_browser_that_asks_gets_the_letters_to_paint(ask):
    answer = ask("POST", "/steps/download", data={**FORM, "format": "pdf", "ask": "1"})
    assert answer.json() == {
        "letters": [["🌍", "mono", False]],
        "families": {"mono": "Source Code Pro", "serif": "Source Serif 4", "sans": "IBM Plex Sans"},
        "color": "#1c1b19",
    }


@pytest.mark.parametrize(
    ("kind", "media", "name", "start"),
    [
        ("svg", "image/svg+xml", "steps.svg", b"<?xml"),
        ("png", "image/png", "steps.png", b"\x89PNG"),
        ("text.pdf", "application/pdf", "steps.pdf", b"%PDF-"),
        ("all.pdf", "application/pdf", "steps.pdf", b"%PDF-"),
        ("gif", "image/gif", "steps.gif", b"GIF89a"),
    ],
)
def test_each_kind_is_a_file_with_a_name(ask, kind, media, name, start):
    letters = orjson.dumps([["🌍", "mono", False, png()]]).decode()
    answer = ask("POST", "/steps/download", data={**FORM, "format": kind, "letters": letters})
    assert (answer.status_code, answer.headers["content-type"]) == (200, media)
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert answer.content.lstrip().startswith(start)


@pytest.mark.parametrize(
    "letters",
    [
        "{",
        "[1]",
        '[["a", "mono", false]]',
        '[["a", "mono", false, "*"]]',
        '[["a", "mono", false, "R0lGODlh"]]',
        orjson.dumps([["a", "mono", False, png(1001, 1000)]]).decode(),
        orjson.dumps([[f"{number}", "mono", False, ""] for number in range(1001)]).decode(),
    ],
)
def test_letters_that_are_no_pictures_are_refused(ask, letters):
    answer = ask("POST", "/steps/download", data={**FORM, "format": "png", "letters": letters})
    assert (answer.status_code, answer.json()["pointer"]) == (422, "/letters")


def test_a_scene_of_the_course_is_saved_as_steps_are(ask):
    for kind, start in (("svg", b"<?xml"), ("all.pdf", b"%PDF-"), ("html", b"<!doctype html>")):
        answer = ask("POST", "/learn/bpe/download", data={"text": "low", "at": "1", "format": kind})
        assert answer.headers["content-disposition"] == f'attachment; filename="bpe.{kind.rpartition(".")[2]}"'
        assert answer.content.lstrip().startswith(start)


@pytest.mark.parametrize("name", ["tokens", "summary", "agreement"])
def test_every_picture_of_a_comparison_has_every_format(ask, name):
    sent = {"text": "strawberry", "tokenizer": ["o200k_base", "gpt2"]}
    for kind, start in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF-")):
        answer = ask("POST", "/compare/download", data={**sent, "format": f"{name}.{kind}"})
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}.{kind}"'
        assert answer.content.lstrip().startswith(start)


def test_the_menu_says_above_how_many_steps_a_gif_has_no_beats(ask):
    assert f"Above {MAX_STEPS} steps, the GIF shows each merge in one picture" in ask("GET", "/steps").text
