"""The figures of a vocabulary: progress turns into them by itself; both themes, narrow and wide; slides."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.axe import PHONES, findings
from tests.support.slides import turned

ID = "udhr-unigram-16k"
SECONDS = 120_000


def test_progress_turns_into_figures(open_page):
    page = open_page("/vocabulary/mistral-v1/summary")
    expect(page.locator(".doing").or_(page.locator("#classes-title"))).to_be_visible()
    expect(page.get_by_role("heading", name="Tokens any text can produce")).to_be_visible(timeout=SECONDS)
    expect(page.locator("#summary .counts")).to_contain_text("32,000")
    expect(page.locator("#summary[hx-trigger]")).to_have_count(0)
    expect(page.get_by_role("row", name=re.compile("^undecodable 128 "))).to_be_visible()


@pytest.mark.parametrize("screen", PHONES)
def test_axe_finds_nothing_in_the_figures_and_each_part_of_them_is_a_slide(open_page, screen):
    page = open_page(f"/vocabulary/{ID}/summary", **screen)
    expect(page.get_by_role("heading", name="Tokens any text can produce")).to_be_visible(timeout=SECONDS)
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    parts = page.locator("#summary h2").all_inner_texts()
    assert parts[0] == "Tokens any text can produce"
    page.set_viewport_size({"width": 1280, "height": 900})
    slides = turned(page)
    assert [(slide["title"], slide["faults"]) for slide in slides if slide["faults"]] == []
    assert sum(slide["controls"] for slide in slides) == 0
    assert [part for part in parts if part not in [slide["title"] for slide in slides]] == []
