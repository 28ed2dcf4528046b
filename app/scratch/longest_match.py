"""Longest match over bytes: walk down a trie as far as the text goes, and take the last token on the way.

The tokenizer of RWKV "World" does this over the UTF-8 bytes of a text, without pre-tokens, merges or scores (Peng Bo
2023). A trie is a tree of bytes: tokens that begin alike share the nodes of their beginning (Fredkin 1960), so that one
walk finds all tokens that begin at a place. Every byte is a token, hence no text is unknown.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple


class TrieNode:
    """The place in the trie behind some bytes: the id of the token that ends here, and a node for each next byte."""

    def __init__(self) -> None:
        self.id: int | None = None
        self.next: dict[int, TrieNode] = {}


class TrieStep(NamedTuple):
    """One more byte of the text was read: the bytes from `start` to `end` begin some token; `id` if they are one."""

    start: int
    end: int
    id: int | None


class Match(NamedTuple):
    """A token, and its place in the bytes."""

    id: int
    start: int
    end: int


def trie(vocabulary: Mapping[bytes, int]) -> TrieNode:
    """Return the root of the trie of all tokens.

    >>> root = trie({b"a": 1, b"at": 2})
    >>> root.next[ord("a")].id, root.next[ord("a")].next[ord("t")].id
    (1, 2)
    """
    root = TrieNode()
    for token, id in vocabulary.items():
        node = root
        for byte in token:
            node = node.next.setdefault(byte, TrieNode())
        node.id = id
    return root


def iter_matches(data: bytes, root: TrieNode) -> Iterator[TrieStep | Match]:
    """Yield each step of a walk, and each token. Raises `ValueError` where no token begins.

    >>> list(iter_matches(b"cab", trie({b"a": 1, b"b": 2, b"c": 3, b"cabs": 4})))[:3]
    [TrieStep(start=0, end=1, id=3), TrieStep(start=0, end=2, id=None), TrieStep(start=0, end=3, id=None)]
    """
    start = 0
    while start < len(data):
        node, end, longest = root, start, None
        while end < len(data) and data[end] in node.next:  # some token continues with this byte
            node, end = node.next[data[end]], end + 1
            if node.id is not None:
                longest = Match(node.id, start, end)
            yield TrieStep(start, end, node.id)
        if longest is None:
            raise ValueError(f"No token begins with the byte {data[start]}.")
        start = longest.end  # what was read beyond it is read again
        yield longest


def encode(data: bytes, vocabulary: Mapping[bytes, int]) -> list[int]:
    """Return the ids of the tokens.

    >>> encode(b"cabcabs", {b"a": 1, b"b": 2, b"c": 3, b"cabs": 4})
    [3, 1, 2, 4]
    """
    return [step.id for step in iter_matches(data, trie(vocabulary)) if isinstance(step, Match)]
