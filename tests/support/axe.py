"""What axe finds on a page, in both themes."""

from itertools import cycle, product

from playwright.sync_api import expect
from tokenarium.settings import ROOT

from tests.conftest import TIER

AXE = (ROOT / "tests/browser/vendor/axe-core-4.14.1.min.js").read_text()
RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html, any }) =>
    `${id}: ${help}: ${html.slice(0, 200)} ${any.map(({ message }) => message).join("; ")}`));
}"""
THEMES = "light", "dark"


def with_themes(*values, nightly=()):
    """Return each of the values with both themes, nightly; before a commit, with the one and the other in turn, and
    without the values that are for `nightly` alone."""
    return [*product((*values, *nightly), THEMES)] if TIER == "nightly" else [*zip(values, cycle(THEMES), strict=False)]


def findings(page):
    """Return what axe finds once nothing is dimmed any more as out of date: that is meant to be fainter."""
    expect(page.locator(".stale")).to_have_count(0)
    page.evaluate(AXE)
    return page.evaluate(RUN)
