"""What a person would see of a page that is wrong, in both themes and several widths."""

from itertools import product
from pathlib import Path

from tests.conftest import TIER
from tests.support.axe import THEMES

LOOK = Path(__file__).with_suffix(".js").read_text()
WIDTHS = (1280, 390) if TIER == "commit" else (1920, 1280, 768, 390, 320)


def look(page):
    """Return sentences about lines, gaps, letters outside their box, and text that is covered or cut off."""
    found = []
    for width, theme in product(WIDTHS, THEMES):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        found += [f"{width} {theme}: {sentence}" for sentence in page.evaluate(LOOK)]
    return found
