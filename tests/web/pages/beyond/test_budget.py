"""The page and the API of one budget: the same sums, a link that carries all, and nothing lost when refused."""

import html
import re

import pytest

FIELDS = {"model": "gemini-3", "text": "Hello\r\nthere", "w": ["1920", "640", ""], "h": ["1080", "480", ""]}
FIELDS |= {"d": ["", "low", ""], "audio": "60", "video": "30", "fps": "2"}


def tokens_of(page):
    return [int(text.replace(",", "")) for text in re.findall(r'"part-tokens">([0-9,]+) tokens?<', page.text)]


def address_of(page):
    return html.unescape(re.search(r'data-address="([^"]*)"', page.text)[1])


def test_the_page_and_the_api_count_the_same(ask):
    page = ask("POST", "/beyond/budget", data=FIELDS)
    images = [{"width": 1920, "height": 1080}, {"width": 640, "height": 480, "detail": "low"}]
    body = {"model": "gemini-3", "text": "Hello\nthere", "images": images}
    body |= {"audio_seconds": 60, "video_seconds": 30, "frames_per_second": 2.0}
    answer = ask("POST", "/api/budget", json=body).json()
    assert tokens_of(page) == [part["tokens"] for part in answer["parts"]] == [3, 1120, 280, 1920, 60 * 70]
    assert (answer["tokens"], answer["complete"], answer["cost"]) == (7523, True, pytest.approx(7523 * 2e-6))
    assert answer["parts"][1]["source"].startswith("Google")


def test_a_link_carries_the_whole_prompt(ask):
    page = ask("POST", "/beyond/budget", data=FIELDS)
    linked = ask("GET", address_of(page))
    assert tokens_of(linked) == tokens_of(page)
    assert address_of(linked) == address_of(page)


def test_a_first_visit_shows_a_prompt_and_its_share(ask):
    page = ask("GET", "/beyond/budget")
    assert tokens_of(page)[1:] == [765, 85]
    assert "a context of 128,000 tokens" in page.text


def test_what_is_not_known_makes_the_sum_a_lower_bound(ask):
    page = ask("POST", "/beyond/budget", data={"model": "claude-opus-5", "text": "Hi", "w": "28", "h": "28", "d": ""})
    assert ("tokens at least" in page.text, "not known" in page.text, tokens_of(page)) == (True, True, [1])
    answer = ask("POST", "/api/budget", json={"model": "claude-opus-5", "text": "Hi"}).json()
    assert (answer["tokens"], answer["complete"], answer["parts"][0]["tokens"]) == (0, False, None)


def test_a_picture_that_is_still_being_typed_is_left_out_and_said_to_be(ask):
    fields = {"model": "gpt-4o", "text": "Hi", "w": ["512", "640"], "h": ["", "480"], "d": ["", "low"]}
    page = ask("POST", "/beyond/budget", data=fields)
    assert (page.status_code, tokens_of(page)) == (200, [1, 85])
    assert "Picture 1 is not counted yet" in page.text
    assert tokens_of(ask("GET", address_of(page))) == [1, 85]


def test_a_detail_that_another_model_knew_becomes_the_default(ask):
    fields = {"text": "Hi", "w": "640", "h": "480", "d": "ultra-high"}
    assert tokens_of(ask("POST", "/beyond/budget", data={"model": "gemini-3", **fields})) == [1, 2240]
    page = ask("POST", "/beyond/budget", data={"model": "gpt-4o", **fields})
    assert (page.status_code, tokens_of(page)) == (200, [1, 425])
    assert address_of(page).endswith("&w=640&h=480&d=")
    assert page.text.count('<option value="low">low</option>') == 3


def test_without_a_script_a_button_adds_rows(ask):
    page = ask("POST", "/beyond/budget", data={**FIELDS, "do": "add"})
    assert page.text.count('name="w"') == 2 + 4


@pytest.mark.parametrize(
    "fields",
    [
        {"w": "x", "h": "5", "d": ""},
        {"w": "5", "h": "-1", "d": ""},
        {"audio": "-1"},
        {"audio": "1e9"},
        {"model": "gpt-9"},
    ],
)
def test_what_was_typed_stays_when_it_is_refused(ask, fields):
    page = ask("POST", "/beyond/budget", data={"model": "gpt-4o", "text": "Hello there", **fields})
    assert (page.status_code, 'role="alert"' in page.text) == (422, True)
    assert "Hello there</textarea>" in page.text
    assert fields.get("w", fields.get("audio", "")) in page.text


def test_the_parts_are_downloaded_as_csv(ask):
    lines = ask("POST", "/beyond/budget/download", data=FIELDS).text.splitlines()
    assert lines[0] == "kind,part,tokens,formula,source,date"
    assert lines[-1] == "total,all known parts,7523,,,"
