"""From a key in the text box to its tokens on the screen, in a real Chromium; and what a pasted megabyte blocks."""

import os
import statistics
from collections.abc import Iterator

from playwright.sync_api import Page, sync_playwright

from benchmarks.measure import Figure, scaled
from benchmarks.page import FLAGS
from benchmarks.start import server
from benchmarks.text import mixed

KEYS = scaled(40, 2)
SIZES = ((200, 60), (2_000, 80), (100_000, 200))
"""Bytes of the text, and the milliseconds that 95 of 100 keys may take."""
BLOCKED = 300
"""Milliseconds that a pasted megabyte may block the page."""

KEY_TO_TOKENS = """
() => new Promise(done => {
  const text = document.getElementById("text");
  text.setSelectionRange(0, 0);
  const wanted = ([...text.value].length + 1).toLocaleString("en");
  const shown = () => document.querySelector("[data-count=characters]").textContent === wanted;
  const start = performance.now();
  const end = () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
  const seen = new MutationObserver(() => {
    if (!shown() || document.querySelector("#result[data-stale]")) return;
    seen.disconnect();
    end();
  });
  const all = { subtree: true, childList: true, characterData: true, attributes: true };
  seen.observe(document.querySelector(".answer"), all);
  text.focus();
  // As a key does. After setRangeText, the browser lays out every line of the text again.
  document.execCommand("insertText", false, "x");
})
"""
WATCH = """
() => {
  window.longest = 0;
  new PerformanceObserver(list => { for (const one of list.getEntries()) longest = Math.max(longest, one.duration); })
    .observe({ type: "longtask" });
}
"""


def figures() -> Iterator[Figure]:
    with server() as (port, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        for size, most in SIZES:
            yield key_to_tokens(page, mixed(scaled(size, 200)), size, most)
        page.reload()
        blocked = paste(page)
        page.set_content("<textarea id='text' rows='20'></textarea>")
        bare = paste(page)
        note = f"{bare:.0f} ms in a page that has only a text box"
        yield Figure("a pasted megabyte: longest task, ms", blocked, f"<= {BLOCKED}", blocked <= BLOCKED, note)
        browser.close()


def key_to_tokens(page: Page, text: str, size: int, most: int) -> Figure:
    """Milliseconds from the key to the task after the frame that shows the tokens of the text with its letter."""
    page.fill("#text", text)
    page.wait_for_timeout(scaled(3000, 500))
    times = []
    for _ in range(KEYS):
        times.append(float(page.evaluate(KEY_TO_TOKENS)))
        page.wait_for_timeout(scaled(250, 10))
    median, slow = statistics.median(times), sorted(times)[int(0.95 * KEYS)]
    name = f"typing in {size:,} bytes: key to tokens, p95, ms"
    return Figure(name, slow, f"<= {most}", slow <= most, f"median {median:.0f} ms")


def paste(page: Page) -> float:
    """Milliseconds of the longest task in the seconds after a megabyte is pasted from the clipboard."""
    page.evaluate("text => navigator.clipboard.writeText(text)", mixed(scaled(1_000_000, 1_000)))
    page.focus("#text")
    page.evaluate(WATCH)
    page.keyboard.press("Control+v")
    page.wait_for_timeout(scaled(5000, 500))
    return float(page.evaluate("longest"))
