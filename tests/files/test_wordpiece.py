"""A vocab.txt is read line by line, and nonsense is refused by number."""

import random

import pytest
from tokenarium.errors import BadFile
from tokenarium.files.wordpiece import load_vocab

GOOD = "[PAD]\n[UNK]\nplay\n##ing\n##s\n你\n".encode()


def test_the_id_of_a_piece_is_the_number_of_its_line() -> None:
    assert load_vocab(GOOD)["##s"] == 4
    assert load_vocab(GOOD.replace(b"\n", b"\r\n")) == load_vocab(GOOD)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "Line 1 is not one piece: ''."),
        (b"a\n", "None of the 1 lines is [UNK]."),
        (b"[UNK]\n\na\n", "Line 2 is not one piece: ''."),
        (b"[UNK]\na b\n", "Line 2 is not one piece: 'a b'."),
        (b"[UNK]\na\nb\na\n", "Line 4 repeats 'a' of line 2."),
        (b"[UNK]\n\xff\n", "The vocabulary is not UTF-8 at byte 6."),
        (b"a\n" * 1_000_001, "The vocabulary has 1000001 lines; the maximum is 1000000."),
    ],
)
def test_nonsense_is_refused_by_line(data: bytes, message: str) -> None:
    with pytest.raises(BadFile) as refused:
        load_vocab(data)
    assert refused.value.detail == message


def test_a_mutant_is_read_or_refused_and_never_has_two_pieces_of_one_id() -> None:
    source = random.Random(3)
    for _ in range(600):
        data = bytearray(GOOD)
        for _ in range(source.randint(1, 4)):
            at = source.randrange(len(data))
            data[at : at + source.randint(0, 3)] = source.choice([b"\n", b"", b"\xff", b" ", b"a", b"##ing\n"])
        try:
            found = load_vocab(bytes(data))
        except BadFile:
            continue
        assert sorted(found.values()) == list(range(len(found)))
