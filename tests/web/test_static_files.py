"""The static files: fonts come from this server alone, and what has its version in its name is cached for good."""

import re

import pytest
from tokenarium.settings import ROOT

SHEET = (ROOT / "static/css/fonts.css").read_text()
FILES = re.findall(r'url\("(/[^"]+)"\)', SHEET)


@pytest.mark.parametrize("file", FILES)
def test_a_font_is_served_for_a_year(ask, file):
    answer = ask("GET", file)
    assert answer.headers["Content-Type"] == "font/woff2"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.content[:4] == b"wOF2"


def test_every_font_that_is_bundled_is_used():
    assert {path.name for path in (ROOT / "static/vendor").glob("*.woff2")} == {file.split("/")[-1] for file in FILES}


def test_a_style_sheet_whose_name_has_no_version_is_not_cached_for_good(ask):
    assert "Cache-Control" not in ask("GET", "/static/css/base.css").headers


@pytest.mark.parametrize("path", ["/", "/embed?text=Hello", "/beyond/sound"])
def test_fonts_may_come_from_this_server_alone(ask, path):
    answer = ask("GET", path)
    assert "; font-src 'self';" in answer.headers["Content-Security-Policy"]
    assert '<link rel="stylesheet" href="/static/css/fonts.css">' in answer.text
