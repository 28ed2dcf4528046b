"""No page scrolls sideways, with the bundled fonts or without them, where no other fonts than DejaVu are installed."""

import re

from tokenarium.lab.learn.course import SCENES
from tokenarium.settings import STORE

from tests.conftest import TIER

WIDTHS = {"commit": (320,), "nightly": (1280, 768, 390, 360, 320)}[TIER]
SCENE = "|".join(scene.id for scene in SCENES)
TOKENIZERS = "|".join(re.escape(path.name) for path in STORE.iterdir())
FITS = "() => document.documentElement.scrollWidth <= innerWidth"
WITHOUT_FONTS = """() => {
  const [sheet] = document.styleSheets;
  for (let i = sheet.cssRules.length; i--;)
    if (sheet.cssRules[i].cssText.includes(".woff2")) sheet.deleteRule(i);
}"""
LINKS = """() => [...document.links].filter(a => a.origin === location.origin && !a.download)
  .map(a => a.pathname + a.search)"""
SAVED = r"[\w.-]+-[0-9a-f]{12}"
NO_PAGE = re.compile(r"^/(api|static|about/licences)/|\.\w+$")


def template(path):
    """Return what a page has in common with those of other numbers and, before a commit, other tokenizers and scenes.

    Of those that other tests saved on this server, one is enough: only so many vocabularies are analysed at a time.
    """
    path = re.sub(rf"/{SAVED}(?=/|$)", "/saved", re.sub(r"/\d+(?=/|$)", "/0", path))
    if TIER == "commit":
        path = re.sub(rf"/({TOKENIZERS})(?=/|$)", "/tokenizer", path)
        path = re.sub(rf"^/learn/({SCENE}|by-hand)(?=/|$)", "/learn/scene", path)
    return path


def new_links(page, seen):
    """Yield the links to pages of templates that were not seen yet, of these the longest."""
    for address in sorted(page.evaluate(LINKS), key=len, reverse=True):
        path = address.partition("?")[0]
        if not NO_PAGE.search(path) and template(path) not in seen:
            seen.add(template(path))
            yield address


def too_narrow(page):
    """Return the widths and fonts with which a page scrolls sideways."""
    wide = []
    for fonts in ("bundled", "DejaVu"):
        if fonts == "DejaVu":
            page.evaluate(WITHOUT_FONTS)
        for width in WIDTHS if fonts == "bundled" else reversed(WIDTHS):
            page.set_viewport_size({"width": width, "height": 800})
            if not page.evaluate(FITS):
                wide.append((width, fonts))
    return wide


def test_no_page_that_links_reach_scrolls_sideways(open_page, base, watch):
    watch.allowed.append("422")  # the pipelines of two tokenizers of Mistral, whose pieces tokenizer.json cannot say
    page, seen, wide = open_page(viewport={"width": WIDTHS[0], "height": 800}), {"/"}, {}
    addresses = ["/"]
    for address in addresses:
        page.goto(base + address)
        addresses += new_links(page, seen)
        if found := too_narrow(page):
            wide[address] = found
    assert wide == {}
    assert len(addresses) > 50
