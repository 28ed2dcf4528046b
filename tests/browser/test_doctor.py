"""The doctor: a person chooses files, reads what is wrong with them, and what to do."""

import json
from pathlib import Path

from playwright.sync_api import expect
from tokenarium.files.archives import unzip_files

from tests.support.axe import findings
from tests.support.deeds import open_menu
from tests.support.faulty_files import GOOD, sound


def chosen(files):
    return [{"name": name, "mimeType": "application/json", "buffer": data} for name, data in files.items()]


def examine(page, files):
    page.set_input_files("input[type=file]", chosen(files))
    page.get_by_role("button", name="Examine").click()


def test_a_sample_patient_is_one_click_away_and_a_converted_tokenizer_downloaded_as_a_zip(open_page):
    page = open_page("/doctor")
    open_menu(page, "Examples")
    page.get_by_role("button", name="No tokenizer at all").click()
    expect(page.get_by_role("status").filter(has_text="is no vocabulary")).to_be_visible()
    assert findings(page) == []
    open_menu(page, "Examples")
    page.get_by_role("button", name="Two BOS tokens").click()
    expect(page.locator(".finding .code").first).to_have_text("bos-twice")
    page.set_input_files("input[type=file]", chosen(GOOD))
    page.get_by_text("Convert", exact=True).first.click()
    page.get_by_label("Format").select_option("tiktoken")
    assert findings(page) == []
    with page.expect_download(timeout=120_000) as download:
        page.get_by_role("button", name="Convert").click()
    assert download.value.suggested_filename == "converted.zip"
    files = unzip_files(Path(download.value.path()).read_bytes())
    assert [*files] == ["ranks.tiktoken", "tokenizer_config.json"]


def test_the_verdict_stands_before_the_form_and_in_view(open_page):
    page = open_page("/doctor", viewport={"width": 1280, "height": 800})
    examine(page, GOOD)  # by a button at the end of the form
    expect(page.locator(".verdict")).to_be_in_viewport()
    assert page.locator(".verdict").bounding_box()["y"] < page.locator("#lab").bounding_box()["y"]


def test_two_files_that_differ_are_shown_side_by_side(open_page):
    top = sound()
    top["model"]["vocab"]["the"], top["model"]["vocab"]["th"] = 258, 259
    page = open_page("/doctor")
    one, other = (json.dumps(document).encode() for document in (sound(), top))
    examine(page, {"one.json": one, "other.json": other})
    table = page.get_by_role("region", name="Texts that are read differently")
    expect(table.get_by_role("columnheader")).to_have_count(6)
    expect(table.locator("td.differs").first).to_be_visible()
    assert findings(page) == []


def test_an_engineer_mends_a_broken_tokenizer(open_page):
    top = sound()
    top["model"]["merges"].append(["th", "an"])
    top["truncation"] = {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0}
    page = open_page("/doctor")
    examine(page, {"tokenizer.json": json.dumps(top, indent=2).encode()})
    merges = page.locator(".finding").filter(has_text="merge-makes-nothing")
    expect(merges).to_contain_text('tokenizer.json, line 334, column 7: [ "th", "an" ]')
    merges.get_by_role("button", name="Fix it").click()
    expect(page.get_by_role("heading", name="Corrected")).to_be_visible()
    expect(page.locator(".mended")).to_contain_text(
        "no engine could read it before; now tokenizers and from scratch can."
    )
    page.locator(".finding").filter(has_text="truncation").get_by_role("button", name="Fix it").click()
    expect(page.get_by_text("Nothing is wrong with these files.")).to_be_visible()
    assert findings(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Download tokenizer.json").click()
    mended = json.loads(Path(download.value.path()).read_bytes())
    assert mended == {**sound(), "truncation": None}
