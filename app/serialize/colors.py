"""The colours of pictures: those of the light theme of the pages."""

import re
from collections.abc import Mapping
from functools import cache

from ..settings import ROOT

COLOR = re.compile(r"--(\w+): (#[0-9a-f]{6});")
Color = tuple[int, int, int]


@cache
def get_colors() -> Mapping[str, str]:
    """Return the colours of the light theme by name, such as that of the paper and those of tokens."""
    sheet = (ROOT / "static/css/tokens.css").read_text(encoding="utf-8")
    return dict(COLOR.findall(sheet[sheet.index(":root") : sheet.index("}")]))


def read_color(color: str) -> Color:
    """Return the red, green and blue of a colour in hex."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def blend(over: Color, under: Color, share: float) -> Color:
    """Return what a colour looks like over another one that shines through.

    >>> blend((0, 0, 0), (100, 200, 50), 0.5)
    (50, 100, 25)
    """
    red, green, blue = (round(share * a + (1 - share) * b) for a, b in zip(over, under, strict=True))
    return red, green, blue
