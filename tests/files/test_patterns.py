"""A pattern is spelled so that `regex`, Oniguruma and fancy-regex read it alike, or it is refused."""

from contextlib import suppress

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from tiktoken import Encoding
from tokenarium.errors import BadFile
from tokenarium.files.patterns import check_pattern_complexity, make_portable, make_readable
from tokenarium.scratch.fast.pretokenize import split
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from tests.support.patterns import PATTERNS, PUBLISHED
from tests.support.strings import TEXTS

UNSUPPORTED = [
    "(?V1)",
    "(?x)",
    "(?R)",
    "(?1)",
    "(?&a)",
    "(?P>a)",
    "(?(1)a)",
    "(*PRUNE)",
    "(?#a",
    "(?'a",
    "{e<=3}",
    r"\g<0>",
    r"\L<a>",
]
BYTES = {bytes([byte]): byte for byte in range(256)}


@pytest.mark.parametrize("name", PATTERNS)
@given(text=TEXTS | st.text("ab[]&~xyz 123\n.", max_size=20))
def test_every_tool_finds_the_same_words(name, text):
    spelled = make_portable(PATTERNS[name])
    words = [word for _, word in split(PATTERNS[name] or r"[\s\S]+", text)]
    assert [word for _, word in split(spelled, text)] == words
    found = Split(Regex(spelled), "removed", invert=True).pre_tokenize_str(text)
    assert [word for word, _ in found] == words


def test_tiktoken_reads_the_same_words():
    for pattern in PATTERNS.values():
        cut = Encoding("bytes", pat_str=make_portable(pattern), mergeable_ranks=BYTES, special_tokens={})
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
        make_portable(pattern)
    assert refused.value.detail == f"{part} in the pattern is read differently by other libraries."
    assert make_readable(pattern) == pattern


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_patterns_are_not_too_complex(name):
    check_pattern_complexity(PUBLISHED[name])


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("xa{10000000}", "The repeat count at character 3 of the pattern is over 1,000."),
        ("a{1001}", "The repeat count at character 2 of the pattern is over 1,000."),
        ("a{,1001}", "The repeat count at character 2 of the pattern is over 1,000."),
        ("a{" + "9" * 5000 + "}", "The repeat count at character 2 of the pattern is over 1,000."),
        ("[[]a{10000000}]", "The repeat count at character 5 of the pattern is over 1,000."),
        (r"\X{100}", "The repeats in the pattern up to character 7 multiply to too much."),
        ("(?:a{100}){1000}", "The repeats in the pattern up to character 16 multiply to too much."),
        ("(?:" * 20 + "a" + ")+" * 20, "The repeats in the pattern up to character 87 multiply to too much."),
        ("(?:a|b{500}|c{500}){50}", "The repeats in the pattern up to character 23 multiply to too much."),
        ("a{1000}(?# ){1000}", "The repeats in the pattern up to character 18 multiply to too much."),
        (r"a(?#\)(b)", "Syntax that is not supported begins at character 2 of the pattern."),
        ("(?'n'a{100}){1000}", "The repeats in the pattern up to character 18 multiply to too much."),
        ("(" * 900, "The groups at character 50 of the pattern are nested deeper than 50."),
        ("a" * 10_001, "The pattern has 10,001 characters; at most 10,000 are read."),
        ("[a", "A set that is never closed begins at character 1 of the pattern."),
        *((f"b{part}", "Syntax that is not supported begins at character 2 of the pattern.") for part in UNSUPPORTED),
    ],
)
def test_what_may_cost_much_to_compile_is_refused_with_its_place(pattern, message):
    with pytest.raises(BadFile) as refused:
        check_pattern_complexity(pattern)
    assert refused.value.detail == message


@given(pattern=st.text("(?:a|b)+*{2,}[^]\\pL9V1&", max_size=300))
def test_any_text_is_read_or_refused(pattern):
    with suppress(BadFile):
        check_pattern_complexity(pattern)
        with suppress(regex.error):
            assert regex.compile(pattern, regex.V0).pattern == pattern
