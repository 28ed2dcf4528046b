"""Stepping under a finger: keys, tiles, motion, presenter, prediction, links, and the file that is taken away."""

import json
import re
from contextlib import contextmanager
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.support.axe import findings, on_screens
from tests.support.deeds import fonts_loaded, open_menu, too_narrow
from tests.support.steps_page import counter, edit, press, tiles

MOVING = "() => document.getElementById('stage').getAnimations({ subtree: true }).length"


@contextmanager
def slowed(page):
    """Let what moves take a hundred times as long: a busy machine may look only when it is over."""
    browser = page.context.new_cdp_session(page)
    browser.send("Animation.enable")
    browser.send("Animation.setPlaybackRate", {"playbackRate": 0.01})
    yield
    browser.send("Animation.setPlaybackRate", {"playbackRate": 1})
    browser.detach()


@pytest.fixture
def steps(open_page):
    """Open /steps on an example: `steps("sennrich", color_scheme="dark")`."""
    return lambda example="sennrich", **options: open_page(f"/steps?example={example}", **options)


def test_keys_slider_and_buttons_go_through_the_steps_and_the_caption_says_each_in_words(steps):
    page = steps()
    assert "".join(page.locator(".key:not(#play)").all_text_contents()).strip() == ""  # they are drawn
    assert page.locator(".key svg").evaluate_all("all => all.map(one => one.getBBox().width > 0)") == [True] * 4
    assert tiles(page) == ["l", "o", "w", "</w>"]
    for key, step, row in (
        ("ArrowLeft", 0, ["l", "o", "w", "</w>"]),
        ("ArrowRight", 1, ["l", "o", "w</w>"]),
        ("PageDown", 2, ["lo", "w</w>"]),
        ("ArrowLeft", 1, ["l", "o", "w</w>"]),
        ("End", 10, ["low</w>"]),
        ("ArrowRight", 10, ["low</w>"]),
        ("PageUp", 9, ["low</w>"]),
        ("Home", 0, ["l", "o", "w", "</w>"]),
    ):
        press(page, key, step)
        assert tiles(page) == row
        disabled = "true" if step == 10 else "false"
        expect(page.get_by_role("link", name="Next step")).to_have_attribute("aria-disabled", disabled)
    press(page, "ArrowRight", 1)
    caption = page.get_by_role("status").filter(has_text="together")
    expect(caption).to_contain_text("w and </w> occur together 11 times")
    page.check("#both")
    expect(page.locator("#before .row").first.locator("i")).to_have_text(["w", "</w>"])
    page.uncheck("#both")
    expect(page.locator("#before")).to_be_hidden()
    page.locator("#slider").fill("4")
    expect(counter(page)).to_have_text("4 of 10")
    page.get_by_role("link", name="Next step").click()
    expect(counter(page)).to_have_text("5 of 10")
    page.get_by_role("link", name="First step").click()
    expect(counter(page)).to_have_text("0 of 10")
    page.select_option("#speed", "2400")  # slow, so that it still plays when this is looked at
    page.locator("body").click(position={"x": 5, "y": 5})
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.select_option("#speed", "120")
    expect(counter(page)).to_have_text("10 of 10")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_keys_typed_into_the_text_do_not_step(steps):
    page = steps()
    page.locator("#text").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    old = page.locator(".result-view").get_attribute("data-key")
    page.keyboard.type("p")
    assert page.input_value("#text") == "low 5p\nlowest 2\nnew 6\nwidest 3"
    # A line that is no word with a count makes it running text, whose words the new run begins with.
    expect(page.locator(f".result-view:not([data-key='{old}'])")).to_be_attached()
    expect(page.locator("html.presenting")).to_have_count(0)
    expect(counter(page)).to_have_text(re.compile("^0 of "))
    assert tiles(page, 1) == ["5", "p", "</w>"]


def test_merged_tiles_slide_together_end_as_one_and_keep_their_colour(steps):
    page = steps(reduced_motion="no-preference")
    with slowed(page):
        press(page, "ArrowRight", 1)
        assert page.evaluate(MOVING) > 0
    expect(page.locator("#stage .new").first).to_have_text("w</w>")
    page.evaluate("() => Promise.all(document.getAnimations().map(one => one.finished)).then(() => 0)")
    assert page.evaluate(MOVING) == 0
    assert tiles(page) == ["l", "o", "w</w>"]
    left, right = (
        page.locator("#stage .new")
        .first.locator("i")
        .evaluate_all("([one, other]) => [one.getBoundingClientRect().right, other.getBoundingClientRect().left]")
    )
    assert abs(left - right) < 1
    colour = "tile => getComputedStyle(tile).backgroundColor"
    tile = page.locator("#stage .row b", has_text=re.compile("^w</w>$")).first
    before = tile.evaluate(colour)
    press(page, "ArrowRight", 2)
    assert tile.evaluate(colour) == before


def test_nothing_moves_where_motion_is_not_wished_and_presenter_mode_shows_the_stage_alone_and_large(steps):
    page = steps()
    press(page, "ArrowRight", 1)
    assert page.evaluate(MOVING) == 0
    small = page.locator("#stage .row b").first.bounding_box()["height"]
    page.keyboard.press("p")
    expect(page.locator("#text")).to_be_hidden()
    expect(page.locator(".masthead")).to_be_hidden()
    expect(page.locator("#caption")).to_be_visible()
    expect(counter(page)).to_be_visible()
    assert page.locator("#stage .row b").first.bounding_box()["height"] > 1.5 * small
    press(page, "PageDown", 2)
    page.keyboard.press("Escape")
    expect(page.locator("#lab")).to_be_visible()
    expect(counter(page)).to_have_text("2 of 10")


def guess(page, *pair):
    for row in page.locator(".pairs tbody tr").all():
        if tuple(row.locator("th b").all_text_contents()) == pair:
            return row.locator("button").click()
    raise AssertionError(f"{pair} cannot be picked")


def test_a_prediction_is_told_right_or_wrong_with_the_reason(steps):
    page = steps()
    page.check("#predict")
    press(page, "ArrowRight", 1)
    expect(page.locator("#caption")).to_have_text("Which pair comes next? Pick one.")
    assert set(page.locator(".pairs tbody td").all_text_contents()) == {"?"}
    expect(page.locator("#before")).to_be_hidden()
    assert page.locator("#stage .row i, .won").count() == 0  # the stage still shows the step before
    expect(page.locator("#about")).to_be_hidden()
    guess(page, "l", "o")
    expect(page.locator("#caption strong.wrong")).to_contain_text("7 against 11")
    expect(page.locator(".pairs tbody tr").first).to_have_class("won")
    press(page, "ArrowRight", 2)
    page.keyboard.press("ArrowRight")  # no guess: it is asked for, then revealed, and the step stays
    expect(page.locator("#caption")).to_contain_text("Pick a pair first")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#caption")).to_contain_text("occur together")
    expect(counter(page)).to_have_text("2 of 10")
    press(page, "ArrowLeft", 1)
    expect(page.locator("#caption strong.wrong")).to_contain_text("Not l and o")
    press(page, "ArrowRight", 2)
    expect(page.locator("#caption")).to_contain_text("occur together")
    page = steps()
    page.check("#predict")
    press(page, "ArrowRight", 1)
    guess(page, "w", "</w>")
    expect(page.locator("#caption strong.right")).to_contain_text("Right")
    expect(page.locator("#caption")).to_contain_text("11 times")
    assert "w</w>" in tiles(page)


def test_the_audience_of_a_presentation_is_asked_and_told(steps):
    page = steps("strawberry")
    page.check("#predict")
    page.evaluate("""() => ['asked', 'revealed'].forEach((name) => document.addEventListener(name, ({ detail }) =>
      (document.body.dataset[name] = JSON.stringify(detail))))""")
    page.keyboard.press("p")
    for step in (1, 2, 3):
        press(page, "ArrowRight", step)
    asked = json.loads(page.locator("body[data-asked]").get_attribute("data-asked"))
    assert asked["prompt"] == "Which pair comes next? Pick one."
    assert "s and t" in asked["choices"]
    assert set(page.locator(".pairs tbody td").all_text_contents()) == {"?"}
    page.keyboard.press("ArrowRight")
    revealed = json.loads(page.locator("body[data-revealed]").get_attribute("data-revealed"))
    assert revealed["id"] == asked["id"]
    assert asked["choices"][revealed["answer"]] == "e and r"
    assert revealed["reason"].startswith("e and r merge")


def test_a_corpus_is_read_as_what_its_lines_are(steps):
    page = steps("sennrich")
    edit(page, "low lower newest widest")
    assert tiles(page, 1) == ["l", "o", "w", "e", "r", "</w>"]
    edit(page, "low 5\nlower 2")
    expect(page.locator("#stage .times")).to_have_text(["×5", "×2"])
    page.locator("[data-chosen]").click()
    page.get_by_label("The corpus is").select_option("running text")
    expect(page.locator("#stage .row")).to_have_count(4)
    assert tiles(page, 1) == ["5", "</w>"]


def test_an_encoding_says_why_each_boundary_is_there_and_its_tree_leads_to_the_steps(steps):
    page = steps("strawberry")
    expect(page.locator("[name=tokenizer] option:checked")).to_have_text("GPT-5 · o200k_base")
    options = page.locator("[name=tokenizer] option").all_text_contents()
    assert {"GPT-2 · gpt2", "Mistral NeMo · tekken", "Kimi K2"} <= set(options)
    expect(page.locator("#about")).to_have_attribute("open", "")
    press(page, "End", 10)
    page.get_by_role("link", name="Previous step").click()
    expect(page.locator(".why li")).to_have_count(3)
    for reason in page.locator(".why li").all_text_contents():
        assert len(reason.split()) > 4
    page.locator(".tree [data-go]").filter(has_text=re.compile("^st$")).click()
    expect(page.locator("#caption")).to_contain_text("s and t merge")
    assert "st" in tiles(page)
    for example, tokens in (("strawberry", ["st", "raw", "berry"]), ("python", None)):
        page = steps(example)
        page.keyboard.press("End")
        expect(page.locator("#caption")).to_contain_text("The text is ")
        assert tokens in (tiles(page), None)
        colours = page.locator("#stage .row b").evaluate_all(
            "all => all.map(one => getComputedStyle(one).backgroundColor)"
        )
        assert all(left != right for left, right in pairwise(colours))


def test_the_lattice_stays_beside_its_result_and_step_and_trace_are_taken_away(steps):
    page = steps("there")
    press(page, "End", 11)
    assert tiles(page) == ["there", "the"]
    expect(page.locator("#stage .lattice .best")).to_have_count(2)
    for label, name, says in (("SVG", "steps.svg", "there"), ("JSON", "steps.json", '{"branch":"encode"')):
        open_menu(page)
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label, exact=True).first.click()
        assert waiting.value.suggested_filename == name
        assert says in waiting.value.path().read_text()


def test_frames_are_fetched_in_windows_ahead_of_the_finger(steps, watch):
    page = steps("python")
    total = int(page.locator(".result-view").get_attribute("data-total"))
    assert total > 64
    for step in range(1, 65):
        press(page, "ArrowRight", step)
    asked = [request for request in watch.requests if request.url.endswith("/steps/window")]
    assert len(asked) <= 65 // 32 + 2
    assert all(len(request.post_data or "") < 4000 for request in asked)


def test_another_text_is_followed_as_one_types_animated_and_predicted_and_none_leaves_the_picture(steps):
    page = steps("gage", reduced_motion="no-preference")
    with page.expect_response(re.compile("/steps$")):
        page.fill("#text", "aaaa")
    page.locator("#text").blur()
    expect(counter(page)).to_have_text("0 of 1")
    press(page, "End", 1)
    assert tiles(page) == ["aa", "aa"]
    expect(page.locator(".desk .menu [aria-current], .shows")).to_have_count(0)
    page.fill("#text", "")
    expect(page.locator("#said")).to_have_text("Type something to see its tokens.")
    expect(page.locator("#result")).to_have_attribute("data-stale", "")
    edit(page, "abab cab")
    with slowed(page):
        press(page, "ArrowRight", 1)
        assert page.evaluate(MOVING) > 0
    edit(page, "low lower slot")
    page.check("#predict")
    page.keyboard.press("p")
    press(page, "ArrowRight", 1)
    expect(page.locator("#caption")).to_have_text("Which pair comes next? Pick one.")
    expect(page.locator(".pairs button").first).to_be_visible()
    expect(page.locator(".pairs tbody td").first).to_have_text("?")
    guess(page, "l", "o")
    expect(page.locator("#caption strong.right")).to_contain_text("Right")


def test_a_link_carries_text_options_and_step(steps, open_page):
    page = steps("mistake")
    press(page, "ArrowRight", 1)
    press(page, "ArrowRight", 2)
    open_menu(page)
    page.click("#link")
    expect(page.locator("#said")).to_contain_text("Link copied")
    link = page.evaluate("() => navigator.clipboard.readText()")
    assert re.search(r"/steps#[\w-]+$", link)
    other = open_page("/steps")
    other.goto(link)
    expect(counter(other)).to_have_text("2 of 2")
    assert tiles(other) == ["a", "a", "bac", "a", "ac", "bac", "b"]
    assert other.input_value("#text") == "aabacaacbacb"


def test_the_file_taken_away_plays_without_a_network(steps, chromium, tmp_path):
    page = steps("sennrich")
    open_menu(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="HTML", exact=True).click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    context = chromium.new_context(offline=True)
    away = context.new_page()
    asked, errors = [], []
    away.on("request", lambda request: asked.append(request.url))
    away.on("pageerror", lambda error: errors.append(str(error)))
    away.on("console", lambda said: said.type == "error" and errors.append(said.text))
    away.goto(path.as_uri())
    press(away, "End", 10)
    assert [tiles(away, row) for row in range(4)] == [
        ["low</w>"],
        ["lo", "w", "est</w>"],
        ["new</w>"],
        ["wid", "est</w>"],
    ]
    press(away, "ArrowLeft", 9)
    away.check("#predict")
    away.keyboard.press("p")
    expect(away.locator("html.presenting")).to_have_count(1)
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert errors == []
    context.close()


@pytest.mark.parametrize(
    ("example", "screen"), on_screens("sennrich", "there", nightly=("strawberry", "playing", "unigram"))
)
def test_axe_finds_nothing(steps, example, screen):
    page = steps(example, **screen)
    press(page, "ArrowRight", 1)
    press(page, "ArrowRight", 2)
    assert findings(page) == []
    if page.locator("#predict").is_visible():  # pairs compete
        page.check("#predict")
    press(page, "ArrowRight", 3)
    assert findings(page) == []
    page.keyboard.press("p")
    assert findings(page) == []


def test_no_example_scrolls_the_page_sideways(steps):
    for example in ("python", "there"):
        page = steps(example, viewport={"width": 320, "height": 800})
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#about-content")).to_be_visible()
        assert too_narrow(page) == []


def test_a_word_in_which_nothing_can_be_learned_is_split_by_gpt_5_instead(steps):
    page = steps("gage")
    page.fill("#text", "lowest")
    expect(page.get_by_text("No pair occurs twice, so there is nothing to merge.")).to_be_visible()
    expect(page.locator("#counter")).to_be_hidden()
    expect(page.locator("#about")).to_be_hidden()
    page.get_by_role("button", name="Split this text with GPT-5").click()
    expect(counter(page)).to_have_text("0 of 8")
    expect(page.get_by_role("combobox", name="Tokenizer")).to_have_value("GPT-5 · o200k_base")
    page.locator("#text").focus()
    page.keyboard.press("Escape")
    press(page, "ArrowRight", 1)


WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
REGIONS = ".player, #caption, #stage, #stage .picture, #stage .evidence"


def boxes(page, selector):
    return page.locator(selector).evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height])"
    )


def test_the_stage_stands_beside_the_question_and_is_in_view_as_a_whole(open_page):
    page = open_page("/steps?tokenizer=gpt2", viewport={"width": 1280, "height": 720})
    edit(page, "lowest")
    words = page.locator(".sentence span", has_text="become tokens in").last
    assert words.bounding_box()["x"] < page.locator("#stage").bounding_box()["x"]
    for region in ("#stage", "#caption", "#play"):
        expect(page.locator(region)).to_be_in_viewport(ratio=1)
    page.get_by_role("radio", name="Train").check()
    expect(words).to_be_hidden()
    expect(page.locator(".sentence").get_by_text("learn from")).to_be_visible()
    expect(page.get_by_role("combobox", name="Algorithm")).to_have_value("bpe")


def test_the_tree_grows_with_the_steps(steps):
    page = steps("strawberry")
    tree = page.locator("#stage .tree text")
    expect(tree).to_have_count(0)
    press(page, "ArrowRight", 1)
    press(page, "ArrowRight", 2)
    expect(tree).to_have_text([*"strawberry"])
    press(page, "ArrowRight", 3)
    expect(tree).to_have_text([*"strawbe", "r", "er", *"ry"])
    press(page, "End", 10)
    expect(tree).to_have_count(17)


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_choices_of_a_prediction_stand_beside_the_words_and_in_view(steps, viewport):
    page = steps("sennrich", viewport=viewport)
    page.locator("#predict").check()
    page.locator("[data-do=on]").click()
    choices = page.locator(".asking .pairs tbody tr")
    expect(choices).to_have_count(9)
    expect(page.locator("#caption")).to_be_in_viewport(ratio=1)
    for choice in choices.all():
        expect(choice).to_be_in_viewport(ratio=1)
    page.locator(".asking .pairs tbody tr", has_text="wi").click()
    expect(page.locator("#score")).to_have_text("0 of 1 right")
    expect(page.locator(".pairs .picked")).to_be_in_viewport(ratio=0.9)


def test_the_folded_options_say_what_is_chosen(steps):
    page = steps("sennrich")
    chosen = page.locator("[data-chosen]")
    expect(chosen).to_have_text("characters · 10 merges")
    chosen.click()
    page.locator("[name=merges]").fill("1")
    expect(chosen).to_have_text("characters · 1 merge")


def test_the_newest_node_of_a_tall_tree_is_in_view(open_page):
    page = open_page("/steps?tokenizer=o200k_base", viewport=WIDE)
    edit(page, " internationalization")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".tree [data-go='21'] rect").last).to_be_in_viewport(ratio=1)


def test_a_prediction_scrolls_to_the_pair_that_won_and_keeps_the_focus(steps):
    page = steps("sennrich", viewport=PHONE)
    page.locator("#predict").check()
    page.locator("[data-do=on]").click()
    page.locator(".asking .pairs tbody tr", has_text="wi").get_by_role("button").press("Enter")
    expect(page.locator(".pairs .won")).to_be_in_viewport(ratio=1)
    expect(page.locator("#caption")).to_be_focused()


def test_no_question_stays_without_predict(steps):
    page = steps("sennrich")
    page.check("#predict")
    press(page, "ArrowRight", 1)
    expect(page.locator("#caption")).to_have_text("Which pair comes next? Pick one.")
    page.uncheck("#predict")
    expect(page.locator("#caption")).to_contain_text("w and </w> occur together 11 times")
    expect(page.locator(".pairs .won td").first).to_have_text("11")
    expect(counter(page)).to_have_text("1 of 10")


def test_an_emptied_text_stops_the_player_until_there_is_another(steps):
    page = steps("strawberry")
    press(page, "ArrowRight", 1)
    page.fill("#text", "")
    page.locator("#text").blur()
    expect(page.locator("#caption")).to_have_text("The text is empty and has no tokens.")
    expect(page.locator(".player")).to_have_attribute("inert", "")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", include_hidden=True)).to_have_text("Play")
    edit(page, "berry")
    expect(page.locator(".player")).not_to_have_attribute("inert", "")
    press(page, "ArrowRight", 1)


def test_steps_that_cannot_be_fetched_say_so_and_leave_the_one_that_is_shown(steps, watch):
    watch.allowed.append("503 (Service Unavailable)")
    page = steps("python")
    press(page, "ArrowRight", 1)
    page.route("**/steps/*", lambda route: route.fulfill(status=503, body="busy"))
    shown = tiles(page)
    page.keyboard.press("End")
    expect(page.locator("#said")).to_contain_text("Can’t reach the server.")
    expect(counter(page)).to_have_text(re.compile("^1 of "))
    assert tiles(page) == shown
    page.unroute("**/steps/*")
    press(page, "ArrowRight", 2)
    expect(page.locator("#said")).to_be_hidden()


def test_a_message_moves_nothing(steps):
    page = steps("strawberry", viewport=WIDE)
    fonts_loaded(page)
    old = boxes(page, REGIONS)
    open_menu(page)
    page.click("#link")
    expect(page.locator("#said")).to_contain_text("Link copied")
    assert boxes(page, REGIONS) == old


def test_all_words_of_a_small_corpus_are_in_view(steps):
    page = steps("unigram", viewport=WIDE)
    for step in (1, 2, 3):
        press(page, "ArrowRight", step)
    expect(page.locator("#stage .row")).to_have_count(6)
    for row in page.locator("#stage .row").all():
        expect(row).to_be_in_viewport(ratio=1)
    page = steps("sennrich", viewport=WIDE)
    page.fill("#text", "ab 1\ncd 1\nef 1\ngh 1")
    expect(page.get_by_text("No pair occurs twice, so there is nothing to merge.")).to_be_visible()
    for row in page.locator("#stage .row").all():
        expect(row).to_be_in_viewport(ratio=1)


def test_a_phone_held_upright_presents_the_slider_and_the_counter(steps):
    page = steps("strawberry", viewport=PHONE)
    page.keyboard.press("p")
    expect(counter(page)).to_be_in_viewport(ratio=0.99)
    expect(page.locator("#slider")).to_be_in_viewport(ratio=0.99)


def test_predict_is_offered_only_where_pairs_compete(open_page):
    for query, visible in (
        ("tokenizer=gpt2", True),
        ("tokenizer=bert-base-uncased", False),
        ("tokenizer=t5", False),
        ("example=sennrich", True),
        ("example=unigram", False),
    ):
        page = open_page(f"/steps?{query}")
        expect(page.locator("#predict")).to_be_visible(visible=visible)
