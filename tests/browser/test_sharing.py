"""Links, copies and downloads."""

import json
import shlex
import subprocess
import sys
import zlib
from base64 import urlsafe_b64encode

import pytest
from playwright.sync_api import expect

from tests.support.deeds import after, choose, count, open_menu, type_text

HARD = 'It\'s "quoted" \\ $HOME `x`\n\t🌍\u202e\u200b{{ 1 }} नमस्ते\0'


def clipboard(page):
    return page.evaluate("() => navigator.clipboard.readText()")


def copied(page, what):
    page.locator("#said").evaluate("said => said.textContent = ''")
    open_menu(page)
    page.get_by_role("group", name="Copy").get_by_role("button", name=what, exact=True).click()
    expect(page.locator("#said")).to_contain_text("opied")
    return clipboard(page)


def test_a_link_carries_text_tokenizer_and_views(page, open_page, watch, base):
    choose(page, "mistral-v3")
    type_text(page, HARD)
    page.click("#options summary")
    page.check("#spaces")
    after(page, lambda: page.check("[name=view][value=table]", force=True))
    link = copied(page, "link")
    assert link == page.url
    path, _, packed = link.removeprefix(base).partition("#")
    assert path == "/"
    assert 0 < len(packed) <= 8192
    other = open_page()
    after(other, lambda: other.goto(link))
    assert other.input_value("#text") == HARD
    assert other.locator("[name=tokenizer]").input_value() == "mistral-v3"
    assert other.locator("#spaces").is_checked()
    expect(other.locator(".tokens")).to_be_visible()
    expect(other.get_by_role("combobox", name="Tokenizer")).to_have_value("Mistral 7B v0.3 · mistral-v3")
    assert count(other) == count(page)


def test_the_fragment_is_never_sent(page, watch):
    type_text(page, "secret words")
    packed = copied(page, "link").partition("#")[2]
    after(page, page.reload)
    type_text(page, "other words")
    page.locator(".text .tok").first.click()
    expect(page.locator("#details")).to_be_visible()
    for request in watch.requests:
        sent = f"{request.url} {json.dumps(request.all_headers())} {request.post_data_buffer or b''}"
        assert packed not in sent.replace(request.url, request.url.partition("#")[0]), request.url
        assert "hx-current-url" not in request.all_headers()
        assert "#" not in request.all_headers().get("referer", "")


def test_a_text_too_long_for_a_link_is_told(page):
    type_text(page, "".join(chr(0x4E00 + i * 7919 % 20000) for i in range(5000)))
    open_menu(page)
    page.click("#link")
    expect(page.locator("#said")).to_contain_text("too long for a link")
    assert "#" not in page.url


@pytest.mark.parametrize("fragment", ["notpacked-at-all", "S0lNKVWyUkpUAgA", "main"])
def test_a_damaged_link_leaves_the_page_usable(open_page, fragment):
    page = open_page(f"/#{fragment}")
    type_text(page, "still works")
    assert count(page) == "2"


def test_a_link_that_unpacks_to_much_is_not_opened(open_page):
    state = zlib.compress(b'[["text","' + b"a" * 5_000_000 + b'"]]', 9, wbits=-15)
    page = open_page(f"/#{urlsafe_b64encode(state).decode().rstrip('=')}")
    expect(page.locator("#said")).to_contain_text("more than 5,000,000 bytes")
    type_text(page, "still works")
    assert count(page) == "2"


def test_ids_are_copied(page):
    assert copied(page, "ids") == "[13225, 11, 130321, 235, 0, 220, 177519, 0]"


def test_json_is_copied_as_the_api_gives_it(page, base):
    answer = page.request.post(f"{base}/tokenize", data={"tokenizer": "o200k_base", "text": "Hello, 🌍! 你好!"})
    assert json.loads(copied(page, "JSON")) == answer.json()


def test_the_python_copied_runs_and_gives_the_same_ids(page):
    type_text(page, HARD)
    ids = copied(page, "ids")
    code = copied(page, "Python")
    assert "\u202e" not in code
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.partition(" ")[2].strip() == ids


def test_the_curl_copied_asks_for_the_same(page, base):
    type_text(page, HARD)
    choose(page, "bert-base-uncased")
    page.click("#options summary")
    after(page, lambda: page.check("[name=template]"))
    command = shlex.split(copied(page, "curl"))
    body = json.loads(command[-1])
    assert command[:3] == ["curl", "-sS", f"{base}/tokenize"]
    assert (body["text"], body["tokenizer"], body["template"]) == (HARD, "bert-base-uncased", True)
    assert page.request.post(command[2], data=body).json()["count"] == int(count(page))


@pytest.mark.parametrize(("label", "name"), [("CSV", "tokens.csv"), ("JSON", "tokens.json")])
def test_tokens_are_downloaded_and_the_page_stays(page, label, name, tmp_path):
    open_menu(page)
    with page.expect_download() as waiting:
        page.get_by_role("group", name="Download").get_by_role("button", name=label).click()
    assert waiting.value.suggested_filename == name
    waiting.value.save_as(tmp_path / name)
    text = (tmp_path / name).read_text()
    assert text.startswith("index,id" if label == "CSV" else '{"tokenizer":"o200k_base"')
    assert count(page) == "8"
