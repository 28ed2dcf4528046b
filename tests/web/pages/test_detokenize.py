"""Decode as a page: the text, the verdict, both lists, the number of segmentations, and what is no id."""

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


def test_what_is_no_id_is_named_and_the_others_are_decoded(ask):
    page = ask("POST", "/detokenize/ids", data={**SENT, "text": "15496, x, 99999999, 995"}).text
    assert "2 values are left out; the other ids are decoded." in page
    assert "Number 2, <code>x</code>: ids are whole numbers from 0 to 4294967295." in page
    assert "Number 3, <code>99999999</code>: No token has the id 99999999; the largest id is 50256." in page
    assert re.search(r'ids-text">(.*?)</p>', page)[1] == 'Hello<span class="sp"> </span>world'
    assert "1 value is left out." in ask("POST", "/detokenize/ids", data={**SENT, "text": "x"}).text
    assert "Nothing to decode yet" in ask("POST", "/detokenize/ids", data={**SENT, "text": " "}).text
