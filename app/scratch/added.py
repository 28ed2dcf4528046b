"""Added tokens: spelled-out tokens found in a text before the model sees it, each with its own rules.

They are found first: those that are not `normalized` in the text as it is, the others in what the normalizer makes
of the stretches between.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from app.scratch.aligned import Aligned
from app.scratch.normalize import WHITE, Normalizer
from app.scratch.pretokenize import compiled
from app.scratch.unicode import as_of_16


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A token, its id, and how it is found: with the white space to its left or right, only between words, in
    the normalized text."""

    content: str
    id: int
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False
    special: bool = False


class AddedTokens:
    """Finds added tokens, the longest at each place.

    >>> found = AddedTokens([AddedToken("<x>", 7, lstrip=True)]).cut(Aligned.of("a <x>b"))
    >>> [(part.text, token and token.id) for part, token in found]
    [('a', None), (' <x>', 7), ('b', None)]
    """

    def __init__(self, tokens: Iterable[AddedToken], normalizer: Normalizer = lambda text: text) -> None:
        self.raw: dict[str, AddedToken] = {}
        self.normal: dict[str, AddedToken] = {}
        self.normalizer = normalizer
        for token in tokens:
            if token.normalized:
                self.normal.setdefault(normalizer(Aligned.of(token.content)).text, token)
            else:
                self.raw.setdefault(token.content, token)

    def cut(self, text: Aligned, *, specials: bool = True) -> Iterator[tuple[Aligned, AddedToken | None]]:
        """The tokens, and the normalized stretches between them; `specials` says whether special tokens are read."""
        for part, token in _find(text, self.raw, specials):
            if token:
                yield part, token
            else:
                yield from _find(self.normalizer(part), self.normal, specials)


def _find(text: Aligned, tokens: dict[str, AddedToken], specials: bool) -> Iterator[tuple[Aligned, AddedToken | None]]:
    here, whole = 0, text.text
    if tokens:
        either = "|".join(map(regex.escape, sorted(tokens, key=len, reverse=True)))
        for match in compiled(either).finditer(whole):
            token, (start, end) = tokens[match.group()], match.span()
            if (token.special and not specials) or (token.single_word and _in_a_word(whole, start, end)):
                continue
            while token.lstrip and start > here and whole[start - 1] in WHITE:
                start -= 1
            while token.rstrip and end < len(whole) and whole[end] in WHITE:
                end += 1
            if here < start:
                yield text[here:start], None
            yield text[start:end], token
            here = end
    if here < len(whole):
        yield text[here:], None


def _in_a_word(text: str, start: int, end: int) -> bool:
    """Whether a character of a word is next to a stretch."""
    beside = as_of_16(text[max(0, start - 1) : start] + text[end : end + 1])
    return regex.search(r"\w", beside) is not None
