"""The first frame of a page with 250,000 tokens, against a page with one span for each token."""

import os
import statistics
from collections.abc import Iterator
from html import escape

import httpx
from playwright.sync_api import Page, sync_playwright
from tokenarium.lab.tokenize import Tokenization, tokenize
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.measure import Figure, scaled
from benchmarks.start import server
from benchmarks.text import english

CHARACTERS = scaled(1_150_000, 2_000)
"""Of a text of 250,000 tokens."""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]

FIRST_FRAME = """
html => new Promise(done => {
  const place = document.querySelector("#result");
  place.replaceChildren();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const start = performance.now();
    place.innerHTML = html;
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
  }));
})
"""


def figures() -> Iterator[Figure]:
    done = tokenize(Registry(Settings()), english(CHARACTERS), tokenizer="o200k_base")
    naive = f'<div class="sheet">{"".join(spans(done))}</div>'
    with server() as (port, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        fields = {"tokenizer": "o200k_base", "text": done.text}
        ours = httpx.post(f"http://127.0.0.1:{port}/", data=fields, headers={"HX-Request": "true"}, timeout=60).text
        pairs = [(first_frame(page, ours), first_frame(page, naive)) for _ in range(scaled(3, 1))]
        browser.close()
    fast, slow = (statistics.median(column) for column in zip(*pairs, strict=True))
    note = f"{fast:.0f} ms against {slow:.0f} ms, {len(done.encoding):,} tokens"
    yield Figure("a span a token / our first frame", slow / fast, ">= 50", slow / fast >= 50, note)


def first_frame(page: Page, html: str) -> float:
    """Milliseconds from the markup to the frame that shows it."""
    return float(page.evaluate(FIRST_FRAME, html))


def spans(done: Tokenization) -> Iterator[str]:
    """The naive page: every token in a span of its own."""
    for token in done.tokens():
        yield f'<span class="t{token.index % 9}">{escape(token.entry.piece)}</span>'
