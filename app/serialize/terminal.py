"""Tokens as coloured text for a terminal: neighbours differ in colour, and control characters never reach it."""

from __future__ import annotations  # commands that do not tokenize start without numpy

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from ..errors import plural
from ..types import Token

if TYPE_CHECKING:
    from ..lab.tokenize import Tokenization

BACKGROUNDS = (153, 223, 158, 225, 194, 217)
"""Light colours of the 256-colour palette, on which black text can be read."""
PLAIN_MARK = "│"
"""What stands between tokens where there are no colours."""

BIDI_CONTROLS = r"\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069"
CONTROLS = re.compile(rf"[\x00-\x08\x0B-\x1F\x7F-\x9F{BIDI_CONTROLS}\uDC80-\uDC9F]")
"""All controls but tabs and line ends; the last ones stand for bytes that are not UTF-8."""


def printable(text: str) -> str:
    r"""Return a text without control characters, which are written as JSON writes them; line ends and tabs stay.

    >>> printable("a\x1b[31m\u202eb\n")
    'a\\u001b[31m\\u202eb\n'
    """
    if text.isprintable():
        return text
    return CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class PrintableStream:
    """A text stream like another, to which no control character is written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text, and return its length."""
        self._stream.write(printable(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def colour_tokens(tokenization: Tokenization, *, colours: bool = True, limit: int | None = None) -> str:
    """Return the tokens of a text, each on a colour of its own; without colours, with a line between them.

    `limit` is the number of tokens that are shown. A line end is shown and kept.

    >>> from tokenarium.registry import Registry
    >>> from tokenarium.settings import Settings
    >>> from tokenarium.lab.tokenize import tokenize
    >>> tokenization = tokenize(Registry(Settings()), "né a", tokenizer="words")
    >>> print(colour_tokens(tokenization, colours=False))
    né│ │a
    >>> colour_tokens(tokenization, limit=1)
    '\\x1b[48;5;153m\\x1b[38;5;16mné\\x1b[0m … 2 more'
    """
    shown = len(tokenization.encoding) if limit is None else min(limit, len(tokenization.encoding))
    pieces = [make_visible(token) for token in tokenization.tokens(0, shown)]
    text = colour_pieces(pieces, colours=colours)
    left = len(tokenization.encoding) - shown
    return f"{text} … {left:,} more" if left else text


def colour_pieces(pieces: Sequence[str], *, colours: bool = True) -> str:
    """Return tokens, each on a colour of its own; without colours, with a line between them.

    >>> colour_pieces(["né", " a"], colours=False)
    'né│ a'
    """
    return "".join(_colour_backgrounds(pieces)) if colours else PLAIN_MARK.join(pieces)


def summary(tokenization: Tokenization) -> str:
    """Return the counts of a text in a line."""
    encoding = tokenization.encoding
    text = tokenization.text
    title = printable(tokenization.tokenizer.info.title)
    counts = plural(len(encoding), "token"), plural(len(text), "character"), plural(len(tokenization.data), "byte")
    return f"{', '.join(counts)} ({title})"


def make_visible(token: Token) -> str:
    r"""Return a token as it is written in the text; bytes in hex if they are no text, control characters escaped.

    >>> from tokenarium.types import VocabEntry
    >>> [make_visible(Token(0, VocabEntry(0, "", raw), 0, 1, 0, 1)) for raw in (b" a", b"\xf0\x9f", b"\x1b")]
    [' a', '<F0 9F>', '\\x1b']
    """
    if (text := token.entry.text) is None:
        return f"<{token.entry.raw.hex(' ').upper()}>"
    return "".join(char if char.isprintable() or char in "\n\t" else repr(char)[1:-1] for char in text)


def _colour_backgrounds(pieces: Sequence[str]) -> Iterator[str]:
    for index, piece in enumerate(pieces):
        colour = BACKGROUNDS[index % len(BACKGROUNDS)]
        # A colour that runs over a line end would fill the rest of the line.
        for at, line in enumerate(piece.split("\n")):
            yield "\n" * bool(at)
            if line:
                yield f"\x1b[48;5;{colour}m\x1b[38;5;16m{line}\x1b[0m"
