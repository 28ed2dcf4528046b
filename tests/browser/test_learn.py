"""The course in the browser: typing, answering, stepping by keys, presenting, practising, and a scene on a stick."""

import ast
import json

import pytest
from playwright.sync_api import expect
from tokenarium.lab.learn.course import SCENES
from tokenarium.lab.learn.scene import trace_scene

from tests.support.axe import PHONES, findings
from tests.support.deeds import open_menu
from tests.support.layout import on_screen
from tests.support.stage import faults

BY_ID = {one.id: one for one in SCENES}
SHOWN = [*BY_ID][::9]
"""Scenes that are played here before a commit; `tests/web/pages/test_learn.py` plays all of them."""


def at(page, step):
    expect(page.locator(f'.learn-view[data-step="{step}"]')).to_be_attached()


def made(page):
    """The class of the step that the highlighted line yields."""
    (line,) = page.locator(".line.lit").all_inner_texts()
    (statement,) = ast.parse(line.strip()).body
    assert isinstance(statement.value, ast.Yield)
    return statement.value.value.func.id


def test_a_student_predicts_steps_by_keys_and_sees_the_line_that_acts(open_page):
    page = open_page("/learn/learn-bpe")
    page.get_by_role("button", name="l o", exact=True).click()
    expect(page.locator(".learn-verdict")).to_have_text(
        "Not this one. It occurs 7 times; another pair occurs 11 times. "
        "The answer is w </w>. It occurs 11 times, more often than any other."
    )
    at(page, 0)  # the picture waits for a key
    page.get_by_role("button", name="w </w>", exact=True).click()
    expect(page.locator(".learn-verdict")).to_have_text("Right. It occurs 11 times, more often than any other.")
    at(page, 0)
    page.keyboard.press("ArrowRight")
    at(page, 1)
    assert made(page) == "PairCounts"
    page.keyboard.press("ArrowRight")
    at(page, 2)
    assert made(page) == "Merged"
    expect(page.locator(".symbol.lit")).to_have_count(1)
    page.keyboard.press("End")
    at(page, 17)
    expect(page.get_by_role("button", name="Next step")).to_have_attribute("aria-disabled", "true")


def test_a_count_that_still_runs_ends_with_the_next_step(open_page):
    page = open_page("/learn/learn-bpe?step=2", reduced_motion="no-preference")
    for step in (3, 4):
        page.keyboard.press("ArrowRight")
        at(page, step)
    page.evaluate("() => Promise.all(document.getAnimations().map(one => one.finished)).then(() => 0)")
    assert page.locator(".pairs tbody tr").all_inner_texts() == ["1\tw</w>\tw</w>", "2\tlo\tlo"]


def test_a_key_that_is_pressed_before_an_answer_has_come_goes_on_from_its_step(open_page):
    page = open_page("/learn/learn-bpe?step=1")
    held = []
    page.route("**/learn/learn-bpe", lambda route: held.append(route), times=1)
    with page.expect_request("**/learn/learn-bpe"):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    held[0].continue_()
    at(page, 4)


def test_what_is_typed_is_traced_a_text_that_breaks_the_idea_too_and_what_cannot_be_is_refused(open_page):
    page = open_page("/learn/wordpiece?kind=choose")
    page.fill("#text", "playing")
    expect(page.locator(".learn-question .press")).to_have_count(4)
    page.click("button[name=example] >> nth=0")
    expect(page.locator(".frame .row").first).to_contain_text("☃man")
    page.get_by_role("button", name="Last step").click()  # ☃man begins with no token, so nothing is asked
    expect(page.locator(".frame .row").last).to_contain_text("[UNK]")
    page.get_by_role("button", name="Back to the first text").click()
    expect(page.locator("#text")).to_have_value("unaffable")
    at(page, 0)
    page = open_page("/learn/unigram")
    page.fill("#text", "a" * 30)
    expect(page.locator("#text + .problem")).to_contain_text("at most 16 characters")
    expect(page.locator("#text")).to_have_value("a" * 30)
    with page.expect_response("**/learn/unigram"):
        page.fill("#text", "unhappily")
    expect(page.locator(".problem")).to_have_count(0)
    at(page, 0)


@pytest.mark.parametrize("id", SHOWN)
def test_a_scene_is_answered_on_the_stage_and_goes_on_by_keys_alone(open_page, registry, id):
    shown = trace_scene(BY_ID[id], BY_ID[id].text, registry, kind="choose")
    page = open_page(f"/learn/{id}?kind=choose", viewport={"width": 1280, "height": 720})
    page.keyboard.press("p")
    expect(page.locator("html.presenting")).to_have_count(1)
    page.locator(f"#choice-{shown.question.answer}").click()
    expect(page.locator(".learn-verdict")).to_contain_text("Right.")
    assert faults(page) == []
    page.keyboard.press("End")
    at(page, len(shown.steps) - 1)
    assert faults(page) == []
    assert on_screen(page, ".caption, .player *") == []


def test_the_course_leads_to_the_first_scene_that_was_not_seen_and_forgets_those_that_were(open_page):
    page = open_page("/learn")
    begin = page.locator("[data-begin]")
    expect(begin).to_have_text("Begin: What a model sees")
    begin.click()
    page.get_by_role("button", name="Last step").click()
    expect(page.locator(".learn-verdict")).to_have_text("Answer first, or press Next again to see the answer.")
    assert page.locator(".counter").inner_text() == ""
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator(".learn-verdict")).to_contain_text("The answer is bluerawberry. They are the tokens")
    at(page, 0)
    page.get_by_role("button", name="Last step").click()
    at(page, 2)
    page.get_by_role("link", name="Learn").first.click()
    expect(begin).to_have_text("Go on: Characters, code points, bytes")
    expect(page.locator("[data-seen]")).to_have_text("1")
    expect(page.locator('li[data-scene="ids"]')).to_have_class("seen")
    page.get_by_role("button", name="Forget it").click()
    expect(page.locator(".seen")).to_have_count(0)


def test_a_scene_whose_answer_was_shown_is_stepped_from_its_beginning(open_page):
    page = open_page("/learn/bpe")
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator(".learn-verdict")).to_contain_text("The answer is")
    at(page, 0)
    page.get_by_role("button", name="Next step").click()
    at(page, 1)


def test_a_lecturer_presents_scene_after_scene_with_the_clicker(open_page):
    page = open_page("/learn/ids", viewport={"width": 1920, "height": 1080})
    page.evaluate("""() => ['asked', 'revealed'].forEach((name) => document.addEventListener(name, ({ detail }) =>
      (document.body.dataset[name] = JSON.stringify(detail))))""")
    page.keyboard.press("p")
    expect(page.locator("html.presenting")).to_have_count(1)
    assert (
        page.locator("#result").evaluate("one => (one.dataset.stale = '', one.getAnimations().length)") == 0
    )  # nor fades
    asked = json.loads(page.locator("body[data-asked]").get_attribute("data-asked"))
    assert (asked["prompt"], len(asked["choices"])) == (
        "GPT-4o writes the numbers 18789, 1618, 19772. Which text is that?",
        4,
    )
    page.keyboard.press("PageDown")
    revealed = json.loads(page.locator("body[data-revealed]").get_attribute("data-revealed"))
    assert (revealed["id"], asked["choices"][revealed["answer"]]) == (asked["id"], "bluerawberry")
    assert revealed["reason"] == "They are the tokens blue · raw · berry, one after the other. That is decoding."
    at(page, 0)
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="Next step")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("PageDown")
    page.wait_for_url("**/learn/bytes")
    expect(page.locator("html.presenting")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("html.presenting")).to_have_count(0)


def test_a_scene_is_taken_along_on_a_stick(open_page, chromium, tmp_path):
    page = open_page("/learn/learn-bpe")
    page.fill("#text", "cddcdycdyc")
    expect(page.locator(".frame .row b")).to_have_count(10)
    with page.expect_download() as waiting:
        open_menu(page)
        page.get_by_role("button", name="HTML", exact=True).click()
    file = tmp_path / "scene.html"
    waiting.value.save_as(file)
    context = chromium.new_context(offline=True)
    away = context.new_page()
    away.goto(file.as_uri())
    away.keyboard.press("ArrowRight")
    expect(away.locator(".learn-verdict")).to_contain_text("Answer first")
    away.get_by_role("button", name="c d", exact=True).click()
    expect(away.locator(".learn-verdict")).to_have_text("Right. It occurs 3 times, more often than any other.")
    away.keyboard.press("End")
    at(away, 5)
    assert away.locator(".row b").all_inner_texts() == ["cd", "d", "cdy", "cdy", "c"]
    families = "new Set([...document.fonts].filter((font) => font.status === 'loaded').map((font) => font.family))"
    away.wait_for_function(f"() => {families}.size === 3")
    away.keyboard.press("p")
    expect(away.locator("html.presenting")).to_have_count(1)
    context.close()


@pytest.mark.parametrize("screen", PHONES)
def test_an_answered_scene_fits_a_phone_on_which_the_question_comes_first(open_page, screen):
    for path in ("/learn/learn-bpe", "/learn/unigram"):
        page = open_page(path, **screen)
        question, field = (page.locator(one).bounding_box() for one in (".learn-question", "#text"))
        assert question["y"] < field["y"] or screen["viewport"]["width"] > 390
        page.locator("#choice-0").click()
        expect(page.locator(".learn-verdict strong")).to_be_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("Home")
        at(page, 0)
        assert findings(page) == []


def test_a_term_opens_its_definition_where_it_stands(page):
    page.get_by_role("link", name="tokens", exact=True).click()
    note = page.get_by_role("note")
    expect(note).to_contain_text("One unit of what a model reads or writes.")
    expect(note).to_contain_text("st | raw | berry")
    assert findings(page) == []
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()


def test_a_note_stays_in_the_browser_is_exported_and_copied_as_a_question_with_claim_and_sources(open_page):
    page = open_page("/learn/unigram")
    page.get_by_text("Your notes and questions").click()
    page.get_by_label("About").select_option("this step")
    page.get_by_label("Note or question").fill("Is it <b>always</b> the shortest?")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("list", name="Notes")).to_contain_text("step 0: Is it <b>always</b> the shortest?")
    page.reload()
    page.get_by_text("Your notes and questions").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Export all (Markdown)").click()
    assert waiting.value.path().read_text() == (
        "# Unigram\n\n- **this step, step 0**, text `unhappily`: Is it <b>always</b> the shortest?"
    )
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("list", name="Notes").get_by_role("listitem")).to_have_count(0)
    page.get_by_label("Note or question").fill("Is it always the shortest?")
    page.get_by_role("button", name="Copy as a question").click()
    expect(page.locator("#said")).to_contain_text("Copied as a question")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert "Claim: Each token has a probability" in copied
    assert 'State: text "unhappily", step 0: The score of a segmentation' in copied
    assert "arXiv:1804.10959" in copied
    assert "My question (the scene): Is it always the shortest?" in copied


def test_a_calculator_follows_what_is_typed_and_its_address_carries_it(open_page):
    page = open_page("/learn/calculators/length")
    page.get_by_label("Tokens", exact=True).fill("16384")
    expect(page.locator(".caption")).to_contain_text("takes 2.00 GiB")
    page.wait_for_url("**tokens=16384**")
    page.reload()
    expect(page.locator(".caption")).to_contain_text("takes 2.00 GiB")
    assert findings(page) == []
    page.get_by_text("Examples", exact=True).click()
    page.get_by_role("link", name="GPT-2").click()
    expect(page.locator(".won th")).to_have_text("1,024")
    page = open_page("/learn/calculators/vocabulary")
    page.get_by_text("Examples", exact=True).click()
    page.get_by_role("link", name="1 B the width of Llama 3.2 1B").click()
    expect(page.locator(".caption")).to_have_text("The three approaches give 24,640, 26,547 and 22,163 tokens.")
    slider = page.get_by_role("slider", name="Width of the model (d), as a slider")
    before = page.locator(".chart circle").first.get_attribute("cy")
    slider.press("ArrowRight")
    expect(page.locator(".chart circle").first).not_to_have_attribute("cy", before)
    page.get_by_label("Width of the model (d)", exact=True).fill("2048")
    expect(page.locator(".caption")).to_have_text("The three approaches give 24,640, 26,547 and 22,163 tokens.")
    page.get_by_role("link", name="What 24,704 tokens").click()
    expect(page.locator(".caption")).to_contain_text("takes 101.2 million parameters, 9.2 % of the model")
    expect(page.locator(".learn-share")).to_contain_text("other parameters 1,000.0 M, 90.8 %")
    assert findings(page) == []


def test_a_link_leads_to_the_text_and_the_step(open_page):
    page = open_page("/learn/learn-bpe")
    page.fill("#text", "aabacaacbacb")
    expect(page.locator(".frame .row b")).to_have_count(12)
    page.get_by_role("button", name="a c", exact=True).click()
    expect(page.locator(".learn-verdict")).to_contain_text("Right.")
    page.get_by_role("button", name="Next step").click()
    at(page, 1)
    page.get_by_role("button", name="Copy a link to this step").click()
    expect(page.locator("#said")).to_contain_text("Link copied")
    link = page.evaluate("() => navigator.clipboard.readText()")
    other = open_page("/")
    other.goto(link)
    at(other, 1)
    expect(other.locator("#text")).to_have_value("aabacaacbacb")


def test_boundaries_are_marked_by_keys_merges_put_in_order_and_what_went_wrong_comes_back(open_page):
    page = open_page("/learn/bpe")
    page.get_by_role("button", name="put in order").click()
    for place, merge in enumerate(("a s", "i d", "s e")):
        page.locator(".order select").nth(place).select_option(merge)
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".learn-verdict")).to_contain_text("Right. Each time, the lowest rank wins")
    assert findings(page) == []
    page.fill("#text", "heater")
    expect(page.locator(".order select").first).to_be_enabled()
    expect(page.locator(".learn-verdict")).to_have_text("")
    page = open_page("/learn/wordpiece")
    page.get_by_text("Hint 1 of 2").click()
    expect(page.get_by_text("From the left, look for the longest prefix that is a token.")).to_be_visible()
    page.get_by_label("n, then a: boundary 2").focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".learn-verdict")).to_contain_text("You found 0 of the 2 boundaries, and marked 1 others.")
    expect(page.locator(".learn-verdict")).to_contain_text("The answer is una ffa ble.")
    page.get_by_role("link", name="Learn").first.click()
    expect(page.locator(".learn-repeat")).to_contain_text("1 to repeat now:")
    page.get_by_role("link", name="WordPiece", exact=True).last.click()
    for boundary in ("a, then f: boundary 3", "a, then b: boundary 6"):
        page.get_by_label(boundary).check()
    page.get_by_role("button", name="Check").click()
    expect(page.locator("[data-right]")).to_have_text("1 of 1 right")
    expect(page.locator(".learn-repeat")).to_contain_text("Nothing to repeat now. 1 later.")
    assert findings(page) == []
    page.get_by_role("button", name="Forget them").click()
    expect(page.locator("[data-due]")).to_have_text("Nothing to repeat now.")
