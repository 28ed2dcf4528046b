"""The first page in a browser that knows nothing of it, over a line with a round trip of 400 ms."""

import os
import statistics
from collections.abc import Iterator

from playwright.sync_api import Browser, sync_playwright

from benchmarks.measure import Figure, scaled, seconds
from benchmarks.page import FLAGS
from benchmarks.start import server

ROUND_TRIP = 400
LINE = {"offline": False, "latency": ROUND_TRIP, "downloadThroughput": -1, "uploadThroughput": -1}
WORD = "Unmistakable"


def figures() -> Iterator[Figure]:
    with server() as (port, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
        address = f"http://127.0.0.1:{port}/"
        visit(browser, address, {**LINE, "latency": 0})  # the server has made and loaded by then what it keeps
        times = [seconds(lambda: visit(browser, address, LINE)) for _ in range(scaled(5, 1))]
        browser.close()
    usable = statistics.median(times)
    note = "seconds from the address to the tokens of a word, typed as soon as there is a text box"
    yield Figure(f"first page at a round trip of {ROUND_TRIP} ms", usable, "<= 2.00", usable <= 2, note)


def visit(browser: Browser, address: str, line: dict[str, object]) -> None:
    """Open a page in a context of its own, and type a word, until its tokens are there."""
    context = browser.new_context()
    page = context.new_page()
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", line)
    page.goto(address, wait_until="commit")
    page.locator("#text").fill(WORD)
    page.locator("#result", has_text=WORD).wait_for()
    context.close()
