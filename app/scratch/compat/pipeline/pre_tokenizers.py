"""The pre-tokenizers of Hugging Face `tokenizers` (0.23): split a normalized text into words, and some change it again.

The teaching file `scratch/pretokenize` shows the common way, a regular expression; here are all ways that published
tokenizers use. Each takes an `AlignedText` and yields its words; in a sequence, each splits the words of the last.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property, lru_cache
from typing import Literal

import regex

from ...fast.pretokenize import ALTERNATIVES, compile_regex
from ...pretokenize import GPT2
from ..aligned import AlignedText
from ..oniguruma.search import OnigPattern, compile_onig_pattern, literal
from ..unicode_versions import as_of_8, as_of_16, numbers_as_of_17
from .batches import PipelineEncoding
from .component import (
    Char,
    DecoderComponent,
    Length,
    NormalizerComponent,
    PostProcessorComponent,
    PreTokenizerComponent,
    SegmentBoundary,
    Splitter,
    initial,
)
from .normalizers import SPACES, Prepend, Replace
from .post_processors import trim_spaces

Behavior = Literal["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
"""What happens to a match: removed · a word of its own · joined to the previous word · joined to the next word · joined
with adjacent matches to one word."""
Scheme = Literal["always", "first", "never"]
BLANK = frozenset(" ")
ALWAYS = frozenset((r"\s+", r"\s++", r"\s"))
"""Alternatives of a pattern that match at any space."""

PUNCTUATION = regex.compile(r"[!-/:-@\[-`{-~\p{P}]")
BERT_WORD = regex.compile(r"[!-/:-@\[-`{-~\p{P}]|[^\s!-/:-@\[-`{-~\p{P}]+")
Part = tuple[int, int, bool]
"""(start, end, whether it is a match)"""


def apply_splitters(splitters: Iterable[Splitter], text: AlignedText) -> list[AlignedText]:
    """Apply pre-tokenizers one after another.

    >>> [word.text for word in apply_splitters([Digits(True).pre_tokenize], AlignedText.of("a12"))]
    ['a', '1', '2']
    """
    words = [text]
    for splitter in splitters:
        words = [part for word in words for part in splitter(word) if part.text]
    return words


class SplitPreTokenizer(PreTokenizerComponent, type="Split"):
    """Splits at the matches of a pattern; `invert` swaps matches and the text between them.

    >>> split = SplitPreTokenizer(literal("-"), "MergedWithNext")
    >>> [word.text for word in split.pre_tokenize(AlignedText.of("the-final--x"))]
    ['the', '-final', '-', '-x']
    """

    pattern: OnigPattern = field(metadata=initial({"Regex": r"\s+"}))
    behavior: Behavior = field(metadata=initial("Isolated"))
    invert: bool = False

    def pass_boundary(self, boundary: SegmentBoundary) -> SegmentBoundary | None:
        spaces = boundary.spaces
        source = self.pattern.text
        if self.pattern.is_literal and source in SPACES and source not in spaces:
            return boundary  # on neither side of it is a match
        before_space = self.behavior == "MergedWithNext" and source in SPACES and not self.invert
        if not (self.behavior in ("Isolated", "Removed") or before_space) or not self.pattern.ends_before(spaces):
            return None
        always = {source} == spaces or (spaces == BLANK and not ALWAYS.isdisjoint(ALTERNATIVES.findall(source)))
        return SegmentBoundary(spaces, divided=always or (self.invert and self.behavior == "Removed"))

    def pre_tokenize(self, text: AlignedText) -> Iterable[AlignedText]:
        return _split(text, self.pattern.spans(text.text), self.behavior, invert=self.invert)


def _split(
    text: AlignedText, matches: Iterable[tuple[int, int]], behavior: Behavior, *, invert: bool = False
) -> Iterable[AlignedText]:
    parts = split_parts(len(text), matches)
    return _words(text, [(start, end, match != invert) for start, end, match in parts], behavior)


def split_parts(size: int, matches: Iterable[tuple[int, int]]) -> Iterator[Part]:
    """Yield the matches and the text between them, in order."""
    position = 0
    for start, end in matches:
        if position < start:
            yield position, start, False
        yield start, end, True
        position = end
    if position < size:
        yield position, size, False


def _words(text: AlignedText, parts: list[Part], behavior: Behavior) -> Iterator[AlignedText]:
    if behavior == "Removed":
        yield from (text[start:end] for start, end, match in parts if not match)
        return
    # Joining to the next word is joining to the previous one, read from the end.
    backward = behavior == "MergedWithNext"
    joined: list[tuple[int, int]] = []
    before = False
    for start, end, match in reversed(parts) if backward else parts:
        merges = match == before if behavior == "Contiguous" else match and not before and behavior != "Isolated"
        if merges and joined:
            joined[-1] = (start, joined[-1][1]) if backward else (joined[-1][0], end)
        else:
            joined.append((start, end))
        before = match
    yield from (text[start:end] for start, end in (reversed(joined) if backward else joined))


def divide_at_blanks(_: PreTokenizerComponent, boundary: SegmentBoundary) -> SegmentBoundary:
    """Return a boundary after a split at white space into runs of characters: a word begins behind each space."""
    return SegmentBoundary(boundary.spaces, divided=boundary.spaces == BLANK)


class BertPreTokenizer(PreTokenizerComponent):
    """BERT's words: split at white space, which is dropped, and around each punctuation character (Devlin et al. 2019).

    >>> [word.text for word in BertPreTokenizer().pre_tokenize(AlignedText.of("don't  stop"))]
    ['don', "'", 't', 'stop']
    """

    drops_spaces = True
    pass_boundary = divide_at_blanks

    def pre_tokenize(self, text: AlignedText) -> Iterator[AlignedText]:
        for match in BERT_WORD.finditer(as_of_8(text.text)):  # same length, so positions hold in both texts
            yield text[match.start() : match.end()]


class Whitespace(PreTokenizerComponent):
    r"""Runs of word characters, and of others that are no white space: `\w+|[^\w\s]+`.

    >>> [word.text for word in Whitespace().pre_tokenize(AlignedText.of("a_b!? c"))]
    ['a_b', '!?', 'c']
    """

    drops_spaces = True
    pass_boundary = divide_at_blanks

    def pre_tokenize(self, text: AlignedText) -> Iterator[AlignedText]:
        for match in compile_regex(r"\w+|[^\w\s]+").finditer(as_of_16(text.text)):
            yield text[match.start() : match.end()]


class WhitespaceSplit(PreTokenizerComponent):
    """Splits at white space, which is removed.

    >>> [word.text for word in WhitespaceSplit().pre_tokenize(AlignedText.of(" a!  b"))]
    ['a!', 'b']
    """

    drops_spaces = True
    pass_boundary = divide_at_blanks

    def pre_tokenize(self, text: AlignedText) -> Iterator[AlignedText]:
        for match in compile_regex(r"\S+").finditer(text.text):
            yield text[match.start() : match.end()]


class Punctuation(PreTokenizerComponent):
    """Splits at each punctuation character.

    >>> [word.text for word in Punctuation().pre_tokenize(AlignedText.of("Hey, you!?"))]
    ['Hey', ',', ' you', '!', '?']
    """

    behavior: Behavior = "Isolated"

    def pass_boundary(self, boundary: SegmentBoundary) -> SegmentBoundary | None:
        return boundary if self.behavior != "MergedWithNext" else None

    def pre_tokenize(self, text: AlignedText) -> Iterable[AlignedText]:
        spans = (match.span() for match in PUNCTUATION.finditer(as_of_8(text.text)))
        return _split(text, spans, self.behavior)


class Digits(PreTokenizerComponent):
    """Separates numbers from other text, whole or digit by digit.

    >>> [word.text for word in Digits().pre_tokenize(AlignedText.of("in 2024!"))]
    ['in ', '2024', '!']
    """

    individual_digits: bool = False

    def pass_boundary(self, boundary: SegmentBoundary) -> SegmentBoundary:
        return boundary

    def pre_tokenize(self, text: AlignedText) -> Iterable[AlignedText]:
        number = r"\p{N}" if self.individual_digits else r"\p{N}+"
        spans = (match.span() for match in regex.finditer(number, numbers_as_of_17(text.text)))
        return _split(text, spans, "Isolated")


class CharDelimiterSplit(PreTokenizerComponent):
    """Splits at a character, which is removed.

    >>> [word.text for word in CharDelimiterSplit("-").pre_tokenize(AlignedText.of("a-b"))]
    ['a', 'b']
    """

    delimiter: Char = field(metadata=initial("-"))

    def pass_boundary(self, boundary: SegmentBoundary) -> SegmentBoundary:
        return SegmentBoundary(boundary.spaces, divided=boundary.spaces == {self.delimiter})

    def pre_tokenize(self, text: AlignedText) -> Iterable[AlignedText]:
        return _split(text, self._pattern.spans(text.text), "Removed")

    @cached_property
    def _pattern(self) -> OnigPattern:
        return literal(self.delimiter)


class FixedLength(PreTokenizerComponent):
    """Splits into words of a number of characters; the last may be shorter.

    >>> [word.text for word in FixedLength(2).pre_tokenize(AlignedText.of("abcde"))]
    ['ab', 'cd', 'e']
    """

    length: Length = 5

    def pre_tokenize(self, text: AlignedText) -> Iterable[AlignedText]:
        return (text[start : start + self.length] for start in range(0, len(text), self.length))


class ByteLevel(PreTokenizerComponent, PostProcessorComponent, DecoderComponent):
    """GPT-2's words, which also spells each byte as one printable character (Radford et al. 2019); and the way back.

    As a post-processor, it removes spaces from the ends of spans. The decoder keeps a token with other characters as it
    is.

    >>> [word.text for word in ByteLevel().pre_tokenize(AlignedText.of("é a"))]
    ['ĠÃ©', 'Ġa']
    >>> ByteLevel().decode(["Ã©", "Ġa"])
    ['é a']
    """

    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = True
    is_local = True
    without_form = ("decoder",)

    def pass_boundary(self, boundary: SegmentBoundary) -> SegmentBoundary | None:
        # Words that begin with another character get a space in front, and the pattern joins ▁ to signs.
        return (
            SegmentBoundary(frozenset(ALPHABET[ord(" ")]), divided=self.use_regex) if boundary.spaces == BLANK else None
        )

    def pre_tokenize(self, text: AlignedText) -> Iterator[AlignedText]:
        if self.add_prefix_space and text.text and not text.text.startswith(" "):
            text = Prepend(" ").normalize(text)  # so that the first word has a Ġ, too
        for part in _split(text, self.pattern.spans(text.text), "Isolated") if self.use_regex else [text]:
            yield part.map_characters(_spell)

    @cached_property
    def pattern(self) -> OnigPattern:
        """The pattern of GPT-2's words."""
        return compile_onig_pattern(GPT2)

    @property
    def changes_tokens(self) -> bool:
        return self.trim_offsets

    def process(self, encodings: list[PipelineEncoding], add_special_tokens: bool) -> list[PipelineEncoding]:
        if not self.trim_offsets:
            return encodings
        return [trim_spaces(one, prefix_space=self.add_prefix_space) for one in encodings]

    def decode(self, tokens: Sequence[str]) -> list[str]:
        return [join_byte_level(tokens).decode(errors="replace")]


class ByteLevelNormalizer(NormalizerComponent, type="ByteLevel"):
    """Spells each byte as one printable character, as GPT-2 does.

    >>> ByteLevelNormalizer().normalize(AlignedText.of("é a")).text
    'Ã©Ġa'
    """

    def normalize(self, text: AlignedText) -> AlignedText:
        return text.map_characters(_spell)


def join_byte_level(tokens: Iterable[str]) -> bytes:
    """Return the bytes that tokens spell; one with other characters is text.

    >>> join_byte_level(["Ġa", "<€>"])
    b' a<\\xe2\\x82\\xac>'
    """
    return b"".join(
        bytes(BYTE_OF[char] for char in token) if all(char in BYTE_OF for char in token) else token.encode()
        for token in tokens
    )


def byte_alphabet() -> list[str]:
    """Return GPT-2's spelling of the 256 bytes: printable characters as they are, the others from U+0100 on.

    >>> byte_alphabet()[32], byte_alphabet()[65]
    ('Ġ', 'A')
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


@lru_cache(maxsize=10_000)
def _spell(char: str) -> str:
    return "".join(ALPHABET[byte] for byte in char.encode())


ALPHABET = byte_alphabet()
BYTE_OF = {char: byte for byte, char in enumerate(ALPHABET)}


class Metaspace(PreTokenizerComponent, DecoderComponent, legacy=("add_prefix_space", "str_rep")):
    """Replaces spaces by ▁, puts one in front, and splits before each; and the way back.

    >>> [word.text for word in Metaspace().pre_tokenize(AlignedText.of("a  b"))]
    ['▁a', '▁', '▁b']
    >>> Metaspace().decode(["▁a", "▁b"])
    ['a', ' b']
    """

    replacement: Char = "▁"
    prepend_scheme: Scheme = "always"
    split: bool | None = True

    def pass_boundary(self, boundary: SegmentBoundary) -> SegmentBoundary | None:
        if not boundary.spaces <= {" ", self.replacement}:
            return None  # what begins with another character gets the replacement in front
        return SegmentBoundary(frozenset(self.replacement), divided=self.split is not False)

    @cached_property
    def _mark(self) -> OnigPattern:
        return literal(self.replacement)

    @cached_property
    def _respell(self) -> Replace:
        return Replace(literal(" "), self.replacement)

    def pre_tokenize(self, text: AlignedText) -> Iterable[AlignedText]:
        text = self._respell.normalize(text)
        prepends = self.prepend_scheme == "always" or (self.prepend_scheme == "first" and not text.at)
        if prepends and not text.text.startswith(self.replacement):
            text = Prepend(self.replacement).normalize(text)
        return _split(text, self._mark.spans(text.text), "MergedWithNext") if self.split is not False else [text]

    def decode(self, tokens: Sequence[str]) -> list[str]:
        # The space in front of the first token is the one that was put there.
        first = " " if self.prepend_scheme == "never" else ""
        return [token.replace(self.replacement, " " if i else first) for i, token in enumerate(tokens)]
