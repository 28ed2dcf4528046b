"""What a tokenizer.json says about itself."""

import json

import pytest
from tokenarium.errors import BadFile
from tokenarium.files.conversion import Metadata
from tokenarium.files.records import record_from_files
from tokenarium.files.tokenizer_json.components import document, make_token_component
from tokenarium.files.tokenizer_json.convert import from_tokenizer_json
from tokenarium.lab.tokenizers.adding import NO_UNKNOWN, try_engines

from tests.support.faulty_files import sound


def test_a_file_whose_added_tokens_spell_bytes_is_not_lossless_and_says_why():
    tokens = {
        token: from_tokenizer_json(json.dumps(with_added(token)).encode(), Metadata()) for token in ("<x>", "Bác")
    }
    assert {token: one.lossless for token, one in tokens.items()} == {"<x>": True, "Bác": False}
    assert tokens["Bác"].normalization == (
        "The letters of the added token 'Bác' also spell bytes, to which it is decoded."
    )


def with_added(token):
    return {**sound(), "added_tokens": [make_token_component(token, 262)]}


def test_a_file_without_its_unknown_token_can_be_added_with_a_warning():
    model = {"type": "WordLevel", "vocab": {"hello": 0}, "unk_token": "[UNK]"}
    loaded, notices = try_engines(record_from_files("x", {"a.json": json.dumps(document(model, [])).encode()}))
    assert [one.encode("hello").ids.tolist() for one in loaded] == [[0], [0]]
    assert [notice.detail for notice in notices] == [NO_UNKNOWN]


def test_words_of_no_character_on_which_the_library_panics_are_refused_with_their_place():
    words = {"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "FixedLength", "length": 0}]}
    file = json.dumps({"version": "1.0", "pre_tokenizer": words, "model": {}}).encode()
    with pytest.raises(BadFile, match=r"The length of FixedLength at line 1, column 120 is 0\. It must be 1 or more\."):
        from_tokenizer_json(file, Metadata())
