"""A lecturer and phones, each a browser of its own, in one hall."""

import os
import re
import signal
import socket
import subprocess
import sys

import httpx
import pytest
from playwright.sync_api import expect
from tokenarium.settings import ROOT

from tests.browser.conftest import PATIENCE, Watch
from tests.support.axe import findings
from tests.support.servers import answers, wait_for

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CONNECT_ANEW = """() => {
  document.querySelector("[data-part=poll]").dataset.old = "";
  dispatchEvent(new Event("online"));
}"""
"""Lets a phone connect again, to which all parts are then sent anew."""
TELL = "([kind, detail]) => document.dispatchEvent(new CustomEvent(kind, { detail }))"
SLIDE = {"title": "Merge the most frequent pair", "question": "q"}
ASKED = {"id": "q", "prompt": "Which pair is next?", "choices": ["a t", "th e", "c a"]}
REVEALED = {"id": "q", "answer": 1, "reason": "It occurs most often."}


def tell(page, kind, detail):
    """Have the stage say what is on the screen."""
    page.evaluate(TELL, [kind, detail])


def show(page, at):
    tell(page, "slide", {**SLIDE, "at": at, "caption": f"This is step {at}.", "address": "/about"})


@pytest.fixture
def visitor(chromium, base):
    """Open a page in a browser that shares nothing with the others."""
    contexts, watches = [], []

    def open_one(path="/about", *, at=base, allowed=(), **options):
        context = chromium.new_context(**options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        watches.append(Watch(at))
        watches[-1].allowed += allowed
        page = context.new_page()
        watches[-1].see(page)
        page.goto(at + path)
        return page

    yield open_one
    for watch in watches:
        watch.check()
    for context in contexts:
        context.close()


def open_hall(page):
    """Present a page and open a hall; return its code."""
    page.keyboard.press("p")
    page.keyboard.press("h")
    code = page.locator(".hall-code").inner_text()
    page.keyboard.press("h")
    expect(page.locator(".hall-code")).to_be_hidden()
    return code


def lead(lecturer, code):
    """Open the page to lead from beside the slides."""
    page = lecturer.context.new_page()
    page.goto(f"{lecturer.url.partition('/learn')[0].removesuffix('/about')}/hall/{code}/lead")
    return page


def test_a_lecturer_and_phones_go_through_a_question(visitor):
    lecturer = visitor("/learn/trainers", viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    code = open_hall(lecturer)
    phones = [visitor(f"/hall/{code}", color_scheme=scheme, **PHONE) for scheme in ("light", "dark")]
    still = visitor(f"/hall/{code}", java_script_enabled=False, **PHONE)
    for phone, choice in zip(phones, ("7", "15"), strict=True):
        expect(phone.locator(".hall-slide > .quiet")).to_have_count(0)  # how many steps there are may be the answer
        expect(phone.locator(".hall-row").first).to_contain_text("hug")
        phone.get_by_role("button", name=choice, exact=True).click()
        assert findings(phone) == []
    expect(lecturer.locator(".hall-numbers")).to_contain_text("2 phones")
    phones[0].get_by_role("button", name="17", exact=True).click()
    phones[0].get_by_role("button", name="I’m lost here").click()
    still.get_by_role("button", name="Show the lecture as it is now").click()
    still.get_by_role("button", name="17", exact=True).click()
    expect(lecturer.locator(".hall-numbers")).to_contain_text("3 of 3 have voted")
    expect(lecturer.locator(".hall-numbers")).to_contain_text("1 lost here")
    expect(lecturer.locator("[data-votes]")).to_have_count(0)
    leading = lead(lecturer, code)
    expect(leading.locator(".hall-votes meter").nth(2)).to_have_attribute("value", "2")
    leading.get_by_role("button", name="Next").click()
    expect(lecturer.locator(".predict .press[data-votes]")).to_have_count(4)
    expect(lecturer.locator(".predict .right[data-votes='2']")).to_be_visible()
    expect(phones[0].locator(".hall-poll .own.right")).to_contain_text("right answer · your vote")
    expect(phones[1].locator(".hall-poll .own")).to_contain_text("15")
    phones[0].get_by_text("Step by yourself").click()
    phones[0].get_by_role("link", name=f"Back to hall {code}").click()
    expect(phones[0].locator(".hall-poll .own")).to_contain_text("17")
    following = leading.locator(".hall-slides article").nth(1).locator("h2 + p").inner_text()
    leading.keyboard.press("PageDown")
    expect(lecturer.locator(".caption")).to_have_text(following)
    expect(phones[1].locator(".hall-caption")).to_have_text(following)
    expect(phones[1].locator(".hall-poll h2")).to_have_count(0)
    expect(phones[1].locator("#said")).to_be_empty()
    expect(lecturer.locator("[data-votes]:visible")).to_have_count(0)
    expect(phones[1].locator(".hall-slide > .quiet")).to_have_text("1 of 13")
    leading.get_by_role("button", name="Back").click()
    expect(phones[1].locator(".hall-poll .own")).to_contain_text("15")


def test_the_hall_stays_open_from_page_to_page_and_questions_are_shown_from_a_page_of_their_own(visitor):
    lecturer = visitor()
    code = open_hall(lecturer)
    phone = visitor(f"/hall/{code}", **PHONE)
    phone.fill("#text", "What is a pair?")
    phone.get_by_role("button", name="Send").click()
    leading = lead(lecturer, code)
    leading.get_by_role("button", name="Show to all").click()
    for page in (phone.locator(".hall-slide"), lecturer.locator(".hall-spotlight")):
        expect(page).to_contain_text("What is a pair?")
    assert findings(leading) == []
    lecturer.keyboard.press("ArrowRight")
    expect(lecturer.locator(".hall-spotlight")).to_be_hidden()
    expect(phone.locator(".hall-slide h1")).to_have_text(lecturer.locator(".deck-title").inner_text())
    expect(phone.locator(".hall-slide > .quiet")).to_have_text(re.compile("^1 of "))
    expect(phone.locator(".hall-questions")).to_contain_text("What is a pair?")
    lecturer.goto(lecturer.url.replace("/about", "/learn/ids"))  # which goes on with the presentation
    expect(phone.locator(".hall-slide h1")).to_have_text("What a model sees")
    expect(leading.locator(".hall-slides")).to_contain_text("Notes")  # which the stage sends last
    leading.get_by_role("button", name="Close the hall").click()
    expect(phone.locator("h1")).to_have_text("The lecture is over")
    expect(lecturer.locator(".hall-screen")).to_have_count(0)
    assert findings(leading) == []


@pytest.mark.parametrize(
    ("scene", "answer", "label"),
    [
        (
            "wordpiece",
            lambda phone: [phone.locator(".hall-marks input").nth(at).check() for at in (1, 4)],
            "un|aff|able",
        ),
        (
            "bpe?kind=order",
            lambda phone: [phone.locator("select").nth(at).select_option(f"{2 - at}") for at in range(3)],
            "s e, then a s, then i d",
        ),
        ("words", lambda phone: phone.get_by_label("Your answer").fill(" 3 "), "3"),
        ("cost?kind=estimate", lambda phone: phone.get_by_label("Your estimate").fill("77"), "77"),
    ],
    ids=["mark", "order", "type", "estimate"],
)
def test_what_is_marked_ordered_or_typed_on_a_phone_is_a_vote(visitor, scene, answer, label):
    lecturer = visitor(f"/learn/{scene}", viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    phone = visitor(f"/hall/{open_hall(lecturer)}", **PHONE)
    answer(phone)
    phone.evaluate(CONNECT_ANEW)
    expect(phone.locator("[data-part=poll]:not([data-old])")).to_be_attached()  # with what was typed, not yet sent
    phone.get_by_role("button", name="Vote").click()
    expect(lecturer.locator(".hall-numbers")).to_contain_text("1 of 1 have voted")
    assert findings(phone) == []
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(".hall-tally [data-votes='1']")).to_have_text(re.compile(rf"^{re.escape(label)}\b"))
    expect(phone.locator(".hall-poll .own")).to_contain_text(label)
    expect(phone.locator(".hall-poll .right")).to_contain_text("right answer")


def test_the_audience_predicts_a_merge_of_steps_and_one_press_shows_it(visitor):
    lecturer = visitor("/steps?example=sennrich", viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    lecturer.get_by_label("Predict first").check()
    phone = visitor(f"/hall/{open_hall(lecturer)}", **PHONE)
    lecturer.keyboard.press("ArrowRight")
    expect(phone.locator(".hall-slide h1")).to_have_text("Training BPE over characters")
    phone.locator(".hall-choices button", has_text="lo").click()
    expect(lecturer.locator(".hall-numbers")).to_contain_text("1 of 1 have voted")
    lecturer.keyboard.press("ArrowRight")
    expect(lecturer.locator("#stage th[data-votes='1']")).to_have_text("lo")
    expect(phone.locator(".hall-poll .own .hall-token")).to_have_text(["l", "o"])
    expect(phone.locator(".hall-poll .own")).to_contain_text("your vote")


class RestartedServer:
    """A server at one address that is killed and started again."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder = folder
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        command = [sys.executable, "-m", "tokenarium", "serve", "--port", str(self.port)]
        env = os.environ | {"TOKENARIUM_LOCAL": str(self.folder), "TOKENARIUM_WORKERS_PER_PROCESS": "0"}
        self.process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
        with httpx.Client(base_url=self.address, timeout=60) as client:
            wait_for(lambda: answers(client))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def server(tmp_path):
    server = RestartedServer(tmp_path)
    yield server
    server.process.terminate()
    server.process.wait(60)


AWAY = ["ERR_CONNECTION", "ERR_INTERNET_DISCONNECTED", "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE", "ERR_NETWORK"]


def test_phones_come_back_after_the_server_was_killed_and_after_they_have_slept(visitor, server):
    lecturer = visitor(at=server.address, allowed=AWAY)
    show(lecturer, 1)
    code = open_hall(lecturer)
    phones = [visitor(f"/hall/{code}", at=server.address, allowed=AWAY, **PHONE) for _ in range(2)]
    tell(lecturer, "asked", ASKED)
    phones[0].get_by_role("button", name="th e").click()
    expect(phones[0].locator("#said")).to_have_text("Your vote counts.")
    expect(phones[1].get_by_role("button", name="th e")).to_be_visible()
    server.kill()
    expect(phones[1].locator("#said")).to_have_text("Connecting again …")
    phones[1].get_by_role("button", name="a t").click()  # is sent until the server takes it
    show(lecturer, 2)
    server.start()
    expect(phones[1].get_by_role("button", name="a t")).to_have_attribute("aria-pressed", "true")
    for phone in phones:
        expect(phone.locator(".hall-caption")).to_have_text("This is step 2.")
    expect(lecturer.locator(".hall-numbers")).to_contain_text("2 of 2 have voted")
    phones[0].context.set_offline(True)
    tell(lecturer, "revealed", REVEALED)
    expect(phones[1].locator(".hall-poll .own")).to_contain_text("a t")
    phones[0].context.set_offline(False)
    expect(phones[0].locator(".hall-poll .own")).to_contain_text("th e")


def test_a_phone_gets_merged_wordpiece_tokens_as_the_stage_has_them_and_counts_the_rest_after_them(open_page):
    page = open_page("/steps?example=wordpiece&step=2")
    picture = page.evaluate("""async () => {
      const { readPicture } = await import("/static/js/hall/picture.js");
      const row = document.querySelector("main .row:has(b)");
      row.insertAdjacentHTML("beforeend", "<span class=out>+3 more</span>");
      return readPicture(document.querySelector("main"));
    }""")
    tokens = {token["text"] for row in picture["rows"] for token in row["tokens"]}
    assert {"##ed", "pl"} <= tokens
    assert [row["after"] for row in picture["rows"] if row["after"]] == ["+3 more"]
    assert not [row for row in picture["rows"] if "more" in row["label"]]
    assert [text for text in tokens if "##" in text[1:]] == []
