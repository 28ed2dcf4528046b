"""The pre-tokenizers of Hugging Face `tokenizers` (0.23): split a normalized text into words, and some change it again.

The teaching file `scratch/pretokenize` shows the common way, a regular expression; here are all ways that published
tokenizers use. Each takes an `AlignedText` and yields its words; in a sequence, each splits the words of the last.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Literal

import regex

from ...fast.pretokenize import compile_regex
from ...pretokenize import GPT2
from ..aligned import AlignedText
from ..oniguruma.search import OnigPattern, literal
from ..oniguruma.search import compile_onig_pattern as compiled_onig
from ..unicode_versions import as_of_8, as_of_16, numbers_as_of_17
from .normalizers import prepend, replace

Splitter = Callable[[AlignedText], Iterable[AlignedText]]
Behavior = Literal["isolated", "removed", "contiguous", "merged_with_previous", "merged_with_next"]
"""What happens to a match: a word of its own · removed · joined with adjacent matches to one word · joined to the
previous word · joined to the next word."""

PUNCTUATION = regex.compile(r"[!-/:-@\[-`{-~\p{P}]")
BERT_WORD = regex.compile(r"[!-/:-@\[-`{-~\p{P}]|[^\s!-/:-@\[-`{-~\p{P}]+")
Part = tuple[int, int, bool]
"""(start, end, whether it is a match)"""


def apply_splitters(splitters: Iterable[Splitter], text: AlignedText) -> list[AlignedText]:
    """Apply pre-tokenizers one after another.

    >>> [word.text for word in apply_splitters([whitespace_split, digits(individual=True)], AlignedText.of("a1 23"))]
    ['a', '1', '2', '3']
    """
    words = [text]
    for splitter in splitters:
        words = [part for word in words for part in splitter(word) if part.text]
    return words


def split(pattern: OnigPattern, behavior: Behavior, *, invert: bool = False) -> Splitter:
    """Return the splitter at the matches of a pattern; `invert` swaps matches and the text between them.

    >>> [word.text for word in split(literal("-"), "merged_with_next")(AlignedText.of("the-final--x"))]
    ['the', '-final', '-', '-x']
    """

    def words(text: AlignedText) -> Iterable[AlignedText]:
        parts = _parts(len(text), pattern.spans(text.text))
        return _words(text, [(start, end, match != invert) for start, end, match in parts], behavior)

    return words


def _parts(size: int, matches: Iterable[tuple[int, int]]) -> Iterator[Part]:
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
    if behavior == "removed":
        yield from (text[start:end] for start, end, match in parts if not match)
        return
    # Joining to the next word is joining to the previous one, read from the end.
    backward = behavior == "merged_with_next"
    joined: list[tuple[int, int]] = []
    before = False
    for start, end, match in reversed(parts) if backward else parts:
        merges = match == before if behavior == "contiguous" else match and not before and behavior != "isolated"
        if merges and joined:
            joined[-1] = (start, joined[-1][1]) if backward else (joined[-1][0], end)
        else:
            joined.append((start, end))
        before = match
    yield from (text[start:end] for start, end in (reversed(joined) if backward else joined))


def bert_words(text: AlignedText) -> Iterator[AlignedText]:
    """BERT's words: split at white space, which is dropped, and around each punctuation character (Devlin et al. 2019).

    >>> [word.text for word in bert_words(AlignedText.of("don't  stop"))]
    ['don', "'", 't', 'stop']
    """
    for match in BERT_WORD.finditer(as_of_8(text.text)):  # same length, so positions hold in both texts
        yield text[match.start() : match.end()]


def whitespace(text: AlignedText) -> Iterator[AlignedText]:
    r"""Runs of word characters, and of others that are no white space: `\w+|[^\w\s]+`.

    >>> [word.text for word in whitespace(AlignedText.of("a_b!? c"))]
    ['a_b', '!?', 'c']
    """
    for match in compile_regex(r"\w+|[^\w\s]+").finditer(as_of_16(text.text)):
        yield text[match.start() : match.end()]


def whitespace_split(text: AlignedText) -> Iterator[AlignedText]:
    """Split at white space, which is removed.

    >>> [word.text for word in whitespace_split(AlignedText.of(" a!  b"))]
    ['a!', 'b']
    """
    for match in compile_regex(r"\S+").finditer(text.text):
        yield text[match.start() : match.end()]


def punctuation(behavior: Behavior = "isolated") -> Splitter:
    """Return the splitter at each punctuation character.

    >>> [word.text for word in punctuation()(AlignedText.of("Hey, you!?"))]
    ['Hey', ',', ' you', '!', '?']
    """

    def words(text: AlignedText) -> Iterable[AlignedText]:
        spans = (match.span() for match in PUNCTUATION.finditer(as_of_8(text.text)))
        return _words(text, [*_parts(len(text), spans)], behavior)

    return words


def digits(*, individual: bool = False) -> Splitter:
    """Return the splitter that separates numbers from other text, whole or digit by digit.

    >>> [word.text for word in digits()(AlignedText.of("in 2024!"))]
    ['in ', '2024', '!']
    """

    def words(text: AlignedText) -> Iterable[AlignedText]:
        spans = (
            match.span() for match in regex.finditer(r"\p{N}" if individual else r"\p{N}+", numbers_as_of_17(text.text))
        )
        return _words(text, [*_parts(len(text), spans)], "isolated")

    return words


def split_fixed_length(length: int = 5) -> Splitter:
    """Return the splitter into words of a number of characters; the last may be shorter.

    >>> [word.text for word in split_fixed_length(2)(AlignedText.of("abcde"))]
    ['ab', 'cd', 'e']
    """
    return lambda text: (text[start : start + length] for start in range(0, len(text), length))


def byte_level(*, prefix_space: bool = True, pattern: str | None = GPT2) -> Splitter:
    """Return GPT-2's splitter, which also spells each byte as one printable character (Radford et al. 2019).

    >>> [word.text for word in byte_level()(AlignedText.of("é a"))]
    ['ĠÃ©', 'Ġa']
    """
    words_of = compiled_onig(pattern) if pattern else None

    def words(text: AlignedText) -> Iterator[AlignedText]:
        if prefix_space and text.text and not text.text.startswith(" "):  # so that the first word has a Ġ, too
            text = prepend(" ")(text)
        parts = split(words_of, "isolated")(text) if words_of else [text]
        for part in parts:
            yield spell_bytes(part)

    return words


def spell_bytes(text: AlignedText) -> AlignedText:
    """Spell each byte as one printable character, as GPT-2 does; by itself, the normalizer ByteLevel.

    >>> spell_bytes(AlignedText.of("é a")).text
    'Ã©Ġa'
    """
    return text.map_characters(_spell)


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


def metaspace(
    replacement: str = "▁", *, prefix: Literal["always", "first", "never"] = "always", split_words: bool = True
) -> Splitter:
    """Return the splitter that replaces spaces by ▁, puts one in front, and splits before each.

    >>> [word.text for word in metaspace()(AlignedText.of("a  b"))]
    ['▁a', '▁', '▁b']
    """
    space = literal(" ")
    mark = literal(replacement)

    def words(text: AlignedText) -> Iterable[AlignedText]:
        text = replace(space, replacement)(text)
        if not text.text.startswith(replacement) and (prefix == "always" or (prefix == "first" and not text.at)):
            text = prepend(replacement)(text)
        return split(mark, "merged_with_next")(text) if split_words else [text]

    return words
