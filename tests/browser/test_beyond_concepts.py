"""Concepts in a browser: the language changes the sentences at once, and the page is accessible."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.axe import findings


def test_another_language_splits_the_text_anew_and_the_address_follows(open_page):
    page = open_page("/beyond/concepts?text=Am+3.+Mai+kam+er.+Er+ging.")
    expect(page.locator(".sentences .unit")).to_have_count(3)
    page.get_by_label("Language").select_option("de")
    expect(page.locator(".sentences .unit")).to_have_count(2)
    page.wait_for_url(re.compile("language=de"))


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_page, width, scheme):
    page = open_page("/beyond/concepts?cap=64", color_scheme=scheme, viewport={"width": width, "height": 900})
    assert findings(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.goto(page.url.split("?")[0] + "?predict=1")
    assert findings(page) == []
