"""The guides of the repository as pages of the server."""

import re

from tokenarium.settings import ROOT
from tokenarium.web.pages.guides import GUIDES


def test_every_guide_is_listed_and_nothing_else():
    assert sorted(path.stem for path in (ROOT / "templates" / "docs").glob("*.md")) == sorted(GUIDES)


def test_a_guide_is_a_page_with_its_headings_tables_and_code(ask):
    page = ask("GET", "/docs/settings").text
    assert page.count("<h1>Settings</h1>") == 1
    assert "<td><code>HOST</code>, <code>PORT</code></td>" in page
    assert '<a href="/docs/settings" aria-current="page">Settings</a>' in page
    assert '<code class="language-sh">docker build' in ask("GET", "/docs/install").text


def test_the_reference_and_the_guides_list_each_other(ask):
    for address in ("/docs", "/docs/corpora"):
        page = ask("GET", address).text
        assert [f'href="/docs/{name}"' in page for name in GUIDES] == [True] * len(GUIDES)
        assert 'href="/docs"' in page


def test_every_picture_and_link_of_a_guide_leads_somewhere(ask):
    for name in GUIDES:
        article = re.search(r"<article.*?</article>", ask("GET", f"/docs/{name}").text, re.DOTALL)[0]
        for address in set(re.findall(r'(?:src|href)="(/[^"]*)"', article)):
            assert ask("GET", address).status_code == 200, address


def test_an_unknown_guide_is_not_found(ask):
    answer = ask("GET", "/docs/nothing")
    assert (answer.status_code, "install" in answer.text) == (404, True)


def test_the_guides_are_listed_for_language_models(ask):
    answer = ask("GET", "/llms.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text.startswith("# Tokenarium\n\n> ")
    links = re.findall(r"\[.*?\]\((/.*?)\)", answer.text)
    assert "/docs/corpora" in links
    assert [link for link in links if ask("GET", link).status_code not in (200, 405)] == []
