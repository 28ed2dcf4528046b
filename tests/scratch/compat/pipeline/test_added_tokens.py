"""Added tokens are matched as `tokenizers` matches them, also where their white space is that of the next one."""

import pytest
from tokenarium.errors import EngineFailed
from tokenarium.scratch.compat.aligned import AlignedText
from tokenarium.scratch.compat.pipeline.added_tokens import AddedToken, AddedTokens
from tokenarium.scratch.compat.pipeline.normalizers import Strip
from tokenizers import AddedToken as LibraryToken
from tokenizers import Tokenizer, models, normalizers

BOTH = {"lstrip": True, "rstrip": True}
CASES = [
    ([("\n", BOTH)], "\n\n", [(1, 0, 2)]),
    ([("  ", BOTH)], "    ", [(1, 0, 4)]),
    ([("\n", {"rstrip": True})], "a\n\nb", [(0, 0, 1), (1, 1, 3), (1, 2, 3), (0, 3, 4)]),
    ([("x", {"rstrip": True}), ("\n", {})], "x\n\n", [(1, 0, 3), (2, 1, 2), (2, 2, 3)]),
    ([(" a", {"rstrip": True}), (" ", {"lstrip": True})], " a b", [(1, 0, 3), (0, 3, 4)]),
]
EMPTY = [
    ("ab<x>cd", [(0, 0, 1), (0, 1, 2), (2, 2, 5), (0, 5, 6), (0, 6, 7)]),
    ("<x><x>", [(2, 0, 3), (2, 3, 6)]),
    (" a b ", [(0, 1, 2), (0, 2, 3), (0, 3, 4)]),
]


def library(tokens, normalizer=None, **options):
    made = Tokenizer(models.WordLevel({"<unk>": 0}, "<unk>"))
    if normalizer:
        made.normalizer = normalizer
    made.add_tokens([LibraryToken(content, **options, **flags) for content, flags in tokens])
    return made


def found(tokens, text, *, normalizer=lambda text: text, **options):
    added = [AddedToken(content, id, **options, **flags) for id, (content, flags) in enumerate(tokens, 1)]
    parts = AddedTokens(added, normalizer).split(AlignedText.of(text))
    return [(token.id if token else 0, *part.span(0, len(part))) for part, token in parts]


@pytest.mark.parametrize(("tokens", "text", "expected"), CASES)
def test_white_space_that_a_token_takes_in_is_not_the_next_ones(tokens, text, expected):
    encoding = library(tokens, normalized=False).encode(text)
    assert [(id, *span) for id, span in zip(encoding.ids, encoding.offsets, strict=True)] == expected
    assert found(tokens, text) == expected


@pytest.mark.parametrize(("text", "expected"), EMPTY)
def test_a_token_that_is_normalized_to_nothing_divides_the_text_into_characters(text, expected):
    tokens = [("\n", {}), ("<x>", {})]
    encoding = library(tokens, normalizers.Strip(), normalized=True).encode(text)
    assert [(id, *span) for id, span in zip(encoding.ids, encoding.offsets, strict=True)] == expected
    assert found(tokens, text, normalizer=Strip().normalize, normalized=True) == expected


def test_where_the_library_panics_the_engine_fails():
    with pytest.raises(EngineFailed, match="white space of another added token"):
        found([("x", {"rstrip": True}), ("\n", {"lstrip": True})], "x\n\n\nb")
    with pytest.raises(EngineFailed, match="normalized to nothing"):
        found([("\n", {})], "é", normalizer=Strip().normalize, normalized=True)
