"""Codes of halls are long enough and forgive how they are typed; tokens of phones cannot be made up."""

import pytest
from tokenarium.hall.halls import (
    ALPHABET,
    code_length,
    hash_secret,
    matches,
    new_code,
    new_phone,
    read_code,
    read_phone,
)


@pytest.mark.parametrize("halls", [0, 1, 100, 10_000])
def test_at_most_one_code_in_ten_million_is_open(halls):
    assert len(ALPHABET) ** code_length(halls) >= 10_000_000 * (halls + 1)
    assert len(new_code(halls)) == code_length(halls)


@pytest.mark.parametrize("typed", ["K7X2P", "k7x2p", " k7x 2p ", "K7X-2P", "k7x\u20132p"])
def test_a_code_is_read_however_it_is_typed(typed):
    assert read_code(typed) == "K7X2P"


@pytest.mark.parametrize("typed", ["", "K7X2", "AAAAA", "K7X2P'", "K" * 13, "../../etc", "Ｋ7X2P"])
def test_what_is_no_code_is_none(typed):
    assert read_code(typed) == ""


def test_the_token_of_a_phone_is_of_one_hall_alone():
    token = new_phone("key of a hall")
    name, _, signature = token.partition(".")
    assert read_phone(token, "key of a hall") == name
    assert read_phone(token, "another") == read_phone(f"{name[::-1]}x.{signature}", "key of a hall") == ""
    assert read_phone("", "key of a hall") == read_phone("é.ü", "key of a hall") == ""


def test_a_secret_is_known_by_its_hash():
    assert matches("secret", hash_secret("secret"))
    assert not matches("other", hash_secret("secret"))
    assert not matches("", "")
