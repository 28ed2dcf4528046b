"""In any case, a pattern matches what it matches in tiktoken."""

import pytest
import tiktoken
from tokenarium.errors import Invalid
from tokenarium.scratch.compat.oniguruma.charsets import classes
from tokenarium.scratch.fast.pretokenize import compile_untrusted, finder, split

BYTES = {bytes([byte]): byte for byte in range(256)}
LETTERS = "ıĸʕŉ𝐀𝐚 1'" + "".join(sorted({chr(code) for codes in classes().values() for code in codes}))
PARTS = [
    *("i", "I", "ı", "İ", "k", "ß", "ﬆ", "ΐ", r"\x69", "(?:i)", "(?-i:i)", "i(?=ı)", "(?<x>i)", "(?#i)i", "'i|[i]"),
    *("[i]", "[a-z]", "[^i]", "[^a-z]", "[ﬀŉﬆ]", r"[a-z\p{Lu}]", r"[^\p{Lu}]", r"[\P{Lu}x]", r"[^\P{Lu}x]", r"[^\W]"),
    *(r"\p{Lu}", r"\p{Ll}", r"\p{Lt}", r"\P{Lu}", r"\p{^Lu}", r"\p{L}", r"\p{Greek}", r"\p{Lowercase}", r"\w", "."),
]


@pytest.mark.parametrize("part", PARTS)
def test_every_letter_with_case_is_matched_as_in_tiktoken(part):
    for pattern in (f"(?i:{part})", f"(?i){part}"):
        library = tiktoken.Encoding("test", pat_str=pattern, mergeable_ranks=BYTES, special_tokens={})
        matched = library.decode_bytes(library.encode(LETTERS)).decode()
        assert "".join(word for _, word in split(pattern, LETTERS)) == matched


@pytest.mark.parametrize(("pattern", "words"), [("(?i:ı)", []), (r"(?i:\P{Lu})", ["1"]), (r"(?i)\p{Ll}", ["I", "i"])])
def test_text_of_ascii_alone_is_matched_in_the_same_case(pattern, words):
    assert [word for _, word in split(pattern, "Ii1")] == words == [*finder(pattern)("Ii1")]


def test_an_error_names_its_place_in_the_pattern_as_it_is_written():
    with pytest.raises(Invalid, match="missing \\) at position 7"):
        compile_untrusted("(?i:iii")
