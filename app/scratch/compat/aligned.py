"""A text that keeps, through every change, the code points of the input that each of its characters came from.

Hugging Face `tokenizers` calls it NormalizedString. Normalizers change the text before it is split into words, and
each token must still have a span in the input as it was typed.

Unicode's normalization forms (UAX 15) of such a text are by the tables of version 9.0.

A text is divided into units that can be normalized apart, and each different one is normalized once.
"""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import regex

from .unicode_versions import BARRIER

Change = tuple[str, int]
"""A character of the new text, and which old ones it replaces: 0 replaces the next old character, 1 is inserted and
replaces none, −n replaces the next one and n more. `tokenizers` encodes changes in the same way."""
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
JOINING = r"[\p{M}\u0e33\u0eb3\u1100-\u11ff\u3131-\u318e\uff9e-\uffdc]"
"""All that may be reordered, or composed with what is before: marks, and the vowels and last consonants of hangul."""
UNIT = regex.compile(
    rf"{BARRIER.pattern}|[\0-\x7f]+(?!{JOINING})|.[{JOINING}--{BARRIER.pattern}]*", regex.V1 | regex.DOTALL
)
"""A part of a text that is normalized apart: nothing is composed across a character that Unicode 9.0 does not know."""


@dataclass(frozen=True, slots=True)
class AlignedText:
    """A text whose character i came from the code points `starts[i]` to `ends[i]` of the input.

    `at` is where the original text began in the input, even if its first characters have been removed since.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    at: int = 0

    @classmethod
    def of(cls, text: str, at: int = 0) -> "AlignedText":
        """Return an unchanged text that begins at code point `at` of the input.

        >>> AlignedText.of("ab", at=5).span(0, 2)
        (5, 7)
        """
        return cls(text, range(at, at + len(text)), range(at + 1, at + len(text) + 1), at)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the code points of the input that the characters `start:end` (at least one) came from."""
        return self.starts[start], self.ends[end - 1]

    def __getitem__(self, part: slice) -> "AlignedText":
        starts = self.starts[part]
        return AlignedText(self.text[part], starts, self.ends[part], starts[0] if starts else self.at)

    def __len__(self) -> int:
        return len(self.text)

    def apply_changes(self, changes: Iterable[Change]) -> "AlignedText":
        """Return the text after a list of changes.

        An inserted character gets the span of the one before it; at the very beginning, an empty span.

        >>> AlignedText.of("né").apply_changes([("n", 0), ("e", 0), ("s", 1)]).ends
        [1, 2, 2]
        >>> AlignedText.of("abc").apply_changes([("x", 0), ("y", -1)]).starts
        [0, 1]
        """
        chars = []
        starts = []
        ends = []
        old = 0
        for char, change in changes:
            if change > 0:
                start, end = (self.starts[old - 1], self.ends[old - 1]) if old else (self.at, self.at)
            else:
                start = self.starts[old]
                end = self.ends[old]
                old += 1 - change
            chars.append(char)
            starts.append(start)
            ends.append(end)
        return AlignedText("".join(chars), starts, ends, self.at)

    def filter_characters(self, predicate: Callable[[str], bool]) -> "AlignedText":
        """Return only the characters for which `filter_characters` is true.

        >>> AlignedText.of("a-b").filter_characters(str.isalpha)
        AlignedText(text='ab', starts=[0, 2], ends=[1, 3], at=0)
        """
        kept = [i for i, char in enumerate(self.text) if predicate(char)]
        if len(kept) == len(self.text):
            return self  # keeps `range` columns, which take no memory
        starts = [self.starts[i] for i in kept]
        ends = [self.ends[i] for i in kept]
        return AlignedText("".join([self.text[i] for i in kept]), starts, ends, self.at)

    def replace_text(self, text: str) -> "AlignedText":
        """Replace the text by another of the same length, character by character."""
        return AlignedText(text, self.starts, self.ends, self.at)

    def map_characters(self, become: Callable[[str], str]) -> "AlignedText":
        """Replace each character by one or more, which all get its span.

        >>> AlignedText.of("aß").map_characters(str.upper)
        AlignedText(text='ASS', starts=[0, 1, 1], ends=[1, 2, 2], at=0)
        """
        new = [become(char) for char in self.text]
        text = "".join(new)
        if len(text) == len(self.text):
            return self.replace_text(text)
        return self.apply_changes((char, int(i > 0)) for chars in new for i, char in enumerate(chars))


def normalize_to_form(form: Form, text: AlignedText) -> AlignedText:
    """Return a text in a normalization form.

    >>> normalize_to_form("NFC", AlignedText.of("ne\u0301")).ends
    [1, 2]
    """
    if unicodedata.is_normalized(form, text.text):
        return text  # then each part between newer characters is normalized, too
    units = UNIT.findall(text.text)
    changes = {unit: _form(form, unit) for unit in {*units}}
    return text.apply_changes(chain.from_iterable(map(changes.__getitem__, units)))


def _form(normalization_form: Form, text: str) -> list[Change]:
    if text.isascii() or BARRIER.match(text):
        return [(char, 0) for char in text]
    decomposed: Form = "NFKD" if "K" in normalization_form else "NFD"
    changes = [(new, int(i > 0)) for char in text for i, new in enumerate(unicodedata.normalize(decomposed, char))]
    changes = list(_order_marks(changes))
    return changes if normalization_form == decomposed else _compose(changes)


def _order_marks(changes: Iterable[Change]) -> Iterable[Change]:
    """Canonical ordering: sort adjacent combining marks by their combining class."""
    marks: list[Change] = []
    for change in changes:
        if unicodedata.combining(change[0]):
            marks.append(change)
            continue
        yield from sorted(marks, key=lambda mark: unicodedata.combining(mark[0]))
        marks.clear()
        yield change
    yield from sorted(marks, key=lambda mark: unicodedata.combining(mark[0]))


def _compose(changes: list[Change]) -> list[Change]:
    """Canonical composition: a mark that is not blocked composes with the last starter."""
    composed: list[Change] = []
    # the index of the last starter (class 0), and the class of the mark before
    base = -1
    last = 0
    for char, change in changes:
        own = unicodedata.combining(char)
        if base >= 0 and (last < own or base == len(composed) - 1):
            joined = unicodedata.normalize("NFC", composed[base][0] + char)
            if len(joined) == 1:
                composed[base] = (joined, composed[base][1] + change - 1)
                continue
        if own == 0:
            base = len(composed)
        last = own
        composed.append((char, change))
    return composed
