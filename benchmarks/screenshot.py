"""`make screenshot`: the pictures in the README, taken from the pages as they are."""

import os
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright
from tokenarium.settings import ROOT

from benchmarks.page import FLAGS
from benchmarks.start import server


def main() -> None:
    with TemporaryDirectory() as kept, server(TOKENARIUM_LOCAL=kept) as (port, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
        page = browser.new_page(viewport={"width": 1200, "height": 860}, device_scale_factor=2, color_scheme="light")
        page.emulate_media(reduced_motion="reduce")  # shows the end of the opening
        page.goto(f"http://127.0.0.1:{port}/")
        page.locator("#models [data-model='Qwen3.5'] .model-tokens").wait_for()
        page.screenshot(path=ROOT / "static" / "screenshot.png")
        page.set_viewport_size({"width": 1280, "height": 720})
        page.goto(f"http://127.0.0.1:{port}/steps?example=sennrich&step=5")
        page.screenshot(path=ROOT / "static" / "steps.png")
        page.goto(f"http://127.0.0.1:{port}/compare")
        page.locator("#result:not([data-stale]) .seg").first.wait_for()  # the text of the page before is filled in
        page.fill("#text", "Tokens are no words: lowest, unhappily, 1234567.\n    return tokenize(text)")
        page.locator("#result:not([data-stale]) .lanes", has_text="unhappily").wait_for()
        page.locator(".tally").evaluate("table => scrollBy(0, table.getBoundingClientRect().top - 20)")
        page.screenshot(path=ROOT / "static" / "compare.png")
        page.set_viewport_size({"width": 1200, "height": 920})
        query = urlencode({"tokenizer": "bert-base-uncased", "text": "Héllo wörld, it’s 2025!"})
        page.goto(f"http://127.0.0.1:{port}/pipeline?{query}")
        page.get_by_text("From text to tokens").wait_for()
        page.screenshot(path=ROOT / "static" / "pipeline.png")
        page.set_viewport_size({"width": 1200, "height": 900})
        page.goto(f"http://127.0.0.1:{port}/learn/learn-bpe")
        page.get_by_role("button", name="w </w>", exact=True).click()
        page.get_by_text("Right.").wait_for()
        for step in (1, 2, 3):
            page.locator("#key-on").click()
            page.locator(".counter", has_text=f"{step} of").wait_for()
        page.screenshot(path=ROOT / "static" / "learn.png")
        page.set_viewport_size({"width": 1200, "height": 900})
        page.goto(f"http://127.0.0.1:{port}/beyond/bytes")
        page.locator(".chart").evaluate("chart => scrollBy(0, chart.getBoundingClientRect().top - 30)")
        page.screenshot(path=ROOT / "static" / "bytes.png")
        page.set_viewport_size({"width": 1200, "height": 1010})
        page.goto(f"http://127.0.0.1:{port}/train?corpus=udhr:shn&size=600")
        page.get_by_role("button", name="Train").click()
        page.get_by_text("This vocabulary saves").first.wait_for(timeout=60_000)
        page.screenshot(path=ROOT / "static" / "train.png")
        browser.close()


if __name__ == "__main__":
    main()
