"""Pre-tokenizers over aligned text: words are cut out of a normalized text, and some change it once more.

`pretokenize` knows one way, a pattern; here are the others that tokenizers are published with. Each takes an
`Aligned` and gives its words; a list of them is applied from the left, each to the words of the one before.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import regex

from app.scratch.aligned import Aligned, cut
from app.scratch.normalize import prepend, replace
from app.scratch.older_unicode import as_of_8, numbers_as_of_17
from app.scratch.pretokenize import compiled, matches
from app.scratch.unicode import as_of_16

Splitter = Callable[[Aligned], Iterable[Aligned]]
Behavior = Literal["isolated", "removed", "contiguous", "merged_with_previous", "merged_with_next"]
"""What becomes of a match between the words: a word of its own · nothing · a word with its neighbours if they match,
too · the end of the word before · the beginning of the word behind."""

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
PUNCTUATION = regex.compile(r"[!-/:-@\[-`{-~\p{P}]")
BERT_WORD = regex.compile(r"[!-/:-@\[-`{-~\p{P}]|[^\s!-/:-@\[-`{-~\p{P}]+")
Stretch = tuple[int, int, bool]


def in_turn(splitters: Iterable[Splitter], text: Aligned) -> list[Aligned]:
    """Apply pre-tokenizers one after another.

    >>> [word.text for word in in_turn([whitespace_split, digits(individual=True)], Aligned.of("a1 23"))]
    ['a', '1', '2', '3']
    """
    words = [text]
    for splitter in splitters:
        words = [part for word in words for part in splitter(word) if part.text]
    return words


def split(pattern: "regex.Pattern[str]", behavior: Behavior, *, invert: bool = False) -> Splitter:
    """Split at the matches of a pattern; `invert` takes what lies between them for the matches.

    >>> [word.text for word in split(regex.compile("-"), "merged_with_next")(Aligned.of("the-final--x"))]
    ['the', '-final', '-', '-x']
    """

    def words(text: Aligned) -> Iterable[Aligned]:
        spans = (found.span() for found in matches(pattern, as_of_16(text.text)))
        return _words(
            text, [(start, end, match != invert) for start, end, match in _stretches(len(text), spans)], behavior
        )

    return words


def _stretches(size: int, matches: Iterable[tuple[int, int]]) -> Iterator[Stretch]:
    """The matches and what lies between them, in order."""
    here = 0
    for start, end in matches:
        if here < start:
            yield here, start, False
        yield start, end, True
        here = end
    if here < size:
        yield here, size, False


def _words(text: Aligned, stretches: list[Stretch], behavior: Behavior) -> Iterator[Aligned]:
    if behavior == "removed":
        yield from (text[start:end] for start, end, match in stretches if not match)
        return
    backward = behavior == "merged_with_next"
    joined: list[tuple[int, int]] = []
    before = False
    for start, end, match in reversed(stretches) if backward else stretches:
        merges = match == before if behavior == "contiguous" else match and not before and behavior != "isolated"
        if merges and joined:
            joined[-1] = (start, joined[-1][1]) if backward else (joined[-1][0], end)
        else:
            joined.append((start, end))
        before = match
    yield from (text[start:end] for start, end in (reversed(joined) if backward else joined))


def bert_words(text: Aligned) -> Iterator[Aligned]:
    """BERT's words: split at white space, which is dropped, and around each punctuation character (Devlin et al. 2019).

    >>> [word.text for word in bert_words(Aligned.of("don't  stop"))]
    ['don', "'", 't', 'stop']
    """
    for match in BERT_WORD.finditer(as_of_8(text.text)):
        yield text[match.start() : match.end()]


def whitespace(text: Aligned) -> Iterator[Aligned]:
    r"""Runs of word characters, and of others that are no white space: `\w+|[^\w\s]+`.

    >>> [word.text for word in whitespace(Aligned.of("a_b!? c"))]
    ['a_b', '!?', 'c']
    """
    for match in compiled(r"\w+|[^\w\s]+").finditer(as_of_16(text.text)):
        yield text[match.start() : match.end()]


def whitespace_split(text: Aligned) -> Iterator[Aligned]:
    """What lies between white space.

    >>> [word.text for word in whitespace_split(Aligned.of(" a!  b"))]
    ['a!', 'b']
    """
    for match in compiled(r"\S+").finditer(text.text):
        yield text[match.start() : match.end()]


def punctuation(behavior: Behavior = "isolated") -> Splitter:
    """Split at each punctuation character.

    >>> [word.text for word in punctuation()(Aligned.of("Hey, you!?"))]
    ['Hey', ',', ' you', '!', '?']
    """

    def words(text: Aligned) -> Iterable[Aligned]:
        spans = (found.span() for found in PUNCTUATION.finditer(as_of_8(text.text)))
        return _words(text, [*_stretches(len(text), spans)], behavior)

    return words


def digits(*, individual: bool = False) -> Splitter:
    """Numbers apart from all else, whole or digit by digit.

    >>> [word.text for word in digits()(Aligned.of("in 2024!"))]
    ['in ', '2024', '!']
    """

    def words(text: Aligned) -> Iterable[Aligned]:
        spans = (
            found.span() for found in regex.finditer(r"\p{N}" if individual else r"\p{N}+", numbers_as_of_17(text.text))
        )
        return _words(text, [*_stretches(len(text), spans)], "isolated")

    return words


def digit_groups(size: int = 3, *, from_right: bool = False) -> Splitter:
    """Numbers in groups: from the left, as GPT-4 has them, or from the right, by place value.

    >>> [word.text for word in digit_groups()(Aligned.of("12345"))]
    ['123', '45']
    >>> [word.text for word in digit_groups(from_right=True)(Aligned.of("12345"))]
    ['12', '345']
    """

    def words(text: Aligned) -> Iterable[Aligned]:
        edges: list[int] = []
        for found in regex.finditer(r"\p{N}+", numbers_as_of_17(text.text)):
            start, end = found.span()
            edges += [start, *range(start + ((end - start) % size if from_right else size), end, size), end]
        return cut(text, edges)

    return words


def byte_level(*, prefix_space: bool = True, pattern: str | None = GPT2) -> Splitter:
    """GPT-2's words, with each byte spelled as one printable character (Radford et al. 2019).

    >>> [word.text for word in byte_level()(Aligned.of("é a"))]
    ['ĠÃ©', 'Ġa']
    """
    alphabet = byte_alphabet()

    def words(text: Aligned) -> Iterator[Aligned]:
        if prefix_space and text.text and not text.text.startswith(" "):
            text = prepend(" ")(text)
        parts = split(compiled(pattern), "isolated")(text) if pattern else [text]
        for part in parts:
            yield part.each(lambda char: "".join(alphabet[byte] for byte in char.encode()))

    return words


def byte_alphabet() -> list[str]:
    """GPT-2's spelling of the 256 bytes: printable characters stand for themselves, the others come from U+0100 on.

    >>> byte_alphabet()[32], byte_alphabet()[65]
    ('Ġ', 'A')
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def metaspace(
    replacement: str = "▁", *, prefix: Literal["always", "first", "never"] = "always", cut_words: bool = True
) -> Splitter:
    """Spaces written as ▁, one put in front, and the text cut before each.

    >>> [word.text for word in metaspace()(Aligned.of("a  b"))]
    ['▁a', '▁', '▁b']
    """
    space = regex.compile(" ")

    def words(text: Aligned) -> Iterable[Aligned]:
        text = replace(space, replacement)(text)
        if not text.text.startswith(replacement) and (prefix == "always" or (prefix == "first" and not text.at)):
            text = prepend(replacement)(text)
        return split(regex.compile(regex.escape(replacement)), "merged_with_next")(text) if cut_words else [text]

    return words
