"""Surgery: a person extends a tokenizer by the words of a text, reads the report and uses the result."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE
from tests.support.axe import findings
from tests.support.corpora import ENGLISH, SHAN
from tests.support.own_record import own


@pytest.fixture(scope="module")
def mine(base, chromium):
    """The id of a small tokenizer that was added to the server."""
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE)
    data = {"name": "tokenizer.json", "mimeType": "application/json", "buffer": own().file("tokenizer.json")}
    answer = context.request.post(f"{base}/api/tokenizers", multipart={"file": data, "name": "Small"})
    id = answer.json()["id"]
    context.close()
    return id


def operate(page, base, mine, text, query=""):
    page.goto(f"{base}/surgery?tokenizer={mine}&proof=100&{query}")
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Build the new tokenizer").click()


def test_a_tokenizer_is_extended_and_used(open_page, base, mine):
    page = open_page("/surgery")
    operate(page, base, mine, SHAN, "operation=extend&tokens=40&multiple=64&name=For+Shan")
    expect(page.get_by_role("heading", level=1)).to_contain_text("40 new tokens; held-out text takes")
    row = page.get_by_role("row", name="Rows of an embedding matrix")
    expect(row).to_contain_text("600")
    expect(row).to_contain_text("640")
    assert findings(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="ids.json").click()
    table = json.loads(Path(download.value.path()).read_text())
    assert (table["size_before"], table["size_after"], len(table["new"])) == (600, 640, 40)
    page.get_by_role("link", name="beside the original").click()
    expect(page).to_have_url(re.compile(f"/compare\\?tokenizer=for-shan-.*&tokenizer={mine}"))
    expect(page.get_by_role("heading", level=1)).to_be_attached()


def test_an_engineer_prunes_a_tokenizer_to_a_language(open_page, base, mine):
    page = open_page("/surgery")
    page.goto(f"{base}/surgery?tokenizer={mine}&proof=100")
    page.get_by_text("The Universal Declaration of Human Rights, in").click()
    page.get_by_label("Find a language").fill("Dutch")
    page.get_by_role("checkbox", name="Dutch").check()
    page.get_by_role("button", name="Preview").click()
    preview = page.locator("#preview")
    expect(preview.get_by_role("heading", level=2)).to_contain_text("tokens instead of 600")
    expect(preview.get_by_role("list", name="Your text after")).to_be_visible()
    expect(preview.get_by_role("img")).to_have_attribute("aria-label", re.compile("ids vanish"))
    assert findings(page) == []
    promised = preview.get_by_role("heading", level=2).inner_text()
    page.get_by_label("Name of the new tokenizer").fill("Dutch only")
    expect(preview).to_have_attribute("data-stale", "")
    page.get_by_role("button", name="Build the new tokenizer").click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("of 600 tokens are left")
    kept = re.search(r"([\d,]+) of 600", heading.inner_text())[1]
    assert f"would have {kept} tokens" in promised
    page.get_by_text("Log of the operation").click()
    expect(page.get_by_role("list", name="Log")).to_contain_text("100 texts, no difference")
    page.get_by_role("link", name="Edit the result").click()
    expect(page.get_by_label("Name of the new tokenizer")).to_have_value("Dutch only, version 2")
    page.get_by_role("region", name="Versions").get_by_role("link", name="Small").click()
    expect(page).to_have_url(f"{base}/surgery?tokenizer={mine}")


def test_only_the_settings_of_the_operation_are_shown(open_page):
    page = open_page("/surgery", color_scheme="dark")
    expect(page.locator("[name=by]")).to_be_visible()
    expect(page.locator("[name=tokens]")).to_be_hidden()
    page.locator("[name=by]").select_option("scripts")
    expect(page.locator("[name=scripts]")).to_be_visible()
    expect(page.locator("[name=min_count]")).to_be_hidden()
    page.check("[name=operation][value=extend]")
    expect(page.locator("[name=tokens]")).to_be_visible()
    expect(page.locator("[name=by]")).to_be_hidden()
    assert findings(page) == []


def test_a_refusal_stays_with_the_form_and_an_error_beside_its_field_until_that_is_changed(open_page, base, mine):
    page = open_page("/surgery")
    operate(page, base, mine, " ")
    expect(page.get_by_role("alert")).to_contain_text("There is no corpus")
    page.locator("[name=name]").fill("GPT-2")
    page.get_by_label("Text", exact=True).fill("a text")
    page.get_by_role("button", name="Build the new tokenizer").click()
    expect(page.get_by_role("alert")).to_contain_text("The name 'GPT-2' is taken")
    expect(page.get_by_label("Text", exact=True)).to_have_value("a text")
    page.goto(f"{base}/surgery?tokenizer={mine}&keep_ids=600")
    page.get_by_label("Text", exact=True).fill(ENGLISH)
    page.get_by_role("button", name="Preview").click()
    field = page.get_by_label("Ids to keep in any case")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("alert")).to_contain_text("No token has the id 600")
    assert page.evaluate("document.querySelector('.more, details:has([name=keep_ids])').open")
    assert findings(page) == []
    field.fill("5")
    expect(page.get_by_role("alert")).to_have_count(0)
