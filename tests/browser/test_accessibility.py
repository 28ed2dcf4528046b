"""axe-core finds nothing, on any page, in either theme, narrow or wide; motion is reduced where that is wished.

States that are reached by doing something are judged where that is tested."""

import pytest
from playwright.sync_api import expect
from tokenarium.lab.learn.course import SCENES

from tests.support.axe import PHONES, findings, on_screens
from tests.support.deeds import after, choose, open_menu, too_narrow

PAGES = (
    *("/nowhere", "/docs", "/tokenizers", "/lecture", "/request?example=log", "/chat?example=imitation"),
    "/turns",
    *("/surgery?operation=tokens", "/vocabulary/mistral-v1", "/pipeline?example=pair", "/learn", "/learn/words?step=1"),
    "/beyond/budget?model=gemini-3&text=a&w=640&h=480&d=&video=9",
    "/beyond/sound?sound=chirp&size=16&guess=4",
)
OTHERS = (
    "/detokenize?text=13225+130321+235&tokenizer=o200k_base",
    *("/conformance", "/embed?text=Hello", "/tokenizers/bert-base-uncased", "/learn/at-scale"),
    *("/chunks?text=One.+Two.+Three.&size=4&overlap=2", "/compare/vocabularies?a=mistral-v1&b=mistral-v3"),
    *("/learn/bytes/practice", "/learn/by-hand?text=low+low+lower&merge=l+o&size=7", "/learn/sentencepiece?step=999"),
    *("/beyond/actions?example=arms", "/beyond/parameters?more=24&predict=1&guess=softmax"),
    *("/beyond/bytes?example=languages&typo=swap", "/beyond/bytes?after=2&guess=0"),
    *("/beyond/concepts?cap=64", "/beyond/concepts?predict=1"),
    "/beyond/pictures?width=1024&height=1024&model=gpt-4o-high&guess=2.0",
    *(f"/learn/{scene.id}?step={step}" for scene in SCENES for step in (1, 999)),
)


@pytest.mark.parametrize(("path", "screen"), on_screens(*PAGES, nightly=OTHERS))
def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_page, path, screen, watch):
    watch.allowed.append("404")
    page = open_page(path, **screen)
    assert findings(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("screen", PHONES)
def test_axe_finds_nothing_in_the_playground_its_details_bert_arabic_or_a_refusal(open_page, screen):
    page = open_page(**screen)

    def show(example):
        open_menu(page, "Examples")
        after(page, lambda: page.click(f"[name=example][value={example}]"))

    show("spaces")
    page.click("#options summary")
    page.check("#spaces")
    page.locator(".text .tok").nth(3).click()
    expect(page.locator("#details")).to_be_visible()
    assert findings(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("combobox", name="Tokenizer").click()
    expect(page.get_by_role("listbox")).to_be_visible()
    assert findings(page) == []
    page.keyboard.press("Escape")
    show("arabic")
    choose(page, "bert-base-uncased")
    after(page, lambda: page.check("[name=template]"))
    assert findings(page) == []
    show("injection")
    after(page, lambda: page.check("[name=special][value=refuse]", force=True))
    assert findings(page) == []


def test_motion_is_reduced_where_that_is_wished(open_page):
    moving = "() => getComputedStyle(document.getElementById('busy')).transitionDuration"
    for motion in ("no-preference", "reduce"):
        page = open_page(reduced_motion=motion)
        page.locator("#busy").evaluate("busy => busy.classList.add('htmx-request')")
        assert (page.evaluate(moving) == "0s") == (motion == "reduce")


def test_boundaries_and_sources_survive_forced_colours(open_page):
    page = open_page(forced_colors="active")
    assert page.locator(".text .tok").nth(1).evaluate("t => getComputedStyle(t).borderInlineStartStyle") == "solid"
    assert findings(page) == []
    page = open_page("/chat?example=injection", forced_colors="active")
    style = "one => getComputedStyle(one).outlineStyle"
    assert page.locator(".chat-special .tok").first.evaluate(style) == "solid"
    label = "one => getComputedStyle(one, '::before').content"
    assert page.locator(".chat-prompt .chat-text").first.evaluate(label) == '"1"'
    assert findings(page) == []


@pytest.mark.nightly
def test_the_atlas_survives_forced_colours(open_page):
    page = open_page("/languages", forced_colors="active")
    expect(page.locator("#atlas tbody tr").first).to_be_visible()
    assert findings(page) == []


def test_no_example_scrolls_the_page_sideways(open_page):
    page = open_page(viewport={"width": 320, "height": 800})
    for name in ("code", "emoji", "injection"):
        open_menu(page, "Examples")
        after(page, lambda name=name: page.click(f"[name=example][value={name}]"))
        assert too_narrow(page) == []
    for example in ("tool", "imitation", "own"):
        assert too_narrow(open_page(f"/chat?example={example}", viewport={"width": 320, "height": 800})) == []
