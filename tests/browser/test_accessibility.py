"""axe-core finds nothing, on any page, in either theme, narrow or wide; motion is reduced where that is wished."""

import pytest
from playwright.sync_api import expect
from tokenarium.lab.learn.course import SCENES

from tests.support.axe import findings, with_themes
from tests.support.deeds import after, choose, open_menu, too_narrow

SOME_SCENES = "words", "bpe", "sentencepiece"
OTHER_SCENES = [scene.id for scene in SCENES if scene.id not in SOME_SCENES]


@pytest.mark.parametrize(("width", "scheme"), with_themes(360, 1280, nightly=[1920]))
def test_axe_finds_nothing_in_the_playground(open_page, scheme, width):
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    assert findings(page) == []
    open_menu(page, "Examples")
    after(page, lambda: page.click("[name=example][value=spaces]"))
    page.locator("#options").evaluate("options => options.open = true")
    page.check("#spaces")
    page.locator(".text .tok").nth(3).click()
    expect(page.locator("#details")).to_be_visible()
    assert findings(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("combobox", name="Tokenizer").click()
    expect(page.get_by_role("listbox")).to_be_visible()
    assert findings(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_bert_arabic_or_a_refusal(open_page, scheme):
    page = open_page(color_scheme=scheme)
    page.click("#options summary")
    open_menu(page, "Examples")
    after(page, lambda: page.click("[name=example][value=arabic]"))
    choose(page, "bert-base-uncased")
    after(page, lambda: page.check("[name=template]"))
    assert findings(page) == []
    open_menu(page, "Examples")
    after(page, lambda: page.click("[name=example][value=injection]"))
    after(page, lambda: page.check("[name=special][value=refuse]", force=True))
    assert findings(page) == []


OTHER_PAGES = (
    *("/nowhere", "/docs", "/conformance", "/embed?text=Hello", "/tokenizers", "/tokenizers/bert-base-uncased"),
    *("/lecture", "/request?example=log"),
)


@pytest.mark.parametrize(("path", "scheme"), with_themes(*OTHER_PAGES))
def test_axe_finds_nothing_on_the_other_pages(open_page, scheme, path, watch):
    watch.allowed.append("404")
    page = open_page(path, color_scheme=scheme)
    page.wait_for_load_state("networkidle")
    assert findings(page) == []


@pytest.mark.parametrize(("id", "scheme"), with_themes(*SOME_SCENES, nightly=OTHER_SCENES))
def test_axe_finds_nothing_in_a_scene_of_the_course(open_page, scheme, id):
    page = open_page(f"/learn/{id}?step=1", color_scheme=scheme, viewport={"width": 360, "height": 900})
    assert findings(page) == []
    page.goto(page.url.replace("step=1", "step=999"))
    assert findings(page) == []


def test_the_first_tab_stop_skips_to_the_content(page):
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()


def test_motion_is_reduced_where_that_is_wished(open_page):
    moving = "() => getComputedStyle(document.getElementById('busy')).transitionDuration"
    for motion in ("no-preference", "reduce"):
        page = open_page(reduced_motion=motion)
        page.locator("#busy").evaluate("busy => busy.classList.add('htmx-request')")
        assert (page.evaluate(moving) == "0s") == (motion == "reduce")


def test_boundaries_survive_forced_colours(open_page):
    page = open_page(forced_colors="active")
    assert page.locator(".text .tok").nth(1).evaluate("t => getComputedStyle(t).borderInlineStartStyle") == "solid"
    assert findings(page) == []


def test_no_page_scrolls_sideways(open_page):
    page = open_page(viewport={"width": 320, "height": 800})
    for name in ("code", "emoji", "injection"):
        open_menu(page, "Examples")
        after(page, lambda name=name: page.click(f"[name=example][value={name}]"))
        assert too_narrow(page) == []
