"""A program is written, checked and compared in a browser, and the page is accessible."""

from playwright.sync_api import expect

from tests.support.axe import findings
from tests.support.programs import RIGHT


def test_a_program_is_checked_and_stands_beside_the_teaching_file(open_page):
    page = open_page("/learn/write-it", color_scheme="dark", viewport={"width": 390, "height": 844})
    page.get_by_label("Your program").fill(RIGHT)
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_role("heading", name="8 of 8 checks right")).to_be_visible()
    page.get_by_role("button", name="Compare with the teaching file").click()
    expect(page.get_by_role("cell", name="ids[i : i + 2] = [new]")).to_be_visible()
    assert findings(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
