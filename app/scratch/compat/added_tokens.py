"""Added tokens as in Hugging Face `tokenizers` (0.23): matched in the text before the model sees it.

Tokens that are not `normalized` are matched in the raw text; the text between them is normalized, and the others are
matched in the result.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from ..fast.pretokenize import compiled
from .aligned import AlignedText
from .normalizers import WHITE, Normalizer
from .unicode_versions import as_of_16


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
        self.normalizer = normalizer
        for token in tokens:  # of two with the same content, the first is used
            if token.normalized:
                self.normal.setdefault(normalizer(AlignedText.of(token.content)).text, token)
            else:
                self.raw.setdefault(token.content, token)

    def split(self, text: AlignedText, *, specials: bool = True) -> Iterator[tuple[AlignedText, AddedToken | None]]:
        """Yield the matched tokens and the normalized text between them; `specials`: match special tokens too."""
        for part, token in _matches(text, self.raw, specials):
            if token:
                yield part, token
            else:
                yield from _matches(self.normalizer(part), self.normal, specials)


def _matches(
    text: AlignedText, tokens: dict[str, AddedToken], specials: bool
) -> Iterator[tuple[AlignedText, AddedToken | None]]:
    position, whole = 0, text.text
    if tokens:
        longest_first = "|".join(map(regex.escape, sorted(tokens, key=len, reverse=True)))
        for match in compiled(longest_first).finditer(whole):
            token, (start, end) = tokens[match.group()], match.span()
            if (token.special and not specials) or (token.single_word and _within_word(whole, start, end)):
                continue
            while token.lstrip and start > position and whole[start - 1] in WHITE:
                start -= 1
            while token.rstrip and end < len(whole) and whole[end] in WHITE:
                end += 1
            if position < start:
                yield text[position:start], None
            yield text[start:end], token
            position = end
    if position < len(whole):
        yield text[position:], None


def _within_word(text: str, start: int, end: int) -> bool:
    """True if a word character precedes or follows a match."""
    # Classes of Unicode 16.0, which the library's regular expressions know.
    beside = as_of_16(text[max(0, start - 1) : start] + text[end : end + 1])
    return regex.search(r"\w", beside) is not None
