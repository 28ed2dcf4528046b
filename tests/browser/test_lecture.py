"""A lecture: built on one page, kept in this browser, shared, presented from item to item, and printed."""

import json
import re
import zlib
from base64 import urlsafe_b64encode
from urllib.parse import unquote

import pytest
from playwright.sync_api import expect
from tokenarium.settings import ROOT

from tests.browser.conftest import PATIENCE
from tests.support.deeds import open_menu

ITEMS = [
    {"address": "/learn/bpe", "title": "Merges", "notes": "Ask first.", "minutes": 5},
    {"title": "Questions so far", "text": "A thought of mine\n\n- one\n- two", "notes": "Wait a minute."},
    {"address": "/conformance", "title": "Engines agree"},
]


def link(data):
    packed = urlsafe_b64encode(zlib.compress(json.dumps(data).encode(), 9, wbits=-15)).decode()
    return f"/lecture#{packed.rstrip('=')}"


def titles(page):
    return page.locator("[data-field=title]").evaluate_all("all => all.map(({ value }) => value)")


@pytest.fixture
def opened(open_page):
    """The page with a lecture of three items, which has come by a link."""
    page = open_page(link({"title": "Wednesday", "items": ITEMS}))
    expect(page.locator("#said")).to_contain_text("Opened “Wednesday”, 3 items")
    return page


def test_a_lecture_is_built_moved_undone_and_kept_and_an_address_without_a_page_is_refused(open_page, watch):
    watch.allowed += ["404", "422"]
    page = open_page("/lecture")
    for address, message in {
        "/nowhere": "There is no page at /nowhere",
        "http://example.org": "no address of this",
        "/languages?text=mine": "/languages does not show the text of its address.",
        "/learn/bpe?step=99": "/learn/bpe does not show the step of its address.",
        "/learn/pipeline?kind=order": "/learn/pipeline does not show the kind of its address.",
        "/steps?example=none": "example is one of",
        "/steps?tokenizer=nonsense": "There is no tokenizer of this name.",
        "/lecture/handout": "A lecture cannot be an item of a lecture.",
    }.items():
        page.fill("#address", address)
        page.get_by_role("button", name="Add address").click()
        expect(page.locator("#said")).to_contain_text(message)
    page.select_option("#choice", "/learn/bytes")
    page.get_by_role("button", name="Add", exact=True).click()
    page.fill("#address", "/steps?text=strawberry&tokenizer=gpt2")
    page.get_by_role("button", name="Add address").click()
    expect(page.locator(".lecture-item")).to_have_count(2)
    page.get_by_role("button", name="Add a text slide").click()
    page.keyboard.type("My thought")
    page.get_by_label("Notes").nth(1).fill("Count the letters")
    assert titles(page) == [page.locator("#choice option:checked").inner_text(), "Steps: strawberry", "My thought"]
    page.get_by_label("Notes").nth(1).press("Alt+ArrowUp")
    expect(page.get_by_label("Notes").first).to_be_focused()
    page.get_by_role("button", name="Move down: item 2").click()
    expect(page.get_by_role("button", name="Move up: item 3")).to_be_focused()
    assert [title[:6] for title in titles(page)] == ["Steps:", "My tho", "Charac"]
    page.get_by_role("button", name="Remove: item 1").click()
    expect(page.locator(".lecture-item")).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    page.reload()
    assert [title[:6] for title in titles(page)] == ["Steps:", "My tho", "Charac"]
    expect(page.get_by_label("Notes").first).to_have_value("Count the letters")


def test_a_link_carries_the_whole_lecture_to_another_browser_and_an_item_is_dragged_by_its_grip(opened, chromium, base):
    opened.locator("summary", has_text="Share").click()
    opened.get_by_role("button", name="Copy link").click()
    expect(opened.locator("#said")).to_contain_text("Link copied")
    address = opened.evaluate("() => navigator.clipboard.readText()")
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE)
    other = context.new_page()
    other.goto(address)
    expect(other.locator(".lecture-item")).to_have_count(3)
    assert titles(other) == ["Merges", "Questions so far", "Engines agree"]
    assert other.url == f"{base}/lecture"
    assert other.input_value("#title") == "Wednesday"
    context.close()
    first, second = opened.locator(".lecture-item").first, opened.locator(".lecture-grip").nth(1)
    second.drag_to(first, target_position={"x": 9, "y": 3})
    expect(opened.locator("#said")).to_have_text("“Questions so far” is item 1 of 3 now.")
    assert titles(opened) == ["Questions so far", "Merges", "Engines agree"]


def test_a_file_is_saved_and_opened_and_a_wrong_one_says_why(opened, tmp_path):
    opened.locator("summary", has_text="Share").click()
    with opened.expect_download() as waiting:
        opened.get_by_role("button", name="Download (JSON)").click()
    assert waiting.value.suggested_filename == "wednesday.json"
    waiting.value.save_as(tmp_path / "wednesday.json")
    saved = json.loads((tmp_path / "wednesday.json").read_text())
    assert [item["title"] for item in saved["items"]] == [item["title"] for item in ITEMS]
    wrong = {
        '{"items": [': "It is no JSON",
        '{"bad": 1}': "It is no lecture: it needs “title” and a list “items”.",
        '{"items": [{}, {"address": "http://a.example/"}]}': "Item 2: “http://a.example/” is no address of this site",
        '{"items": [{"address": "/.//example.org"}]}': "Item 1: “/.//example.org” begins with two slashes",
        '{"items": [{"address": "/lecture"}]}': "Item 1: A lecture cannot be an item of a lecture.",
        '{"items": [{"minutes": -1}]}': "Item 1: “minutes” must be a whole number from 0 to 999.",
    }
    for body, message in wrong.items():
        opened.set_input_files(
            "#lecture-file", {"name": "a.json", "mimeType": "application/json", "buffer": body.encode()}
        )
        expect(opened.locator("#said")).to_contain_text(message)
    renamed = json.dumps({**saved, "title": "Thursday"}).encode()
    opened.set_input_files("#lecture-file", {"name": "b.json", "mimeType": "application/json", "buffer": renamed})
    expect(opened.locator("#lectures option")).to_have_text(["Wednesday", "Thursday"])


def shown(page):
    """The item that fills the screen."""
    return page.frame_locator(".lecture-stage iframe:not([inert])")


def test_it_is_presented_in_full_screen_without_a_page_load_to_its_end_and_back(opened):
    opened.evaluate("() => { window.stayed = true; }")
    opened.locator("#length").click()
    opened.keyboard.press("p")
    before = opened.evaluate("() => getComputedStyle(document.querySelector('.lecture-stage'), '::before').content")
    assert before == '"Merges"'  # until the item has loaded
    expect(shown(opened).locator("html.presenting .learn-view")).to_be_visible()
    opened.wait_for_function("() => document.fullscreenElement")
    opened.keyboard.press("]")
    expect(shown(opened).locator(".deck").get_by_text("A thought of mine")).to_be_visible()
    opened.keyboard.press("PageDown")
    expect(shown(opened).locator(".deck-title")).to_have_text("Do the engines agree?")
    expect(opened.locator(".lecture-stage iframe")).to_have_count(2)
    opened.keyboard.press("]")  # there is nothing after it
    opened.keyboard.press("PageUp")
    expect(shown(opened).locator(".deck-title")).to_have_text("Questions so far")
    opened.keyboard.press("PageUp")
    expect(shown(opened).locator(".learn-view .counter")).to_have_text("5 of 5")
    assert opened.evaluate("() => Boolean(window.stayed && document.fullscreenElement)")
    opened.keyboard.press("Escape")
    expect(opened.get_by_role("button", name="Present from here: item 1")).to_be_focused()
    expect(opened.locator("iframe")).to_have_count(0)
    assert opened.url.endswith("/lecture")


def test_the_slide_stays_until_the_next_item_has_loaded_and_keys_wait_for_it(open_page, watch):
    items = [
        {"title": "First", "text": "one"},
        {"address": "/learn/ids", "title": "Ids"},
        {"title": "Last", "text": "x"},
    ]
    page = open_page(link({"title": "Slow", "items": items}))
    expect(page.locator(".lecture-item")).to_have_count(3)  # before, there is nothing to present
    watch.allowed.append("503")
    slow = []
    page.route("**/learn/ids", lambda route: route.continue_() if slow else slow.append(route))
    with page.expect_request("**/learn/ids"):  # a frame is there before its page is asked for
        page.keyboard.press("p")
    expect(shown(page).locator(".deck-title")).to_have_text("First")
    page.keyboard.press("PageDown")
    expect(page.locator(":focus")).to_have_count(0)  # this page takes the keys
    page.keyboard.press("PageDown")
    expect(shown(page).locator(".deck-title")).to_have_text("First")
    slow[0].fulfill(status=503, body="away")  # it is then loaded again
    expect(shown(page).locator(".learn-verdict")).to_contain_text("The answer is")


def test_a_reload_goes_on_at_the_slide_and_at_the_time_of_the_address(opened):
    opened.get_by_role("button", name="Present from here: item 3").click()
    expect(shown(opened).locator(".deck-place")).to_have_text(re.compile("^1 of 1"))
    opened.keyboard.press("PageDown")
    opened.wait_for_url("**/lecture?item=3&slide=2&begun=*")
    address = opened.url
    opened.reload()
    expect(shown(opened).locator(".deck-place")).to_have_text(re.compile("^2 of"))
    assert opened.url == address


def test_after_a_reload_questions_show_their_answers_as_before(open_page):
    poll = {"title": "How many?", "text": "- [ ] One\n- [x] Two"}
    page = open_page(link({"title": "Two", "items": [poll, {"address": "/learn/bpe"}]}))
    page.click("#present")
    expect(shown(page).locator(".deck .choice").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**&answered=1")
    page.keyboard.press("]")
    expect(shown(page).locator(".learn-question")).to_be_visible()
    shown(page).locator("#show-answer").click()
    page.wait_for_url("**&answered=1.2")
    page.reload()
    expect(shown(page).locator(".learn-question[data-answer]")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(shown(page).locator(".learn-view .counter")).to_have_text("1 of 5")
    page.reload()
    expect(shown(page).locator(".learn-view .counter")).to_have_text("1 of 5")
    page.keyboard.press("[")
    expect(shown(page).locator(".deck .choice.right")).to_have_text("Two")


def test_a_step_alone_is_one_slide_and_the_speaker_sees_the_notes_and_the_next_item(open_page):
    alone = [{"address": "/learn/bpe?text=the&step=2", "steps": "one", "title": "A"}, {"text": "End", "title": "B"}]
    page = open_page(link({"title": "Two", "items": [{**alone[0], "notes": "Ask first."}, alone[1]]}))
    page.click("#present")
    expect(shown(page).locator(".learn-view[data-step='2']")).to_be_visible()
    expect(page.frame_locator("iframe[title=B]").locator(".deck-title")).to_have_text("B")
    with page.expect_popup() as waiting:
        page.keyboard.press("s")
    speaker = waiting.value
    expect(speaker.locator(".speaker-notes")).to_contain_text("Ask first.")
    expect(speaker.frame_locator(".speaker-next").locator(".deck-title")).to_have_text("B")
    speaker.keyboard.press("PageDown")
    expect(shown(page).locator(".deck-title")).to_have_text("B")
    expect(speaker.frame_locator(".speaker-now").locator(".deck-title")).to_have_text("B")
    expect(speaker.locator(".speaker-notes")).not_to_contain_text("Ask first.")


def test_an_item_shows_the_text_of_its_address_and_the_text_of_the_tab_stays(open_page):
    page = open_page("/?text=mine")
    page.locator("#text").press_sequentially("!")
    page.goto(page.url.split("/?")[0] + link({"title": "One", "items": [{"address": "/", "title": "Tokens"}]}))
    page.click("#present")
    expect(shown(page).locator(".deck .text").first).to_have_text("Hello, 🌍! 你好!")
    page.keyboard.press("Escape")
    assert page.evaluate("() => JSON.parse(sessionStorage.tokenarium).text") == "!mine"


MARKDOWN = [
    ("**b** and *s*", "p", "<strong>b</strong> and <em>s</em>"),
    ("one\ntwo\n\nthree", "p >> nth=0", "one<br>\ntwo"),
    ("- a\n- b", "ul", "\n<li>a</li>\n<li>b</li>\n"),
    ("```\na < b\n```", "pre", "<code>a &lt; b\n</code>"),
    ("<b>no</b> <img src=x>", "p", "&lt;b&gt;no&lt;/b&gt; &lt;img src=x&gt;"),
    ("It costs $5 and \\$6, not $7.", "p", "It costs $5 and $6, not $7."),
    ("![mine](picture)", "p", "(no picture: mine)"),
    ("![far](https://a.example/b.png)", "a", "far"),
    ("[x](javascript:alert)", "p", "[x](javascript:alert)"),
    ("| a |\n|---|\n| b |", "td", "b"),
    ("- **[ ] a**\n- `[x] b`", "ul", "\n<li><strong>[ ] a</strong></li>\n<li><code>[x] b</code></li>\n"),
    ("- [ ] **a**\n- [ ]\n", "ul", "\n<li>[ ] <strong>a</strong></li>\n<li>[ ]</li>\n"),
]


@pytest.mark.parametrize(("text", "selector", "html"), MARKDOWN)
def test_a_text_slide_is_markdown_without_html(open_page, text, selector, html):
    page = open_page(link({"title": "One", "items": [{"title": "Mine", "text": text}]}))
    expect(page.locator(".lecture-item")).to_have_count(1)
    page.goto(page.url + "/slide?item=1")
    expect(page.locator("#own-slide h1")).to_have_text("Mine")
    assert page.locator(f"#own-slide {selector}").inner_html() == html
    assert page.evaluate("() => 'katex' in window") is False


TOPS = """(body, letters) => letters.map((letter) =>
  [...body.querySelectorAll(".deck .block .mord")]
    .findLast((one) => one.textContent === letter).getBoundingClientRect().top)"""
"""How far from the top of the screen each of these letters of a formula stands."""


def test_a_slide_draws_its_formulas_and_says_what_is_wrong_in_one(open_page):
    text = "Here $a_1^2$ and $\\frac{1$\n\n$$\\frac{p_i}{2}$$"
    page = open_page(link({"title": "One", "items": [{"title": "Mine", "text": text}]}))
    page.click("#present")
    slide = shown(page).locator(".deck .own-slide")
    expect(slide.locator(".katex")).to_have_count(2)
    expect(slide.locator(".formula:has(.fault)")).to_contain_text(re.compile(r"^\\frac\{1 KaTeX parse error"))
    fraction = slide.locator(".block .vlist > span").first
    assert fraction.evaluate("one => one.style.top") != ""
    # In one reading: when a font of KaTeX arrives, the slide is made anew.
    low, high = shown(page).locator("body").evaluate(TOPS, ["2", "p"])
    assert low > high


TOO_MUCH = {
    "too many parts in each other": "$" + r"\frac{1}{" * 300 + "1" + "}" * 300 + "$",
    "too many or too long": "$" + "a+" * 2000 + "a$",
    "too many or too long formulas": "$a$ " * 1000,
    "Too many expansions": r"$\def\a{\a\a}\a$",
}


def test_formulas_that_would_end_the_tab_are_said_to_and_the_slide_stays(open_page):
    page = open_page("/about")
    draw = """async (text) => {
      const { slideOf } = await import("/static/js/lecture/markdown.js");
      const slide = await slideOf({ text: `**Before** $x^2$ ${text}`, picture: null });
      document.querySelector("main").replaceChildren(slide);
    }"""
    for said, text in TOO_MUCH.items():
        page.evaluate(draw, text)
        expect(page.locator("main strong")).to_have_text("Before")
        expect(page.locator("main .formula .katex").first).to_be_visible()
        expect(page.locator("main .fault").last).to_contain_text(said)
    page.evaluate(draw, r"$\rule{99999em}{99999em}$")
    assert page.evaluate("() => document.querySelector('main').scrollWidth") < 5000


def test_a_poll_of_eight_long_choices_is_one_slide(open_page):
    text = "\n".join(f"- [ ] {choice}" for choice in 4 * ["とても長い選択肢です。" * 5, "خيار طويل باللغة العربية"])
    page = open_page(link({"title": "One", "items": [{"title": "Which?", "text": text}]}))
    page.click("#present")
    expect(shown(page).locator(".deck .choice")).to_have_count(8)
    expect(shown(page).locator(".deck-place")).to_have_text("1 of 1")


def test_a_picture_of_the_users_file_is_kept_with_its_slide(open_page, tmp_path):
    page = open_page(link({"title": "One", "items": [{"title": "Mine", "text": "Look:"}]}))
    picture = ROOT / "static/steps.png"
    page.set_input_files(".lecture-picture input", picture)
    expect(page.locator("[data-field=text]")).to_have_value("Look:\n\n![steps](picture)")
    page.set_input_files(".lecture-picture input", ROOT / "pyproject.toml")
    expect(page.locator("#said")).to_contain_text("pyproject.toml is no picture")
    page.click("#present")
    image = shown(page).locator(".deck img")
    expect(image).to_be_visible()
    assert image.evaluate("one => one.naturalWidth > 400 && one.alt === 'steps'")


def test_a_phone_renders_a_text_slide_as_the_stage_does_with_formulas_only_where_there_are_any(
    open_page, base, chromium
):
    text = "**Bold** <b>no</b>\n\n```\na  b\n```\n\n![far](https://a.example/b.png)"
    items = [{"title": "One", "text": text}, {"title": "Two", "text": "$x^2$\n\n- [ ] `a`\n- [ ] $y_1$"}]
    page = open_page(link({"title": "One", "items": items}))
    page.click("#present")
    page.keyboard.press("h")
    context = chromium.new_context(base_url=base)
    context.set_default_timeout(PATIENCE)
    phone = context.new_page()
    phone.goto(f"/hall/{page.locator('.hall-code').inner_text()}")
    slide = phone.locator(".hall-text")
    expect(slide.locator("strong")).to_have_text("Bold")
    assert slide.locator("p").first.inner_html() == "<strong>Bold</strong> &lt;b&gt;no&lt;/b&gt;"
    assert slide.locator("pre").inner_text() == "a  b\n"
    expect(slide.locator("img")).to_have_count(0)
    expect(phone.get_by_text("a picture that is not here")).to_have_count(0)
    assert phone.evaluate("() => 'katex' in window") is False
    leading = page.context.new_page()
    leading.goto(page.url.split("/lecture")[0] + f"/hall/{phone.url.rpartition('/')[2]}/lead")
    expect(leading.locator(".hall-slides article").nth(1).locator(".katex")).to_have_count(2)  # of the next item
    leading.close()
    page.keyboard.press("]")
    expect(slide.locator(".katex")).to_have_count(2)
    expect(phone.locator(".hall-choices button code")).to_have_text("a")
    expect(phone.locator(".hall-choices button .katex")).to_be_visible()
    expect(phone.get_by_text("a picture that is not here")).to_have_count(0)
    context.close()


def votes_beside_their_choices(page):
    """Votes that stand on the edge of their choice, or over its words."""
    return page.locator(".predict [data-votes]:is(.press, .guess)").evaluate_all(
        """all => all.filter((one) => {
          const [choice, number] = [getComputedStyle(one), getComputedStyle(one, "::before")];
          const right = parseFloat(number.right);
          return right <= 0 || right + parseFloat(number.width) > parseFloat(choice.paddingRight);
        }).map((one) => one.textContent)"""
    )


@pytest.mark.parametrize(("right", "marked"), [(" ", []), ("x", ["Two"])])
def test_the_hall_votes_on_a_poll_and_next_shows_the_votes_and_the_right_choice_if_there_is_one(
    open_page, base, chromium, right, marked
):
    items = [{"title": "How many?", "text": f"- [ ] One\n- [{right}] Two"}, {"title": "End"}]
    page = open_page(link({"title": "One", "items": items}))
    page.click("#present")
    expect(shown(page).locator(".deck .choice")).to_have_text(["One", "Two"])
    page.keyboard.press("h")
    code = page.locator(".hall-code").inner_text()
    page.keyboard.press("h")
    context = chromium.new_context(base_url=base)
    phone = context.new_page()
    phone.goto(f"/hall/{code}")
    phone.get_by_role("button", name="Two").click()
    expect(page.locator("[data-part=numbers]")).to_contain_text("1 of 1")
    line, title = (one.bounding_box() for one in (page.locator(".hall-numbers"), shown(page).locator(".deck-title")))
    assert line["y"] + line["height"] <= title["y"]
    page.keyboard.press("PageDown")
    expect(phone.locator("[data-part=poll]")).to_contain_text("your vote")
    expect(phone.locator("[data-part=poll] .right")).to_have_count(len(marked))
    expect(shown(page).locator(".deck .choice.right")).to_have_text(marked)
    voted = shown(page).locator(".deck .choice[data-votes='1']")
    expect(voted).to_have_css("background-size", "100% 100%")  # the bar, also in the right choice
    expect(voted).to_have_css("background-image", re.compile("^linear-gradient"))
    assert votes_beside_their_choices(shown(page)) == []
    page.keyboard.press("PageDown")
    expect(shown(page).locator(".deck-title")).to_have_text("End")
    context.close()


def test_what_a_page_shows_is_added_to_the_lecture(open_page):
    page = open_page("/learn/bpe?text=seaside&step=3")
    page.get_by_role("button", name="Add to lecture").click()
    expect(page.locator("#said")).to_contain_text("Added to “My lecture” as item 1, step 3 alone.")
    page.evaluate("() => { location.href = '/compare?example=hindi&tokenizer=gpt-4'; }")
    open_menu(page)
    page.get_by_role("button", name="Add to lecture").click()
    expect(page.locator("#said")).to_contain_text("as item 2.")
    page.evaluate("() => { location.href = '/lecture'; }")
    expect(page.locator(".lecture-address").first).to_have_attribute("href", "/learn/bpe?text=seaside&step=3")
    assert page.locator(".lecture-address").nth(1).get_attribute("href").startswith("/compare#")
    expect(page.locator("[data-field=steps]").first).to_have_value("one")


CUT = """() => [...document.querySelectorAll("figure")].filter((one) => {
  const [{ width, height }, inner] = [one.getBoundingClientRect(), one.firstElementChild.getBoundingClientRect()];
  const cut = inner.width > width - 15 || inner.height > height - 15;
  return cut || height > 640 || getComputedStyle(one).breakInside !== "avoid";
}).length"""


def test_it_prints_as_a_handout_with_pictures_notes_and_lines(open_page, base):
    scene = {"address": "/learn/words", "title": "Words", "notes": "Ask first."}
    items = [
        scene,
        ITEMS[1],
        {"address": "/steps?text=seaside&tokenizer=gpt2&step=2", "steps": "one", "title": "A merge"},
        {"address": "/languages", "title": "Costs"},
        {"address": "/about", "title": "About"},
    ]
    page = open_page(link({"title": "Wednesday", "items": items}))
    with page.expect_response("**/lecture/warm") as warmed:
        page.reload()
    assert warmed.value.status == 204
    page.get_by_role("link", name="Handout").click()
    expect(page.locator("#said")).to_have_text("Ready to print: 5 items.")
    page.emulate_media(media="print")
    parts = page.locator(".handout-item")
    expect(parts.nth(0).locator("figure img")).to_have_count(4)
    expect(parts.nth(0)).to_contain_text("Ask first.")
    expect(parts.nth(0).locator(".handout-sources li").first).to_contain_text("Sennrich")
    expect(parts.nth(1)).to_contain_text("A thought of mine")
    expect(parts.nth(2).locator("figure img")).to_have_count(1)
    assert "seaside" in unquote(parts.nth(2).locator("figure img").get_attribute("src"))
    expect(parts.nth(2).locator(".handout-rule").first).to_be_visible()
    expect(parts.nth(0).locator(".handout-rule").first).to_be_hidden()
    expect(parts.nth(3).locator("figure img")).to_have_attribute("alt", re.compile("Grantha 18"))
    expect(parts.nth(4)).to_contain_text("This page has no picture to print.")
    expect(page.locator(".masthead")).to_be_hidden()
    assert page.evaluate(CUT) == 0
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="screen")
    page.uncheck("#with-notes")
    expect(parts.nth(0).locator(".handout-rule").first).to_be_visible()
    expect(parts.nth(0)).not_to_contain_text("Ask first.", use_inner_text=True)
