"""The page of steps: from the key to the paint, and what a step weighs on the wire."""

import os
import re
import statistics
from collections.abc import Iterator

import httpx
from playwright.sync_api import Page, sync_playwright

from benchmarks.measure import Figure
from benchmarks.page import FLAGS
from benchmarks.start import server
from benchmarks.text import english

KEY_TO_PAINT = """
() => new Promise(done => {
  const start = performance.now();
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
})
"""
RUNS = {
    "encode": {"branch": "encode", "tokenizer": "o200k_base", "text": english(2_000)},
    "learn": {"branch": "learn", "merges": "500", "text": english(2_000)},
}


def figures() -> Iterator[Figure]:
    with server() as (port, _), sync_playwright() as driver:
        base = f"http://127.0.0.1:{port}"
        browser = driver.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
        for name, form in RUNS.items():
            yield from key_to_paint(browser.new_page(), base, name, form)
            yield weight(base, name, form)
        browser.close()


def key_to_paint(page: Page, base: str, name: str, form: dict[str, str]) -> Iterator[Figure]:
    """Milliseconds from the key to the frame that shows the step, for 2,000 characters."""
    page.goto(f"{base}/steps")
    page.check(f"[name=branch][value={form['branch']}]", force=True)
    if "merges" in form:
        page.fill("[name=merges]", form["merges"])
        page.uncheck("[name=table]")
    with page.expect_response(re.compile("/steps$")):
        page.fill("#text", form["text"])
    page.wait_for_timeout(500)
    times = [float(page.evaluate(KEY_TO_PAINT)) for _ in range(100)]
    median, slow = statistics.median(times), sorted(times)[95]
    note = f"median {median:.0f} ms, p95 {slow:.0f} ms, until the task after the frame"
    yield Figure(f"steps, {name}: key to paint, p95, ms", slow, "<= 50", slow <= 50, note)


def weight(base: str, name: str, form: dict[str, str]) -> Figure:
    """Bytes on the wire for one step, on average over a run."""
    opened = httpx.post(f"{base}/steps", data=form, headers={"HX-Request": "true"}, timeout=60).text
    key, total = re.search(r'data-key="(\w+)" data-total="(\d+)"', opened).groups()  # type: ignore[union-attr]
    sizes = 0
    for step in range(0, int(total), 32):
        with httpx.stream("POST", f"{base}/steps/frames", data={"key": key, "step": str(step)}, timeout=60) as answer:
            sizes += len(b"".join(answer.iter_raw()))
    value = sizes / int(total)
    return Figure(f"steps, {name}: bytes on the wire a step", value, "<= 1000", value <= 1000, f"{total} steps")
