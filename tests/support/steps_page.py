"""What a person does and sees on the page of steps."""

import re

from playwright.sync_api import expect

from tests.support.deeds import SET


def edit(page, text):
    """Type another text and wait for its first step."""
    expect(page.locator("#lab[data-waiting], #busy.htmx-request")).to_have_count(0)  # what was chosen before is shown
    old = page.locator(".result-view").get_attribute("data-key")
    page.locator("#text").focus()
    page.evaluate(SET, text)  # as one change: what is typed line by line is asked for twice
    expect(page.locator(f".result-view:not([data-key='{old}'])")).to_be_attached()
    expect(page.locator("#result[data-stale]")).to_have_count(0)  # until then the keys go through the run before
    expect(counter(page)).to_have_text(re.compile("^0 of "))
    page.locator("#text").blur()


def counter(page):
    return page.locator("#counter")


def tiles(page, row=0, where="#stage"):
    return page.locator(f"{where} .rows > .row").nth(row).locator("b").all_text_contents()


def press(page, key, step):
    """Press a key and wait for the step it leads to."""
    page.keyboard.press(key)
    expect(counter(page)).to_have_text(re.compile(rf"^{step} of "))
