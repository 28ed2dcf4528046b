"""The table of all tokenizers and the card of each: figures, order, downloads, and what is not there."""

import json
import re
import statistics
import sys
from dataclasses import replace
from html import unescape

import pytest
from tokenarium.files.sentencepiece.model import load_model
from tokenarium.lab.languages.atlas import read_atlas
from tokenarium.lab.pipeline import sources
from tokenarium.lab.tokenizers.card import SORT_KEYS, summaries, summarize_premiums
from tokenarium.settings import Settings

from tests.conftest import asker
from tests.support.shelves import OwnRegistry, files, settings
from tests.support.vocabularies import learned

NAME = re.compile(r'<th scope="row"><a [^>]*><bdi>(.*?)</bdi>')
PLAIN = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}


def text_of(page):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def rows(page):
    """The cells of each row of the table, by the id of its tokenizer."""
    body = page.partition('<table class="record all"')[2].partition("</table>")[0].partition("<tbody>")[2]
    lines = [re.findall(r"<(?:th|td)[^>]*>(.*?)</(?:th|td)>", row, re.DOTALL) for row in body.split("</tr>")]
    return {re.search(r'<code class="id">(.*?)<', line[0])[1]: [*map(text_of, line)] for line in lines if line}


def test_every_tokenizer_is_a_row_with_its_figures(ask):
    table = rows(ask("GET", "/tokenizers").text)
    assert set(table) == {one["id"] for one in ask("GET", "/api/tokenizers").json()}
    cl100k = table["cl100k_base"][1:10]
    assert cl100k == ["BPE", "100,261", "5", "0", "5.25", "2.35", "20", "yes", "560,860"]
    assert table["bert-base-uncased"][1:9] == ["WordPiece", "30,522", "5", "337", "5.40", "2.27", "14", "no"]
    assert table["words"][2] == "grows"
    assert table["gpt2"][9] == table["r50k_base"][9] == "273,248"  # one file, compressed, which both share
    assert table["bytes"][9] == "–"  # it has no files


def test_the_figures_of_the_list_are_computed_once(registry):
    chosen = Settings()
    atlas = read_atlas(chosen.store)
    assert atlas.columns
    before = [*summaries(chosen, registry, atlas, registry.infos())]
    slow = {summarize_premiums.__wrapped__.__code__, json.dumps.__code__}
    called = []
    sys.setprofile(lambda frame, event, arg: event == "call" and frame.f_code in slow and called.append(frame.f_code))
    try:
        again = [*summaries(chosen, registry, replace(atlas), registry.infos())]
    finally:
        sys.setprofile(None)
    assert (again == before, called) == (True, [])


def test_a_median_is_that_of_the_languages_which_it_reads(ask):
    languages = ask("GET", "/api/languages?tokenizer=t5").json()["languages"]
    read = [one["counts"]["t5"] for one in languages if one["code"] != "eng"]
    premiums = [count["premium"] for count in read if count["premium"] is not None and count["unknown"] <= 0.1]
    card = ask("GET", "/api/tokenizers/t5/card").json()["languages"]
    assert card["median"] == pytest.approx(statistics.median(premiums))
    assert card["cheap"] == sum(premium <= 1.5 for premium in premiums) + 1
    assert (card["unread"], card["languages"]) == (len(languages) - 1 - len(premiums), 532)


@pytest.mark.parametrize("key", SORT_KEYS)
def test_a_column_sorts_both_ways_and_says_so(ask, key):
    orders, named = {}, {}
    for order, spoken in (("rising", "ascending"), ("falling", "descending")):
        page = ask("GET", f"/tokenizers?sort={key}&order={order}").text
        assert page.count("aria-sort=") == 1
        assert f'aria-sort="{spoken}"' in page
        orders[order] = [*rows(page).values()]
        named[order] = [name.casefold() for name in NAME.findall(page)]
    columns = ("title", "family", "tokens", "special", "no_text", "bytes", "premium", "cheap", "round", "size")
    at = columns.index(key) if key in columns and key != "round" else None
    if key in ("tokens", "special", "no_text", "bytes", "premium", "cheap", "size"):
        figures = [float(row[at].replace(",", "")) for row in orders["rising"] if row[at] not in ("–", "grows")]
        assert figures == sorted(figures)
        falling = [float(row[at].replace(",", "")) for row in orders["falling"] if row[at] not in ("–", "grows")]
        assert falling == sorted(figures, reverse=True)
    elif at is not None:
        values = named["rising"] if key == "title" else [row[at].casefold() for row in orders["rising"]]
        assert values == sorted(values)


def test_the_list_begins_with_the_models_that_people_use(ask):
    page = ask("GET", "/tokenizers").text
    assert NAME.findall(page)[:4] == ["DeepSeek V4", "Gemini 3.1", "GPT-5", "GPT-4"]
    assert rows(page)["o200k_base"][0] == "GPT-5 o3, o4-mini, GPT-4.1, GPT-4o o200k_base Vocabulary Edit Regex"
    for place in ("#add", "/train"):
        assert re.search(rf'(id="|href="){place.strip("#")}"', page)


@pytest.mark.parametrize(
    ("query", "ids"),
    [("gpt-4o", {"o200k_base"}), ("QWEN 3.5", {"qwen3.5"}), ("unigram t5", {"t5", "umt5"}), ("nothing like it", set())],
)
def test_the_list_is_filtered_by_names_of_models_and_kinds(ask, query, ids):
    page = ask("GET", "/tokenizers", params={"q": query}).text
    shown = re.findall(r'<tr data-words="[^"]*">.*?</tr>', page, re.DOTALL)
    assert {re.search(r'<code class="id">(.*?)<', row)[1] for row in shown} == ids


def test_a_card_says_what_is_known(ask):
    page = text_of(ask("GET", "/tokenizers/qwen3").text)
    for part in (
        "Qwen 2, 2.5 and 3",
        "tokens 151,669",
        "<|im_end|> 151645 EOS",
        "<|endoftext|> 151643 PAD",
        "Unicode normalization form NFC",
        "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+",
        "half of them take more than 2.23 times",
        "Pular (Adlam) 16.96",
        "pypi:dashscope 2.0.2",
        "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
    ):
        assert part in page


def test_a_card_reads_its_model_once(registry, monkeypatch):
    ask, read = asker(registry, workers=0), []
    monkeypatch.setattr(sources, "SAYABLE", {})
    monkeypatch.setattr(sources, "load_model", lambda data: read.append(len(data)) or load_model(data))
    for _ in range(2):
        assert 'href="/pipeline?tokenizer=mistral-v1"' in ask("GET", "/tokenizers/mistral-v1").text
    assert len(read) == 1


@pytest.mark.parametrize(
    ("id", "pages"),
    [
        ("gpt2", ["pipeline", "vocabulary"]),
        ("mistral-v1", ["pipeline", "vocabulary"]),
        ("mistral-v3", ["vocabulary"]),
        ("bytes", ["vocabulary"]),
        ("rwkv-world", ["vocabulary"]),
        ("characters", []),
        ("words", []),
    ],
)
def test_a_card_opens_its_tokenizer_where_that_can_be_shown(ask, id, pages):
    links = re.findall(rf'href="/(pipeline\?tokenizer=|vocabulary/){id}">', ask("GET", f"/tokenizers/{id}").text)
    links.sort()
    assert [link.rstrip("/").partition("?")[0] for link in links] == pages
    assert {
        page: ask("GET", f"/{page}/{id}".replace("pipeline/", "pipeline?tokenizer=")).status_code for page in pages
    } == (dict.fromkeys(pages, 200))


def test_the_tokens_of_its_samples_are_those_of_the_api(ask):
    for sample in ask("GET", "/api/tokenizers/bert-base-uncased/card").json()["samples"]:
        body = {"tokenizer": "bert-base-uncased", "text": sample["text"], "include": ["ids"]}
        ids = ask("POST", "/tokenize", json=body).json()["ids"]
        assert (sample["tokens"], sample["unknown"]) == (len(ids), ids.count(100)), sample["title"]


def test_a_card_is_found_by_the_name_of_a_model(ask):
    assert ask("GET", "/api/tokenizers/gpt-4o/card").json()["id"] == "o200k_base"


def test_a_card_is_downloaded_as_markdown(ask):
    answer = ask("GET", "/tokenizers/bert-base-uncased/card.md")
    assert answer.headers["content-type"].startswith("text/markdown")
    assert answer.headers["content-disposition"] == 'attachment; filename="bert-base-uncased.md"'
    for line in (
        "# BERT base, uncased",
        "`bert-base-uncased`, WordPiece",
        "| Tokens | 30,522 |",
        "| UNK | `[UNK]` |",
        "| Emoji | 13 | 5 | 7.38 |",
    ):
        assert line in answer.text.splitlines()


def test_an_own_file_has_a_card_which_says_what_was_not_counted(tmp_path, registry):
    chosen = settings(tmp_path)
    ask = asker(OwnRegistry(chosen, registry), local=chosen.local)
    data = files(learned("bytes with special tokens"))["tokenizer.json"]
    sent = {"files": [("file", ("tokenizer.json", data))], "data": {"name": "My | <b>own</b> `"}, "headers": PLAIN}
    id = ask("POST", "/api/tokenizers", **sent).json()["id"]
    page = ask("GET", f"/tokenizers/{id}").text
    assert "<b>own" not in page
    assert "Its languages were not counted" in page
    assert "from files that were added here" in page
    assert "<|end of text|> 602" in text_of(page)
    assert ask("GET", f"/api/tokenizers/{id}/card").json()["languages"] is None
    listed = rows(ask("GET", "/tokenizers").text)[id]
    assert (listed[4:8], listed[10]) == (["–", "–", "–", "–"], "added here")
    assert listed[0].endswith("Delete")
    assert r"# My \| \<b\>own\</b\> \`" in ask("GET", f"/tokenizers/{id}/card.md").text
