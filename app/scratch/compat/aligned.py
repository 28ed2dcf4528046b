"""A text that keeps, through every change, the code points of the input that each of its characters came from.

Hugging Face `tokenizers` calls it NormalizedString. Normalizers change the text before it is split into words, and
each token must still have a span in the input as it was typed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

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

    def replace_runs(
        self, runs: Iterable[tuple[int, int]], become: Callable[["AlignedText"], "AlignedText"]
    ) -> "AlignedText":
        """Replace the parts between these positions, which are in order, each by what it becomes.

        >>> AlignedText.of("a-b").replace_runs([(1, 2)], lambda part: part.map_characters(lambda char: "++")).starts
        [0, 1, 1, 2]
        """
        texts, starts, ends = list[str](), list[int](), list[int]()
        position = 0
        for start, end in [*runs, (len(self.text), len(self.text))]:
            new = become(self[start:end])
            texts += self.text[position:start], new.text
            for part in (self.starts[position:start], new.starts):
                starts.extend(part)
            for part in (self.ends[position:start], new.ends):
                ends.extend(part)
            position = end
        return AlignedText("".join(texts), starts, ends, self.at)

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
