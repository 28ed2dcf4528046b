"""The atlas in a browser: chosen, sorted and sought at once, linked, drawn in every theme and at every width."""

import re

import pytest
from playwright.sync_api import expect

from tests.conftest import TIER
from tests.support.axe import DESKS, findings
from tests.support.deeds import pick, too_narrow

SHOWN = "#atlas tbody tr:not([hidden])"


@pytest.fixture
def page(open_page):
    return open_page("/languages")


def column(page, at):
    """The texts of a column, of the rows that are shown."""
    return page.locator(f"{SHOWN} > :nth-child({at})").all_inner_texts()


def swapped(page, act):
    """Do something that asks for another table, and wait until it is there."""
    with page.expect_response(lambda answer: "/languages?" in answer.url and answer.ok):
        act()


def test_a_click_on_a_head_sorts_where_it_stands_and_pictures_lead_to_languages_and_texts(page, watch):
    asked = len(watch.requests)
    page.get_by_role("link", name="Language", exact=True).click()
    assert column(page, 1)[:2] == ["Abkhaz", "Aceh"]
    expect(page.locator("#atlas th[aria-sort]")).to_have_text("Language")
    expect(page.locator("#atlas th[aria-sort]")).to_have_attribute("aria-sort", "ascending")
    expect(page.locator("#said")).to_have_text("Sorted by language, rising.")
    page.get_by_role("link", name="Language", exact=True).click()
    assert column(page, 1)[0] == "Zulu"
    page.locator("[data-sort=tokens]").click()
    numbers = [int(text.replace(",", "")) for text in column(page, 5)]
    assert numbers == sorted(numbers, reverse=True)
    assert [one.url for one in watch.requests[asked:] if one.resource_type in ("document", "fetch", "xhr")] == []
    expect(page.locator("#atlas").get_by_role("link", name="Dzongkha")).to_have_attribute(
        "href", "/compare?language=dzo"
    )
    land = page.locator(".map .land use")
    box, map_box = land.bounding_box(), page.locator(".map").bounding_box()
    assert box["width"] > 0.9 * map_box["width"]
    page.locator(".scripts").get_by_role("link", name="Ethiopic").click()
    page.wait_for_url(re.compile(r"script=Ethiopic#table$"))  # and for all rows of its table
    assert sorted(column(page, 2)) == ["amh", "tir"]
    page.goto(page.url.partition("?")[0])
    page.locator(".map circle", has_text="Icelandic").dispatch_event("click")
    expect(page).to_have_url(re.compile("/compare\\?language=isl$"))
    expect(page.locator("#text")).to_have_value(re.compile("manna"))


SORTED = ("name", "rising"), ("script", "rising"), ("tokens_per_word", "falling"), ("premium", "rising")


def test_sorting_gives_the_order_that_the_server_gives(page, open_page):
    for key, order in SORTED if TIER == "nightly" else SORTED[::2]:
        head = page.locator(f"[data-sort={key}]")
        head.click()
        if page.locator("#lab [name=order]").input_value() != order:
            head.click()
        other = open_page(f"/languages?sort={key}&order={order}", java_script_enabled=False)
        here, there = (
            [cells[:3] for cells in zip(*(column(one, at) for at in (1, 2, 3)), strict=True)] for one in (page, other)
        )
        values = column(page, 4)
        assert values == column(other, 4), key
        assert sorted(here) == sorted(there), key
        if key == "name":
            assert here == there
        other.close()


def test_typing_narrows_the_table_and_the_address_remembers(page, open_page):
    page.fill("#seek", "yucatan")
    expect(page.locator(SHOWN)).to_have_count(1)
    expect(page.locator("#shown")).to_have_text("1")
    expect(page).to_have_url(re.compile(r"\?tokenizer=o200k_base&seek=yucatan$"))
    page.fill("#seek", "no such language")
    expect(page.get_by_text("No match for these filters.")).to_be_visible()
    page.fill("#seek", "")
    page.select_option("#script", "Tibetan")
    assert sorted(column(page, 2)) == ["bod", "dzo"]
    page.select_option("#region", "oceania")
    expect(page.locator(SHOWN)).to_have_count(0)
    page.select_option("#region", "asia")
    expect(page.locator(SHOWN)).to_have_count(2)
    page.locator("[data-sort=code]").click()
    expect(page).to_have_url(re.compile("sort=code"))
    again = open_page(page.url.partition(page.url.split("/languages")[0])[2])
    assert column(again, 2) == ["bod", "dzo"]
    assert [again.locator(one).input_value() for one in ("#script", "#region")] == ["Tibetan", "asia"]


def test_another_tokenizer_redraws_pictures_and_table_and_keeps_what_is_sought(page):
    # What a screenshot or an extension of the browser leaves; a violation of the policy is a complaint of the page.
    page.evaluate("() => document.querySelectorAll('#result [id]').forEach(one => one.style.outline = '0')")
    page.fill("#seek", "dzong")
    swapped(page, lambda: pick(page, "gpt2", label="Tokenizers"))
    expect(page.locator("#atlas [data-sort=gpt2]")).to_be_visible()
    expect(page.locator("#atlas [data-sort=o200k_base]")).to_be_visible()
    assert column(page, 1) == ["Dzongkha"]
    expect(page.locator(".world figcaption")).to_contain_text("GPT-2 on a map")
    swapped(page, lambda: page.select_option("#measure", "tokens"))
    expect(page.locator(f"{SHOWN} td").nth(2)).to_have_text(re.compile(r"^\d\d,\d{3}$"))
    expect(page).to_have_url(
        re.compile("tokenizer=gpt2&tokenizer=o200k_base&measure=tokens&seek=dzong|seek=dzong&measure=tokens")
    )
    swapped(page, lambda: page.get_by_role("button", name="Remove GPT-5").click())
    expect(page.locator("#atlas [data-sort=premium]")).to_be_visible()


def test_dots_stand_where_the_axis_says_and_nothing_scrolls_sideways_at_every_width(open_page):
    for width in (390, 1280):
        page = open_page("/languages?tokenizer=bytes", viewport={"width": width, "height": 900})
        row = page.locator(".scripts tbody tr", has_text="Tibetan")
        line, dot = (row.locator(one).first.bounding_box() for one in ("line.one", "circle"))
        assert dot["x"] > line["x"]
        assert dot["width"] == pytest.approx(dot["height"], abs=0.1)
    six = ("bytes", "bert-base-uncased", "words", "characters", "gpt2", "tekken")
    page = open_page("/languages?" + "&".join(f"tokenizer={one}" for one in six))
    page.get_by_text("All 62 languages beside the published ones").click()
    assert too_narrow(page) == []


def test_everything_works_with_the_keyboard(page):
    page.locator("#seek").focus()
    page.keyboard.type("burmese")
    page.keyboard.press("Enter")
    expect(page.locator(SHOWN)).to_have_count(1)
    page.locator("[data-sort=code]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#atlas th[aria-sort]")).to_have_text("Code")
    page.get_by_role("combobox", name="Tokenizers").focus()
    page.keyboard.type("tekken")
    swapped(page, lambda: page.keyboard.press("Enter"))
    expect(page.locator("#atlas [data-sort=tekken]")).to_be_visible()
    expect(page.get_by_role("combobox", name="Tokenizers")).to_be_focused()


@pytest.mark.parametrize("screen", DESKS)
def test_axe_finds_nothing(open_page, screen):
    page = open_page("/languages?tokenizer=o200k_base&tokenizer=bert-base-uncased", **screen)
    expect(page.locator("#atlas [data-sort=bert-base-uncased]")).to_be_visible()
    page.get_by_text("All 62 languages beside the published ones").click()
    assert findings(page) == []


def test_a_language_is_known_by_its_own_name_and_a_filter_that_excludes_it_is_named(page):
    names = {"Deutsch": "deu_1996", "русский": "rus", "فارسی": "pes_1", "filipino": "tgl", "punjabi": "pan"}
    for typed, code in names.items():
        page.fill("#seek", typed)
        # The names of languages come after the page; the table is filtered again once they are there.
        expect(page.locator(f"{SHOWN} > :nth-child(2)", has_text=code).first).to_be_visible()
        assert code in column(page, 2)
        assert len(column(page, 2)) < 8
    page.fill("#seek", "dzongkha")
    page.select_option("#script", "Latin")
    expect(page.get_by_text("No match for these filters.")).to_be_hidden()
    excluded = page.get_by_text("Only the script or the region excludes")
    expect(excluded).to_be_visible()
    page.get_by_role("link", name="Show all scripts and regions").click()
    assert "Dzongkha" in column(page, 1)
    expect(excluded).to_be_hidden()
