"""A pattern of a tokenizer.json matches what the library's Oniguruma matches, or is refused by name."""

from contextlib import suppress
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import BadFile
from tokenarium.scratch.compat.aligned import AlignedText
from tokenarium.scratch.compat.oniguruma.charsets import NAMES, PROPERTIES, classes, list_case_variants
from tokenarium.scratch.compat.oniguruma.search import compile_onig_pattern
from tokenarium.scratch.compat.oniguruma.translation import translate
from tokenarium.scratch.compat.pipeline.normalizers import Replace as OwnReplace
from tokenarium.scratch.compat.pipeline.pre_tokenizers import SplitPreTokenizer
from tokenarium.scratch.compat.unicode_versions import CHANGED
from tokenizers import Regex
from tokenizers.normalizers import Replace
from tokenizers.pre_tokenizers import Split

from tests.support import oniguruma_patterns
from tests.support.patterns import PUBLISHED

POSIX = oniguruma_patterns.POSIX
UNIFORM = [
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xE000, 0xF8FF),
    (0x17000, 0x18CFF),
    (0x20000, 0x10FFFF),
]
ALIKE = {
    code for first, last in UNIFORM for code in range(first + 4, last - 3) if code % 997 and chr(code) not in CHANGED
}
EVERY = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000 and code not in ALIKE)
"""All code points but for most of those in the middle of the large blocks."""


def library_words(pattern, text):
    return [word for word, _ in Split(Regex(pattern), "removed", invert=True).pre_tokenize_str(text)]


def our_words(pattern, text):
    return [text[start:end] for start, end in compile_onig_pattern(pattern).spans(text) if start < end]


def is_read(read, pattern):
    try:
        read(pattern)
    except Exception as error:
        if isinstance(error, BadFile) or "Oniguruma" in str(error):
            return False
        raise
    return True


def both_equal(pattern, text):
    """Compare every match, the empty ones included, of a pattern that both sides read."""
    if is_read(compile_onig_pattern, pattern) and is_read(Regex, pattern):
        found = OwnReplace(compile_onig_pattern(pattern), "\u2402\u2403").normalize(AlignedText.of(text))
        assert found.text == Replace(Regex(pattern), "\u2402\u2403").normalize_str(text)
        assert our_words(pattern, text) == library_words(pattern, text)


@given(pattern=oniguruma_patterns.PATTERNS, text=oniguruma_patterns.TEXTS.filter(bool))
def test_generated_patterns_match_as_in_the_library_or_are_refused(pattern, text):
    both_equal(pattern, text)


@given(
    pattern=st.text(r"()[]{}\?*+|^$.&-:<>=!#imx012,apPkwRb ", max_size=12), text=oniguruma_patterns.TEXTS.filter(bool)
)
def test_any_text_as_a_pattern_matches_as_in_the_library_or_is_refused(pattern, text):
    both_equal(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text", "words"),
    [
        ("[a[bc]]+", "[a]abc", ["a", "abc"]),
        ("[a-z&&[^aeiou]]", "abcde", ["b", "c", "d"]),
        ("[^a[^b]]", "abc", ["b"]),
        ("[[:alpha:][:^ascii:]]", "a1é²", ["a", "é", "²"]),
        (r"\w", "²_-\u200d", ["²", "_"]),
        (r"[\w]", "²_-\u200d", ["_"]),
        (r"\h+", "xBeEfé", ["BeEf"]),
        (r"\R", "\r\n\n\x85", ["\r\n", "\n", "\x85"]),
        (r"a\Z", "aba\n", ["a"]),
        ("(?m)a.", "a\na", ["a\n"]),
        ("a(?i)b|c", "aBCac", ["aB", "ac"]),
        (r"\x{1F600}\e\cA\x41\u0042\012", "😀\x1b\x01AB\n", ["😀\x1b\x01AB\n"]),
        (r"(?<x>a|b)\k<x>", "abba", ["bb"]),
        ("(?i)ß|(?i)fi", "ssSSẞFIﬁ", ["ss", "SS", "ẞ", "FI", "ﬁ"]),
        ("(?i)[ß]+x", "ßssSSx", ["ßssSSx"]),
        ("(?i)sss", "ßssß", ["ßs"]),
        ("(?i:i|'ı)", "iIİı'I'ı", ["i", "I", "I", "'ı"]),
        (r"(?i:\p{Lu})", "aAıİ", ["A", "İ"]),
        ("a{2}?", "aaa", ["aa"]),
        ("a{1,2}+a", "aaa", ["aaa"]),
        (r"[\x{500}-\x{5FF}]", "\u0558\u0378", ["\u0558"]),
        (r"\p{Greek}|\p{^L}", "aα1", ["α", "1"]),
        ("(?x) a # one\n b", "ab", ["ab"]),
        (r"[a](?#\)(b)", "ab", ["a"]),
        (r"[^\S\s]", "a ", []),
        (r"\P{Any}", "aé", []),
        (r"[^\p{Any}]|a", "aé", ["a"]),
        (r"[^[:^alpha:]\w]", "aé1", []),
        (r"[^\p{L}\P{Letter}]", "a1", []),
        (r"(.)\1", "\u0558\ua7ce\u0558\u0558aa", ["\u0558\u0558", "aa"]),
        (r"\p{Assigned}+", "a\u0378\u0558b", ["a", "b"]),
        ("[^一-龥A-Z]", "K-a", ["-", "a"]),
        (r"\X", "e\u0301\r\n\n\u0301", ["e\u0301", "\r\n", "\n", "\u0301"]),
        (r"\X", "👩\u200d🚀🇺🇳🇺★\u200d★", ["👩\u200d🚀", "🇺🇳", "🇺", "★\u200d★"]),
        (r"\X", "क\u094dष", ["क\u094d", "ष"]),
        (r"🇺\X", "🇺🇳🇺", ["🇺🇳"]),
        (r"\Xb", "a\u0301b\u0301b", ["a\u0301b", "\u0301b"]),
    ],
)
def test_syntax_of_oniguruma_has_its_meaning(pattern, text, words):
    assert our_words(pattern, text) == words == library_words(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text", "marked"),
    [
        ("^", "a\n", "|a\n"),
        ("^", "a\n\nb", "|a\n|\n|b"),
        ("$", "a\n", "a|\n|"),
        ("a*", "baac", "|b|c|"),
        ("a|", "aa", "||"),
    ],
)
def test_empty_matches_are_those_of_the_library(pattern, text, marked):
    found = OwnReplace(compile_onig_pattern(pattern), "|").normalize(AlignedText.of(text))
    assert found.text == marked == Replace(Regex(pattern), "|").normalize_str(text)


@pytest.mark.parametrize(
    ("pattern", "detail"),
    [
        (r"(?<=\X)a", r"\X inside a look-behind is not supported."),
        (r"[a\X]", r"\X at character 3 of the pattern is not supported."),
        ("(?<!(?<!a*))", "A negative look-behind of what can be empty, inside a look-behind, is not supported."),
        (r"\K", r"\K at character 1 of the pattern is not supported."),
        ("(?~a)", "(?~ at character 1 of the pattern is not supported."),
        ("(?W)a", "(?W at character 1 of the pattern is not supported."),
        ("a+??", "? at character 4 of the pattern is not supported."),
        (r"\p{Age=6.0}", r"\p at character 1 of the pattern is not supported."),
        (r"\p{In_Basic_Latin}", r"\p{In_Basic_Latin} at character 1 of the pattern is not supported."),
        ("[a&&]", "An empty set at character 1 of the pattern is not supported."),
        (
            r"[^[^\w]&&[^\W]]",
            "A negated intersection that excludes every character beyond ASCII is not supported.",
        ),
        ("[a-[b]]", "- at character 3 of the pattern is not supported."),
        ("[[:foo:]]", "[:foo:] at character 2 of the pattern is not supported."),
        (r"(?i)(a)\1", r"\1 at character 8 of the pattern is not supported."),
        ("(?i)(?:s)s", "A ligature in any case across the border of a group is not supported."),
        ("(?i)(?<=ß)", "ss in any case inside a look-behind is not supported."),
        ("(a", "The group at character 1 of the pattern is never closed."),
        ("(" * 60, "The groups at character 51 of the pattern are nested deeper than 50."),
        ("[" * 60, "The groups at character 51 of the pattern are nested deeper than 50."),
    ],
)
def test_what_is_not_known_to_mean_the_same_is_named(pattern, detail):
    with pytest.raises(BadFile) as refused:
        translate(pattern)
    assert refused.value.detail == detail


@pytest.mark.parametrize("name", ["gpt2", "o200k", "llama3", "qwen2", "deepseek-v3", "bert", "spaces"])
def test_published_patterns_are_kept_as_they_are(name):
    translation = translate(PUBLISHED[name])
    assert (translation.source, translation.exact) == (PUBLISHED[name], False)


@pytest.mark.parametrize(
    "pattern",
    [
        *(f"[[:{name}:]]" for name in POSIX),
        *(pytest.param(rf"\p{{{name}}}", marks=pytest.mark.nightly) for name in NAMES.split()),
        *(rf"\p{{{name}}}" for name in ("Alnum", "Punct", "Greek", "Common", "Assigned", "ID_Start")),
        r"\w",
        r"[\w]",
    ],
)
def test_classes_have_the_code_points_that_the_library_gives_them(pattern):
    assert "".join(our_words(pattern + "+", EVERY)) == "".join(library_words(pattern + "+", EVERY))


def test_every_property_that_is_read_is_one_of_the_library():
    for name in PROPERTIES:
        with suppress(BadFile):
            translate(rf"\p{{{name}}}")
            assert Regex(rf"\p{{{name}}}")


def test_each_character_folds_to_those_of_the_library():
    for folded, equals in classes().items():
        text = "".join(map(chr, sorted(equals)))
        for code in equals if len(equals) < 3 else sorted(equals)[:1]:
            assert library_words(f"(?i){chr(code)}", text) == [*text], folded
            assert our_words(f"(?i){chr(code)}", text) == [*text], folded


def test_no_other_character_folds():
    alone = [
        char for char in EVERY if len(list_case_variants(ord(char))) == 1 and ord(char) not in range(0x3400, 0xA000)
    ]
    for i in range(0, len(alone), 4096):
        text = "".join(alone[i : i + 4096])
        letters = "".join(char for char in text if char.isalpha())[:400]
        for char in letters[::40]:
            assert library_words(f"(?i){char}", text) == [char]


@pytest.mark.parametrize("pattern", [r"\X", r"a\X", r".\X|a", r"\X{2}", r"\X*?b"])
def test_clusters_of_every_two_kinds_of_characters_are_those_of_the_library(pattern):
    kinds = (
        "ab \r\n\x01\u0301\u0903\u200d\u0600\u1100\u1160\u11a8\uac00\uac01\u0378\U000e0fff\U00011a3a\u1acf"
        "🇺©👩\u0915\u094d\U0001f3fb\U0001f6d8\u2605"
    )
    for pair in product(kinds, repeat=2):
        text = "".join(pair)
        both_equal(pattern, f"a{text}{text}b🇺")


@given(text=oniguruma_patterns.TEXTS.filter(bool))
def test_a_split_has_the_offsets_of_the_library(text):
    split = SplitPreTokenizer(compile_onig_pattern("a*|ß"), "Isolated").pre_tokenize(AlignedText.of(text))
    words = [word for word in split if word.text]
    assert [(word.text, word.span(0, len(word))) for word in words] == Split(
        Regex("a*|ß"), "isolated"
    ).pre_tokenize_str(text)
