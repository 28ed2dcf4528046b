"""The figures of a vocabulary: progress turns into them by itself; both themes, narrow and wide; slides."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.axe import findings
from tests.support.slides import turned

ID = "udhr-unigram-16k"
SECONDS = 120_000


def opened(page, base):
    """Open the figures, and wait until they have been computed."""
    page.goto(f"{base}/vocabulary/{ID}/summary")
    expect(page.get_by_role("heading", name="Tokens any text can produce")).to_be_visible(timeout=SECONDS)


def test_progress_turns_into_figures(page, base):
    page.goto(f"{base}/vocabulary/mistral-v1/summary")
    expect(page.locator(".doing").or_(page.locator("#classes-title"))).to_be_visible()
    expect(page.get_by_role("heading", name="Tokens any text can produce")).to_be_visible(timeout=SECONDS)
    expect(page.locator("#summary .counts")).to_contain_text("32,000")
    expect(page.locator("#summary[hx-trigger]")).to_have_count(0)
    expect(page.get_by_role("row", name=re.compile("^undecodable 128 "))).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_axe_finds_nothing_in_the_figures(open_page, base, width, scheme):
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    opened(page, base)
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_each_part_of_the_figures_is_a_slide(page, base):
    opened(page, base)
    parts = page.locator("#summary h2").all_inner_texts()
    assert parts[0] == "Tokens any text can produce"
    slides = turned(page)
    assert [(slide["title"], slide["faults"]) for slide in slides if slide["faults"]] == []
    assert sum(slide["controls"] for slide in slides) == 0
    assert [part for part in parts if part not in [slide["title"] for slide in slides]] == []
