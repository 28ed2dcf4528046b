"""The same encoding, with what was done to each word written down: `bpe` and `wordpiece` cut, here it is told how.

A word that comes again is not cut again; both share what was written down.
"""

from collections.abc import Iterator, Mapping
from itertools import takewhile

from app.scratch.bpe import ByteLevelBPE, merge
from app.scratch.pretokenize import split
from app.scratch.wordpiece import Bert, WordPiece
from app.types import Attempts, CutWord, Merge, TracedWord


def byte_level(bpe: ByteLevelBPE, text: str) -> Iterator[TracedWord]:
    """The words of a text as byte-level BPE cuts them.

    >>> ranks = {bytes([b]): b for b in range(256)} | {b"hi": 256}
    >>> [(word.cut.symbols, word.byte_start) for word in byte_level(ByteLevelBPE(ranks, pattern=r"[a-z]+| "), "hi x")]
    [(b'hi', 0), (b' ', 2), (b'x', 3)]
    """
    known: dict[str, CutWord] = {}
    chars = here = 0
    for at, word in split(bpe.pattern, text):
        if chars < at:
            here += len(text[chars:at].encode())
        cut = known.get(word)
        if cut is None:
            cut = known[word] = merged_bytes(word.encode(), bpe.ranks)
        end = here + len(cut.symbols)
        yield TracedWord(cut, here, end)
        here, chars = end, at + len(word)


def merged_bytes(data: bytes, ranks: Mapping[bytes, int]) -> CutWord:
    """The merges of one word. One that is a token as it stands keeps those below its own rank, as far as they lead.

    So its parents are found, which ranks alone do not say; where the last merge is of another rank, no merges lead
    to the token.

    >>> ranks = {b"l": 0, b"o": 1, b"w": 2, b"lo": 3, b"low": 4}
    >>> merged_bytes(b"low", ranks).merges, merged_bytes(b"low", ranks | {b"low": 3, b"lo": 4}).merges
    ([(3, 0, 1, 2), (4, 0, 2, 3)], [])
    """
    done: list[Merge] = []
    parts = merge(data, ranks, done)
    own = ranks.get(data)
    if own is not None:
        return CutWord(data, ((own, 0, len(data)),), [*takewhile(lambda made: made[0] <= own, done)], whole=True)
    tokens, here = [], 0
    for part in parts:
        tokens.append((ranks[part], here, here + len(part)))
        here += len(part)
    return CutWord(data, tokens, done)


def bert(model: Bert, text: str) -> Iterator[TracedWord]:
    """The words of a text as BERT cuts them.

    >>> pieces = ["[UNK]", "run", "##s"]
    >>> model = Bert({piece: id for id, piece in enumerate(pieces)})
    >>> [(word.cut.tokens, word.byte_end) for word in bert(model, "Runs ?")]
    [([(1, 0, 3), (2, 3, 4)], 4), ([(0, 0, 1)], 6)]
    """
    known: dict[str, CutWord] = {}
    chars = here = 0
    for found in model.STRETCH.finditer(text):
        start, end = found.span()
        here += start - chars
        for word, byte_at in model.words(found.group()):
            cut = known.get(word.text)
            if cut is None:
                cut = known[word.text] = looked_up(word.text, model.model)
            first, last = word.span(0, len(word))
            yield TracedWord(cut, here + byte_at[first], here + byte_at[last])
        here += len(found.group().encode())
        chars = end


def looked_up(word: str, model: WordPiece) -> CutWord:
    """A word that WordPiece cut, and what was looked up for it."""
    tried: list[Attempts] = []
    return CutWord(word, model.pieces(word, tried), attempts=tried)
