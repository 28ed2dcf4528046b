"""A whole unigram vocabulary from text: the words as sentencepiece's trainer sees them, what must be in, and the ids.

`learn_unigram` does the learning. Text is left as it is, but for a space before each
line, and runs of spaces, which count as one.
"""

import re
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from app.errors import Invalid
from app.scratch.learn_unigram import Step, UnigramLearner
from app.scratch.scripts import SPACE
from app.scratch.seeds import BEFORE_NOTHING, BEFORE_SPACE
from app.types import Learned

BARRED = "\0\t ▅"
"""Never in a piece: characters that sentencepiece keeps for its own use, and a space that is not ▁."""
LONGEST_WORD = 1_000
"""Characters. A longer word is learned from in parts, so that no word takes for ever."""
AT_ONCE = 200_000
"""Characters of text that are cut into words in one go, and up to the end of their line."""
UNKNOWN = "<unk>"


class Words(NamedTuple):
    """Words with nothing in them but characters that must be in the vocabulary, and what comes behind each.

    `characters` are these with their counts, the most frequent first.
    """

    counts: Mapping[str, int]
    ends: Mapping[str, int]
    characters: Mapping[str, int]


def counted_unigram(
    texts: Iterable[str], *, special_tokens: Collection[str] = (), counts: Counter[str] | None = None
) -> Counter[str]:
    r"""The words of texts with a space, ▁, before each; the last one of a line also has the line's end.

    Where a special token is spelled out, a word is cut. Given `counts`, adds to them.

    >>> dict(counted_unigram(["to be or\nnot  to<s>be"], special_tokens=["<s>"]))
    {'▁to': 1, '▁be': 1, '▁or\n': 1, '▁not': 1, '▁to\tbe\n': 1}
    """
    counts = Counter() if counts is None else counts
    cut = re.compile("|".join(map(re.escape, sorted(special_tokens, key=len, reverse=True))))
    for text in chain.from_iterable(map(_chunks, texts)):
        plain = cut.sub("\t", text) if special_tokens else text
        lines = f" {plain}\n".replace(SPACE, " ").replace(" \n", "\n").replace("\n", "\n ")
        counts.update(lines.replace(" ", f" {SPACE}").split(" "))
    for nothing in ("", "\n", SPACE, f"{SPACE}\n"):
        del counts[nothing]
    return counts


def _chunks(text: str) -> Iterator[str]:
    """A text cut at ends of lines, so that little of it is held twice."""
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin + AT_ONCE)
        end = len(text) if end < 0 else end
        yield text[begin:end]
        begin = end + 1


def train_unigram(
    counts: Mapping[str, int],
    *,
    size: int,
    special_tokens: Sequence[str] = ("<s>", "</s>"),
    unknown: str = UNKNOWN,
    bytes_too: bool = True,
    longest: int = 16,
    coverage: float = 0.9995,
    single_digits: bool = False,
    as_sentencepiece: bool = True,
) -> Generator[Step, None, Learned]:
    """Learn a vocabulary of that size, special tokens and bytes included, from words as `counted_unigram` counts them.

    Yields each step of the learner and returns the vocabulary: the special tokens, the unknown one first, the bytes,
    then pieces by score. It is smaller than asked for where the words have no more to give. Characters that are rarer
    than those which make up `coverage` of the text are left to the bytes. Pieces keep to one script; with
    `single_digits`, a digit is always one. `as_sentencepiece` begins with the pieces that its 0.2.3 finds, which goes
    by bytes and so misses many outside of Latin script; without, whole words and all that comes twice are among them.

    >>> run = train_unigram(counted_unigram(["low low lower lowest newest widest"] * 9), size=270, special_tokens=())
    >>> *_, last = run
    >>> [(piece, round(score, 2)) for piece, score in last.scores().items() if len(piece) > 1]
    [('▁low', -1.7), ('est', -1.79)]

    Raises `Invalid` where there are no words, and for a size that has no room for what must be in.
    """
    words = covered(counts, coverage)
    special = [unknown, *(token for token in dict.fromkeys(special_tokens) if token != unknown)]
    before = [*special, *(f"<0x{byte:02X}>" for byte in range(256 * bytes_too))]
    needed = len(before) + len(words.characters)
    if size < needed:
        told = f"size is {size:,}; {needed:,} are needed for {len(words.characters):,} characters"
        raise Invalid(f"{told} and {len(before):,} special tokens and bytes.", pointer="/size", limit=needed)
    learner = UnigramLearner(
        words.counts,
        size=size - len(before),
        aim=size * 11 // 10,
        longest=longest,
        ends=words.ends if as_sentencepiece else None,
        by_script=True,
        single_digits=single_digits,
    )
    del words
    yield from learner.steps()
    return _learned(learner.spelled_scores(), before, special, bytes_too=bytes_too)


def _learned(scores: Mapping[str, float], before: Sequence[str], special: Sequence[str], *, bytes_too: bool) -> Learned:
    pieces = sorted(scores.keys() - {*before}, key=lambda piece: (-scores[piece], piece))
    return Learned(
        algorithm="unigram",
        unit="characters",
        pieces=(*before, *pieces),
        scores=(*[0.0] * len(before), *(scores[piece] for piece in pieces)),
        special_tokens={token: id for id, token in enumerate(special)},
        unknown=special[0],
        bytes_too=bytes_too,
    )


def covered(counts: Mapping[str, int], coverage: float) -> Words:
    """Cut words at the rarest characters, so that the others make up at least this part of all, and where too long.

    >>> covered({"▁ab": 9, "▁a☃b\\n": 1}, 0.9)
    Words(counts={'▁ab': 9, '▁a': 1, 'b': 1}, ends={'▁ab': 1, '▁a': 1, 'b': 2}, characters={'a': 10, 'b': 10, '▁': 10})

    Raises `Invalid` where nothing is left.
    """
    characters = _required(counts, coverage)
    found, ends, known = Counter[str](), Counter[str](), frozenset(characters)
    for word, count in counts.items():
        end = BEFORE_NOTHING if word[-1] == "\n" else BEFORE_SPACE
        bare = word[:-1] if end == BEFORE_NOTHING else word
        if known.issuperset(bare) and len(bare) <= LONGEST_WORD:
            found[bare] += count
            ends[bare] |= end
            continue
        parts = [*_parts(bare, known)]
        for place, part in enumerate(parts, 1):
            found[part] += count
            ends[part] |= end if place == len(parts) and bare.endswith(part) else BEFORE_SPACE
    if found.keys() <= {SPACE}:
        raise Invalid("The corpus has no words in it; at least one is needed.", pointer="/text")
    return Words(dict(found), dict(ends), characters)


def _parts(word: str, known: Collection[str]) -> Iterable[str]:
    for part in "".join(char if char in known else "\0" for char in word).split("\0"):
        yield from (part[begin : begin + LONGEST_WORD] for begin in range(0, len(part), LONGEST_WORD))


def _batches(counts: Mapping[str, int]) -> Iterator[list[str]]:
    words = iter(counts)
    while batch := [*islice(words, 10_000)]:
        yield batch


def _required(counts: Mapping[str, int], coverage: float) -> dict[str, int]:
    """The characters that make up this part of all, and their counts, the most frequent first."""
    often = np.zeros(ord(max(chain("\n", map(max, counts)))) + 1, np.int64)
    for words in _batches(counts):
        points = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
        times = np.fromiter(map(counts.__getitem__, words), np.int64, len(words))
        np.add.at(often, points, np.repeat(times, np.fromiter(map(len, words), np.int64, len(words))))
    often[ord("\n")] = 0
    total, so_far, required, there = often.sum(), 0.0, {}, np.flatnonzero(often)
    for point in there[np.argsort(-often[there], kind="stable")].tolist():
        if np.float32(so_far / total) >= np.float32(coverage):
            break
        so_far += often[point]
        if chr(point) not in BARRED:
            required[chr(point)] = int(often[point])
    return required
