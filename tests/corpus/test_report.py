"""The report is one file without a network, whose figures are those of the counts, and whose tables are CSV too."""

import csv
import json
import re
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from tokenarium.corpus.counting import count_part, totals
from tokenarium.corpus.plan import Plan
from tokenarium.corpus.report import CorpusReport, score_text
from tokenarium.corpus.sources import parts, source
from tokenarium.serialize.standalone import render_standalone
from tokenarium.settings import Settings

from tests.conftest import REGISTRY

SETTINGS = Settings(max_loaded=10**12)
TEXTS = [("<script>alert(1)</script> & more of it, all of it as text, at least 64 bytes", "a<b"), ("=" * 900, "run")]
TEXTS += [("Всеобщая декларация прав человека, статья первая " * 20, "ru"), ("\x00\x1b[31m 🌍" * 9, "=cmd")]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("a") / "texts & more.jsonl"
    path.write_text("\n".join(json.dumps({"text": text, "lang": lang}) for text, lang in TEXTS))
    plan = Plan(SETTINGS, ("o200k_base", "mistral-v3"), by="column", group="lang", details=True)
    found = source(str(path))
    (part,) = parts(found)
    return CorpusReport(plan, count_part(plan, part), [found], "Tokens in texts")


class Page(HTMLParser):
    """The addresses, the tags, and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.addresses, self.tags, self.text = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("href", "src", "action")]

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def page(report):
    context = {"report": report, "problems": ["a.txt: gone"], "score_text": score_text}
    return render_standalone("corpus/report.html", context, sheets=("tokens", "base", "components", "text", "corpus"))


def test_it_needs_no_network_and_runs_nothing(page):
    found = Page(page)
    assert found.addresses
    assert all(address.startswith("data:") for address in found.addresses)
    assert "script" not in found.tags
    assert not re.search(r"@import|url\(\s*['\"]?(?!data:)", page)
    assert "alert(1)" in "".join(found.text)


def test_it_has_the_figures_of_the_counts(report, page):
    tokens = sum(len(REGISTRY.get("o200k_base").encode(text)) for text, _ in TEXTS)
    assert totals(report.counts)["o200k_base"].tokens == tokens
    text = " ".join("".join(Page(page).text).split())
    for expected in (f"{tokens:,}", "GPT-4o", "2026-11-23", "a.txt: gone", "Where they differ most", "By column lang"):
        assert expected in text
    assert score_text("run", report.counts.outliers["o200k_base"]["run"].documents[0]) in text


def test_the_tables_are_csv_that_reads_back(report, page):
    links = [address for address in Page(page).addresses if address.startswith("data:text/csv")]
    assert len(links) == 6
    tables = [[*csv.reader(unquote(link.partition(",")[2]).splitlines())] for link in links]
    (groups,) = [table for table in tables if table[0][0] == "lang" and "Premium" in table[0]]
    assert {row[0] for row in groups[1:]} == {lang.replace("=cmd", "'=cmd") for _, lang in TEXTS}
    every = [*csv.reader(report.every_table.csv().splitlines())]
    column = every[0].index("Tokens")
    for id, tally in report.totals.items():
        rows = [row for row in every[1:] if row[1] == id]
        assert rows[-1][0] == "total"
        assert int(rows[-1][column]) == sum(int(row[column]) for row in rows[:-1]) == tally.tokens


def test_documents_are_shown_as_tokens_with_their_text_unchanged(report):
    shown = {shown.outlier.text: shown for *_, some in report.list_outliers() for shown in some}
    for text, _ in TEXTS:
        head = next(beginning for beginning in shown if text.startswith(beginning))
        view = shown[head].view
        assert view.tokenization.text == head
        assert shown[head].cut == (head != text)
