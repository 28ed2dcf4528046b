"""How a symbol is written on a tile: nothing in it may stay unseen."""

from functools import lru_cache

from app.lab.marks import Run, runs

SIGNS = {"space": "␣", "tab": "⇥", "newline": "↵", "return": "␍"}
TAKEN = dict.fromkeys(map(ord, SIGNS.values()))


@lru_cache(maxsize=20_000)
def visible(text: str) -> str:
    r"""White space as signs, what cannot be seen by its name, a mark without a letter on a dotted circle.

    A sign that stands in the text itself is named, so that it is not taken for what it stands for here.

    >>> visible(" the"), visible("\n\n"), visible("a\u200b"), visible("\u0301"), visible("␣")
    ('␣the', '↵↵', 'a⟨ZWSP⟩', '◌́', '⟨U+2423⟩')
    """
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
