"""How well a vocabulary cuts text it has not seen, whole and as it was when it was smaller."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from app.scratch.unigram import Unigram
from app.scratch.wordpiece import WordPiece
from app.types import Learned

FIRST = 500
"""The curve begins with a vocabulary of about this size, and doubles it."""
PAYS = 0.04
"""Doubling a vocabulary pays as long as it saves this share of the tokens."""

Point = tuple[int, int]
"""The size of a vocabulary, and the tokens that a text has in it."""


def sizes(smallest: int, largest: int) -> list[int]:
    """The sizes at which a curve is measured.

    >>> sizes(300, 8000), sizes(70, 70)
    ([300, 500, 1000, 2000, 4000, 8000], [70])
    """
    doubled, size = [smallest], FIRST
    while size < largest:
        doubled += [size] * (size > smallest)
        size *= 2
    return [*doubled, largest] if largest > smallest else doubled


def curve(learned: Learned, counts: Mapping[str, int]) -> list[Point]:
    """How many tokens words have in the vocabulary as it was at each size; of words and how often each comes.

    Merges and WordPiece's pieces are taken in the order in which they were learned. A unigram vocabulary has no such
    order: of it the characters are taken and the likeliest pieces.

    >>> learned = Learned("bpe", "characters", ("l", "o", "w", "lo", "low"), merges=((0, 1), (3, 2)))
    >>> curve(learned, {"low": 2, "lo": 1})
    [(3, 8), (5, 3)]
    """
    if learned.algorithm == "bpe":
        return [*_merged(learned, counts)]
    cut = _wordpiece if learned.algorithm == "wordpiece" else _unigram
    order = _order(learned)
    return [(size, cut(learned, order[:size], counts)) for size in sizes(_alphabet(learned), len(learned.pieces))]


def _merged(learned: Learned, counts: Mapping[str, int]) -> Iterator[Point]:
    """Make one merge after another wherever its pair stands."""
    ids = {piece: id for id, piece in enumerate(learned.pieces)}
    words = [symbols(word, learned, ids) for word in counts]
    times, places = [*counts.values()], defaultdict[str, set[int]](set)
    for index, word in enumerate(words):
        for pair in map(str.__add__, word, word[1:]):
            places[pair].add(index)
    tokens = sum(len(word) * count for word, count in zip(words, times, strict=True))
    known = {*range(len(learned.pieces))} - {ids[learned.pieces[a] + learned.pieces[b]] for a, b in learned.merges}
    asked = sizes(len(known), len(learned.pieces))
    yield asked[0], tokens
    left = asked[1:]
    for a, b in learned.merges:
        made, pair = ids[learned.pieces[a] + learned.pieces[b]], chr(a) + chr(b)
        for index in places.pop(pair, ()):
            before = words[index]
            words[index] = after = before.replace(pair, chr(made))
            tokens -= (len(before) - len(after)) * times[index]
            for new in map(str.__add__, after, after[1:]):
                if chr(made) in new:
                    places[new].add(index)
        known.add(made)
        if left and len(known) == left[0]:
            yield left.pop(0), tokens


def symbols(word: str, learned: Learned, ids: Mapping[str, int]) -> str:
    """A word in symbols whose code points are ids; one that the vocabulary lacks is 0x10FFFF.

    >>> symbols("lox", Learned("bpe", "characters", ("l", "o")), {"l": 0, "o": 1})
    '\\x00\\x01\\U0010ffff'
    """
    if learned.unit == "bytes":
        return word.encode().decode("latin-1")
    units = [*word]
    if learned.unit == "marked":
        units[-1:] = [units[-1] + "</w>"]
    return "".join(chr(ids.get(unit, 0x10FFFF)) for unit in units)


def _alphabet(learned: Learned) -> int:
    """How many pieces there are that nothing was learned for."""
    return sum(_single(piece, learned) for piece in learned.pieces)


def _single(piece: str, learned: Learned) -> bool:
    """Whether a piece is a character, a byte, or special."""
    return (
        piece in learned.special_tokens
        or len(piece.removeprefix("##")) == 1
        or (learned.bytes_too and piece.startswith("<0x") and len(piece) == 6)
    )


def _order(learned: Learned) -> Sequence[int]:
    """Ids in the order in which smaller vocabularies have them."""
    scores = learned.scores or [0.0] * len(learned.pieces)
    return sorted(range(len(scores)), key=lambda id: (not _single(learned.pieces[id], learned), -scores[id], id))


def _wordpiece(learned: Learned, ids: Sequence[int], counts: Mapping[str, int]) -> int:
    unknown = learned.unknown or ""
    model = WordPiece({learned.pieces[id]: id for id in (learned.special_tokens[unknown], *ids)}, unknown=unknown)
    return sum(len(model.pieces(word)) * count for word, count in counts.items())


def _unigram(learned: Learned, ids: Sequence[int], counts: Mapping[str, int]) -> int:
    kept = {learned.pieces[id]: id for id in ids if learned.pieces[id] not in learned.special_tokens}
    model = Unigram(kept, {piece: learned.scores[id] for piece, id in kept.items()}, unknown=len(learned.pieces))
    lacking, tokens = len(learned.pieces), 0
    for word, count in counts.items():
        here = 0
        for id, size in model.pieces(word):
            tokens += count * (len(word[here : here + size].encode()) if learned.bytes_too and id == lacking else 1)
            here += size
    return tokens


def knee(points: Sequence[Point]) -> int | None:
    """The size from which doubling no longer pays, if that is reached.

    >>> knee([(1000, 100), (2000, 90), (4000, 88), (8000, 87)]), knee([(1000, 100), (2000, 50)])
    (2000, None)
    """
    for (small, before), (large, after) in pairwise(points):
        if large >= 2 * small and before - after < PAYS * before:
            return small
    return None
