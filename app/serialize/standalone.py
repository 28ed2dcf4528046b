"""HTML files that need no server and no network: style sheets and fonts as data, and templates rendered with them."""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any

from ..settings import ROOT
from .templates import templates

IMPORT = re.compile(rb"^@import .*\n", re.MULTILINE)
FONT = re.compile(r'@font-face \{[^}]*url\("/(static/vendor/[^"]+)"\)[^}]*unicode-range: ([^;]+);\n\}')
"""A font of the pages: its file, and the ranges of letters that it is for."""


def style(*names: str, letters: str = "") -> str:
    """Return style sheets, in the order of their layers and without what they import, as one in base64.

    The fonts of the `letters` are in it.
    """
    texts = ((ROOT / f"static/css/{name}.css").read_bytes() for name in names)
    return b64encode(embed_fonts(letters).encode() + IMPORT.sub(b"", b"".join(texts))).decode()


def embed_fonts(letters: str) -> str:
    """Return the rules of the fonts that have one of the letters, with each font as a data URL.

    >>> embed_fonts("a▁").count("data:font/woff2;base64,"), embed_fonts("")
    (4, '')
    """
    fonts = FONT.finditer((ROOT / "static/css/fonts.css").read_text())
    used = {ord(letter) for letter in letters}
    return "".join(_embed(font) for font in fonts if any(used & {*one} for one in _read_ranges(font[2])))


def _read_ranges(text: str) -> Iterator[range]:
    """Yield the code points of each range: `U+2122` is one, and `U+0000-00FF` are 256."""
    for one in text.split(", "):
        first, _, last = one.removeprefix("U+").partition("-")
        yield range(int(first, 16), int(last or first, 16) + 1)


def _embed(font: re.Match[str]) -> str:
    data = b64encode((ROOT / font[1]).read_bytes()).decode()
    return font[0].replace(f"/{font[1]}", f"data:font/woff2;base64,{data}")


def render_standalone(name: str, context: Mapping[str, Any], *, sheets: tuple[str, ...]) -> str:
    """Return a template that shows its `style`, the named sheets, as an HTML file."""
    return templates.get_template(name).render(context, style=style(*sheets))
