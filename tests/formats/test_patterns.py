"""A pattern is spelled so that `regex`, Oniguruma and fancy-regex read it alike, or it is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiktoken import Encoding
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from app.errors import BadFile
from app.formats.patterns import portable, readable
from app.lab.steps.learn.corpora import expression
from app.scratch.pretokenize import split
from app.scratch.words import BERT_WORD
from tests.strings import TEXTS

BYTES = {bytes([byte]): byte for byte in range(256)}
PATTERNS = {
    **{name: expression(name) for name in ("gpt2", "cl100k", "o200k", "llama3")},
    "bert": BERT_WORD.pattern,
    "spaces": r"\S+",
    "whole": "",
    "any": r"[a-z]{2,3}+.|.",
    "sets": r"[^\]a[&&b~~]+|(?:[[x]|y){2}|\s",
    "grouped": r"(ab){1,2}+a|(?=b)b|(?>a+)|[^ab]",
}


@pytest.mark.parametrize("name", PATTERNS)
@given(text=TEXTS | st.text("ab[]&~xyz 123\n.", max_size=20))
def test_every_tool_finds_the_same_words(name, text):
    spelled = portable(PATTERNS[name])
    words = [word for _, word in split(PATTERNS[name] or r"[\s\S]+", text)]
    assert [word for _, word in split(spelled, text)] == words
    found = Split(Regex(spelled), "removed", invert=True).pre_tokenize_str(text)
    assert [word for word, _ in found] == words


def test_tiktoken_reads_the_same_words():
    for pattern in PATTERNS.values():
        cut = Encoding("bytes", pat_str=portable(pattern), mergeable_ranks=BYTES, special_tokens={})
        text = "ab[&~x aab1234\n\n  It\u2019s 'LL ab a. "
        words = "".join(word for _, word in split(pattern or r"[\s\S]+", text))
        assert bytes(cut.encode(text)).decode() == words


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        (r"\w+", r"\w"),
        (r"a|\b", r"\b"),
        ("^a", "^"),
        ("a$", "$"),
        ("(?m)a", "(?m"),
        ("(?P<x>a)", "(?P"),
        (r"[\w]", r"\w"),
        ("[a--b]", "--"),
        ("a{2}?", "{2}?"),
        ("a{x", "{"),
        (r"(a)\1", r"\1"),
        (r"\p{Script=Greek}", r"\p"),
    ],
)
def test_what_is_not_read_alike_is_named(pattern, part):
    with pytest.raises(BadFile) as refused:
        portable(pattern)
    assert refused.value.detail == f"{part} in the pattern is not read alike by other tools."
    assert readable(pattern) == pattern
