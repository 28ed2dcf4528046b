"""The page that may be framed: what it shows, and what it leaves out."""

import json
import re
import zlib
from base64 import urlsafe_b64decode

import pytest

GREETING = {"tokenizer": "o200k_base", "text": "Hello, 🌍! 你好!"}
HTML = {"accept": "text/html"}


def embedded(ask, **query):
    response = ask("GET", "/embed", params=query, headers=HTML)
    assert response.status_code == 200
    return response.text


def test_it_shows_the_tokens_and_their_counts(ask):
    page = embedded(ask, **GREETING, view=["text", "ids"])
    assert 'data-count="tokens">8</dd>' in page
    assert re.findall(r'class="id t\d[^>]*>(\d+)<', page) == ["13225", "11", "130321", "235", "0", "220", "177519", "0"]


def test_it_has_nothing_to_type_to_send_or_to_run(ask):
    page = embedded(ask, **GREETING, view=["text", "table"])
    for tag in ("<form", "<button", "<input", "<script", "<nav"):
        assert tag not in page


def test_it_alone_may_be_framed_by_other_sites(ask):
    for path, framed in (("/embed?text=a", True), ("/", False), ("/embed/", False), ("/steps", False)):
        policy = ask("GET", path).headers["content-security-policy"]
        assert ("frame-ancestors *" in policy) == framed
        assert ("frame-ancestors 'self'" in policy) == (not framed)
    headers = ask("GET", "/embed?text=a").headers
    assert "script-src" not in headers["content-security-policy"]
    assert "form-action 'none'" in headers["content-security-policy"]
    assert "set-cookie" not in headers


def test_the_playground_opens_with_the_same(ask):
    page = embedded(ask, **GREETING, special="parse", view=["ids", "table"], template="1", spaces="1")
    (link,) = re.findall(r'<a href="/#([\w-]+)" target="_blank" rel="noopener">', page)
    state = json.loads(zlib.decompress(urlsafe_b64decode(link + "=" * (-len(link) % 4)), wbits=-15))
    assert state == {
        "t": "o200k_base",
        "e": "reference",
        "s": "parse",
        "m": 1,
        "x": GREETING["text"],
        "v": ["ids", "table"],
        "w": 1,
    }


def test_a_long_text_is_cut_to_its_first_window_and_counted_whole(ask):
    page = embedded(ask, tokenizer="bytes", text="ab" * 3000)
    assert 'data-count="tokens">6,000</dd>' in page
    assert "These are the first 1,000 of 6,000 tokens." in page
    assert page.count('class="tok') == 1000


def test_without_a_text_it_says_so(ask):
    assert "No text." in embedded(ask)


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("tokenizer=gtp2&text=a", 404, "unknown-tokenizer"),
        ("special=maybe&text=a", 422, "invalid"),
        ("special=refuse&tokenizer=gpt2&text=<|endoftext|>", 422, "special-token"),
        ("text=%ff", 400, "bad-encoding"),
        ("text=" + "a" * 9000, 414, "query-too-long"),
    ],
)
def test_a_refusal_is_told_in_the_frame(ask, query, status, code):
    response = ask("GET", f"/embed?{query}", headers=HTML)
    assert response.status_code == status
    assert f'role="alert" data-code="{code}"' in response.text
    assert "frame-ancestors *" in response.headers["content-security-policy"]
    assert '<a href="/" target="_blank" rel="noopener">' in response.text
    assert "<nav" not in response.text


def test_markup_is_escaped(ask):
    assert "<script>alert" not in embedded(ask, tokenizer="gpt2", text="<script>alert(1)</script>")
