"""Where a text may be cut so that its pieces have the tokens of the whole: at lines, and at spaces between letters.

Tokenizers that separate words allow it, some with the space before the later piece, some without any, as at the
beginning of a text. Which is so is checked on texts of the sample.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from .encoders import Encoder, EncodingMismatch

REACH = 1 << 12
"""Bytes or characters in which a cut is looked for; a text without one is cut at multiples of them."""


@dataclass(frozen=True)
class CutRule:
    """Behind what a text may be cut, in lines, in those of JSON, in bytes and in characters.

    It is the place of `lab.text_splitter`, without digits: a space between letters. Other spaces may share a token with
    signs. `drop` says whether a piece is without its space. JSON is not cut behind an escaped character such as that of
    `\\n`.
    """

    drop: bool
    lines: ClassVar = re.compile(rb"\n|[A-Za-z\x80-\xff](?= [A-Za-z\x80-\xff])")
    json: ClassVar = re.compile(
        rb"\n|[A-Za-z\x80-\xff](?<!\\.)(?= (?:[A-Za-z\x80-\xff]|\\u(?!00|20)))"
        rb"|\\u(?!00|20)[0-9A-Fa-f]{4}(?= (?:[A-Za-z\x80-\xff]|\\u(?!00|20)))"
    )
    bytes: ClassVar = re.compile(rb"[A-Za-z\x80-\xff](?= [A-Za-z\x80-\xff])")
    text: ClassVar = re.compile(r"[^\W\d_](?= [^\W\d_])")


RULES = (CutRule(drop=False), CutRule(drop=True))


def snap(rule: CutRule, text: str, at: int) -> int:
    """Return the first place from `at` on where a text may be cut.

    >>> [snap(RULES[0], "one two three", at) for at in (0, 2, 4)]
    [0, 3, 7]
    """
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    if found := rule.text.search(text, at - 1, at + REACH):
        return found.end()
    return min(-(-at // REACH) * REACH, len(text))


def snap_bytes(rule: CutRule, document: bytes, at: int) -> int:
    """Return the same for a document in UTF-8 that is to be cut at a byte."""
    if at <= 0 or at >= len(document):
        return max(0, min(at, len(document)))
    if found := rule.bytes.search(document, at - 1, at + REACH):
        return found.end()
    return skip_character(document, min(-(-at // REACH) * REACH, len(document)))


def skip_character(data: bytes, at: int) -> int:
    """Return the first byte from one on at which a character begins."""
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at


def find_rule(texts: Sequence[str], encoders: Sequence[Encoder]) -> CutRule | None:
    """Return a rule by which all tokenizers have for the pieces of texts as many tokens as for each text whole."""
    whole = [text.encode(errors="replace") for text in texts]
    for rule in RULES:
        pieces = [piece.encode(errors="replace") for text in texts for piece in _cut(rule, text)]
        try:
            if all(len(one.encode(pieces)[0]) == len(one.encode(whole)[0]) for one in encoders):
                return rule
        except EncodingMismatch:  # which is noted where the sample itself meets it
            break
    return None


def _cut(rule: CutRule, text: str) -> list[str]:
    """Return the pieces of a text, cut wherever it may be.

    >>> _cut(RULES[0], "one two 3 four five"), _cut(RULES[1], "one two 3 four five")
    (['one', ' two 3 four', ' five'], ['one', 'two 3 four', 'five'])
    """
    cuts = [0, *(found.end() for found in rule.text.finditer(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    return [pieces[0], *(piece[1:] for piece in pieces[1:])] if rule.drop else pieces
