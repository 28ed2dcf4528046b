"""/beyond/concepts: sentences, long ones in parts, other units beside them, and where the library errs."""

import csv
import html
import io
import re

import pytest
from tokenarium.lab.beyond.concepts import LANGUAGES, MISTAKES, mistakes, sentences
from tokenarium.lab.beyond.texts import CONCEPT_EXAMPLES

from tests.support.strings import NASTY

TEXT = CONCEPT_EXAMPLES[0].text


def api(ask, **body):
    answer = ask("POST", "/api/beyond/concepts", json={"text": TEXT, **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_library_errs_where_the_page_says_so():
    found = [len(one.sentences) for one in mistakes()]
    assert found == [2, 1, 2, 2, 2, 1, 2, 1]
    assert all(count != one.right for count, one in zip(found, MISTAKES, strict=True))


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Dr. Smith met Mr. Jones at 5 p.m. They talked.", 2),
        ("de", "Das ist z. B. ein Satz. Am 3. Mai kam er.", 2),
        ("ja", "今日は天気がいい。はい！", 2),
        ("hi", "यह एक वाक्य है। यह दूसरा है।", 2),
        ("ar", "مرحبا. كيف حالك؟ بخير.", 3),
    ],
)
def test_it_is_right_about_plain_sentences_of_several_scripts(language, text, expected):
    assert len(sentences(text, language)) == expected


def test_the_api_answers_concepts_and_what_a_context_of_each_unit_holds(ask):
    answer = api(ask, cap=100, context=1000, tokenizers=["o200k_base", "bert-base-uncased"])
    parts = answer["concepts"]
    assert answer["sentences"] == 5
    assert "".join(one["text"] for one in parts) == TEXT
    assert [one["start"] for one in parts[:3]] == [0, 44, 62]
    assert max(len(one["text"]) for one in parts) <= 100
    assert [one["whole"] for one in parts] == [True] * 4 + [False] * (len(parts) - 4)
    units = {one["id"]: one for one in answer["units"]}
    assert units["bytes"]["count"] == len(TEXT.encode()) == 368
    assert units["o200k_base"]["count"] == 95
    assert units["o200k_base"]["held"] == pytest.approx(len(TEXT) / 95 * 1000)


@pytest.mark.parametrize("language", [code for code, _ in LANGUAGES])
def test_no_text_in_any_language_loses_a_character(language):
    for text in NASTY.values():
        assert "".join(sentences(text[:2000], language)) == text[:2000]


def test_the_page_and_its_address_say_the_same(ask):
    form = {"text": "Eins. Zwei, z. B. so. Drei.", "language": "de", "cap": "64", "tokenizer": "gpt2"}
    page = ask("POST", "/beyond/concepts", data=form)
    assert (page.status_code, "<dd>3</dd>" in page.text, "in German" in page.text) == (200, True, True)
    (address,) = re.findall(r'data-address="([^"]+)"', page.text)
    assert re.findall(r'data-address="([^"]+)"', ask("GET", html.unescape(address)).text) == [address]


def test_a_prediction_hides_the_sentences_until_a_number_is_chosen(ask):
    page = ask("GET", "/beyond/concepts?predict=1")
    assert "The text as concepts" not in page.text
    answers = re.findall(r'name="guess" value="(\d+)"', page.text)
    right = [number for number in answers if "Right." in ask("GET", f"/beyond/concepts?predict=1&guess={number}").text]
    assert right == ["5"]
    assert "The answer is 5." in ask("GET", "/beyond/concepts?predict=1&guess=shown").text


def test_an_error_keeps_the_text_and_a_text_is_escaped(ask):
    page = ask("POST", "/beyond/concepts", data={"text": "<b>kept</b>", "cap": "3"})
    assert (page.status_code, 'role="alert"' in page.text) == (422, True)
    assert "&lt;b&gt;kept&lt;/b&gt;" in page.text
    assert "<b>kept" not in ask("GET", "/beyond/concepts", params={"text": "<b>kept</b>"}).text


def test_the_concepts_are_downloaded(ask):
    table = ask("POST", "/beyond/concepts/download", data={"text": "One. Two."}).text
    assert [row["text"] for row in csv.DictReader(io.StringIO(table))] == ["One. ", "Two."]
    whole = ask("POST", "/beyond/concepts/download", data={"text": TEXT, "format": "json", "tokenizer": "gpt2"})
    assert whole.json() == api(ask, tokenizers=["gpt2"])
