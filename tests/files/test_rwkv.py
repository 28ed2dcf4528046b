"""RWKV's vocabulary file: literals are read and never evaluated, and what is wrong is named by its line."""

import pytest
from tokenarium.errors import BadFile
from tokenarium.files.rwkv import load_rwkv_vocab

BYTES = "".join(f"{byte + 1} {bytes([byte])!r} 1\n" for byte in range(256))


def test_texts_bytes_escapes_and_both_quotes_are_read():
    lines = [r"257 '\t\t' 2", '258 "\'s" 2', "259 'é ' 3", r"300 b'\xe4\xbd' 2", "301 ' ' 1", r"302 '\"' 1"]
    vocabulary = load_rwkv_vocab((BYTES.replace("33 b' ' 1\n", "") + "\n".join(lines[:5])).encode())
    assert {token: id for token, id in vocabulary.items() if id > 256} == {
        b"\t\t": 257,
        b"'s": 258,
        "é ".encode(): 259,
        b"\xe4\xbd": 300,
        b" ": 301,
    }
    assert (vocabulary[b"\0"], vocabulary[b"\xff"]) == (1, 256)


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        ("257 '\xff", "The vocabulary is not UTF-8 at byte 3191."),
        ("'ab' 2", "Line 257 holds no string or bytes literal: ''."),
        ("x 'ab' 2", "Line 257 does not begin with an id up to 9999999."),
        ("99999999 'ab' 2", "Line 257 does not begin with an id up to 9999999."),
        ("257 'ab' 3", "The token of line 257 has 2 bytes, and not '3'."),
        ("257 'ab'", "Line 257 holds no string or bytes literal: ''."),
        ("257 '' 0", "Line 257 holds no string or bytes literal: \"''\"."),
        ("257 ab 2", "Line 257 holds no string or bytes literal: 'ab'."),
        ("257 print('ab') 2", "Line 257 holds no string or bytes literal: \"print('ab')\"."),
        ("257 12 2", "Line 257 holds no string or bytes literal: '12'."),
        ("257 'a'*9**9 2", "Line 257 holds no string or bytes literal: \"'a'*9**9\"."),
        ("256 'ab' 2", "Line 257 repeats an id or a token."),
        ("257 'a' 1", "Line 257 repeats an id or a token."),
    ],
)
def test_what_is_wrong_is_named(line, detail):
    with pytest.raises(BadFile) as refused:
        load_rwkv_vocab(BYTES.encode() + line.encode("latin-1"))
    assert refused.value.detail == detail


def test_a_vocabulary_without_a_byte_is_refused():
    with pytest.raises(BadFile, match="The byte 0x00 is missing"):
        load_rwkv_vocab(b"257 'ab' 2\n")
