"""What axe finds on a page, and the screens on which it is asked."""

from itertools import cycle, product

import pytest
from playwright.sync_api import expect
from tokenarium.settings import ROOT

from tests.conftest import TIER

AXE = (ROOT / "tests/browser/vendor/axe-core-4.14.1.min.js").read_text()
RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html, any }) =>
    `${id}: ${help}: ${html.slice(0, 200)} ${any.map(({ message }) => message).join("; ")}`));
}"""


def screen(width, scheme):
    """Options of a page: a width, and a theme."""
    return pytest.param({"viewport": {"width": width, "height": 900}, "color_scheme": scheme}, id=f"{width}-{scheme}")


PHONE, DESK = screen(390, "dark"), screen(1280, "light")
ALL_SCREENS = [screen(*one) for one in product((360, 1280, 1920), ("light", "dark"))]
PHONES = ALL_SCREENS if TIER == "nightly" else [PHONE]
DESKS = ALL_SCREENS if TIER == "nightly" else [DESK]
"""The screens on which the states of a page are judged: before a commit one, with one of the themes."""


def on_screens(*values, nightly=()):
    """Return each value on a phone and a desk in turn; nightly, also those that are for it alone, on
    each with both themes."""
    pairs = product((*values, *nightly), ALL_SCREENS[:4]) if TIER == "nightly" else zip(values, cycle((PHONE, DESK)))
    return [pytest.param(value, *screen.values, id=f"{value}-{screen.id}") for value, screen in pairs]


FADED = """() => Promise.allSettled(document.getAnimations()
  .filter(one => one.effect.getComputedTiming().endTime < Infinity).map(one => one.finished)).then(() => 0)"""
"""Waits until what was dimmed has its colours again."""


def findings(page):
    """Return what axe finds once nothing is asked for or dimmed as out of date: that is meant to be fainter."""
    expect(page.locator("[data-waiting], :is(#result, #checks)[data-stale], .stale, .htmx-request")).to_have_count(0)
    page.evaluate(FADED)
    page.evaluate(AXE)
    return page.evaluate(RUN)
