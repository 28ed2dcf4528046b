"""Glitch tokens: which tokens of a vocabulary does its own tokenizer never make of their own text?

Decode a token, encode the text again, and see whether the same token comes back (Land and Bartolo 2024). This shows
what a vocabulary can prove. Whether the training of a model ever saw a token, it cannot prove: that takes the model.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

Verdict = Literal["reachable", "unreachable", "undecodable", "special"]


class ReachabilityVerdict(NamedTuple):
    """A token, what the test says of it, and the ids that its text gives."""

    id: int
    verdict: Verdict
    again: Sequence[int]


def check_reachable(
    ids: Iterable[int],
    bytes_of: Callable[[int], bytes],
    encode: Callable[[str], Sequence[int]],
    special: Collection[int],
) -> Iterator[ReachabilityVerdict]:
    """Yield the verdict on each token.

    >>> tokens = [b"a", b"b", b"ab", b"\\xf0", b"<end>"]
    >>> letters = lambda text: [tokens.index(letter.encode()) for letter in text]
    >>> [step.verdict for step in check_reachable(range(5), tokens.__getitem__, letters, special=[4])]
    ['reachable', 'reachable', 'unreachable', 'undecodable', 'special']
    """
    for id in ids:
        if id in special:
            yield ReachabilityVerdict(id, "special", [])  # matched by name before the tokenizer runs, or never
            continue
        try:
            text = bytes_of(id).decode()
        except UnicodeDecodeError:
            yield ReachabilityVerdict(id, "undecodable", [])  # a fragment of a character, which needs others around it
            continue
        again = encode(text)
        if list(again) == [id]:
            yield ReachabilityVerdict(id, "reachable", again)
        else:
            yield ReachabilityVerdict(id, "unreachable", again)
