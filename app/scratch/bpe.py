"""Byte pair encoding: start with single symbols, and merge the adjacent pair of lowest rank, until no pair has a rank.

The rank of a merge is the order in which training found it (see `learn_bpe`), so encoding repeats the training.
Sennrich et al. 2016 rank pairs of symbols; GPT-2 and tiktoken merge bytes, and tiktoken ranks what a pair becomes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import AnyStr, Generic, NamedTuple


class BPEStep(NamedTuple, Generic[AnyStr]):
    """The tokens after a merge, its rank, and which of them it made; before the first merge, the symbols alone."""

    tokens: list[AnyStr]
    rank: float | None = None
    place: int = 0


def iter_merges(
    symbols: Sequence[AnyStr], rank_of: Callable[[AnyStr, AnyStr], float | None]
) -> Iterator[BPEStep[AnyStr]]:
    """Yield the symbols, and then the tokens after each merge. `rank_of` gives the rank of a pair, None for no merge.

    >>> ranks = {"er": 5, "lo": 6, "low": 7}
    >>> for step in iter_merges("lower", lambda a, b: ranks.get(a + b)):
    ...     print(step.rank, *step.tokens)
    None l o w e r
    5 l o w er
    6 lo w er
    7 low er
    """
    tokens = list(symbols)
    yield BPEStep(tokens.copy())
    while True:
        pairs = enumerate(pairwise(tokens))
        candidates = [(rank, place) for place, (a, b) in pairs if (rank := rank_of(a, b)) is not None]
        if not candidates:
            return
        rank, place = min(candidates)  # of equal ranks the leftmost
        tokens[place : place + 2] = [tokens[place] + tokens[place + 1]]
        yield BPEStep(tokens.copy(), rank, place)


def encode(word: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """Return the tokens of a word by the ranks of tokens, as tiktoken's files list them.

    >>> encode(b"aaa", {b"a": 0, b"aa": 1})
    [b'aa', b'a']
    """
    return [*iter_merges([word[i : i + 1] for i in range(len(word))], lambda a, b: ranks.get(a + b))][-1].tokens


def encode_by_pairs(symbols: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    """Return the tokens of a word by a list of merges, the first learned first. Its last symbol may mark its end.

    >>> merges = [("l", "o"), ("lo", "w"), ("e", "s"), ("es", "t"), ("est", "</w>")]
    >>> encode_by_pairs([*"lowest", "</w>"], merges)
    ['low', 'est</w>']
    """
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    return [*iter_merges(symbols, lambda a, b: ranks.get((a, b)))][-1].tokens
