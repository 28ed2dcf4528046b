"""How a symbol is written on a tile: nothing in it may stay unseen."""

from __future__ import annotations  # marks compile large patterns, and the server starts without them

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.lab.marks import Run

SIGNS = {"space": "␣", "tab": "⇥", "newline": "↵", "return": "␍"}
LONGEST = 64
"""Characters of a tile, about; a longer text is shown by its beginning and its end."""
TAKEN = dict.fromkeys(map(ord, SIGNS.values()))


@lru_cache(maxsize=20_000)
def visible(text: str) -> str:
    r"""White space as signs, what cannot be seen by its name, a mark without a letter on a dotted circle.

    A sign that stands in the text itself is named, so that it is not taken for what it stands for here.

    >>> visible(" the"), visible("\n\n"), visible("a\u200b"), visible("\u0301"), visible("␣")
    ('␣the', '↵↵', 'a⟨ZWSP⟩', '◌́', '⟨U+2423⟩')
    """
    from app.lab.marks import runs

    if text.isalnum() and text.isascii():
        return text
    return "".join(map(_written, runs(text)))


def _written(run: Run) -> str:
    if run.kind in SIGNS:
        return SIGNS[run.kind] * len(run.text)
    if run.kind == "chip":
        return f"⟨{run.label}⟩"
    text = "".join(f"⟨U+{ord(char):04X}⟩" if ord(char) in TAKEN else char for char in run.text)
    return f"◌{text}" if run.kind == "mark" else text


def spelled(symbols: bytes | str) -> str:
    r"""Symbols as they are shown: bytes that are no characters of their own in hex.

    >>> spelled(b" the"), spelled(b"\xf0\x9f")
    (' the', 'f0·9f')
    """
    if isinstance(symbols, str):
        return shortened(symbols)
    try:
        return shortened(symbols.decode())
    except UnicodeDecodeError:
        return shortened(symbols.hex(" ").replace(" ", "·"))


def shortened(text: str) -> str:
    """A text without its middle, if it is too long to be shown.

    >>> len(shortened("a" * 1000)), shortened("abc")
    (65, 'abc')
    """
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}…{text[-LONGEST // 2 :]}"
