"""The page of comparisons without script: rows and lanes by plain forms, refusals, downloads, sets of texts."""

import csv
import html
import io
import json
import re
from xml.etree import ElementTree

import pytest

from tests.conftest import asker
from tests.support.strings import NASTY

FOUR = ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased"]
OPENING = ["o200k_base", "claude-sonnet-5", "gemma4", "llama-4", "deepseek-v3", "qwen3.5"]
FORM = {"text": "1234567 + 7654321", "tokenizer": FOUR, "order": " ".join(FOUR)}
FRAGMENT = {"HX-Request": "true"}
SVG = "{http://www.w3.org/2000/svg}"


def shown(ask, **changes):
    answer = ask("POST", "/compare", data=FORM | changes, headers=FRAGMENT)
    assert answer.status_code == 200, answer.text
    return answer.text


def rows(text):
    """By tokenizer the cells of its row, as text."""
    table = text[text.index('<table class="tally"') :].partition("</table>")[0]
    found = re.findall(r'<tr data-tokenizer="([^"]+)".*?</tr>', table, re.DOTALL)
    parts = re.split(r'<tr data-tokenizer="[^"]+"', table)[1:]
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", part, re.DOTALL) for part in parts]
    return {
        html.unescape(id): [" ".join(plain(cell).split()) for cell in row] for id, row in zip(found, cells, strict=True)
    }


def segments(text):
    """The characters of each segment, and by lane whether its tokens differ."""
    found = []
    for part in text.split('<span class="seg')[1:]:
        characters, *lanes = part.partition(">")[2].split('<span class="lane">')
        names = [re.findall(r'<i class="([^"]*)"', lane.partition("</span>")[0]) for lane in lanes]
        found.append((plain(characters), [["d" in one.split() for one in lane] for lane in names]))
    return found


def differing(text, lane):
    """The segments whose tokens in a lane are not those of all others."""
    return [one for one, lanes in segments(text) if any(lanes[lane])]


def plain(markup):
    markup = re.sub(r'<bdi class="chip" data-label="NUL[^"]*" data-code="0" data-times="(\d+)"></bdi>', "\0", markup)
    return html.unescape(re.sub(r"<[^>]+>", "", markup))


def test_the_page_opens_with_what_people_choose_between_today(ask):
    assert list(rows(ask("GET", "/compare").text)) == OPENING


def test_differing_tokens_are_dark(ask):
    answer = ask("GET", "/compare?example=arithmetic&" + "&".join(f"tokenizer={one}" for one in FOUR))
    assert [row[1] for row in rows(answer.text).values()] == ["8", "8", "17", "9"]
    assert "".join(differing(answer.text, 0)) == "123456 765432"
    assert differing(answer.text, 3) == ["1", "2", "3", "4", "5", "6", "7", "6", "5", "4", "3", "2"]
    assert ("/compare", "Compare") in re.findall(r'href="(/\w+)" aria-current="page">(\w+)', answer.text)


@pytest.mark.parametrize("example", ["hindi", "python", "arithmetic"])
def test_examples_have_an_address(ask, example):
    assert list(rows(ask("GET", f"/compare?example={example}").text)) == OPENING


def test_a_text_and_a_model_without_a_tokenizer_have_an_address(ask):
    page = ask("GET", "/compare?text=1234567&tokenizer=gpt-4o&tokenizer=claude-opus-5").text
    assert ">\n1234567</textarea>" in page
    assert rows(page)["claude-opus-5"][:3] == ["Claude Opus 5", "about ~ 3–6", "same to +100 % a range"]


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_the_lanes_say_the_text_unchanged(ask, text):
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    assert "".join(one for one, _ in segments(shown(ask, text=text))) == text


def test_htmx_gets_the_result_without_the_page(ask):
    assert "<html" not in shown(ask)


def test_rows_stand_in_the_order_they_were_added(ask):
    assert list(rows(shown(ask, order="bert-base-uncased o200k_base"))) == [
        "bert-base-uncased", "o200k_base", "cl100k_base", "mistral-v1",
    ]  # fmt: skip


def test_without_any_tokenizer_the_page_asks_for_one(ask):
    assert "Choose one to eight tokenizers" in shown(ask, tokenizer=[])


def test_the_baseline_is_what_others_are_told_against(ask):
    found = rows(shown(ask, baseline="mistral-v1"))
    assert found["o200k_base"][2] == "−53 % why?"
    assert found["mistral-v1"][2] == "baseline"
    assert 'name="baseline" value="mistral-v1" title' not in shown(ask, baseline="mistral-v1")


def test_claude_is_a_range_and_no_row_without_a_count_breaks_the_others(ask):
    found = rows(shown(ask, tokenizer=["o200k_base", "claude-sonnet-5", "llama-4", "<b>none</b>"]))
    assert found["o200k_base"][1:] == ["8", "baseline", "$0.010", "0.003 %"]
    assert found["claude-sonnet-5"] == [
        "Claude Sonnet 5", "about ~ 9–15", "+12 % to +88 % a range", "$0.018–$0.030", "0.0009 % – 0.002 %",
    ]  # fmt: skip
    assert found["llama-4"] == ["Llama 4", "Download Llama 4 (6.6 MB) after accepting its licence", "–", "–", "–"]
    assert "There is no tokenizer of this name" in found["<b>none</b>"][1]


def test_an_empty_text_is_0_in_every_row(ask):
    found = rows(shown(ask, text=""))
    assert [row[1] for row in found.values()] == ["0", "0", "0", "0"]
    assert "Type or paste a text to see its tokens" in shown(ask, text="")


def test_rows_without_a_count_alone_are_shown(ask):
    text = shown(ask, tokenizer=["claude-sonnet-5", "llama-4"])
    assert (
        rows(text)["claude-sonnet-5"][1:3] == ["about ~ 9–15", "–"]
        or rows(text)["claude-sonnet-5"][1] == "about ~ 9–15"
    )
    assert segments(text) == []


def sentence(text):
    return plain(re.search(r'<p class="sentence">(.*?)</p>', text, re.DOTALL)[1]).strip()


def test_one_sentence_says_why_a_tokenizer_needs_more_tokens(ask):
    assert "sentence" not in shown(ask)
    assert sentence(shown(ask, versus="mistral-v1")) == (
        "Mistral 7B v0.1 · mistral-v1 needs 9 tokens more than GPT-5 · o200k_base: "
        "8 for digits, 1 for special and added tokens."
    )
    assert sentence(shown(ask, versus="cl100k_base")) == (
        "GPT-4 · cl100k_base needs as many tokens as GPT-5 · o200k_base."
    )
    text = shown(ask, text="你好 hi", tokenizer=["o200k_base", "bytes"], versus="bytes")
    assert sentence(text) == "Bytes needs 7 tokens more than GPT-5 · o200k_base: 5 for Han script, 2 for other words."


def test_an_example_marks_all_places_that_look_like_it(ask):
    """Three groups of three digits are one example, and a click on it marks them and no other place."""
    changes = {"text": "123 abc 456 12 789", "tokenizer": ["o200k_base", "characters"], "versus": "characters"}
    text = shown(ask, **changes)
    values = re.findall(r'name="mark" value="(digits[^"]*)".*?<bdi>([^<]+)</bdi> × (\d+)', text)
    assert values == [("digits  three digits", "three digits", "3"), ("digits  two digits", "two digits", "1")]
    marked = shown(ask, **changes, mark="digits  three digits")
    spotted = re.findall(r'class="seg spotted"[^>]*><bdi class="marked">(.*?)</bdi>', marked)
    assert "".join(map(plain, spotted)) == "123456789"
    assert "three digits</bdi></mark> in 3 places" in marked


def test_a_place_in_a_later_part_is_opened_with_its_mark(ask):
    text = "the cat\n" * 2000 + "1234567"
    changes = {"text": text, "tokenizer": ["o200k_base", "characters"], "versus": "characters"}
    page = shown(ask, **changes, mark="digits  three digits")
    assert re.search(r"Part (\d+) of \1\b", page)


def test_one_tokenizer_has_nothing_to_explain(ask):
    assert "why?" not in shown(ask, tokenizer=["bytes"])


def test_white_space_counts_on_request(ask):
    pair = ["o200k_base", "bert-base-uncased"]
    assert differing(shown(ask, text="the cat", tokenizer=pair), 0) == []
    assert "".join(differing(shown(ask, text="the cat", tokenizer=pair, spaces="1"), 0)) == " cat"
    assert "All tokenizers split this text alike" in shown(ask, text="the", tokenizer=pair)


def test_a_long_text_is_shown_in_parts_that_buttons_turn(ask):
    changes = {"text": "1234 abc\n" * 2000, "tokenizer": ["o200k_base", "characters"]}
    first = shown(ask, **changes)
    second = shown(ask, **changes, part="1")
    last = shown(ask, **changes, part="999")
    number = int(re.search(r"Part 1 of (\d+)", first)[1])
    assert f"Part 2 of {number}" in second
    assert f"Part {number} of {number}" in last
    texts = ["".join(one for one, _ in segments(shown(ask, **changes, part=f"{at}"))) for at in range(number)]
    assert "".join(texts) == changes["text"]
    assert re.findall(r'name="part" value="(\d+)" data-turn', second) == ["0", "2"]


def cost_row(text, model):
    row = re.search(rf'<th scope="row"[^>]*>{model}</th>.*?</tr>', text, re.DOTALL)[0]
    return [plain(cell).strip() for cell in re.findall("<td[^>]*>(.*?)</td>", row, re.DOTALL)]


def test_costs_take_the_readers_own_price_and_number_of_requests(ask):
    text = shown(ask, calls="1000000", **{"price:GPT-4o": "5", "price:GPT-5": "1.25"})
    assert cost_row(text, "GPT-4o") == [
        "o200k_base", "8", "", "10.00", "$0.00004", "$40.00", "128,000", "0.006 %", "your price",
    ]  # fmt: skip
    assert cost_row(text, "GPT-5")[-1] == "2026-11-23"
    assert rows(text)["o200k_base"][3] == "$10.00"


def test_output_tokens_a_measured_ratio_and_all_models_are_measures_of_the_table(ask):
    text = shown(ask, output="100", low="1.5", high="1.6", every="1")
    assert cost_row(text, "GPT-5")[4:6] == ["$0.00001", "$1.01"]
    assert cost_row(text, "Claude Haiku 4.5")[:2] == ["not public", "about ~ 12–13"]
    assert cost_row(text, "Llama 4")[1] == "not downloaded"
    assert text.count('<a href="https://developers.openai.com/api/docs/pricing"') >= 10
    assert '<details class="measures" data-no-slide open>' in text
    assert "tiktoken 0.14 names no encoding for GPT-6." in text


def test_a_price_is_rounded_alike_on_all_pages(ask):
    """7 tokens at $10 a million are $0.00007: one digit, as everywhere below a tenth of a cent."""
    rows = ask("POST", "/models", data={"text": "a " * 6, "models": "gpt-4-turbo"}).text
    assert cost_row(shown(ask, text="a " * 6), "GPT-4 Turbo")[4:6] == ["$0.00007", "$0.070"]
    assert re.findall(r'model-price">([^<]+)<', rows) == ["$0.070"]


def test_an_estimate_is_marked_as_one(ask):
    row = cost_row(shown(ask, **{"own-price": "2.5", "own-window": "80"}), "Your model")
    assert (row[1], row[7], row[8]) == ("≈ 8", "≈ 10.0 %", "an estimate")


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


def test_the_costs_as_csv_and_json_are_those_of_the_api(ask):
    changes = {"tokenizer": ["o200k_base", "claude-sonnet-5"]}
    table = {row["model"]: row for row in csv.DictReader(io.StringIO(download(ask, "costs.csv", **changes)))}
    assert (table["GPT-5"]["tokens_low"], table["Claude Sonnet 5"]["tokens_high"]) == ("8", "15")
    saved = json.loads(download(ask, "costs.json", **changes))
    body = {"text": FORM["text"], "models": [one["id"] for one in saved["models"]]}
    assert saved == ask("POST", "/api/costs", json=body).json()


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
