"""What in a request costs more tokens than it says: shorter ways to write it, each with a proof or without one.

Nothing is changed: each finding has the text before and after. Data in JSON is written in other forms, parsed back and
compared. Fewer tokens are not yet a better prompt: a model may read one form worse than another.

Letters that look like Latin ones are among the confusable characters of Unicode Technical Standard 39, those of
Cyrillic and Greek letters that most typefaces draw as the Latin ones.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import yaml

from ...registry import Registry
from .conversions import to_chat
from .parts import PartCounter, RequestCount
from .recognition import ModelCall
from .values import compact_json, hide_secrets, join_parts, objects, parse_json, text_of

CYRILLIC = ("АВЕЅІЈКМНОРСТХУаеіјорсухѕһԁԛԝ", "ABESIJKMHOPCTXYaeijopcyxshdqw")
GREEK = ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo")
LATIN = str.maketrans(CYRILLIC[0] + GREEK[0], CYRILLIC[1] + GREEK[1])
WORD = re.compile(r"[^\W\d_]{2,100}")
ASCII_LETTER = re.compile("[A-Za-z]")
MAX_LENGTH = 200_000
"""Characters of a message that is looked at."""
MAX_YAML = 20_000
"""Characters of a text that is also written as YAML, which is slow."""
MAX_FINDINGS = 50
LEAST_SAVED = 3
"""Tokens that a finding saves at least."""
LEAST_BLOCK = 120
"""Characters of a paragraph whose repetition is a finding."""
BLANK_LINES = re.compile(r"(?:\r?\n){4,}")
# Joiners are left alone: they are part of emoji and of Persian and Indic words.
INVISIBLE = re.compile("[\u00ad\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069]")
# Mathematical alphabets and the wide forms of ASCII, in which people write bold or wide where there is no markup.
STYLED = re.compile("[\U0001d400-\U0001d7ff\uff01-\uff5e]+")
# A time to more than milliseconds, or a number with more than six digits after its point.
LONG_FRACTION = re.compile(r"(?<![\w.])\d{1,20}\.\d{7,40}(?![\w.])")
LONG_SECOND = re.compile(r"(?<=[T ]\d\d:\d\d:\d\d)\.\d{4,9}(?!\d)")
DIGITS = 6
"""Digits after the point that are kept of a number."""
OPAQUE = re.compile(
    r"(?P<uuid>\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b)"
    r"|(?P<hash>\b[0-9a-fA-F]{32,}\b)"
    r"|(?P<base64>(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{80,}={0,2})"
)
OPAQUE_NAMES = {"uuid": "UUIDs", "hash": "hashes", "base64": "base64"}
SAME_DATA = "Proven: parsed back, the data are the same."
NO_PROOF = "Not proven: only you know whether the model needs it."


@dataclass(frozen=True, slots=True)
class DietFinding:
    """A way to say the same in fewer tokens. `before` and `after` are texts without secrets, `after` "" for nothing."""

    title: str
    part: str
    tokens: int
    saved: int
    proof: str
    before: str
    after: str

    @property
    def proven(self) -> bool:
        """True if the meaning is the same for certain."""
        return self.proof != NO_PROOF


def replace_look_alikes(text: str) -> str:
    """Return a text whose words with an ASCII letter have Latin letters for those that only look so.

    >>> replace_look_alikes("p\u0430ypal, \u0441\u0435\u0432\u0435\u0440")
    'paypal, север'
    """
    return WORD.sub(_replace, text)


def _replace(match: re.Match[str]) -> str:
    word = match.group()
    return word.translate(LATIN) if not word.isascii() and ASCII_LETTER.search(word) else word


def find_savings(counter: PartCounter, call: ModelCall) -> list[DietFinding]:
    """Return the possible savings in the messages of a request, the largest first.

    Tokens are those of the counter's tokenizer.
    """
    texts = [*_texts(call)]
    findings = [found for name, text in texts for found in _find_in(counter, name, text)]
    findings += _repeated(counter, texts)
    findings = [one for one in findings if one.saved >= LEAST_SAVED]
    return sorted(findings, key=lambda one: -one.saved)[:MAX_FINDINGS]


def diet(registry: Registry, count: RequestCount) -> list[DietFinding]:
    """Return the possible savings in a counted request."""
    return find_savings(PartCounter(registry, count.model), count.call)


def _texts(call: ModelCall) -> Iterator[tuple[str, str]]:
    body = to_chat(call.body, call.format)
    for number, message in enumerate(objects(body.get("messages")), 1):
        text = join_parts(message.get("content"))
        if text and len(text) <= MAX_LENGTH:
            yield f"{number} · {text_of(message.get('role'))}", text


def _find_in(counter: PartCounter, name: str, text: str) -> Iterator[DietFinding]:
    yield from _data_forms(counter, name, text)
    without = BLANK_LINES.sub("\n\n", "\n".join(map(_strip_end, text.split("\n"))))
    proof = "Proven: only white space at the ends of lines and empty lines are left out."
    yield from _rewritten(counter, "White space at the ends of lines", name, text, without, proof)
    visible = INVISIBLE.sub("", text)
    proof = "Proven: only characters that cannot be seen are left out."
    yield from _rewritten(counter, "Invisible characters", name, text, visible, proof)
    styled = STYLED.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    yield from _rewritten(counter, "Letters in a style", name, text, styled, NO_PROOF)
    yield from _rewritten(
        counter, "Letters of two alphabets in a word", name, text, replace_look_alikes(text), NO_PROOF
    )
    shortened = LONG_FRACTION.sub(_shorten_number, LONG_SECOND.sub("", text))
    yield from _rewritten(counter, "Digits after the point", name, text, shortened, NO_PROOF)
    yield from _opaque(counter, name, text)


def _shorten_number(match: re.Match[str]) -> str:
    """Return a decimal number with at most `DIGITS` digits after its point, rounded."""
    return f"{round(Decimal(match.group()), DIGITS).normalize():f}"


def _strip_end(line: str) -> str:
    """Return a line without the white space at its end; a pattern would take quadratic time for long runs of it."""
    end = "\r" if line.endswith("\r") else ""
    return line.removesuffix("\r").rstrip(" \t") + end


def _rewritten(
    counter: PartCounter, title: str, name: str, before: str, after: str, proof: str
) -> Iterator[DietFinding]:
    if before != after:
        tokens = counter.exact(before)
        saved = tokens - counter.exact(after)
        yield DietFinding(title, name, tokens, saved, proof, hide_secrets(before)[0], hide_secrets(after)[0])


def _data_forms(counter: PartCounter, name: str, text: str) -> Iterator[DietFinding]:
    """Yield shorter forms of a text that is JSON, each parsed back."""
    if text.lstrip()[:1] not in ("{", "["):
        return
    try:
        value = parse_json(text)
    except ValueError:
        return
    yield from _rewritten(counter, "JSON without spaces", name, text, compact_json(value), SAME_DATA)
    yield from _as_yaml(counter, name, text, value)
    rows = _table(value)
    if rows is None:
        return
    for title, write, read in (("JSON as CSV", write_csv, read_csv), ("JSON as a Markdown table", write_md, read_md)):
        written = write(rows)
        back = read(written, rows)
        if back is not None and compact_json(back) == compact_json(rows):  # 1 equals True and 1.0
            yield from _rewritten(counter, title, name, text, written, f"{SAME_DATA} The kinds of columns stay known.")


def _as_yaml(counter: PartCounter, name: str, text: str, value: Any) -> Iterator[DietFinding]:
    if len(text) > MAX_YAML:
        return
    written = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=MAX_LENGTH)
    if compact_json(yaml.safe_load(written)) == compact_json(value):
        yield from _rewritten(counter, "JSON as YAML", name, text, written, SAME_DATA)


Rows = list[dict[str, Any]]


def _table(value: Any) -> Rows | None:
    """Return a list of at least two objects with the same keys and no lists or objects in them; else None."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(row, dict) and row for row in value):
        return None
    keys = [*value[0]]
    flat = all([*row] == keys and not any(isinstance(cell, list | dict) for cell in row.values()) for row in value)
    return value if flat else None


def write_csv(rows: Rows) -> str:
    r"""Return rows as CSV: texts as they are, all else as JSON.

    >>> write_csv([{"a": "x", "b": 1.5}, {"a": "y", "b": None}])
    'a,b\nx,1.5\ny,null\n'
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([_cell(value) for value in row.values()] for row in rows)
    return file.getvalue()


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else compact_json(value)


def read_csv(text: str, rows: Rows) -> Rows | None:
    """Return CSV as rows; a column is of texts if all of its cells in `rows` are."""
    header, *lines = csv.reader(io.StringIO(text))
    return _typed(header, lines, rows)


def _typed(header: Sequence[str], lines: Sequence[Sequence[str]], rows: Rows) -> Rows | None:
    texts = {key for key in header if all(isinstance(row.get(key), str) for row in rows)}
    try:
        return [
            {key: cell if key in texts else json.loads(cell) for key, cell in zip(header, line, strict=True)}
            for line in lines
        ]
    except ValueError:
        return None


def write_md(rows: Rows) -> str:
    r"""Return rows as a Markdown table.

    >>> write_md([{"a": "x", "b": 1}, {"a": "y", "b": 2}])
    '|a|b|\n|-|-|\n|x|1|\n|y|2|\n'
    """
    lines = [[*rows[0]], ["-"] * len(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    return "".join(f"|{'|'.join(cells)}|\n" for cells in lines)


def read_md(text: str, rows: Rows) -> Rows | None:
    """Return a Markdown table as rows; None if a cell has what divides cells or lines."""
    header, _, *lines = [line[1:-1].split("|") for line in text.removesuffix("\n").split("\n")]
    return _typed(header, lines, rows)


def _opaque(counter: PartCounter, name: str, text: str) -> Iterator[DietFinding]:
    """Yield a finding for each kind of opaque value in a text: identifiers, hashes, base64."""
    found: dict[str, list[str]] = {}
    for match in OPAQUE.finditer(text):
        found.setdefault(match.lastgroup or "", []).append(match.group())
    for kind, values in found.items():
        tokens = sum(counter.exact(value) for value in values)
        after = "\n".join(f"#{number}" for number, _ in enumerate(values, 1))
        saved = tokens - counter.exact(after)
        times = f", {len(values):,} of them" if len(values) > 1 else ""
        before = hide_secrets("\n".join(values))[0]
        yield DietFinding(f"Long {OPAQUE_NAMES[kind]}{times}", name, tokens, saved, NO_PROOF, before, after)


def _repeated(counter: PartCounter, texts: Sequence[tuple[str, str]]) -> Iterator[DietFinding]:
    """Yield paragraphs that stand in the request more than once."""
    places: dict[str, list[str]] = {}
    for name, text in texts:
        for block in text.split("\n\n"):
            if len(block.strip()) >= LEAST_BLOCK:
                places.setdefault(block.strip(), []).append(name)
    for block, names in places.items():
        if len(names) > 1:
            tokens = counter.exact(block) * len(names)
            saved = tokens - counter.exact(block)
            title = f"The same paragraph {len(names):,} times"
            part = ", ".join(dict.fromkeys(names))
            yield DietFinding(title, part[:100], tokens, saved, NO_PROOF, hide_secrets(block)[0], "")
