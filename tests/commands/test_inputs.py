"""What `count` and `corpus count` make of a file: the same, down to its first bytes and its line ends."""

import json

import pytest

TEXT = "Hello, world\n你好\n"
TEXTS = {
    "lf": TEXT,
    "crlf": TEXT.replace("\n", "\r\n"),
    "cr": TEXT.replace("\n", "\r"),
    "mark": f"\ufeff{TEXT}",
    "mixed": "a\r\r\nb\r",
    "empty lines": "\n\r\n\na",
}
WIDE = {"utf-16": "UTF-16", "utf-16-le": "UTF-16LE", "utf-16-be": "UTF-16BE", "utf-32": "UTF-32"}


@pytest.mark.parametrize("lines", [False, True])
def test_a_file_has_the_same_tokens_and_characters_in_both(said, tmp_path, lines):
    paths = {name: tmp_path / f"{name}.txt" for name in (*TEXTS, *WIDE)}
    for name, path in paths.items():
        path.write_bytes(TEXTS[name].encode() if name in TEXTS else TEXT.encode(name))
    here = said("count", "-t", "gpt2", "--json", *["--lines"] * lines, *paths.values())
    options = ("--input-format", "lines" if lines else "text", "--by", "file", "--workers", "1")
    there = said("corpus", "count", "-t", "gpt2", "--json", *options, *paths.values())
    sums = dict.fromkeys(TEXTS, (0, 0))
    for answer in map(json.loads, here[1].splitlines()):
        name = next(name for name, path in paths.items() if str(path) == answer["file"])
        sums[name] = (sums[name][0] + answer["count"], sums[name][1] + answer["characters"])
    counted = json.loads(there[1])
    groups = {str(path): name for name, path in paths.items()}
    figures = {groups[group]: of["gpt2"] for group, of in counted["groups"].items()}
    assert sums == {name: (one["tokens"], one["characters"]) for name, one in figures.items()}
    assert lines or {name: one["characters"] for name, one in figures.items()} == {
        name: len(text) for name, text in TEXTS.items()
    }
    assert (here[0], there[0]) == (1, 1)
    for messages in (here[2], "\n".join([*counted["notes"], there[2]])):
        assert messages.count("begins with a byte order mark, which is read as a character of the text.") == 1
        assert all(
            f"it is {name[:6]}; convert it, as with iconv -f {name} -t UTF-8." in messages for name in WIDE.values()
        )


def test_ids_are_read_behind_a_byte_order_mark(said, tmp_path):
    (tmp_path / "ids.json").write_text('{"ids": [15496]}', encoding="utf-8-sig")
    assert said("detokenize", "-t", "gpt2", tmp_path / "ids.json") == (0, "Hello", "")
