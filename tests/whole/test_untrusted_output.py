"""Nothing that a file, a title or a text says does something to a terminal, to a spreadsheet, or to Markdown."""

import csv
import io
import json
import unicodedata
import zipfile

import pytest
from tokenarium.csv_text import csv_text
from tokenarium.errors import Invalid
from tokenarium.lab.tokenizers.adding import add
from tokenarium.lab.train.metadata import check_title
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from tests.conftest import asker
from tests.support.shelves import files
from tests.support.vocabularies import learned

JSON = files(learned("bytes with special tokens"))["tokenizer.json"]
NASTY = "a\x1b[31m\x9b2J\x07\u202eb"
ESCAPED = r"a\u001b[31m\u009b2J\u0007\u202eb"
RAW = [char for char in NASTY if ord(char) < 32 or ord(char) > 126]


@pytest.fixture
def run(said, tmp_path, monkeypatch):
    """A function that runs a command, and returns what it printed on both streams."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKENARIUM_LOCAL", str(tmp_path / "local"))
    return lambda *arguments: "".join(said(*arguments)[1:])


def zipped(name):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, JSON)
        archive.writestr(f"{name}.txt", "not a tokenizer")
    return data.getvalue()


@pytest.mark.parametrize(
    "command",
    [
        ("doctor", NASTY),
        ("doctor", "members.zip"),
        ("add", NASTY),
        ("show", "-t", "bytes", NASTY, "text"),
        ("count", "-t", "bytes", NASTY, "text"),
        ("count", "--json", "-t", "bytes", NASTY, "text"),
        ("doctor", "--json", "members.zip"),
        ("corpus", "count", "-t", "bytes", "nothing", NASTY),
        ("corpus", "count", "-t", "bytes", "text", NASTY),
    ],
    ids=lambda command: " ".join(command[:2]).partition("a\x1b")[0],
)
def test_no_control_character_reaches_the_terminal(tmp_path, run, command):
    (tmp_path / NASTY).write_bytes(JSON)
    (tmp_path / "members.zip").write_bytes(zipped(f"{NASTY}/tokenizer.json"))
    (tmp_path / "text").write_text("ab")
    printed = run(*command)
    assert printed
    assert not [char for char in RAW if char in printed]


def test_json_escapes_every_control_character_and_says_the_same(tmp_path, run):
    text = "".join(map(chr, range(0x250))) + "\u2028\u202e\u2066 é 你好"
    (tmp_path / "text").write_text(text, newline="")
    printed = run("tokenize", "--json", "--include", "pieces", "-t", "characters", "text")
    assert "".join(json.loads(printed)["pieces"]) == text
    assert "\\u0080" in printed
    assert not [char for char in printed[:-1] if unicodedata.category(char) == "Cc" or char in "\u202e\u2066"]


def test_names_with_control_characters_are_shown_escaped(tmp_path, run):
    (tmp_path / NASTY).write_text("ab")
    (tmp_path / "text").write_text("abc")
    assert f"  {ESCAPED}\n" in run("count", "-t", "bytes", NASTY, "text")
    assert f"==> {ESCAPED} <==\n" in run("show", "-t", "bytes", NASTY, "text")


@pytest.mark.parametrize("title", ["a\x1b[31m", "a\x07", "a\x9bb", "a\u202eb", "a\x00"])
def test_a_title_with_control_characters_is_refused(tmp_path, title):
    with pytest.raises(Invalid, match="A title must not have control characters"):
        check_title(title)
    with pytest.raises(Invalid):
        add(Settings(local=tmp_path), {"tokenizer.json": JSON}, title=title)
    assert check_title("Ünïcode 你好 👩🏽‍🚀 مرحبا") == "Ünïcode 你好 👩🏽‍🚀 مرحبا"


def test_no_cell_is_a_formula_and_numbers_stay_numbers():
    cells = [
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "a=1",
        " =1",
        "\n=1",
        "\xa0=1",
        "\ufeff=1",
        "＝1",
        -1,
        -0.5,
        "-1.5e-07",
        "+3",
        None,
    ]
    (row,) = csv.reader(io.StringIO(csv_text([cells]), newline=""))
    assert row == [
        *("'=1+1", "'+cmd|' /C calc'!A0", "'-", "'@SUM(A1)", "'\t=1", "'\r=1", "a=1", "' =1"),
        *("'\n=1", "'\xa0=1", "'\ufeff=1", "'＝1"),
        *("-1", "-0.5", "-1.5e-07", "+3", ""),
    ]


def test_a_download_has_no_formula(ask):
    form = {"tokenizer": "words", "text": "=SUM @A1", "format": "csv"}
    rows = [*csv.DictReader(io.StringIO(ask("POST", "/download", data=form).text))]
    assert not [row for row in rows if row["piece"].startswith(("=", "@"))]
    assert [row["bytes_hex"] for row in rows][:1] == ["3d"]


def test_a_card_escapes_the_title(tmp_path):
    title = "x](javascript:1) <img src=x> | # `a`"
    settings = Settings(local=tmp_path)
    id = add(settings, {"tokenizer.json": JSON}, title=title).info.id
    card = asker(Registry(settings), local=tmp_path)("GET", f"/tokenizers/{id}/card.md").text
    assert card.startswith(r"# x\]\(javascript:1\) \<img src=x\> \| # \`a\`" + "\n")
