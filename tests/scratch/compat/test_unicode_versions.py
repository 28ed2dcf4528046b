"""The class of every code point is the one that tiktoken sees."""

import pytest
import regex
import tiktoken
from tokenarium.scratch.compat.unicode_versions import as_of_16

from tests.support.code_points import CODE_POINTS

EVERY = "".join(CODE_POINTS)
BYTES = {bytes([byte]): byte for byte in range(256)}
CLASSES = [rf"\p{{{name}}}" for name in ("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "Cn")]


@pytest.mark.parametrize("pattern", [*CLASSES, r"\s", "(?i:[sdmt])", "(?i:l)", "(?i:v)", "(?i:r)", "(?i:e)"])
def test_every_code_point_has_the_class_that_tiktoken_gives_it(pattern):
    # tiktoken drops what its pattern does not match, so what is left are the members of the class
    library = tiktoken.Encoding("probe", pat_str=pattern, mergeable_ranks=BYTES, special_tokens={})
    theirs = library.decode(library.encode_ordinary(EVERY))
    ours = "".join(EVERY[found.start()] for found in regex.finditer(pattern, as_of_16(EVERY)))
    assert ours == theirs
    assert len(ours) > 1
