"""Ids to text as a page: the verdict, both lists, the number of segmentations, and what is no id."""

import re

SENT = {"tokenizer": "gpt2", "seed": "0"}


def test_the_page_says_where_ids_first_differ(ask):
    page = ask("POST", "/detokenize/ids", data={**SENT, "text": "[64, 11, 258, 18798]"}).text
    assert "at index 2 there is 258 &#39;he&#39;, where the tokenizer gives 31373 &#39;hello&#39;." in page
    assert page.count('class="ids-token differs"') == 2
    assert re.search(r"in <b>16</b> ways", page)


def test_a_number_of_many_digits_is_told_by_its_length(ask):
    page = ask("POST", "/detokenize/ids", data={**SENT, "text": "64 " * 400}).text
    ((length,), (digits,)) = re.findall(r"<b>(\d+)</b> digits", page), re.findall(r'ids-digits">([\d,]+)<', page)
    assert len(digits.replace(",", "")) == int(length) > 100


def test_the_steps_show_the_bytes_that_are_held_back(ask):
    page = ask("POST", "/detokenize/ids", data={"tokenizer": "o200k_base", "text": "[13225, 130321, 235]"}).text
    assert re.findall(r'class="ids-held">([^<]*)<', page) == ["", "f0 9f 8c", ""]


def test_an_address_carries_ids(ask):
    assert "Canonical" in ask("GET", "/detokenize?text=31373&tokenizer=gpt2").text


def test_what_is_no_id_is_an_error_on_the_page(ask):
    refused = ask("POST", "/detokenize/ids", data={**SENT, "text": "1, x"})
    assert refused.status_code == 422
    assert "Number 2 is no id" in refused.text
    assert "1, x" in refused.text
    assert "Nothing to decode yet" in ask("POST", "/detokenize/ids", data={**SENT, "text": " "}).text
