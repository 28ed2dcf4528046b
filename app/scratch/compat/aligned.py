"""A text that keeps, through every change, the code points of the input that each of its characters came from.

Hugging Face `tokenizers` calls it NormalizedString. Normalizers change the text before it is split into words, and
each token must still have a span in the input as it was typed.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..fast.hash_index import ranges

Change = tuple[str, int]
"""A character of the new text, and which old ones it replaces: 0 replaces the next old character, 1 is inserted and
replaces none, −n replaces the next one and n more. `tokenizers` encodes changes in the same way."""


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

    def apply_changes(self, changes: Iterable[Change], *, skip: int = 0) -> "AlignedText":
        """Return the text after a list of changes, without its first `skip` characters.

        An inserted character gets the span of the one before it; at the very beginning, an empty span.

        >>> AlignedText.of("né").apply_changes([("n", 0), ("e", 0), ("s", 1)]).ends
        [1, 2, 2]
        >>> AlignedText.of("abc").apply_changes([("x", 0), ("y", -1)]).starts
        [0, 1]
        """
        chars = []
        starts = []
        ends = []
        old = skip
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

    def replace_parts(
        self, starts: NDArray[np.int64], ends: NDArray[np.int64], parts: Sequence["AlignedText"]
    ) -> "AlignedText":
        """Replace the characters between these positions, which are in order, by texts that are aligned to them.

        >>> changed = AlignedText("++", [0, 0], [1, 1])
        >>> AlignedText.of("a-b").replace_parts(np.array([1]), np.array([2]), [changed])
        AlignedText(text='a++b', starts=array('i', [0, 1, 1, 2]), ends=array('i', [1, 2, 2, 3]), at=0)
        """
        if not parts:
            return self
        kept = [*zip([0, *ends.tolist()], [*starts.tolist(), len(self)], strict=True)]
        texts = [self.text[start:end] for start, end in kept]
        joined = "".join(chain.from_iterable(zip(texts, [part.text for part in parts], strict=False))) + texts[-1]
        begins, sizes = np.zeros((2, 2 * len(parts) + 1), np.int64)  # what is kept and what is new, in turn
        begins[1::2], begins[2::2] = starts, ends
        sizes[::2] = np.append(starts, len(self)) - begins[::2]
        sizes[1::2] = lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        firsts = ranges(begins, sizes)
        lasts = firsts + 1
        new = ranges((np.cumsum(sizes) - sizes)[1::2], lengths)
        firsts[new] = np.repeat(starts, lengths) + [place for part in parts for place in part.starts]
        lasts[new] = np.repeat(starts, lengths) + [place for part in parts for place in part.ends]
        starts, ends = _column(self.starts)[firsts], np.append(self.at, _column(self.ends))[lasts]
        starts[lasts == 0] = self.at  # what is put in front of all else comes from no character
        return AlignedText(joined, _array(starts), _array(ends), self.at)

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


def _column(places: Sequence[int]) -> NDArray[np.int64]:
    return np.arange(places.start, places.stop) if isinstance(places, range) else np.asarray(places, np.int64)


def _array(values: NDArray[np.integer]) -> "array[int]":
    return array("i", values.astype(np.int32).tobytes())
