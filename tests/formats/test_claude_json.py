"""Ranks packed in JSON, as Anthropic and OpenAI publish them for npm."""

import json
from base64 import b64encode

import pytest
from tokenarium.errors import BadFile
from tokenarium.formats.claude_json import load_claude_json

BYTES = " ".join(b64encode(bytes([value])).decode() for value in range(256))


def packed(**changes):
    file = {"explicit_n_vocab": 258, "pat_str": "a|.", "special_tokens": {"<EOT>": 0}, "bpe_ranks": f"! 1 {BYTES} SGk="}
    return json.dumps({**file, **changes}).encode()


def test_ranks_count_up_from_the_number_at_the_beginning_of_each_line():
    file = load_claude_json(packed(bpe_ranks=f"! 1 {BYTES}\n! 400 SGk= SG8="))
    assert (file.pattern, file.special_tokens) == ("a|.", {"<EOT>": 0})
    assert (file.ranks[b"\0"], file.ranks[b"\xff"], file.ranks[b"Hi"], file.ranks[b"Ho"]) == (1, 256, 400, 401)


@pytest.mark.parametrize(
    ("file", "detail"),
    [
        (b"{", "The file is not JSON in UTF-8."),
        (b"\xff", "The file is not JSON in UTF-8."),
        (b"[" * 100_000, "The file is not JSON in UTF-8."),
        (b"[]", "The file has no pat_str of type str."),
        (packed(special_tokens=[]), "The file has no special_tokens of type dict."),
        (packed(bpe_ranks="1 SGk="), "Line 1 of bpe_ranks does not begin with !, a rank and a token."),
        (packed(bpe_ranks="! ² SGk="), "Line 1 of bpe_ranks does not begin with !, a rank and a token."),
        (packed(bpe_ranks="! 12345678 SGk="), "Line 1 of bpe_ranks does not begin with !, a rank and a token."),
        (packed(bpe_ranks="! 7 SGk"), "The token of rank 7 is not base64: 'SGk'."),
        (packed(bpe_ranks="! 7 ü"), "The token of rank 7 is not base64: 'ü'."),
        (packed(bpe_ranks="! 7 SGk=\n! 7 SG8="), "Rank 7 or its token b'Ho' is repeated or too large."),
        (packed(bpe_ranks="! 7 SGk= SGk="), "Rank 8 or its token b'Hi' is repeated or too large."),
        (packed(bpe_ranks="! 7 SGk="), "The byte 0x00 is missing: of 1 line, none gives it a rank."),
        (packed(special_tokens={"<EOT>": 257}), "The special token '<EOT>' has no valid id of its own."),
        (packed(special_tokens={"<EOT>": True}), "The special token '<EOT>' has no valid id of its own."),
        (packed(special_tokens={"": 0}), "The special token '' has no valid id of its own."),
    ],
)
def test_what_is_wrong_with_a_file_is_named(file, detail):
    with pytest.raises(BadFile) as refused:
        load_claude_json(file)
    assert refused.value.detail == detail
