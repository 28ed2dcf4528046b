"""One of a thing is named in the singular, on every page that counts a text."""

import html
import re

import pytest

ONE_OF_MANY = re.compile(
    r"(?<![\d,.–-])1 (?:</?\w+[^>]*> ?)*(?:tokens|characters|bytes|words|merges|pieces|patches|units|chunks|matches"
    r"|times|steps|texts|ids|requests|files|lines|symbols|rows)\b"
)
FORMS = {
    "/": {"tokenizer": "gpt2"},
    "/compare": {"tokenizer": "gpt2"},
    "/compare/vocabularies": {"a": "r50k_base", "b": "p50k_base"},
    "/steps": {"tokenizer": "gpt2"},
    "/pipeline": {"tokenizer": "bert-base-uncased"},
    "/chunks": {"tokenizer": "gpt2"},
    "/regex": {"pattern": "a", "tokenizer": "gpt2"},
    "/learn/by-hand": {},
    "/beyond/bytes": {},
    "/beyond/budget": {"model": "gpt-4o"},
}


@pytest.mark.parametrize("address", FORMS)
def test_a_text_of_one_letter_has_no_one_tokens(ask, address):
    sent = FORMS[address] | {"text": "a"}
    page = ask("POST", address, data=sent)
    if page.status_code == 405:
        page = ask("GET", address, params=sent)
    assert page.status_code == 200, page.text
    assert ONE_OF_MANY.findall(html.unescape(page.text)) == []
    assert re.search(r"\b1 (?:</?\w+[^>]*> ?)*(?:token|byte|unit|match|chunk)\b|>1<", page.text)
