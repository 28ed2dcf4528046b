"""Movements, parameters and the budget: a person draws, moves sliders, predicts, and takes a link along."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.axe import findings
from tests.support.slides import turned

DRAWN = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((value, at) => at % 4 === 3 && value).length;
}"""
"""The number of pixels that are not empty."""


def test_a_drawn_movement_becomes_tokens_and_a_link(open_page):
    page = open_page("/beyond/actions")
    box = page.locator("#draw").bounding_box()
    x, y = box["x"] + 40, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(40):
        page.mouse.move(x + 4 * step, y - 2 * step)
    page.mouse.up()
    expect(page.locator("#numbers")).to_have_value(re.compile(r"^x,y\n(-?[\d.]+,-?[\d.]+\n){49}-?[\d.]+,-?[\d.]+$"))
    expect(page.locator(".counts")).to_contain_text("100")
    page.wait_for_url(re.compile(r"numbers=x,y"))
    tokens = page.locator(".action-tokens .piece").all_text_contents()
    page.reload()
    assert page.locator(".action-tokens .piece").all_text_contents() == tokens != []
    assert page.locator("#draw").evaluate(DRAWN) > 300


def test_the_scale_takes_effect_while_it_is_moved(open_page):
    page = open_page("/beyond/actions?example=pen")
    before = int(page.locator(".counts .lead dd").text_content())
    page.get_by_role("slider").fill("80")
    expect(page.get_by_role("heading", name="4. Times 80, rounded")).to_be_visible()
    assert int(page.locator(".counts .lead dd").text_content()) > before
    page.wait_for_url(re.compile("scale=80"))


def test_a_prediction_is_answered_by_a_button(open_page):
    page = open_page("/beyond/actions?predict=1")
    expect(page.locator(".action-tokens")).to_have_count(0)
    page.locator(".predict button").first.click()
    expect(page.locator(".predict [role=status]")).to_contain_text("coefficients are 0")
    expect(page.locator(".action-tokens")).to_be_visible()


def test_without_javascript_numbers_are_pasted_in_a_plain_form(open_page):
    page = open_page("/beyond/actions", java_script_enabled=False)
    expect(page.locator("#draw")).to_be_hidden()
    page.locator("#numbers").fill("0,1\n0.5,0.5\n1,0")
    page.get_by_role("button", name="Show the tokens").click()
    expect(page.locator(".counts")).to_contain_text("6")


PAGES = {
    "/beyond/actions?example=arms": "2. Normalized",
    "/beyond/parameters?more=24&predict=1&guess=softmax": "32 parameter tokens",
    "/beyond/budget?model=gemini-3&text=a&w=640&h=480&d=&video=9": "Part by part",
}
"""The three pages, and what stands on one of their slides."""


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_page, path, width, scheme):
    page = open_page(path, color_scheme=scheme, viewport={"width": width, "height": 900})
    assert findings(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("path", "says"), PAGES.items())
def test_presented_each_page_is_slides_that_fit(open_page, path, says):
    slides = turned(open_page(path, viewport={"width": 1280, "height": 720}))
    assert [(slide["title"], slide["faults"]) for slide in slides if slide["faults"]] == []
    assert sum(slide["controls"] for slide in slides) == 0
    assert says in [slide["title"] for slide in slides]


def test_parameters_grow_with_the_slider(open_page):
    page = open_page("/beyond/parameters?steps=20")
    page.locator("input[name=more]").fill("3")
    expect(page.get_by_role("heading", name="11 parameter tokens")).to_be_visible()
    expect(page.locator(".counts .lead dd")).to_have_text(re.compile(r"^(0|\d\.\de-1\d)$"))
    page.wait_for_url(re.compile("more=3"))


def test_a_picture_is_added_to_the_budget_and_its_formula_is_one_click_away(open_page):
    page = open_page("/beyond/budget")
    rows = page.locator(".images .image-row")
    count = rows.count()
    page.get_by_role("button", name="Add a picture").click()
    expect(rows).to_have_count(count + 1)
    row = page.get_by_role("group", name=f"Picture {count + 1}")
    row.get_by_label("Width").fill("512")
    row.get_by_label("Height").fill("512")
    row.get_by_label("Height").press("Tab")
    expect(page.locator(".parts summary")).to_have_count(4)
    page.locator(".parts summary").last.click()
    expect(page.locator(".parts .formula").last).to_contain_text("85 + 170 × 1 × 1")
    page.wait_for_url(re.compile("w=512"))


def test_a_budget_offers_the_details_that_its_model_knows(open_page):
    page = open_page("/beyond/budget?model=gpt-4o&w=640&h=480&d=low")
    detail = page.get_by_role("group", name="Picture 1").get_by_label("Detail")
    expect(detail.locator("option")).to_have_text(["high", "low"])
    expect(page.locator(".counts .lead dd")).to_have_text("85")
    page.get_by_label("Model").select_option("gemini-3")
    expect(detail.locator("option")).to_have_text(["high", "medium", "low", "ultra-high"])
    expect(page.locator(".counts .lead dd")).to_have_text("280")
    page.wait_for_url(re.compile("model=gemini-3.*d=low"))
    page.get_by_label("Model").select_option("pixtral")
    expect(detail).to_be_hidden()
    expect(page.locator(".counts .lead dd")).to_have_text("1,230")
    page.wait_for_url(re.compile("model=pixtral.*d=$"))


def test_a_presented_question_is_asked_before_its_slide_is_turned(open_page):
    page = open_page("/beyond/actions?predict=1", viewport={"width": 1280, "height": 720})
    page.keyboard.press("p")
    expect(page.locator(".deck")).to_be_visible()
    verdict = page.locator(".deck .predict .verdict")
    for _ in range(8):  # to the slide of the question
        if verdict.count():
            break
        page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    expect(verdict).to_have_text("Answer first, or press Next again to see the answer.")
    page.keyboard.press("PageDown")
    expect(page.locator("main .predict .verdict")).to_contain_text("The answer is")
