"""Links, copies and downloads."""

import json
import re
import shlex
import subprocess
import sys
import zlib
from base64 import urlsafe_b64encode

from playwright.sync_api import expect

from tests.support.deeds import after, choose, count, open_menu, type_text

HARD = 'It\'s "quoted" \\ $HOME `x`\n\t🌍\u202e\u200b{{ 1 }} नमस्ते\0'


def clipboard(page):
    return page.evaluate("() => navigator.clipboard.readText()")


def copied(page, what):
    page.locator("#said").evaluate("said => said.textContent = ''")
    if what in ("Copy ids", "Share"):
        page.get_by_role("button", name=what).click()
    else:
        open_menu(page)
        page.get_by_role("group", name="Copy").get_by_role("button", name=what, exact=True).click()
    expect(page.locator("#said")).to_contain_text("opied")
    return clipboard(page)


def test_a_link_carries_text_tokenizer_and_views(page, open_page, watch, base):
    choose(page, "mistral-v3")
    type_text(page, HARD)
    page.click("#options summary")
    page.uncheck("#spaces")
    after(page, lambda: page.check("[name=view][value=table]", force=True))
    link = copied(page, "Share")
    assert link == page.url
    path, _, packed = link.removeprefix(base).partition("#")
    assert path == "/"
    assert 0 < len(packed) <= 8192
    other = open_page()
    after(other, lambda: other.goto(link))
    assert other.input_value("#text") == HARD
    assert other.locator("[name=tokenizer]").input_value() == "mistral-v3"
    assert not other.locator("#spaces").is_checked()
    expect(other.locator(".tokens")).to_be_visible()
    expect(other.get_by_role("combobox", name="Tokenizer")).to_have_value("Mistral 7B v0.3 · mistral-v3")
    assert count(other) == count(page)


def test_the_fragment_is_never_sent(page, watch):
    type_text(page, "secret words")
    packed = copied(page, "Share").partition("#")[2]
    after(page, page.reload)
    type_text(page, "other words")
    page.locator(".text .tok").first.click()
    expect(page.locator("#details .card")).to_be_visible()
    for request in watch.requests:
        sent = f"{request.url} {json.dumps(request.all_headers())} {request.post_data_buffer or b''}"
        assert packed not in sent.replace(request.url, request.url.partition("#")[0]), request.url
        assert "hx-current-url" not in request.all_headers()
        assert "#" not in request.all_headers().get("referer", "")


def test_a_damaged_or_huge_link_leaves_the_page_usable_and_too_long_a_text_has_none(open_page):
    state = zlib.compress(b'[["text","' + b"a" * 5_000_000 + b'"]]', 9, wbits=-15)
    huge = urlsafe_b64encode(state).decode().rstrip("=")
    for fragment in ("notpacked-at-all", "S0lNKVWyUkpUAgA", "main", huge):
        page = open_page(f"/#{fragment}")
        if fragment == huge:
            expect(page.locator("#said")).to_contain_text("more than 5,000,000 bytes")
        type_text(page, "still works")
        assert count(page) == "2"
    page = open_page()
    type_text(page, "".join(chr(0x4E00 + i * 7919 % 20000) for i in range(5000)))
    page.click("#link")
    expect(page.locator("#said")).to_contain_text("too long for a link: it carries only the options")
    assert len(page.url) < 200
    open_menu(page)
    page.click("#embed")
    expect(page.locator("#said")).to_contain_text("too long for a frame")


def test_the_address_follows_what_was_typed_so_that_a_reload_and_a_second_tab_show_the_same(page, open_page):
    type_text(page, "shared words")
    page.wait_for_url(re.compile("#"))
    after(page, page.reload)
    expect(page.locator("#text")).to_have_value("shared words")
    other = open_page(page.url.removeprefix("http://").partition("/")[2].join(("/", "")))
    expect(other.locator("#text")).to_have_value("shared words")


def test_ids_and_json_are_copied_and_tokens_downloaded_while_the_page_stays(page, base):
    assert copied(page, "Copy ids") == "[13225, 11, 130321, 235, 0, 220, 177519, 0]"
    answer = page.request.post(f"{base}/tokenize", data={"tokenizer": "o200k_base", "text": "Hello, 🌍! 你好!"})
    assert json.loads(copied(page, "JSON")) == answer.json()
    for label, name, begin in (
        ("CSV", "tokens.csv", "index,id"),
        ("JSON", "tokens.json", '{"tokenizer":"o200k_base"'),
    ):
        open_menu(page)
        with page.expect_download() as waiting:
            page.get_by_role("group", name="Download").get_by_role("button", name=label).click()
        assert waiting.value.suggested_filename == name
        assert waiting.value.path().read_text().startswith(begin)
    assert count(page) == "8"


def test_the_python_copied_runs_and_gives_the_same_ids_and_the_curl_asks_for_the_same(page, base):
    type_text(page, HARD)
    ids = copied(page, "Copy ids")
    code = copied(page, "Python")
    assert "\u202e" not in code
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.partition(" ")[2].strip() == ids
    choose(page, "bert-base-uncased")
    page.click("#options summary")
    after(page, lambda: page.check("[name=template]"))
    command = shlex.split(copied(page, "curl"))
    body = json.loads(command[-1])
    assert command[:3] == ["curl", "-sS", f"{base}/tokenize"]
    assert (body["text"], body["tokenizer"], body["template"]) == (HARD, "bert-base-uncased", True)
    assert page.request.post(command[2], data=body).json()["count"] == int(count(page))
