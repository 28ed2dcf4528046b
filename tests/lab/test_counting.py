"""The tokens of a text that is cut into parts are as many as those of the whole."""

import subprocess
import sys
from itertools import islice

import pytest
from tokenarium.errors import BadEncoding, SpecialTokenRefused
from tokenarium.lab.conformance import texts
from tokenarium.lab.counting import count_tokens, decode_stream
from tokenarium.lab.examples import EXAMPLES
from tokenarium.lab.text_splitter import find_splitter
from tokenarium.lab.tokenize import tokenize
from tokenarium.settings import ROOT

from tests.conftest import IDS, TIER
from tests.support.strings import NASTY

WHOLE = {"deepseek-coder", "t5", "udhr-unigram-16k", "umt5", "xlm-roberta"}
"""Tokenizers whose texts are not cut."""


def mixed(size):
    """Prose, code, many scripts and nasty strings, with a space, a letter or nothing between them."""
    parts, length = [], 0
    samples = [*NASTY.values(), *(example.text for example in EXAMPLES), *islice(texts(seed=3), 400)]
    while length < size:
        parts.append(samples[len(parts) % len(samples)] + ("", " ", " a b ", " 1 é", "\n")[len(parts) % 5])
        length += len(parts[-1])
    return "".join(parts)


TEXT = " " + mixed({"commit": 40_000, "nightly": 300_000}[TIER])


def pieces(text, size=999):
    return (text[start : start + size] for start in range(0, len(text), size))


def test_all_but_some_tokenizers_can_be_cut(registry):
    assert {id for id in IDS if find_splitter(registry, id, registry.info(id).engines[0], "text") is None} == WHOLE & {
        *IDS
    }


@pytest.mark.parametrize("id", sorted({*IDS} - WHOLE))
def test_the_parts_have_as_many_tokens_as_the_whole(registry, id):
    cut = find_splitter(registry, id, registry.get(id).engine, "parse")
    assert len([*cut.parts(pieces(TEXT, 300), size=300)]) > 100
    options = {"tokenizer": id, "special": "parse", "add_special_tokens": True}
    counted = count_tokens(registry, pieces(TEXT, 300), size=300, **options)
    assert counted.count == len(tokenize(registry, TEXT, **options).encoding)
    assert (counted.characters, counted.bytes) == (len(TEXT), len(TEXT.encode()))


@pytest.mark.parametrize("id", sorted({*IDS} - WHOLE))
def test_so_it_is_from_scratch(registry, id):
    text = TEXT[: {"commit": 15_000, "nightly": 40_000}[TIER]]
    options = {"tokenizer": id, "engine": "scratch"}
    assert count_tokens(registry, pieces(text), size=500, **options).count == len(
        tokenize(registry, text, **options).encoding
    )


def test_a_text_without_a_place_to_cut_is_counted(registry):
    text = "\u4e16\u754c\n" * 2000
    counted = count_tokens(registry, pieces(text), size=100, tokenizer="o200k_base")
    assert counted.count == len(tokenize(registry, text, tokenizer="o200k_base").encoding)


def test_a_refusal_names_the_place_in_the_text(registry):
    text = "a b " * 1000 + "<|endoftext|>"
    with pytest.raises(SpecialTokenRefused, match="at code point 4000"):
        count_tokens(registry, pieces(text), size=100, tokenizer="gpt2", special="refuse")


@pytest.mark.parametrize("bad", [b"\xff", b"\xe4\xb8", b"\xed\xa0\x80", b"\xc3("])
@pytest.mark.parametrize("before", [b"", b"a", "\u4e16".encode() * 5])
def test_a_byte_that_is_not_utf8_is_named_by_its_place(bad, before):
    data = before + bad
    for size in (1, 2, 3, 100):
        with pytest.raises(BadEncoding, match=f"^Byte {len(before)} is not UTF-8.$"):
            "".join(decode_stream(data[start : start + size] for start in range(0, len(data), size)))


def test_counting_a_file_takes_the_memory_of_some_parts(tmp_path):
    code = (
        "import sys; from tokenarium.__main__ import main; main(['count', '-t', 'gpt2', sys.argv[1]]); "
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )

    text = mixed(130_000)

    def counted(times):
        path = tmp_path / str(times)
        path.write_bytes(text.encode() * times)
        done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, cwd=ROOT, check=True)
        *_, row, kilobytes = done.stdout.splitlines()
        return int(row.split()[0]), int(kilobytes)

    (few, small), (many, large) = counted(10), counted(120)
    assert many > 11 * few
    assert large - small < 60_000
    assert large < 300_000
