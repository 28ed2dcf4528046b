"""Added tokens as in Hugging Face `tokenizers` (0.23): matched in the text before the model sees it.

Tokens that are not `normalized` are matched in the raw text; the text between them is normalized, and the others are
matched in the result.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import regex

from ....errors import EngineFailed
from ...fast.longest_match import Literals
from ..aligned import AlignedText
from ..unicode_versions import as_of_16
from .component import Normalizer
from .normalizers import WHITE


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A token, its id, and its matching rules.

    `lstrip` and `rstrip` include adjacent white space in the match; `single_word` matches only at word boundaries;
    `normalized` matches in the normalized text.
    """

    content: str
    id: int
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False
    special: bool = False


class AddedTokens:
    """Splits a text at its added tokens, the longest at each position.

    >>> parts = AddedTokens([AddedToken("<x>", 7, lstrip=True)]).split(AlignedText.of("a <x>b"))
    >>> [(part.text, token and token.id) for part, token in parts]
    [('a', None), (' <x>', 7), ('b', None)]
    """

    def __init__(self, tokens: Iterable[AddedToken], normalizer: Normalizer = lambda text: text) -> None:
        self.raw: dict[str, AddedToken] = {}
        self.normal: dict[str, AddedToken] = {}
        self.spelled: dict[int, str] = {}
        """Tokens by id, those that are matched in the normalized text in their normalized form."""
        self.normalizer = normalizer
        for token in tokens:  # of two with the same normalized content the first; the library takes any of them
            content = normalizer(AlignedText.of(token.content)).text if token.normalized else token.content
            self.spelled[token.id] = content
            (self.normal if token.normalized else self.raw).setdefault(content, token)
        self._raw, self._normal = Literals(self.raw), Literals(self.normal)

    def split(self, text: AlignedText, *, specials: bool = True) -> Iterator[tuple[AlignedText, AddedToken | None]]:
        """Yield the matched tokens and the normalized text between them; `specials`: match special tokens too."""
        for part, token in self.raw_parts(text, specials=specials):
            if token:
                yield part, token
            else:
                yield from self.normal_parts(part, specials=specials)

    def raw_parts(self, text: AlignedText, *, specials: bool = True) -> Iterator[tuple[AlignedText, AddedToken | None]]:
        """Yield the tokens that are matched in the raw text, and the raw text between them."""
        return _matches(text, self._raw, self.raw, specials)

    def normal_parts(
        self, part: AlignedText, *, specials: bool = True
    ) -> Iterator[tuple[AlignedText, AddedToken | None]]:
        """Normalize a part; yield the tokens that are matched in the result, and the text between them."""
        return self.matches(self.normalizer(part), specials=specials)

    def matches(self, normal: AlignedText, *, specials: bool = True) -> Iterator[tuple[AlignedText, AddedToken | None]]:
        """Yield the tokens that are matched in a normalized text, and the text between them."""
        return _matches(normal, self._normal, self.normal, specials)


def _matches(
    text: AlignedText, literals: Literals, tokens: dict[str, AddedToken], specials: bool
) -> Iterator[tuple[AlignedText, AddedToken | None]]:
    """Yield tokens and the text between them.

    As in the library, white space that a token takes in may be matched again by the next one, whose part then overlaps.
    """
    position = 0
    whole = text.text
    empty = tokens.get("")
    with_empty = empty is not None and (specials or not empty.special)
    for start, end in _spans_with_empty(whole, literals) if with_empty else literals.spans(whole):
        token = tokens[whole[start:end]]
        if (token.special and not specials) or (token.single_word and is_within_word(whole, start, end)):
            continue
        start, end = take_in_spaces(whole, start, end, lstrip=token.lstrip, rstrip=token.rstrip, position=position)
        if start > end:
            raise EngineFailed(
                f"tokenizers panics at {token.content[:40]!r} in the white space of another added token."
            )
        if position < start:
            yield text[position:start], None
        if start < end:
            yield text[start:end], token
        position = end
    if position < len(whole):
        yield text[position:], None


def take_in_spaces(
    text: str, start: int, end: int, *, lstrip: bool, rstrip: bool, position: int = 0
) -> tuple[int, int]:
    """Return where a match begins and ends with the white space that it takes in, on the left as far as a position.

    >>> take_in_spaces("a <x> b", 2, 5, lstrip=False, rstrip=True)
    (2, 6)
    """
    if lstrip:
        while start and text[start - 1] in WHITE:
            start -= 1
        start = max(start, position)
    while rstrip and end < len(text) and text[end] in WHITE:
        end += 1
    return start, end


def _spans_with_empty(text: str, literals: Literals) -> Iterator[tuple[int, int]]:
    """Yield the matches of literals and, as the library does, an empty one between any two other bytes.

    Raises `EngineFailed` if that is within a character, where the library panics.

    >>> [*_spans_with_empty("ab<x>cd", Literals(["<x>"]))]
    [(0, 0), (1, 1), (2, 5), (6, 6), (7, 7)]
    """
    last = -1
    for start, end in chain(literals.spans(text), [(len(text) + 1, 0)]):
        if not text[max(0, last) : start].isascii():
            raise EngineFailed("tokenizers panics beyond ASCII, as an added token is normalized to nothing.")
        yield from ((at, at) for at in range(last + 1, start))
        if end:
            yield start, end
        last = end


def is_within_word(text: str, start: int, end: int) -> bool:
    """True if a word character precedes or follows a match."""
    # Classes of Unicode 16.0, which the library's regular expressions know.
    beside = as_of_16(text[max(0, start - 1) : start] + text[end : end + 1])
    return regex.search(r"\w", beside) is not None
