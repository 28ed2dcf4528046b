"""A text that remembers, through every change, which code points of the input each of its characters came from.

The splitters of `pretokenize` cut an input as it is; normalizers change it first, and still each token must
point into what was typed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

Change = tuple[str, int]
"""A character of the new text, and what it does to the old: 0 takes the place of the next old character, 1 is
put in and takes none, −n takes the place of the next one and of n more."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """A text; its character i came from the code points `starts[i]` to `ends[i]` of the input.

    `at` is where the stretch of input begins that this text was made of, whatever has become of it.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    at: int = 0

    @classmethod
    def of(cls, text: str, at: int = 0) -> "Aligned":
        """A text that nothing has changed yet and that begins at code point `at` of the input.

        >>> Aligned.of("ab", at=5).span(0, 2)
        (5, 7)
        """
        return cls(text, range(at, at + len(text)), range(at + 1, at + len(text) + 1), at)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The code points of the input that characters start to end (at least one) came from."""
        return self.starts[start], self.ends[end - 1]

    def __getitem__(self, part: slice) -> "Aligned":
        starts = self.starts[part]
        return Aligned(self.text[part], starts, self.ends[part], starts[0] if starts else self.at)

    def __len__(self) -> int:
        return len(self.text)

    def changed(self, changes: Iterable[Change], *, skip: int = 0) -> "Aligned":
        """The text that a list of changes makes of this one, whose first `skip` characters are dropped.

        A character put in belongs to the one before it; at the very beginning, to none.

        >>> Aligned.of("né").changed([("n", 0), ("e", 0), ("s", 1)]).ends
        [1, 2, 2]
        >>> Aligned.of("abc").changed([("x", 0), ("y", -1)]).starts
        [0, 1]
        """
        chars, starts, ends = [], [], []
        here = skip
        for char, change in changes:
            if change > 0:
                start, end = (self.starts[here - 1], self.ends[here - 1]) if here else (self.at, self.at)
            else:
                start, end = self.starts[here], self.ends[here]
                here += 1 - change
            chars.append(char)
            starts.append(start)
            ends.append(end)
        return Aligned("".join(chars), starts, ends, self.at)

    def keep(self, keep: Callable[[str], bool]) -> "Aligned":
        """Only the characters for which `keep` is true.

        >>> Aligned.of("a-b").keep(str.isalpha)
        Aligned(text='ab', starts=[0, 2], ends=[1, 3], at=0)
        """
        kept = [i for i, char in enumerate(self.text) if keep(char)]
        if len(kept) == len(self.text):
            return self
        starts, ends = [self.starts[i] for i in kept], [self.ends[i] for i in kept]
        return Aligned("".join([self.text[i] for i in kept]), starts, ends, self.at)

    def respelled(self, text: str) -> "Aligned":
        """Another text of as many characters, one for one."""
        return Aligned(text, self.starts, self.ends, self.at)

    def each(self, become: Callable[[str], str]) -> "Aligned":
        """Each character replaced by one or more; all of them came from where it came from.

        >>> Aligned.of("aß").each(str.upper)
        Aligned(text='ASS', starts=[0, 1, 1], ends=[1, 2, 2], at=0)
        """
        new = [become(char) for char in self.text]
        text = "".join(new)
        if len(text) == len(self.text):
            return self.respelled(text)
        return self.changed((char, int(i > 0)) for chars in new for i, char in enumerate(chars))


def cut(text: Aligned, edges: Iterable[int]) -> Iterator[Aligned]:
    """The parts between the beginning, the edges and the end, without empty ones.

    >>> [part.text for part in cut(Aligned.of("abcd"), [1, 1, 3])]
    ['a', 'bc', 'd']
    """
    here = 0
    for edge in (*edges, len(text)):
        if edge > here:
            yield text[here:edge]
            here = edge
