"""Why one tokenizer needs more tokens for a text than another: causes of extra tokens, which add up to the difference.

A text is divided into segments wherever neither of two segmentations has a token across. Each segment that is a
different number of tokens in the two has one cause: the kind of characters of which the larger number has more tokens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import regex
from numpy.typing import NDArray

from ...files.spans import byte_offsets
from ...types import SPECIAL, Encoding
from ..cell_views import clip_text
from ..display_runs import label
from ..text_index import CharacterClass, TextIndex, codes
from ..vocabulary.columns import DIGITS, OTHERS, PUNCTUATION, SCRIPTS, SYMBOLS, WHITE_SPACE, classify_characters
from .differences import Numbers, common_edges, get_spans

FIRST = 12
"""Number of places of a cause that are listed; all are counted."""
CauseKind = Literal["words", "names", "script", "digits", "whitespace", "emoji", "symbols", "special"]
"""Words in Latin letters · capitalized words inside a sentence · letters of another script · digits · spaces,
indentation and line ends · emoji · punctuation, symbols and invisible characters · special tokens, and tokens that
cover no input."""
Cause = tuple[CauseKind, str]
"""A kind, and the name of the script if the kind is `script`."""
Codes = NDArray[np.int64]

_KINDS: Mapping[str, CauseKind] = {
    "Latin": "words", DIGITS: "digits", WHITE_SPACE: "whitespace",
    PUNCTUATION: "symbols", SYMBOLS: "symbols", OTHERS: "symbols",
}  # fmt: skip
CAUSES: tuple[Cause, ...] = (
    *((kind, "") for kind in get_args(CauseKind) if kind != "script"),
    *(("script", name) for name in SCRIPTS if name not in _KINDS and name != "bytes"),
)
"""All causes; where two have equally many tokens more in a segment, the first in this order is its cause."""
_INDEX = {cause: index for index, cause in enumerate(CAUSES)}
_OF_SCRIPT = np.array([_INDEX.get((_KINDS[name], "") if name in _KINDS else ("script", name), 0) for name in SCRIPTS])
WORDS, NAMES, BLANK, EMOJI, ADDED = (_INDEX[kind, ""] for kind in ("words", "names", "whitespace", "emoji", "special"))

IS_EMOJI = CharacterClass(r"(?![\x00-\xFF])[\p{Extended_Pictographic}\p{RI}\p{Emoji_Modifier}]")
# A mark or a joiner belongs to the character before it: an accent to its letter, U+FE0F to its emoji.
INHERITS = CharacterClass(r"[\p{M}\p{Emoji_Modifier}\u200C\u200D\U000E0020-\U000E007F]")
UPPER = CharacterClass(r"\p{Lu}")
OPENING = CharacterClass(r"[\p{Ps}\p{Pi}\p{Zs}\t\"'*_#>-]")
"""What may stand between the end of a sentence and the first word of the next one."""
DIGIT = regex.compile(r"\p{N}")
BLANKS = regex.compile(r"\n+|\t+| +|\s")
MAX_EXAMPLE = 24
"""Characters of an example that are shown."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SENTENCE_END = CharacterClass(r"[.!?:…\n\r\u2028\u2029。！？]")


@dataclass(frozen=True, slots=True)
class CausePlace:
    """A segment of the text, in bytes and in characters, and its numbers of tokens."""

    byte_start: int
    byte_end: int
    char_start: int
    char_end: int
    tokens: int
    baseline_tokens: int


@dataclass(frozen=True, slots=True)
class CauseGroup:
    """All segments with one cause.

    `extra` is the number of tokens more than in the baseline, negative for fewer, and `places` the number of segments;
    `first` are those with the most extra tokens.
    """

    kind: CauseKind
    script: str
    extra: int
    places: int
    first: tuple[CausePlace, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a tokenization has `extra` tokens more than the baseline, negative for fewer: causes that add up to it.

    The causes that explain the difference come first, those of the opposite sign last.
    """

    extra: int
    groups: tuple[CauseGroup, ...]


@dataclass(frozen=True, slots=True)
class CauseExample:
    """All places of a cause that look alike, such as `three digits` or a word: their number is that of `places`."""

    label: str
    extra: int
    places: tuple[CausePlace, ...]


def list_examples(group: CauseGroup, text: str) -> list[CauseExample]:
    """Return the distinct examples of the places of a cause, those with the most extra tokens first."""
    alike: dict[str, list[CausePlace]] = defaultdict(list)
    for place in group.first:
        alike[describe_place(group.kind, text[place.char_start : place.char_end])].append(place)
    examples = [
        CauseExample(name, sum(place.tokens - place.baseline_tokens for place in places), tuple(places))
        for name, places in alike.items()
    ]
    direction = -1 if group.extra >= 0 else 1
    return sorted(examples, key=lambda one: (direction * one.extra, -len(one.places)))


def describe_place(kind: CauseKind, text: str) -> str:
    r"""Return what a place is an example of: how many digits, what white space, or else its text.

    >>> describe_place("digits", " 1234"), describe_place("whitespace", "\n    if"), describe_place("words", " cats")
    ('four digits', '↵ + indentation', 'cats')
    >>> describe_place("whitespace", "  "), describe_place("whitespace", "\n\n\t")
    ('two spaces', '↵↵ + tab')
    """
    if kind == "digits":
        return count_in_words(len(DIGIT.findall(text)), "digit")
    if kind == "whitespace" and (blanks := BLANKS.findall(text)):
        described = (_describe_blank(*pair) for pair in zip(blanks, ["", *blanks], strict=False))
        return " + ".join(dict.fromkeys(described))
    return label(clip_text(text.strip(" ") or text, MAX_EXAMPLE))


def _describe_blank(blank: str, before: str) -> str:
    if blank[0] == "\n":
        return "↵" * min(len(blank), 3)
    if blank[0] == " ":
        return "indentation" if before[:1] == "\n" else count_in_words(len(blank), "space")
    return "tab" if blank == "\t" else "tabs" if blank[0] == "\t" else label(blank)


def count_in_words(count: int, noun: str) -> str:
    """Return a small number in words and its noun.

    >>> count_in_words(1, "digit"), count_in_words(12, "space")
    ('one digit', '12 spaces')
    """
    number = NUMBERS[count] if count < len(NUMBERS) else f"{count}"
    return f"{number} {noun}" if count == 1 else f"{number} {noun}s"


def explain(baseline: Encoding, encoding: Encoding, index: TextIndex, *, first: int = FIRST) -> Explanation:
    """Return the causes of the difference between the numbers of tokens of two encodings of a text.

    >>> from tokenarium.files.spans import column, encode_tiles
    >>> def encoding(*lengths):
    ...     ids, flags = np.zeros(len(lengths), np.uint32), np.zeros(len(lengths), np.uint8)
    ...     return encode_tiles(ids, column(lengths), text="in 1234", data=b"in 1234", flags=flags)
    >>> result = explain(encoding(2, 5), encoding(1, 1, 1, 2, 2), TextIndex("in 1234"))
    >>> result.extra, [(group.kind, group.extra) for group in result.groups]
    (3, [('digits', 2), ('words', 1)])
    """
    characters = _Characters(index)
    edges = common_edges([get_spans(one, index, spaces=True) for one in (baseline, encoding)], index.divisible)
    tokens = [_by_segment_and_cause(one, edges, characters) for one in (baseline, encoding)]
    base_counts, counts = (np.bincount(segments, minlength=len(edges)) for segments, _ in tokens)
    differing = np.flatnonzero(counts != base_counts)
    causes = _causes_of(differing, tokens)
    names = differing[causes == WORDS]
    causes[causes == WORDS] = np.where(characters.are_names(edges[names], edges[names + 1]), NAMES, WORDS)
    extra = len(encoding) - len(baseline)
    added = _without_input(encoding) - _without_input(baseline)
    groups = []
    for cause in np.unique(causes).tolist():
        segments = differing[causes == cause]
        difference = (counts - base_counts)[segments]
        total = int(difference.sum())
        order = np.argsort(-difference if total >= 0 else difference, kind="stable")[:first]
        shown = segments[order]
        chars = characters.numbers(edges[shown]), characters.numbers(edges[shown + 1])
        columns = (edges[shown], edges[shown + 1], *chars, counts[shown], base_counts[shown])
        places = tuple(CausePlace(*row) for row in zip(*(column.tolist() for column in columns), strict=True))
        kind, script = CAUSES[cause]
        groups.append(CauseGroup(kind, script, total + added * (cause == ADDED), len(segments), places))
    if added and ADDED not in causes:
        groups.append(CauseGroup("special", "", added, 0))
    direction = -1 if extra < 0 else 1
    groups.sort(key=lambda group: (-direction * group.extra, -group.places))
    return Explanation(extra, tuple(groups))


def _without_input(encoding: Encoding) -> int:
    """Return the number of tokens that cover no input."""
    return int(np.count_nonzero(encoding.byte_starts >= encoding.byte_ends))


def _by_segment_and_cause(encoding: Encoding, edges: Numbers, characters: _Characters) -> tuple[Codes, Codes]:
    """Return the segment and the kind of characters of each token that covers input."""
    real = encoding.byte_starts < encoding.byte_ends
    segments = np.searchsorted(edges, encoding.byte_starts[real], side="right") - 1
    kinds = characters.kinds_of(encoding.char_starts[real], encoding.char_ends[real])
    return segments, np.where(encoding.flags[real] & SPECIAL, ADDED, kinds)


def _causes_of(differing: Codes, tokens: list[tuple[Codes, Codes]]) -> Codes:
    """Return the cause of each segment with different counts."""
    present = np.flatnonzero(sum(np.bincount(kinds, minlength=len(CAUSES)) for _, kinds in tokens))
    difference = np.zeros((len(differing), max(1, len(present))), np.int64)
    for sign, (segments, kinds) in zip((-1, 1), tokens, strict=True):
        rows = np.searchsorted(differing, segments)
        inside = rows < len(differing)
        inside[inside] = differing[rows[inside]] == segments[inside]
        keys = rows[inside] * len(present) + np.searchsorted(present, kinds[inside])
        difference += sign * np.bincount(keys, minlength=difference.size).reshape(difference.shape)
    direction = np.sign(difference.sum(axis=1, keepdims=True))
    largest = np.argmax(difference * direction, axis=1)
    return np.asarray(present[largest] if len(present) else largest)


@dataclass(frozen=True)
class _Characters:
    """What the characters of a text are, as arrays with one element a character."""

    index: TextIndex

    @cached_property
    def codes(self) -> NDArray[np.uint8] | NDArray[np.uint32]:
        return codes(self.index.text)

    @cached_property
    def offsets(self) -> Numbers:
        """The byte position of each character, and the end of the text."""
        return byte_offsets(self.index.data)

    @cached_property
    def kinds(self) -> Codes:
        """By character, the index in `CAUSES` of its kind."""
        table = np.zeros(int(self.codes.max(initial=0)) + 1, np.int64)
        table[self.codes] = 1  # sorting all characters would take ten times as long
        alphabet = np.flatnonzero(table)
        if len(alphabet):
            scripts = classify_characters([*map(chr, alphabet.tolist())])
            table[alphabet] = np.where(IS_EMOJI(alphabet.astype(np.uint32)), EMOJI, _OF_SCRIPT[scripts])
        own = ~INHERITS(self.codes) | (np.arange(len(self.codes)) == 0)
        return table[self.codes[np.maximum.accumulate(np.where(own, np.arange(len(self.codes)), 0))]]

    def kinds_of(self, starts: Numbers, ends: Numbers) -> Codes:
        """Return the kinds of spans: that of the first character that is no whitespace, else whitespace."""
        solid = np.append(np.where(self.kinds != BLANK, np.arange(len(self.kinds)), len(self.kinds)), len(self.kinds))
        following = np.minimum.accumulate(solid[::-1])[::-1][starts]
        kinds = np.append(self.kinds, BLANK)
        return np.where(following < ends, kinds[following], BLANK)

    def numbers(self, places: Numbers) -> Codes:
        """Return the characters at byte positions where characters begin."""
        return np.searchsorted(self.offsets, places)

    def are_names(self, starts: Numbers, ends: Numbers) -> NDArray[np.bool_]:
        """Return, by span, whether its first word is capitalized, but not all of it, and stands inside a sentence."""
        latin = np.flatnonzero(self.kinds == WORDS)
        words = self.index.word_starts
        if not len(latin) or not len(words):
            return np.zeros(len(starts), np.bool_)
        letters = latin[np.minimum(np.searchsorted(latin, self.numbers(starts)), len(latin) - 1)]
        number = np.maximum(np.searchsorted(words, self.offsets[letters], side="right") - 1, 0)
        begins = self.numbers(words[number])
        upper = np.append(UPPER(self.codes), False)
        skipped = OPENING(self.codes)
        before = np.append(-1, np.maximum.accumulate(np.where(skipped, -1, np.arange(len(skipped)))))[begins]
        inside = (before >= 0) & skipped[begins - 1] & ~SENTENCE_END(self.codes)[before]
        return np.asarray(upper[begins] & ~upper[begins + 1] & inside & (self.offsets[letters] < ends))
