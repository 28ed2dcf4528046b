"""The variants of a word, as a `logit_bias` names them."""

import pytest
from tokenarium.lab.vocabulary.columns import load_columns
from tokenarium.lab.vocabulary.word_variants import find_variants, make_logit_bias


@pytest.fixture(scope="module")
def find(registry):
    def find(tokenizer, word):
        loaded = registry.get(tokenizer)
        return {one.text: (one.ids, one.parts) for one in find_variants(loaded, load_columns(loaded), word)}

    return find


def test_each_form_has_its_token_or_its_parts(find):
    assert find("gpt2", "hello") == {
        "hello": ((31373,), ()),
        "Hello": ((15496,), ()),
        "HELLO": ((), (13909, 3069, 46)),
        " hello": ((23748,), ()),
        " Hello": ((18435,), ()),
        " HELLO": ((), (47899, 46)),
    }


def test_a_form_in_which_the_word_is_written_is_kept(find):
    assert [*find("gpt2", " iPhone")][:2] == ["iPhone", "iphone"]


@pytest.mark.parametrize(
    ("tokenizer", "word", "pieces"),
    [
        ("bert-base-uncased", "ing", ["##ing", "ing"]),
        ("mistral-v3", "the", ["the", "The", "THE", "▁the", "▁The", "▁THE"]),
    ],
)
def test_all_spellings_of_a_vocabulary_are_found(registry, find, tokenizer, word, pieces):
    ids = [id for some, _ in find(tokenizer, word).values() for id in some]
    assert [registry.get(tokenizer).entry(id).piece for id in ids] == pieces


def test_the_api_names_all_ids_with_their_bias(ask, registry):
    answer = ask("GET", "/api/vocabulary/gpt2/variants?word=hello&bias=-50").json()
    assert answer["logit_bias"] == {"31373": -50, "15496": -50, "23748": -50, "18435": -50}
    loaded = registry.get("gpt2")
    assert answer["logit_bias"] == make_logit_bias(find_variants(loaded, load_columns(loaded), "hello"), -50)


@pytest.mark.parametrize(("query", "pointer"), [("", "/word"), ("word=", "/word"), ("word=a&bias=101", "/bias")])
def test_a_missing_word_and_a_bias_out_of_bounds_are_refused(ask, query, pointer):
    refused = ask("GET", f"/api/vocabulary/gpt2/variants?{query}")
    assert (refused.status_code, refused.json()["pointer"]) == (422, pointer)
