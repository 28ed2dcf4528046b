"""Chunks cover a text, have at most so many tokens alone, split no grapheme cluster; a fit is the longest of these."""

from itertools import pairwise

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import Invalid, OverLimit
from tokenarium.lab.cells import clusters
from tokenarium.lab.chunks.boundaries import AT, find_graphemes
from tokenarium.lab.chunks.chunking import ChunkOptions, DifferingToken, chunk, fit
from tokenarium.lab.option_schema import from_mapping
from tokenarium.lab.tokenize import tokenize

from tests.conftest import UNLIKE
from tests.support.strings import TEXTS

MARKDOWN = "# One\n\nFirst. Second one.\n\n```py\n# no heading\n\nx = 1\n```\n\nTwo\n---\n\nLast words.\n"
CODE = (
    "import os\nimport re\n\n\n@cache\ndef f(x):\n    if x:\n        return 1\n\n    return 2\n\n\ndef g():\n    pass\n"
)
OPTIONS = st.builds(
    lambda size, overlap, at: {"size": size, "overlap": overlap % (size // 2 + 1), "at": at},
    st.integers(1, 40),
    st.integers(0, 40),
    st.sampled_from(AT),
)
PIECES = [*"ab c.\n", "\xe9", "e\u0301", "👩‍🚀", "你", "<s>", "▁", "  "]
FITTED = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def count(registry, text, tokenizer):
    return len(registry.get(tokenizer).encode(text))


def edges(text):
    """The positions between grapheme clusters, with both ends of the text."""
    return {0, *(match.end() for match in regex.finditer(r"\X", text))}


def divide(registry, text, *, tokenizer="o200k_base", limit=None, add_special_tokens=False, **options):
    asked = {"text": text, "tokenizer": tokenizer, "add_special_tokens": add_special_tokens, **options}
    asked = from_mapping(ChunkOptions, asked)
    return [*chunk(registry, asked, limit=limit)]


def split(registry, text, size, overlap, at, *, tokenizer="o200k_base"):
    return [part.text for part in divide(registry, text, tokenizer=tokenizer, size=size, overlap=overlap, at=at)]


@given(text=TEXTS | st.lists(st.sampled_from([*PIECES, *"\r\u200d각ᄀ\u0600\u0915\u094d🇫🇷🏽"])).map("".join))
def test_graphemes_are_those_of_unicode(text):
    assert {*np.flatnonzero(find_graphemes(text)).tolist()} == edges(text)


@pytest.mark.parametrize("tokenizer", UNLIKE)
@given(text=st.one_of(TEXTS, st.sampled_from([MARKDOWN * 3, CODE * 3])), options=OPTIONS)
def test_each_chunk_alone_fits_and_all_cover_the_text(registry, tokenizer, text, options):
    largest = max((count(registry, one, tokenizer) for one in regex.findall(r"\X", text)), default=0)
    try:
        parts = divide(registry, text, tokenizer=tokenizer, **options)
    except Invalid:
        assert largest > options["size"]
        return
    places = edges(text)
    for part in parts:
        assert part.text == text[part.start : part.end]
        assert part.tokens == count(registry, part.text, tokenizer) <= options["size"]
        assert {part.start, part.end} <= places
    for before, part in pairwise(parts):
        assert before.start < part.start <= before.end < part.end
        shared = text[part.start : before.end]
        assert part.overlap == (count(registry, shared, tokenizer) if shared else 0) <= options["overlap"]
    assert [part.start for part in parts[:1]] == [0][: len(text)]
    assert (parts[-1].end if parts else 0) == len(text)
    if not options["overlap"]:
        assert "".join(part.text for part in parts) == text


@pytest.mark.parametrize("tokenizer", UNLIKE)
@given(text=TEXTS, size=st.integers(0, 20))
def test_a_truncated_text_is_an_end_of_it_that_fits(registry, tokenizer, text, size):
    alone = {"tokenizer": tokenizer, "size": size, "add_special_tokens": False}
    first = fit(registry, text, **alone).text
    last = fit(registry, text, **alone, keep="end").text
    assert text.startswith(first)
    assert text.endswith(last)
    assert max(count(registry, first, tokenizer), count(registry, last, tokenizer)) <= size
    assert {len(first), len(text) - len(last)} <= edges(text)
    if count(registry, text, tokenizer) <= size:
        assert (first, last) == (text, text)


@pytest.mark.parametrize(("tokenizer", "added"), [("bert-base-uncased", 2), ("t5", 1), ("gpt2", 0), ("glm-4", 2)])
def test_tokens_that_are_added_around_a_chunk_take_room_in_it(registry, tokenizer, added):
    text = "Tokens are counted. " * 60
    parts = divide(registry, text, tokenizer=tokenizer, size=32, overlap=4, add_special_tokens=True)
    with_added = [tokenize(registry, part.text, tokenizer=tokenizer, add_special_tokens=True) for part in parts]
    assert [part.tokens for part in parts] == [len(one.encoding) for one in with_added]
    assert max(part.tokens for part in parts) == 32
    assert [part.text for part in parts] == split(registry, text, 32 - added, 4, "token", tokenizer=tokenizer)


def test_a_size_without_room_for_a_token_is_refused(registry):
    with pytest.raises(Invalid) as error:
        divide(registry, "a", tokenizer="bert-base-uncased", size=2, add_special_tokens=True)
    assert error.value.detail == "size must be more than 2: [CLS], [SEP] are added to each chunk."


def test_sentences_are_kept_whole_where_they_fit(registry):
    text = "Dr. Smith came. He left at once. Why?"
    assert split(registry, text, 9, 0, "sentence") == ["Dr. Smith came. ", "He left at once. Why?"]


def test_a_sentence_that_does_not_fit_is_divided_between_words(registry):
    parts = split(registry, "A strawberry is red today. No.", 15, 0, "sentence", tokenizer="bytes")
    assert parts == ["A strawberry is", " red today. No."]


def test_headings_begin_chunks_and_code_is_not_mistaken_for_one(registry):
    first, second = MARKDOWN.split("Two")
    assert split(registry, MARKDOWN, 60, 0, "heading", tokenizer="bytes") == [first, f"Two{second}"]


def test_a_block_of_code_is_kept_whole_where_a_section_does_not_fit(registry):
    parts = split(registry, MARKDOWN, 40, 0, "heading", tokenizer="bytes")
    assert "```py\n# no heading\n\nx = 1\n```\n\n" in parts


def test_definitions_are_kept_whole(registry):
    first, second = CODE.index("@"), CODE.index("def g")
    parts = split(registry, CODE, 70, 0, "code", tokenizer="bytes")
    assert parts == [CODE[:first], CODE[first:second], CODE[second:]]


def test_paragraphs_end_after_empty_lines(registry):
    text = "a b\n\nc d\r\n\r\n\r\ne f"
    parts = split(registry, text, 10, 0, "paragraph", tokenizer="bytes")
    assert parts == ["a b\n\n", "c d\r\n\r\n\r\n", "e f"]


def test_an_overlap_is_shortened_for_a_whole_sentence(registry):
    text = "One two three four. Five six seven eight."
    parts = divide(registry, text, size=7, overlap=3, at="sentence")
    assert [(part.text, part.overlap) for part in parts] == [
        ("One two three four. ", 0),
        (" four. Five six seven eight.", 3),
    ]


def test_tokens_that_differ_alone_are_named(registry):
    parts = divide(registry, "strawberry jam", size=5, at="token", tokenizer="bytes")
    assert [(part.tokens, part.within, part.differing) for part in parts] == [(5, 5, ()), (5, 5, ()), (4, 4, ())]
    first, second = divide(registry, "One. Two. Three.", size=4, at="sentence")
    assert (first.tokens, first.within) == (3, 3)
    assert first.differing == (DifferingToken(2, 220, " ", 4, 5),)
    assert [(token.piece, token.start, token.end) for token in second.differing] == [("Two", 5, 8)]


def test_a_grapheme_cluster_that_is_longer_than_a_chunk_is_an_error(registry):
    with pytest.raises(Invalid) as error:
        divide(registry, "Hi 👩‍🚀", size=10, tokenizer="bytes")
    assert error.value.detail == "The grapheme cluster at code point 3 alone has 11 tokens; a chunk may have 10."


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        ({"size": 0}, "/size"),
        ({"size": 4, "overlap": 3}, "/overlap"),
        ({"size": 4, "overlap": -1}, "/overlap"),
        ({"size": 4, "at": "page"}, "/at"),
        ({"size": 4, "at": "sentence", "language": "xx"}, "/language"),
    ],
)
def test_options_out_of_bounds_are_refused(registry, options, pointer):
    with pytest.raises(Invalid) as error:
        divide(registry, "abc", tokenizer="bytes", **options)
    assert error.value.pointer == pointer


def test_a_sentence_that_crosses_a_piece_is_whole(registry):
    sentence = "This is a sentence of some words. "
    text = sentence * 1000
    lengths = {len(one) for one in split(registry, text, 200, 0, "sentence", tokenizer="bytes")[:-1]}
    assert lengths == {5 * len(sentence)}


def test_more_chunks_than_the_limit_are_refused(registry):
    with pytest.raises(OverLimit, match="more than 2 chunks"):
        divide(registry, "abc", size=1, tokenizer="bytes", limit=2)


@pytest.mark.parametrize("id", ["gpt2", "t5", "mistral-v3", "bert-base-uncased"])
@given(text=FITTED, budget=st.integers(2, 20), keep=st.sampled_from(["start", "end"]), added=st.booleans())
def test_what_fits_has_no_more_tokens_than_the_budget(registry, id, text, budget, keep, added):
    fitted = fit(registry, text, tokenizer=id, size=budget, keep=keep, add_special_tokens=added)
    whole, part = (
        len(tokenize(registry, one, tokenizer=id, add_special_tokens=added).encoding) for one in (text, fitted.text)
    )
    assert fitted.whole == whole
    assert part == fitted.count <= budget
    assert (text.startswith if keep == "start" else text.endswith)(fitted.text)
    if fitted.whole <= budget:
        assert fitted.text == text
    rest = text[len(fitted.text) :] if keep == "start" else text[: len(text) - len(fitted.text)]
    parts = [fitted.text, rest] if keep == "start" else [rest, fitted.text]
    assert [cluster for part in parts for cluster in clusters(part)] == [*clusters(text)]


def test_a_wrong_budget_is_refused(registry):
    with pytest.raises(Invalid, match="at least 0, not -1"):
        fit(registry, "a", tokenizer="gpt2", size=-1)
    with pytest.raises(Invalid, match=r"at least 2: \[CLS\], \[SEP\] are added to the text"):
        fit(registry, "a", tokenizer="bert-base-uncased", size=1)
    with pytest.raises(Invalid, match="start or end, not 'middle'"):
        fit(registry, "a", tokenizer="gpt2", size=1, keep="middle")
