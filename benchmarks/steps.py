"""Stepping: traces against the work they are traces of, what a step weighs, and how soon it is seen."""

import json
import os
import re
import statistics
from collections.abc import Iterator
from itertools import pairwise

import httpx
from playwright.sync_api import Browser, Page, sync_playwright
from tokenarium.lab.steps.encoding import encode
from tokenarium.lab.steps.learning import learn, word_counts
from tokenarium.lab.steps.options import StepsOptions
from tokenarium.registry import Registry
from tokenarium.scratch.fast.bpe.learn import BPELearner
from tokenarium.scratch.fast.bpe.symbol_corpus import build_byte_corpus
from tokenarium.settings import Settings

from benchmarks.measure import Figure, ratio, scaled
from benchmarks.page import FLAGS
from benchmarks.start import server
from benchmarks.text import english

MERGES = scaled(1_000, 20)
ENCODED = scaled(("o200k_base", "mistral-v1", "bert-base-uncased", "udhr-unigram-16k"), ("bert-base-uncased",))
TIMES = scaled(5, 1)
PROSE, KEYS = english(scaled(2_000, 200)), scaled(100, 2)
RUNS = {
    "encode": {"branch": "encode", "tokenizer": "o200k_base", "text": PROSE},
    "learn": {"branch": "learn", "merges": scaled("500", "20"), "text": PROSE},
}
KEY_TO_PAINT = """
() => new Promise(done => {
  const start = performance.now();
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
})
"""


MOVED = {"steps": ("/steps?example=sennrich", "#counter"), "a scene": ("/learn/learn-bpe?step=1", ".counter")}
"""Pages whose movement is traced, and the text that says when a step is shown."""
STEPPED = scaled(10, 1)
ANIMATED = "() => Promise.all(document.getAnimations().map(one => one.finished.catch(() => 0))).then(() => 0)"


def figures() -> Iterator[Figure]:
    yield learning(english(scaled(100_000, 2_000)))
    for id in ENCODED:
        yield encoding(id, english(scaled(10_000, 500)))
    with server() as (port, _), sync_playwright() as driver:
        base = f"http://127.0.0.1:{port}"
        browser = driver.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
        for name, form in RUNS.items():
            yield key_to_paint(browser.new_page(), base, name, form)
            yield weight(base, name, form)
        for name, (address, counter) in MOVED.items():
            yield movement(browser, f"{base}{address}", name, counter)
        browser.close()


def learning(text: str) -> Figure:
    """A learning trace, ready to be looked at, against the bare learner run to the same number of merges."""

    def trace() -> None:
        run = learn(StepsOptions(text=text, unit="bytes", pattern="gpt2", merges=MERGES))
        assert run.total == MERGES + 1

    def bare() -> None:
        learner = BPELearner(build_byte_corpus(word_counts(text, pattern="gpt2", table=False)))
        assert sum(1 for _ in learner.steps(MERGES)) == MERGES

    return ratio("learning trace, 100 KB, 1,000 merges / learning", trace, bare, most=3)


def encoding(id: str, text: str) -> Figure:
    """The trace of an encoding, with the number of its steps, against the encoding, by an engine new each time."""
    fresh = iter([Registry(Settings()).get(id, "scratch") for _ in range(TIMES + 1)])
    registry = Registry(Settings())
    registry.get(id, "scratch")
    name = f"{id}, trace of 10 KB / encoding them"
    work = lambda: encode(registry, text, tokenizer=id).total  # noqa: E731
    return ratio(name, work, lambda: next(fresh).encode(text), most=10, runs=TIMES)


def key_to_paint(page: Page, base: str, name: str, form: dict[str, str]) -> Figure:
    """Milliseconds from the key to the task after the frame that shows the step, for 2,000 characters."""
    page.goto(f"{base}/steps")
    page.check(f"[name=branch][value={form['branch']}]", force=True)
    if "merges" in form:
        page.fill("[name=merges]", form["merges"])
        page.select_option("[name=table]", label="running text")
    with page.expect_response(re.compile("/steps$")):
        page.fill("#text", form["text"])
    page.locator("#text").blur()
    page.wait_for_timeout(500)
    times = [float(page.evaluate(KEY_TO_PAINT)) for _ in range(KEYS)]
    median, slow = statistics.median(times), sorted(times)[int(0.95 * KEYS)]
    return Figure(f"steps, {name}: key to paint, p95, ms", slow, "<= 50", slow <= 50, f"median {median:.0f} ms")


def movement(browser: Browser, address: str, name: str, counter: str) -> Figure:
    """Milliseconds of the main thread for a frame of the movement, by the trace of Chromium: at 60 Hz it has 16.7."""
    page = browser.new_page()
    page.goto(address)
    page.wait_for_timeout(500)
    browser.start_tracing(
        page=page, categories=["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]
    )
    for _ in range(STEPPED):
        shown = page.inner_text(counter)
        page.keyboard.press("ArrowRight")
        page.wait_for_function(
            "([place, old]) => document.querySelector(place).innerText !== old", arg=[counter, shown]
        )
        page.evaluate(ANIMATED)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    page.close()
    begun = [event for event in events if event["name"] == "Commit"]
    thread = statistics.mode((event["pid"], event["tid"]) for event in begun)
    starts = sorted(event["ts"] for event in begun if (event["pid"], event["tid"]) == thread)
    tasks = [
        (event["ts"], event.get("tdur", event.get("dur", 0)))
        for event in events
        if event["name"] == "RunTask" and (event["pid"], event["tid"]) == thread
    ]
    spent = [sum(length for at, length in tasks if start <= at < end) / 1000 for start, end in pairwise(starts)]
    slow = sorted(spent)[int(0.95 * len(spent))]
    said = f"{len(spent)} steps, median {statistics.median(spent):.1f} ms"
    return Figure(f"steps, movement in {name}: main thread a frame, p95, ms", slow, "<= 16", slow <= 16, said)


def weight(base: str, name: str, form: dict[str, str]) -> Figure:
    """Bytes on the wire for one step, on average over a run."""
    opened = httpx.post(f"{base}/steps", data=form, headers={"HX-Request": "true"}, timeout=60).text
    key, total = re.search(r'data-key="(\w+)" data-total="(\d+)"', opened).groups()  # type: ignore[union-attr]
    sent, sizes = {"key": key}, 0
    for step in range(0, int(total), 32):
        status, body = _steps(base, sent | {"step": str(step)})
        if status == 410:  # a worker answers that has not cached the run: the page then sends the whole form
            sent |= form
            status, body = _steps(base, sent | {"step": str(step)})
        assert status == 200, status
        sizes += len(body)
    value = sizes / int(total)
    return Figure(f"steps, {name}: bytes on the wire a step", value, "<= 1000", value <= 1000, f"{total} steps")


def _steps(base: str, data: dict[str, str]) -> tuple[int, bytes]:
    """Return the status of an answer with steps, and its body as it is on the wire."""
    with httpx.stream("POST", f"{base}/steps/window", data=data, timeout=60) as answer:
        return answer.status_code, b"".join(answer.iter_raw())
