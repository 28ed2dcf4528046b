"""Pictures as SVG files that carry their fonts."""

from base64 import b64encode
from collections.abc import Iterable, Mapping

from ..lab.palette import COLOURS
from ..lab.steps.drawing import Drawing, PlacedText
from ..lab.typefaces import BOLD, FAMILIES, WEIGHTS, Face, split_parts
from .colors import get_colors
from .fonts import make_font
from .templates import templates

FontKey = tuple[str, Face, bool]
"""A part of a typeface, the typeface, and whether it is bold."""


def collect_letters(texts: Iterable[PlacedText]) -> dict[FontKey, str]:
    """Return the letters of texts by the font that has them.

    >>> [*collect_letters(Drawing(9, 9).texts)]
    []
    """
    letters: dict[FontKey, set[str]] = {}
    for text in texts:
        for part, run in split_parts(text.text, text.face):
            if part:
                letters.setdefault((part, text.face, text.bold), set()).update(run)
    return {key: "".join(sorted(used)) for key, used in letters.items()}


def write_svg(drawing: Drawing, letters: Mapping[FontKey, str] | None = None) -> str:
    """Return a drawing as SVG with the bundled fonts that it uses, cut to its letters.

    `letters` are those of all drawings that are shown together: each font is then made once for all of them.
    """
    colors = get_colors()
    return templates.get_template("picture.html").render(
        picture=drawing,
        fonts="\n".join(_font_rules(collect_letters(drawing.all_texts), letters or {})),
        colors=colors,
        palette=[colors[f"t{number}"] for number in range(COLOURS)],
    )


def _font_rules(used: Mapping[FontKey, str], shared: Mapping[FontKey, str]) -> Iterable[str]:
    """Yield a rule for each font: its letters, as WOFF2 in base64."""
    for (part, face, bold), own in used.items():
        letters = shared.get((part, face, bold), own)
        font = b64encode(make_font(part, face, letters, bold=bold, compressed=True)).decode()
        places = ", ".join(f"U+{ord(letter):X}" for letter in letters)
        yield (
            f'@font-face {{ font-family: "{FAMILIES[face]}"; font-weight: {BOLD if bold else WEIGHTS[face]}; '
            f'src: url(data:font/woff2;base64,{font}) format("woff2"); unicode-range: {places}; }}'
        )
