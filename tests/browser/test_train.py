"""A person trains a tokenizer: watches it, cancels one, keeps one, and takes it away."""

import re

import pytest
from playwright.sync_api import expect
from tokenizers import Tokenizer

from tests.support.axe import PHONES, findings
from tests.support.corpora import ENGLISH, long_text

THREE = "/train?corpus=udhr:eng&corpus=udhr:fra&corpus=udhr:swh&size=1500"
FINISHED = ".train-downloads"


def train(page):
    page.click(".train-start")
    page.wait_for_url(re.compile("/train/jobs/"))


def give_long_text(page):
    page.set_input_files("#files", {"name": "long.txt", "mimeType": "text/plain", "buffer": long_text().encode()})
    page.fill("[name=size]", "100000")


def pieces(page):
    return int(page.locator("[data-count=pieces]").inner_text().replace(",", ""))


def test_three_languages_are_trained_kept_seen_and_taken_away(open_page, tmp_path):
    page = open_page(THREE)
    expect(page.locator("#chosen")).to_contain_text("Swahili")
    train(page)
    expect(page.locator(FINISHED)).to_be_visible()
    assert pieces(page) == 1500
    expect(page.locator("#announce")).to_have_text("Finished")
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="tokenizer.json").click()
    waiting.value.save_as(tmp_path / "tokenizer.json")
    page.fill("[name=name]", "Three tongues")
    page.get_by_role("button", name="Save").click()
    page.locator("#keep-title a").click()
    expect(page.get_by_role("combobox", name="Tokenizer")).to_have_value(re.compile("^Three tongues"))
    page.fill("#text", ENGLISH[:300])
    loaded = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    expect(page.locator("[data-count=tokens]")).to_have_text(str(len(loaded.encode(ENGLISH[:300]).ids)))


def test_what_is_kept_is_compared_on_the_text_held_out(open_page):
    page = open_page("/train?corpus=udhr:shn&size=500")
    page.fill("[name=name]", "Shan")
    train(page)
    page.get_by_role("button", name="Compare with o200k_base on the held-out text").click()
    expect(page.locator(".compared .gist")).to_be_visible()
    expect(page.locator(".tally [data-tokenizer]")).to_have_count(2)


def test_progress_is_seen_one_leaves_the_page_comes_back_and_cancels(open_page):
    page = open_page("/train")
    give_long_text(page)
    train(page)
    place = page.url
    page.goto(place.partition("/train")[0] + "/train")
    page.get_by_role("link", name="Back to your last training").click()
    page.wait_for_url(place)
    expect(page.locator(".train-pieces li").first).to_be_visible()
    expect(page.locator(".train-chart polyline")).to_be_visible()
    before = pieces(page)
    expect(page.locator("[data-count=pieces]")).not_to_have_text(f"{before:,}")
    assert pieces(page) > before
    assert findings(page) == []
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", name="Cancelled")).to_be_visible()


def test_a_refusal_leaves_the_form_as_it_is_and_a_language_is_found_by_typing(open_page):
    page = open_page("/train")
    page.fill("[name=special_tokens]", "<|end|>")
    page.click(".train-start")
    expect(page.get_by_role("alert")).to_contain_text("no corpus")
    assert page.input_value("[name=special_tokens]") == "<|end|>"
    page.click("#languages summary")
    names = page.locator(".train-languages label").all_inner_texts()
    assert [name for name in names if name.startswith("(")] == []
    assert "Kurdish, Central: text in Northern Kurdish" in names
    page.fill("#seek", "sha")
    expect(page.get_by_role("checkbox", name="English", exact=True)).to_be_hidden()
    page.get_by_role("checkbox", name="Shan", exact=True).check()
    expect(page.locator("#chosen")).to_have_text("Shan")


@pytest.mark.parametrize("screen", PHONES)
def test_axe_finds_nothing_and_no_page_scrolls_sideways(open_page, screen):
    page = open_page("/train?corpus=udhr:shn&size=300", **screen)
    page.click("summary >> text=More")
    narrow = "() => document.documentElement.scrollWidth <= innerWidth"
    assert findings(page) == []
    assert page.evaluate(narrow)
    train(page)
    expect(page.locator(FINISHED)).to_be_visible()
    assert findings(page) == []
    assert page.evaluate(narrow)


def test_the_corpus_decides_the_size_of_the_vocabulary_or_says_that_it_teaches_fewer_tokens(open_page):
    page = open_page("/train?corpus=udhr:eng")
    expect(page.locator("[name=size]")).to_have_value("")
    train(page)
    expect(page.locator(FINISHED)).to_be_visible()
    assert pieces(page) == 400
    page = open_page("/train?size=8000")
    page.fill("#text", ENGLISH)
    train(page)
    expect(page.locator(FINISHED)).to_be_visible()
    page.reload()
    expect(page.locator(".train-asked")).to_contain_text(f"{pieces(page):,} tokens of 8,000 requested")
    expect(page.locator(".notes")).to_contain_text("A larger corpus")
