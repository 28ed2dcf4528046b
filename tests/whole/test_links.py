"""A link to a part of a page leads to a part that exists."""

import re

import pytest
from tokenarium.lab.learn.chapters import CHAPTERS
from tokenarium.lab.learn.course import SCENES
from tokenarium.lab.learn.glossary import TERMS
from tokenarium.settings import ROOT
from tokenarium.web.navigation import PLACES
from tokenarium.web.pages.guides import GUIDES

PATHS = (
    *(address for place in PLACES for address, _ in place.all_pages if address != "/vocabulary"),
    *(page.address for chapter in CHAPTERS for page in chapter.pages),
    *(f"/docs/{name}" for name in GUIDES),
    *("/about", "/conformance", "/docs", "/learn/introduction", "/learn/calculators/embedding"),
    *("/tokenizers/gpt2", "/vocabulary/gpt2/262", "/search?q=token"),
)
LINK = re.compile(r'href="(/[^"#?]*)?(?:\?[^"#]*)?#([\w-]+)"')


@pytest.fixture(scope="module")
def parts(ask):
    """The ids of the parts of a page, by its path; each page is asked for once."""
    seen = {}

    def read(path):
        if path not in seen:
            page = ask("GET", path)
            assert page.status_code == 200, path
            seen[path] = {*re.findall(r' id="([^"]+)"', page.text)}, {*LINK.findall(page.text)}
        return seen[path]

    return read


@pytest.mark.parametrize("path", [*PATHS, *(f"/learn/{scene.id}" for scene in SCENES)])
def test_every_link_to_a_part_of_a_page_finds_it(parts, path):
    own = path.partition("?")[0]
    lost = [(page or own, id) for page, id in parts(path)[1] if id not in parts(page or path)[0]]
    assert lost == []


def test_every_term_of_a_template_is_in_the_glossary():
    used = {
        (id, path.name)
        for path in (ROOT / "templates").rglob("*.html")
        for id in re.findall(r'\bterm\("([\w-]+)"', path.read_text(encoding="utf-8"))
    }
    assert [one for one in used if one[0] not in {term.id for term in TERMS}] == []
