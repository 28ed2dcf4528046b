"""Train a unigram vocabulary: the words as in sentencepiece's trainer, the required characters, and the ids.

`learn_unigram` learns the pieces and their scores. Text is not normalized, but for a space that is added before each
line, and runs of spaces, which count as one.
"""

import re
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from ....errors import Invalid
from ....types import TrainedVocab
from ...compat.sentencepiece.scripts import SPACE
from .learn import UnigramLearner, UnigramLearningStep
from .seeds import BEFORE_NOTHING, BEFORE_SPACE

EXCLUDED_CHARACTERS = "\0\t ▅"
"""Characters that no piece contains: those that sentencepiece reserves, and the space, which is written ▁."""
MAX_WORD_LENGTH = 1_000
"""In characters. A longer word is divided, so that the time for one word is bounded."""
CHUNK_SIZE = 200_000
"""Characters of text that are split into words at once, plus the rest of their line."""
UNKNOWN = "<unk>"


class RequiredWords(NamedTuple):
    """Words that consist of required characters only, with their counts, and by word what follows it.

    `characters` are the required ones with their counts, the most frequent first.
    """

    counts: Mapping[str, int]
    ends: Mapping[str, int]
    characters: Mapping[str, int]


def count_unigram_words(
    texts: Iterable[str], *, special_tokens: Collection[str] = (), counts: Counter[str] | None = None
) -> Counter[str]:
    r"""Return the counts of the words of texts, each with ▁ before it; the last one of a line includes the newline.

    Special tokens in the text divide words. If `counts` is not None, the counts are added to it.

    >>> dict(count_unigram_words(["to be or\nnot  to<s>be"], special_tokens=["<s>"]))
    {'▁to': 1, '▁be': 1, '▁or\n': 1, '▁not': 1, '▁to\tbe\n': 1}
    """
    counts = Counter() if counts is None else counts
    special = re.compile("|".join(map(re.escape, sorted(special_tokens, key=len, reverse=True))))
    for text in chain.from_iterable(map(_chunks, texts)):
        plain = special.sub("\t", text) if special_tokens else text
        lines = f" {plain}\n".replace(SPACE, " ").replace(" \n", "\n").replace("\n", "\n ")
        counts.update(lines.replace(" ", f" {SPACE}").split(" "))
    for empty in ("", "\n", SPACE, f"{SPACE}\n"):
        del counts[empty]
    return counts


def _chunks(text: str) -> Iterator[str]:
    """Yield a text in chunks of whole lines, so that only one chunk at a time is copied."""
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin + CHUNK_SIZE)
        end = len(text) if end < 0 else end
        yield text[begin:end]
        begin = end + 1


def train_unigram(
    counts: Mapping[str, int],
    *,
    size: int,
    special_tokens: Sequence[str] = ("<s>", "</s>"),
    unknown: str = UNKNOWN,
    byte_fallback: bool = True,
    longest: int = 16,
    coverage: float = 0.9995,
    single_digits: bool = False,
    as_sentencepiece: bool = True,
) -> Generator[UnigramLearningStep, None, TrainedVocab]:
    """Learn a vocabulary of this size, special tokens and bytes included, from words of `count_unigram_words`.

    Yields each step of the learner and returns the vocabulary: the special tokens, the unknown one first, the bytes,
    then pieces by score. It is smaller than `size` if the words have too few repeated substrings. The most frequent
    characters that make up `coverage` of the text are in the vocabulary; the others are encoded as bytes. A piece has
    characters of one script only; with `single_digits`, each digit is a piece. With `as_sentencepiece`, the seed
    vocabulary is that of sentencepiece 0.2.3, which compares bytes and so misses many substrings outside of Latin
    script; without it, it contains whole words and all substrings that occur twice.

    >>> words = count_unigram_words(["low low lower lowest newest widest"] * 9)
    >>> run = train_unigram(words, size=270, special_tokens=())
    >>> *_, last = run
    >>> [(piece, round(score, 2)) for piece, score in last.scores().items() if len(piece) > 1]
    [('▁low', -1.7), ('est', -1.79)]

    Raises `Invalid` if there are no words, or if `size` is too small for the required tokens.
    """
    words = divide_rare(counts, coverage)
    del counts  # which frees them if nobody else has them; training needs much memory
    special = [unknown, *(token for token in dict.fromkeys(special_tokens) if token != unknown)]
    first_pieces = [*special, *(f"<0x{byte:02X}>" for byte in range(256 * byte_fallback))]
    needed = len(first_pieces) + len(words.characters)
    if size < needed:
        required = f"{needed:,} are needed for {len(words.characters):,} characters"
        detail = f"size is {size:,}; {required} and {len(first_pieces):,} special tokens and bytes."
        raise Invalid(detail, pointer="/size", limit=needed)
    learner = UnigramLearner(
        words.counts,
        size=size - len(first_pieces),
        aim=size * 11 // 10,
        longest=longest,
        ends=words.ends if as_sentencepiece else None,
        by_script=True,
        single_digits=single_digits,
    )
    del words  # the learner has its own copy
    yield from learner.steps()
    return _build_vocabulary(learner.get_spelled_scores(), first_pieces, special, byte_fallback=byte_fallback)


def _build_vocabulary(
    scores: Mapping[str, float], first_pieces: Sequence[str], special: Sequence[str], *, byte_fallback: bool
) -> TrainedVocab:
    """Return the vocabulary: the first pieces, then the others by score."""
    pieces = sorted(scores.keys() - {*first_pieces}, key=lambda piece: (-scores[piece], piece))
    return TrainedVocab(
        algorithm="unigram",
        unit="characters",
        pieces=(*first_pieces, *pieces),
        scores=(*[0.0] * len(first_pieces), *(scores[piece] for piece in pieces)),
        special_tokens={token: id for id, token in enumerate(special)},
        unknown=special[0],
        byte_fallback=byte_fallback,
    )


def divide_rare(counts: Mapping[str, int], coverage: float) -> RequiredWords:
    """Divide words at the rarest characters, so that the others make up this share of the text, and too long words.

    >>> words = divide_rare({"▁ab": 9, "▁a☃b\\n": 1}, 0.9)
    >>> words.counts, words.ends
    ({'▁ab': 9, '▁a': 1, 'b': 1}, {'▁ab': 1, '▁a': 1, 'b': 2})
    >>> words.characters
    {'a': 10, 'b': 10, '▁': 10}

    Raises `Invalid` if no word remains.
    """
    characters = _find_required(counts, coverage)
    divided = Counter[str]()
    ends = Counter[str]()
    required = frozenset(characters)
    for word, count in counts.items():
        end = BEFORE_NOTHING if word[-1] == "\n" else BEFORE_SPACE
        bare = word[:-1] if end == BEFORE_NOTHING else word
        if required.issuperset(bare) and len(bare) <= MAX_WORD_LENGTH:
            divided[bare] += count
            ends[bare] |= end
            continue
        parts = [*_parts(bare, required)]
        for place, part in enumerate(parts, 1):
            divided[part] += count
            ends[part] |= end if place == len(parts) and bare.endswith(part) else BEFORE_SPACE
    if divided.keys() <= {SPACE}:
        raise Invalid("The corpus has no words in it; at least one is needed.", pointer="/text")
    return RequiredWords(dict(divided), dict(ends), characters)


def _parts(word: str, required: Collection[str]) -> Iterable[str]:
    """Yield the parts of a word between characters that are not required, none longer than the maximum."""
    for part in "".join(char if char in required else "\0" for char in word).split("\0"):
        yield from (part[begin : begin + MAX_WORD_LENGTH] for begin in range(0, len(part), MAX_WORD_LENGTH))


def _batches(counts: Mapping[str, int]) -> Iterator[list[str]]:
    """Yield the words in lists, so that the arrays of characters in `_find_required` stay small."""
    words = iter(counts)
    while batch := [*islice(words, 10_000)]:
        yield batch


def _find_required(counts: Mapping[str, int], coverage: float) -> dict[str, int]:
    """Return the characters that make up this share of the text, with their counts, the most frequent first."""
    frequencies = np.zeros(ord(max(chain("\n", map(max, counts)))) + 1, np.int64)
    for words in _batches(counts):
        points = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
        times = np.fromiter(map(counts.__getitem__, words), np.int64, len(words))
        np.add.at(frequencies, points, np.repeat(times, np.fromiter(map(len, words), np.int64, len(words))))
    frequencies[ord("\n")] = 0
    total = frequencies.sum()
    covered_count = 0.0
    required = {}
    present = np.flatnonzero(frequencies)
    for point in present[np.argsort(-frequencies[present], kind="stable")].tolist():
        # sentencepiece compares in 32 bits, which can decide about the last character.
        if np.float32(covered_count / total) >= np.float32(coverage):
            break
        covered_count += frequencies[point]
        if chr(point) not in EXCLUDED_CHARACTERS:
            required[chr(point)] = int(frequencies[point])
    return required
