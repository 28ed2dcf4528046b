"""The token colours: read from the style sheet, and told apart by eyes of every kind in both themes.

Colour vision deficiencies are simulated at full severity after Machado, Oliveira and Fernandes (2009), on linear sRGB;
differences are CIEDE2000 (Sharma, Wu and Dalal 2005), where 1 is just noticeable side by side.
"""

import math
import re
from itertools import combinations

import numpy as np
import pytest
from tokenarium.lab.palette import COLOURS
from tokenarium.settings import ROOT

CLEARLY_DIFFERENT = 12.0
READABLE = 4.5
STYLE = (ROOT / "static/css/tokens.css").read_text()

EYES = {
    "normal vision": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
TO_XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
WHITE = [0.95047, 1.0, 1.08883]


def properties(block):
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block))


LIGHT = properties(STYLE[STYLE.index(":root") : STYLE.index("}")])
DARK = LIGHT | properties(re.search(r"prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}", STYLE, re.DOTALL)[1])
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def linear(hex_colour):
    srgb = np.array([int(hex_colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """WCAG 2 contrast ratio."""
    light, dark = sorted((float(linear(colour) @ TO_XYZ[1]) + 0.05 for colour in (one, other)), reverse=True)
    return light / dark


def lab(rgb):
    ratio = np.array(TO_XYZ) @ np.clip(rgb, 0, 1) / WHITE
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def ciede2000(one, other):
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean**7 / (mean**7 + 25**7)))
    c1, c2 = math.hypot(a1 * (1 + g), b1), math.hypot(a2 * (1 + g), b2)
    h1, h2 = math.degrees(math.atan2(b1, a1 * (1 + g))) % 360, math.degrees(math.atan2(b2, a2 * (1 + g))) % 360
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    cos = [math.cos(math.radians(angle)) for angle in (hue - 30, 2 * hue, 3 * hue + 6, 4 * hue - 63)]
    t = 1 - 0.17 * cos[0] + 0.24 * cos[1] + 0.32 * cos[2] - 0.2 * cos[3]
    sl = 1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2)
    dl, dc = (l2 - l1) / sl, (c2 - c1) / (1 + 0.045 * chroma)
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    blue = math.radians(60 * math.exp(-(((hue - 275) / 25) ** 2)))
    rt = -2 * math.sin(blue) * math.sqrt(chroma**7 / (chroma**7 + 25**7))
    return math.sqrt(dl**2 + dc**2 + dh**2 + rt * dc * dh)


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_difference_formula_gives_the_published_values(one, other, difference):
    assert ciede2000(one, other) == pytest.approx(difference, abs=1e-4)


@THEMES
def test_there_are_as_many_colours_as_the_tokens_cycle_through(theme):
    assert [name for name in theme if re.fullmatch(r"t\d", name)] == [f"t{i}" for i in range(COLOURS)]
    assert all(f".t{i} {{ --tone: var(--t{i}); }}" in STYLE for i in range(COLOURS))


@THEMES
def test_text_can_be_read_on_every_token_and_ground(theme):
    for ground in [*(f"t{i}" for i in range(COLOURS)), "paper", "card", "wash"]:
        assert contrast(theme["ink"], theme[ground]) >= READABLE, ground
    for ground in ("paper", "card", "wash"):
        assert contrast(theme["soft"], theme[ground]) >= READABLE, ground
        assert contrast(theme["alarm"], theme[ground]) >= READABLE, ground


@THEMES
@pytest.mark.parametrize("eyes", EYES)
def test_neighbours_are_told_apart(theme, eyes):
    seen = [lab(np.array(EYES[eyes]) @ linear(theme[f"t{i}"])) for i in range(COLOURS)]
    for i in range(COLOURS):
        assert ciede2000(seen[i], seen[(i + 1) % COLOURS]) >= CLEARLY_DIFFERENT, (i, (i + 1) % COLOURS)


@THEMES
def test_every_colour_stands_out_from_the_paper(theme):
    paper = lab(linear(theme["paper"]))
    for i in range(COLOURS):
        assert ciede2000(lab(linear(theme[f"t{i}"])), paper) >= 4, i


@pytest.mark.parametrize(("theme", "shown"), [(LIGHT, 0), (DARK, 1)], ids=["light", "dark"])
@pytest.mark.parametrize("eyes", EYES)
def test_the_lines_of_a_chart_are_all_told_apart(theme, shown, eyes):
    style = (ROOT / "static/css/charts.css").read_text()
    lines = [pair[shown] for pair in re.findall(r"--heat: light-dark\((#\w+), (#\w+)\)", style)]
    seen = [lab(np.array(EYES[eyes]) @ linear(line)) for line in lines]
    assert len(seen) == 5
    assert min(ciede2000(one, other) for one, other in combinations(seen, 2)) >= CLEARLY_DIFFERENT
    assert min(contrast(line, theme["paper"]) for line in lines) >= 3
