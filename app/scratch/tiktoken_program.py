"""tiktoken's `encode` as a program: what is refused, what is parsed, and what becomes of the pieces in between.

`bpe` merges one piece; this file is what is around it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Set
from typing import NamedTuple

from .bpe import encode


class RefusedSpecial(NamedTuple):
    """A special token that the text spells and that is not allowed: the real program raises a `ValueError`."""

    token: str


class ParsedSpecial(NamedTuple):
    """An allowed special token, and its one id."""

    token: str
    id: int


class EncodedPiece(NamedTuple):
    """A piece of the pattern, its ids, and whether it was looked up whole, without a merge."""

    piece: str
    ids: list[int]
    whole: bool


def iter_encoding(
    text: str,
    cut: Callable[[str], Iterator[str]],
    ranks: Mapping[bytes, int],
    special: Mapping[str, int],
    allowed: Set[str] = frozenset(),
    disallowed: Set[str] | None = None,
) -> Iterator[RefusedSpecial | ParsedSpecial | EncodedPiece]:
    """Yield the parts of a text as tiktoken encodes them; by default, every special token is disallowed.

    >>> ranks = {b"a": 0, b"b": 1, b"c": 2, b"ab": 3}
    >>> [*iter_encoding("ab c<|end|>", lambda text: iter(text.split()), ranks, {"<|end|>": 9})]
    [RefusedSpecial(token='<|end|>')]
    >>> *_, last = iter_encoding("ab c<|end|>", lambda text: iter(text.split()), ranks, {"<|end|>": 9}, {"<|end|>"})
    >>> last
    ParsedSpecial(token='<|end|>', id=9)
    """
    refused = special.keys() - allowed if disallowed is None else disallowed
    spelled = [token for token in refused if token in text]
    if spelled:
        yield RefusedSpecial(min(spelled, key=text.find))
        return
    marks = "|".join(map(re.escape, sorted(allowed)))
    for part in re.split(f"({marks})", text) if marks else [text]:
        if part in allowed:
            yield ParsedSpecial(part, special[part])
            continue
        for piece in cut(part):
            data = piece.encode()
            if data in ranks:  # most pieces: no merge is needed
                yield EncodedPiece(piece, [ranks[data]], True)
            else:
                yield EncodedPiece(piece, [ranks[token] for token in encode(data, ranks)], False)
