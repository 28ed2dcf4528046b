"""What a person does on the page, each waiting until it is done."""

import re

from playwright.sync_api import expect

KEY = re.compile(r'data-key="(\w+)"')


def after(page, act):
    """Do something that asks for tokens, and wait until the answer is on the page."""
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.url.endswith("/")) as waiting:
        act()
    key = KEY.search(waiting.value.text())
    shown = f'.result-view[data-key="{key[1]}"]' if key else "#result .problem"
    expect(page.locator(shown)).to_be_attached()


def type_text(page, text):
    after(page, lambda: page.fill("#text", text))


def choose(page, tokenizer):
    box = page.locator(f"[name=tokenizer][value='{tokenizer}']")
    if not box.is_checked():
        after(page, lambda: box.evaluate("box => box.click()"))


def count(page, name="tokens"):
    return page.locator(f"[data-count={name}]").inner_text()
