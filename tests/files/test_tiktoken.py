"""A ranks file is read and written exactly, nonsense is refused by line; and ranks that are packed in JSON."""

import json
import random
from base64 import b64encode

import pytest
from tokenarium.errors import BadFile
from tokenarium.files.tiktoken.ranks import dump_ranks, load_claude_json, load_ranks

BYTES = {bytes([value]): value for value in range(256)}
BYTE_LINES = dump_ranks(BYTES)
ALL_BYTES = " ".join(b64encode(bytes([value])).decode() for value in range(256))


def test_a_line_is_the_token_in_base64_a_space_and_its_rank() -> None:
    assert dump_ranks({b"Hello": 256, b"\xf0\x9f": 257}) == b"SGVsbG8= 256\n8J8= 257\n"


def test_load_then_dump_gives_the_same_bytes() -> None:
    data = BYTE_LINES + b"SGVsbG8= 256\n8J8= 257\n"
    assert dump_ranks(load_ranks(data)) == data


def test_dump_then_load_gives_the_same_ranks() -> None:
    ranks = BYTES | {b" \n": 300, b"Hello": 256}
    assert load_ranks(dump_ranks(ranks)) == ranks


def test_lines_are_written_by_rank_and_kept_in_the_order_read() -> None:
    assert dump_ranks({b"b": 1, b"a": 0}) == b"YQ== 0\nYg== 1\n"
    assert next(iter(load_ranks(b"SGVsbG8= 256\n" + BYTE_LINES))) == b"Hello"


def test_ranks_may_start_above_zero_and_leave_holes() -> None:
    ranks = {token: rank + 1000 for token, rank in BYTES.items()} | {b"Hello": 5000}
    assert load_ranks(dump_ranks(ranks)) == ranks


@pytest.mark.parametrize("data", [BYTE_LINES[:-1], BYTE_LINES + b"\n\n", BYTE_LINES.replace(b"\n", b"\r\n")])
def test_the_last_newline_empty_lines_and_line_endings_do_not_matter(data: bytes) -> None:
    assert load_ranks(data) == BYTES


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"SGVsbG8=", "Line 257 is not a token in base64, a space and a rank: 'SGVsbG8='."),
        (b"SGVsbG8= ", "Line 257 is not a token in base64, a space and a rank: 'SGVsbG8= '."),
        (b"SGVsbG8= x", "Line 257 is not a token in base64, a space and a rank: 'SGVsbG8= x'."),
        (b"SGVsbG8= -1", "Line 257 is not a token in base64, a space and a rank: 'SGVsbG8= -1'."),
        (b"SGVsbG8= 256 7", "Line 257 is not a token in base64, a space and a rank: 'SGVsbG8= 256 7'."),
        (b"SGVsbG8=  256", "Line 257 is not a token in base64, a space and a rank: 'SGVsbG8=  256'."),
        (b" 256", "Line 257 is not a token in base64, a space and a rank: ' 256'."),
        (b"SGVsbG8 256", "Line 257 does not start with a token in base64: 'SGVsbG8 256'."),
        (b"<html> 256", "Line 257 does not start with a token in base64: '<html> 256'."),
        (b"\xff\xfe 256", r"Line 257 does not start with a token in base64: '\xff\xfe 256'."),
        (b"!" * 50, "Line 257 does not start with a token in base64: '" + "!" * 40 + "...'."),
        (b"SGVsbG8= 10000000", "Line 257 has the rank '10000000'; the largest valid rank is 9999999."),
        (b"SGVsbG8= " + b"9" * 5000, "Line 257 has the rank '" + "9" * 40 + "...'; the largest valid rank is 9999999."),
        (b"IQ== 256", "Line 257 repeats the token b'!', which already has the rank 33."),
        (b"SGVsbG8= 33", "Line 257 repeats the rank 33."),
    ],
)
def test_a_line_that_says_nonsense_is_refused_by_number(line: bytes, message: str) -> None:
    with pytest.raises(BadFile) as refused:
        load_ranks(BYTE_LINES + line + b"\n")
    assert refused.value.detail == message


def test_the_largest_rank_is_accepted() -> None:
    assert load_ranks(BYTE_LINES + b"SGVsbG8= 9999999\n")[b"Hello"] == 9_999_999


def test_a_file_cut_off_inside_a_rank_repeats_one() -> None:
    with pytest.raises(BadFile, match=r"^Line 256 repeats the rank 25\.$"):
        load_ranks(BYTE_LINES[:-2])


def test_every_single_byte_must_have_a_rank() -> None:
    with pytest.raises(BadFile) as refused:
        load_ranks(dump_ranks({token: rank for token, rank in BYTES.items() if rank != 10}))
    assert refused.value.detail == "The byte 0x0A is missing: of 255 lines, none gives it a rank."


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(BadFile, match="The byte 0x00 is missing"):
        load_ranks(b"")


def test_a_mutant_is_refused_or_is_whole() -> None:
    source = random.Random(12)
    good = BYTE_LINES + b"SGVsbG8= 256\n8J8= 257\n"
    for _ in range(600):
        data = bytearray(good)
        for _ in range(source.randint(1, 3)):
            at = source.randrange(len(data))
            data[at : at + source.randint(0, 4)] = source.choice(
                [b"", b"\n", b"9", b" ", b"=", b"\xff", b"SGVsbG8= 256\n"]
            )
        try:
            ranks = load_ranks(bytes(data))
        except BadFile:
            continue
        assert len(set(ranks.values())) == len(ranks) >= 256


def packed(**changes):
    file = {
        "explicit_n_vocab": 258,
        "pat_str": "a|.",
        "special_tokens": {"<EOT>": 0},
        "bpe_ranks": f"! 1 {ALL_BYTES} SGk=",
    }
    return json.dumps({**file, **changes}).encode()


def test_ranks_count_up_from_the_number_at_the_beginning_of_each_line():
    file = load_claude_json(packed(bpe_ranks=f"! 1 {ALL_BYTES}\n! 400 SGk= SG8="))
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
