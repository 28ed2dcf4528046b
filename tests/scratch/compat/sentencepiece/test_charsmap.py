"""A character map is applied to every code point and cluster as the tokenizers library applies it."""

import pytest
from tokenarium.scratch.compat.aligned import AlignedText
from tokenarium.scratch.compat.sentencepiece.charsmap import Precompiled, load_charsmap
from tokenizers import normalizers

from tests.support.code_points import CODE_POINTS
from tests.support.tokenizers_trained import charsmap

MAPPED = [char for char in CODE_POINTS if ord(char) < 0x20000 or 0xE0000 <= ord(char) < 0xE1000]
"""Those in the planes that have any that are replaced."""


@pytest.mark.parametrize("kind", ["unigram", "unigram nfkc_cf"])
@pytest.mark.parametrize("shape", ["{0}", "a{0}", "{0}\u0301", "\u0915{0}", "{0}\u200da", "\u1100{0}"])
def test_every_code_point_is_replaced_as_the_library_does_it(kind, shape):
    ours = Precompiled(load_charsmap(charsmap(kind), "The map")).normalize
    theirs = normalizers.Precompiled(charsmap(kind))
    lines = "\n".join(shape.format(char) for char in MAPPED)
    pairs = zip(ours(AlignedText.of(lines)).text.split("\n"), theirs.normalize_str(lines).split("\n"), strict=True)
    assert [(ascii(found), ascii(expected)) for found, expected in pairs if found != expected] == []
