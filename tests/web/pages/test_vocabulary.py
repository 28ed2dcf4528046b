"""The browser of tokens: its API and its pages, with and without a script."""

import csv
import html
import io
import re

import pytest

from tests.conftest import EVERY, TIER
from tests.support.faulty_files import GOOD


def found(ask, id, **query):
    answer = ask("GET", f"/api/vocabulary/{id}/tokens", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_api_finds_tokens_by_text_bytes_id_and_pattern(ask):
    exact = found(ask, "o200k_base", q=" the", match="exact")
    assert exact["total"] == 1
    assert exact["tokens"] == [
        {
            "id": 290,
            "piece": " the",
            "text": " the",
            "bytes_hex": "20746865",
            "length": 4,
            "characters": 4,
            "kind": "normal",
            "script": "Latin",
            "prefix_space": True,
            "class": None,
        }
    ]
    fragments = found(ask, "o200k_base", q="F0 9F 8C", by="bytes", match="ends")["tokens"]
    assert [token["id"] for token in fragments] == [64364, 130321]
    assert [token["id"] for token in found(ask, "gpt2", q="50256, 0-2", by="id")["tokens"]] == [0, 1, 2, 50256]
    numbers = found(ask, "cl100k_base", q="^[0-9]+$", by="regex", limit=1)
    assert (numbers["total"], numbers["tokens"][0]["piece"]) == (1110, "0")


def test_spellings_are_found_too(ask):
    assert found(ask, "bert-base-uncased", q="##ing", match="exact")["tokens"][0]["text"] == "ing"
    assert found(ask, "mistral-v1", q="▁the", match="exact")["tokens"][0]["text"] == " the"


def test_pages_follow_one_another(ask):
    whole = [token["id"] for token in found(ask, "gpt2", q="ing", ignore_case=True, limit=1000)["tokens"]]
    parts = [found(ask, "gpt2", q="ing", ignore_case=True, limit=300, offset=offset)["tokens"] for offset in (0, 300)]
    assert [token["id"] for part in parts for token in part] == whole[:600]


def test_the_longest_token_of_gpt2_comes_first_where_that_is_wished(ask):
    longest = found(ask, "gpt2", sort="bytes", descending=True, limit=1)["tokens"][0]
    assert (longest["id"], longest["length"]) == (35496, 128)


def test_the_csv_has_every_token(ask):
    answer = ask("GET", "/api/vocabulary/gpt2/tokens", params={"format": "csv"})
    rows = [*csv.DictReader(io.StringIO(answer.text, newline=""))]
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert len(rows) == 50257
    assert (rows[198]["piece"], rows[198]["bytes_hex"], rows[198]["script"]) == ("'\n", "0a", "white space")


ONE_OF_A_KIND = (
    *("bytes", "characters", "words", "gpt2", "claude-2", "clip", "bert-base-uncased", "rwkv-world"),
    *("mistral-v1", "udhr-unigram-16k", "yi"),
)
HTMX = {"HX-Request": "true"}
ROW = re.compile(r'role="row" class="row" aria-rowindex="(\d+)" data-place="(\d+)" data-id="(\d+)"')


def ids(page):
    return [int(id) for _, _, id in ROW.findall(page)]


def test_a_vocabulary_has_examples_and_a_choice_of_others(ask):
    assert ask("GET", "/vocabulary").headers["location"] == "/vocabulary/o200k_base"
    page = ask("GET", "/vocabulary/o200k_base").text
    assert '<form class="vocabulary-choice" method="get" action="/vocabulary">' in page
    examples = re.findall(r'<a href="(/vocabulary/[^"]+)" title=', page)
    assert len(examples) == 7
    for address in examples:
        if "gemma4" not in address:
            answer = ask("GET", html.unescape(address))
            assert answer.status_code == 200, address
            assert ids(answer.text), address
    chosen = ask("GET", "/vocabulary", params={"tokenizer": "gpt-4o"})
    assert (chosen.status_code, chosen.headers["location"]) == (303, "/vocabulary/o200k_base")


def test_pages_lead_to_the_next_without_a_script(ask):
    page = ask("GET", "/vocabulary/gpt2", params={"q": "ing", "sort": "text"}).text
    seen = ids(page)
    while link := re.search(r'<a href="([^"]+)" rel="next">', page):
        page = ask("GET", html.unescape(link[1])).text
        seen += ids(page)
    whole = found(ask, "gpt2", q="ing", sort="text", limit=1000)
    assert len(seen) == whole["total"] > 900
    assert seen[:1000] == [token["id"] for token in whole["tokens"]]


def test_a_row_is_found_by_its_id(ask):
    page = ask("GET", "/vocabulary/gpt2", params={"at": 40000}).text
    assert ids(page) == [*range(40000, 40100)]
    assert 'data-place="40000" data-block="100" data-at="40000"' in page


def test_rows_come_as_a_part(ask):
    part = ask("GET", "/vocabulary/gpt2/rows", params={"offset": 50_234}, headers=HTMX)
    assert "<html" not in part.text
    assert ids(part.text) == [*range(50_200, 50_257)]


def test_what_was_typed_stays_beside_the_refusal(ask):
    answer = ask("GET", "/vocabulary/gpt2", params={"q": "(<b>", "by": "regex", "script": "Latin", "longest": "9"})
    assert answer.status_code == 422
    assert "missing ) at position 4" in answer.text
    assert 'value="(&lt;b&gt;"' in answer.text
    assert re.search(r'<option value="Latin" selected>', answer.text)
    assert 'name="by" value="regex" checked' in answer.text
    assert 'name="longest" min="0" max="999999" value="9"' in answer.text


def test_an_entry_shows_its_tree_and_links_to_its_parts(ask):
    page = ask("GET", "/vocabulary/o200k_base/101830").text
    assert '<h1 id="entry-title">Token 101830</h1>' in page
    for part in (43456, 19772, 989, 1134):  # " straw", "berry", " str", "aw"
        assert f'<a href="/vocabulary/o200k_base/{part}">' in page
    assert "Recovered: the file lists ranks, not merges." in page
    part = ask("GET", "/vocabulary/o200k_base/101830", headers=HTMX).text
    assert part.startswith("<article")


@pytest.mark.parametrize("id", EVERY if TIER == "nightly" else ONE_OF_A_KIND)
def test_every_tokenizer_has_an_entry_page(ask, id):
    answer = ask("GET", f"/vocabulary/{id}/200")
    if id in ("words", "characters"):
        assert answer.status_code == 422
        return
    assert answer.status_code == 200
    assert '<h1 id="entry-title">Token 200</h1>' in answer.text


def test_tokens_are_compared_side_by_side(ask):
    page = ask("GET", "/vocabulary/gpt2/compare", params={"ids": "262,50256,262"}).text
    assert page.count('<th scope="col"><a') == 2
    assert '<tr><th scope="row">Rank</th><td>262</td><td>–</td></tr>' in page


def test_a_search_for_a_number_leads_to_the_token_of_that_id(ask):
    assert '<a href="/vocabulary/gpt2/50256">token 50256</a>' in ask("GET", "/vocabulary/gpt2?q=50256").text
    for q in ("50257", "²", "the", "7&by=bytes"):
        assert 'class="direct"' not in ask("GET", f"/vocabulary/gpt2?q={q}").text


def test_heads_sort_and_turn_the_order_around(ask):
    page = ask("GET", "/vocabulary/gpt2?q=ing&sort=bytes").text
    assert 'aria-sort="ascending"><a href="/vocabulary/gpt2?q=ing&amp;sort=bytes&amp;descending=1"' in page
    assert 'href="/vocabulary/gpt2?q=ing&amp;sort=script"' in page


def test_the_details_in_the_playground_lead_to_the_entry(ask):
    page = ask("POST", "/token", data={"tokenizer": "gpt2", "text": "Hello", "token": "0"}, headers=HTMX).text
    assert '<a href="/vocabulary/gpt2/15496">15496</a>' in page


def test_one_token_is_described_by_the_api(ask):
    one = ask("GET", "/api/vocabulary/gpt2/tokens/262").json()
    assert (one["piece"], one["merges"], one["rank"]) == (" the", "ranks", 262)
    assert [part["id"] for part in one["tree"][0]["parts"]] == [256, 258]
    assert one["class"] is None


def test_a_tokenizer_of_a_user_is_browsed_too(ask):
    sent = [("file", (name, data, "application/octet-stream")) for name, data in GOOD.items()]
    id = ask("POST", "/api/tokenizers", files=sent).json()["id"]
    try:
        tokens = {token["piece"]: token["id"] for token in found(ask, id, limit=1000)["tokens"]}
        one = ask("GET", f"/api/vocabulary/{id}/tokens/{tokens['the']}").json()
        assert (one["merges"], len(one["tree"][0]["parts"])) == ("listed", 2)
        page = ask("GET", f"/vocabulary/{id}/{tokens['the']}").text
        assert "As the file lists its merges." in page
    finally:
        ask("DELETE", f"/api/tokenizers/{id}")
    assert ask("GET", f"/vocabulary/{id}").status_code == 404
