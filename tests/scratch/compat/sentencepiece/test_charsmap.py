"""A character map is applied to every code point and cluster as the tokenizers library applies it."""

import pytest
from tokenarium.formats.charsmap import load_charsmap
from tokenarium.scratch.compat.aligned import AlignedText
from tokenarium.scratch.compat.sentencepiece.charsmap import Precompiled
from tokenizers import normalizers

from tests.support.tokenizers_trained import charsmap

ALL = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]


@pytest.mark.parametrize("kind", ["unigram", "unigram nfkc_cf"])
@pytest.mark.parametrize("shape", ["{0}", "a{0}", "{0}\u0301", "\u0915{0}", "{0}\u200da", "\u1100{0}"])
def test_every_code_point_is_replaced_as_the_library_does_it(kind, shape):
    ours = Precompiled(load_charsmap(charsmap(kind), "The map")).normalize
    theirs = normalizers.Precompiled(charsmap(kind))
    lines = "\n".join(shape.format(char) for char in ALL[:0x20000] + ALL[0xE0000 - 0x800 : 0xE1000 - 0x800])
    pairs = zip(ours(AlignedText.of(lines)).text.split("\n"), theirs.normalize_str(lines).split("\n"), strict=True)
    assert [(ascii(found), ascii(expected)) for found, expected in pairs if found != expected] == []
