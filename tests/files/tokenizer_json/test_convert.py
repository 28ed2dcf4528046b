"""What a tokenizer.json says about itself."""

import json

from tokenarium.files.conversion import Metadata
from tokenarium.files.tokenizer_json.components import make_token_component
from tokenarium.files.tokenizer_json.convert import from_tokenizer_json

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
