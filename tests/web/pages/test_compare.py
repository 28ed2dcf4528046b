"""The page of comparisons without script: columns and places by plain forms, refusals, downloads, sets of texts."""

import csv
import html
import io
import re
from xml.etree import ElementTree

import pytest

from tests.conftest import asker
from tests.support.strings import NASTY

FOUR = ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased"]
OPENING = ["o200k_base", "gemma4", "deepseek-v3", "qwen3.5", "tekken"]
FORM = {"text": "1234567 + 7654321", "tokenizer": FOUR, "order": " ".join(FOUR)}
FRAGMENT = {"HX-Request": "true"}
SVG = "{http://www.w3.org/2000/svg}"


def shown(ask, **changes):
    answer = ask("POST", "/compare", data=FORM | changes, headers=FRAGMENT)
    assert answer.status_code == 200, answer.text
    return answer.text


def columns(text):
    """By tokenizer the markup of its column."""
    parts = re.split(r'<article class="col[^"]*" data-tokenizer="([^"]+)"', text)
    return dict(zip(parts[1::2], (part.partition("</article>")[0] for part in parts[2::2]), strict=True))


def plain(markup):
    markup = re.sub(r'<bdi class="chip" data-label="NUL[^"]*" data-code="0" data-times="(\d+)"></bdi>', "\0", markup)
    return html.unescape(re.sub(r"<[^>]+>", "", markup))


def ringed(column, text=FORM["text"]):
    """What ringed tokens cover of the text."""
    found = re.findall(r'<span class="tok [^"]*\bring\b[^"]*" data-s="(\d+)" data-e="(\d+)"', column)
    return [text[int(start) : int(end)] for start, end in found]


def test_the_page_opens_with_what_people_choose_between_today(ask):
    assert list(columns(ask("GET", "/compare").text)) == OPENING


def test_differing_tokens_are_ringed(ask):
    answer = ask("GET", "/compare?example=arithmetic&" + "&".join(f"tokenizer={one}" for one in FOUR))
    found = columns(answer.text)
    assert list(found) == FOUR
    assert ringed(found["o200k_base"]) == ["123", "456", " ", "765", "432"]
    assert ringed(found["bert-base-uncased"]) == ["123", "45", "6", "76", "54", "32"]
    assert ("/compare", "Compare") in re.findall(r'href="(/\w+)" aria-current="page">(\w+)', answer.text)


@pytest.mark.parametrize("example", ["hindi", "python", "arithmetic"])
def test_examples_have_an_address(ask, example):
    assert list(columns(ask("GET", f"/compare?example={example}").text)) == OPENING


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_every_column_says_the_text_unchanged(ask, text):
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    for column in columns(shown(ask, text=text)).values():
        body = column[column.index('class="text') :]
        assert plain(body[body.index(">") + 1 : body.rindex("</div>")]) == text


def test_htmx_gets_the_result_without_the_page(ask):
    assert "<html" not in shown(ask)


def test_columns_stand_in_the_order_they_were_added(ask):
    assert list(columns(shown(ask, order="bert-base-uncased o200k_base"))) == [
        "bert-base-uncased", "o200k_base", "cl100k_base", "mistral-v1",
    ]  # fmt: skip


def test_a_button_takes_a_column_away_without_script(ask):
    assert list(columns(ask("POST", "/compare", data=FORM | {"remove": "mistral-v1"}).text)) == [
        "o200k_base", "cl100k_base", "bert-base-uncased",
    ]  # fmt: skip


def test_without_any_tokenizer_the_page_asks_for_one(ask):
    assert "Choose one to eight tokenizers" in shown(ask, tokenizer=[])


def test_the_baseline_is_what_others_are_told_against(ask):
    found = columns(shown(ask, baseline="mistral-v1"))
    assert 'data-count="change">−53 %' in found["o200k_base"]
    assert 'data-count="change"' not in found["mistral-v1"]


def sentence(text):
    return plain(re.search(r'<p class="sentence">(.*?)</p>', text, re.DOTALL)[1]).strip()


def test_one_sentence_says_why_a_tokenizer_needs_more_tokens(ask):
    assert sentence(shown(ask)) == (
        "Mistral 7B v0.1 · mistral-v1 needs 9 tokens more than GPT-5 · o200k_base: "
        "8 for digits, 1 for special and added tokens."
    )
    assert sentence(shown(ask, versus="cl100k_base")) == (
        "GPT-4 · cl100k_base needs as many tokens as GPT-5 · o200k_base."
    )
    text = shown(ask, text="你好 hi", tokenizer=["o200k_base", "bytes"])
    assert sentence(text) == "Bytes needs 7 tokens more than GPT-5 · o200k_base: 5 for Han script, 2 for other words."
    assert re.findall(r'data-from="(\d)" data-to="(\d)"', text) == [("0", "2"), ("2", "5")]


def test_one_tokenizer_has_nothing_to_explain(ask):
    assert "Extra tokens" not in shown(ask, tokenizer=["bytes"])


def test_a_tokenizer_that_fails_has_its_error_in_its_column(ask):
    found = columns(shown(ask, tokenizer=["o200k_base", "<b>none</b>"]))
    assert 'data-count="tokens">8<' in found["o200k_base"]
    assert "There is no tokenizer of this name" in found["&lt;b&gt;none&lt;/b&gt;"]


def test_white_space_counts_on_request(ask):
    assert ringed(columns(shown(ask, text="the cat"))["o200k_base"], "the cat") == []
    assert ringed(columns(shown(ask, text="the cat", spaces="1"))["o200k_base"], "the cat") == [" cat"]


def test_places_are_tables_on_the_same_characters(ask):
    text = shown(ask, view="places")
    assert "Differences in 4 places" in text
    first = text[text.index('class="place"') :].partition("</table>")[0]
    assert re.findall(r'<td colspan="(\d)"', first) == ["3", "3", "1", "1", "1", "3"]
    assert "All tokenizers split this text alike" in shown(ask, text="the", view="places")


def test_places_beyond_the_first_page_are_behind_a_button(ask):
    text = shown(ask, text="1234 " * 100, view="places", tokenizer=["o200k_base", "characters"])
    value = re.search(r'name="place" value="(\d+)" data-page="1"', text).group(1)
    then = shown(ask, text="1234 " * 100, view="places", tokenizer=["o200k_base", "characters"], place=value)
    assert f'aria-label="Place {int(value) + 1},' in then
    assert 'data-page="-1"' in then


def test_a_long_text_shows_its_beginning_and_says_so(ask):
    text = shown(ask, text="नमस्ते दुनिया " * 2000)
    assert re.search(r"The first [\d,]+ of 28,000 characters are shown. All numbers count the whole text.", text)


def test_costs_take_the_readers_own_price_and_number_of_calls(ask):
    text = shown(ask, calls="1000000", **{"price:GPT-4o": "5"})
    row = re.search(r'<th scope="row">GPT-4o</th>.*?</tr>', text, re.DOTALL)[0]
    assert [plain(cell).strip() for cell in re.findall("<td[^>]*>(.*?)</td>", row)] == [
        "o200k_base", "8", "", "$0.00004", "$40.00", "128,000", "0.006 %", "2026-11-23, your price",
    ]  # fmt: skip


def test_a_price_is_rounded_alike_on_all_pages(ask):
    """12 tokens at $10 a million are $0.00012: one digit, as everywhere below a tenth of a cent."""
    row = re.search(r'<th scope="row">GPT-4 Turbo</th>.*?</tr>', shown(ask, text="a " * 6), re.DOTALL)[0]
    strip = ask("POST", "/costs/strip", data={"text": "a " * 6, "models": "gpt-4-turbo"}).text
    assert re.findall(r"\$[\d.]+", plain(row))[0] == re.findall(r'strip-price">([^<]+)<', strip)[0] == "$0.00007"


def test_an_estimate_is_marked_as_one(ask):
    text = shown(ask, **{"own-price": "2.5", "own-window": "80"})
    row = re.search(r'<tr class="guess">.*?</tr>', text, re.DOTALL)[0]
    assert "≈ 8" in row
    assert "≈ 10.0 %" in row
    assert "an estimate" in row


def test_a_text_over_the_limit_is_refused_by_its_limit(registry):
    answer = asker(registry, max_text=10)("POST", "/compare", data=FORM | {"text": "a" * 11}, headers=FRAGMENT)
    assert answer.status_code == 413
    assert "the limit is 10" in answer.text


def download(ask, name, **changes):
    answer = ask("POST", "/compare/download", data=FORM | changes | {"format": name})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    return answer.text


def test_the_summary_as_csv_is_sorted_by_count(ask):
    rows = list(csv.DictReader(io.StringIO(download(ask, "summary.csv"))))
    assert [(row["tokenizer"], row["tokens"], row["difference"]) for row in rows] == [
        ("o200k_base", "8", "0.0"),
        ("cl100k_base", "8", "0.0"),
        ("bert-base-uncased", "9", "0.125"),
        ("mistral-v1", "17", "1.125"),
    ]


def test_the_agreement_as_csv_is_the_matrix(ask):
    head, *rows = csv.reader(io.StringIO(download(ask, "agreement.csv")))
    assert head == ["", *FOUR]
    assert [row[0] for row in rows] == FOUR
    assert float(rows[0][2]) == 1.0


def test_charts_are_pictures_of_the_same_numbers(ask):
    summary = ElementTree.fromstring(download(ask, "summary.svg"))
    widths = [float(bar.get("width")) for bar in summary.findall(f"{SVG}rect")[1:]]
    assert widths == [188.24, 188.24, 211.76, 400.0]
    heat = ElementTree.fromstring(download(ask, "agreement.svg"))
    assert len(heat.findall(f"{SVG}rect")) == 1 + 16
    assert {text.text for text in heat.findall(f"{SVG}text")} >= {"100", "GPT-5 · o200k_base", "GPT-4 · cl100k_base"}


def test_a_set_is_counted_without_script(ask):
    answer = ask("POST", "/compare/set", data=FORM | {"set": "code"})
    ledger = answer.text[answer.text.index('id="ledger"') :].partition("</table>")[0]
    assert re.findall(r'<th scope="row">(.*?)</th>', ledger) == ["Python", "JavaScript", "Rust", "C", "SQL", "Total"]


def test_sets_and_their_texts_are_listed(ask):
    listed = ask("GET", "/api/compare/sets").json()
    assert [one["id"] for one in listed] == ["english", "code", "mathematics", "chat", "udhr"]
    for one in listed:
        assert list(ask("GET", f"/api/compare/sets/{one['id']}").json()) == one["texts"]


def test_a_language_of_the_atlas_opens_with_its_text(ask):
    answer = ask("GET", "/compare?language=deu_1996")
    assert "Alle Menschen sind frei und gleich an Würde und Rechten geboren." in answer.text


def test_a_sentence_in_every_language_is_a_set(ask):
    texts = ask("GET", "/api/compare/sets/udhr").json()
    assert len(texts) > 500
    assert "All human beings are born free and equal" in texts["English (eng)"]
