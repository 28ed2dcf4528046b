"""Record the merges of byte-level BPE and the look-ups of a longest match for each word of a text, for its steps.

The tokens are equal to those of `bpe`, `wordpiece` and `longest_match`. A word that occurs again shares the record of
its first occurrence, which saves both time and memory.
"""

from collections.abc import Iterator, Mapping
from itertools import takewhile

from ....types import LongestMatch, Merge, Segmentation, TracedWord
from ..longest_match import ByteTrie
from ..pretokenize import split
from ..wordpiece.encode import WordPiece
from .encode import ByteLevelBPE, merge


def byte_level(bpe: ByteLevelBPE, text: str) -> Iterator[TracedWord]:
    """Yield the words of a text, each with its merges in the order in which byte-level BPE applies them.

    >>> ranks = {bytes([b]): b for b in range(256)} | {b"hi": 256}
    >>> bpe = ByteLevelBPE(ranks, pattern=r"[a-z]+| ")
    >>> [(word.segmentation.symbols, word.byte_start) for word in byte_level(bpe, "hi x")]
    [(b'hi', 0), (b' ', 2), (b'x', 3)]
    """
    cache: dict[str, Segmentation] = {}
    chars = start = 0
    for position, word in split(bpe.pattern, text, trusted=bpe.trusted):
        if chars < position:  # the pattern skipped some characters, which are in no word
            start += len(text[chars:position].encode())
        segmentation = cache.get(word)
        if segmentation is None:
            segmentation = cache[word] = trace_byte_merges(word.encode(), bpe.ranks)
        end = start + len(segmentation.symbols)
        yield TracedWord(segmentation, start, end)
        start = end
        chars = position + len(word)


def trace_byte_merges(data: bytes, ranks: Mapping[bytes, int]) -> Segmentation:
    """Return the tokens and the merges of one word. For a word that is a token, return only merges up to its own rank.

    These merges recover the two parents of the token, which the ranks alone do not contain. If none of them has the
    token's own rank, the token cannot be reached by merging.

    >>> ranks = {b"l": 0, b"o": 1, b"w": 2, b"lo": 3, b"low": 4}
    >>> trace_byte_merges(b"low", ranks).merges, trace_byte_merges(b"low", ranks | {b"low": 3, b"lo": 4}).merges
    ([(3, 0, 1, 2), (4, 0, 2, 3)], [])
    """
    merges: list[Merge] = []
    parts = merge(data, ranks, merges)
    own = ranks.get(data)
    if own is not None:
        up_to_own = [*takewhile(lambda applied: applied[0] <= own, merges)]
        return Segmentation(data, ((own, 0, len(data)),), up_to_own, whole=True)
    tokens = []
    start = 0
    for part in parts:
        tokens.append((ranks[part], start, start + len(part)))
        start += len(part)
    return Segmentation(data, tokens, merges)


def trace_lookups(word: str, model: WordPiece) -> Segmentation:
    """Return the tokens of a word and the look-ups that WordPiece made for it."""
    tried: list[LongestMatch] = []
    return Segmentation(word, model.pieces(word, tried), attempts=tried)


def trace_walks(model: ByteTrie, text: str) -> Iterator[TracedWord]:
    """Yield the parts of a text that no token spans, each with the walks through the trie.

    >>> model = ByteTrie({bytes([byte]): byte for byte in range(256)} | {b" cab": 300})
    >>> [word.segmentation.attempts for word in trace_walks(model, "c ca")]
    [[(0, 1, 1, 99)], [(0, 3, 1, 32), (1, 2, 2, 99), (2, 3, 3, 97)]]
    """
    cache: dict[bytes, Segmentation] = {}
    start = 0
    for part in model.parts(text.encode()):
        if (segmentation := cache.get(part)) is None:
            attempts = model.attempts(part)
            tokens = [(id, at, end) for at, _, end, id in attempts if id is not None]
            segmentation = Segmentation(part, tokens, attempts=attempts)
            cache[part] = segmentation
        if part:
            yield TracedWord(segmentation, start, start + len(part))
        start += len(part)
