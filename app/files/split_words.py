"""How tiktoken and `tokenizers` split a text at a pattern: the words of the libraries themselves.

Neither has a time limit of its own, so call this in a limited worker, after a search that has one.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import accumulate, pairwise

from ..errors import BacktrackLimit, EngineFailed, Invalid, TokenariumError, reason

BYTES = {bytes([byte]): byte for byte in range(256)}
RUN = re.compile(rb"(.)\1+", re.DOTALL)


@contextmanager
def translate_errors(library: str, refuse: Callable[[str], TokenariumError]) -> Iterator[None]:
    """Raise `BacktrackLimit` or `EngineFailed` if a library gives up or panics, and for other errors what they mean.

    `refuse`: makes an error from the library's message.
    """
    try:
        yield
    except BaseException as error:  # pyo3's PanicException is no Exception and cannot be imported
        panicked = type(error).__name__ == "PanicException"
        if not panicked and not isinstance(error, Exception):
            raise
        if "retry-limit" in str(error) or "backtracking" in str(error):
            detail = f"A regular expression of {library} exceeded its backtracking limit on this text: {reason(error)}."
            raise BacktrackLimit(detail) from None
        if panicked:
            raise EngineFailed(f"{library} panicked on this text: {reason(error)}.") from None
        raise refuse(reason(error)) from None


def _refuse_with(library: str) -> AbstractContextManager[None]:
    return translate_errors(library, lambda why: Invalid(f"{library} refuses the pattern: {why}.", pointer="/pattern"))


def split_with_tokenizers(patterns: Iterable[str], text: str) -> list[tuple[int, int]]:
    r"""Return the words of a text as (start, end), as `tokenizers` splits it at one pattern after the other.

    What no match covers is a word of its own: each is a `Split` that isolates. Raises `Invalid` for a pattern that
    Oniguruma refuses, `BacktrackLimit` and `EngineFailed`.

    >>> split_with_tokenizers([r"\p{L}+", r"\d"], "ab-12")
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    from tokenizers import Regex
    from tokenizers.pre_tokenizers import PreTokenizer, Sequence, Split

    with _refuse_with("tokenizers"):
        splits: list[PreTokenizer] = [Split(Regex(pattern), "isolated") for pattern in patterns]
        return [span for _, span in Sequence(splits).pre_tokenize_str(text)]


def compile_with_tokenizers(pattern: str) -> Callable[[str], list[tuple[int, int]]]:
    r"""Return a function from a text to the matches of a pattern as (start, end), without what lies between them.

    >>> compile_with_tokenizers(r"\p{L}+|\d")("ab-12")
    [(0, 2), (3, 4), (4, 5)]

    Raises as above: `Invalid` at once, the others when the function is called.
    """
    from tokenizers import Regex
    from tokenizers.pre_tokenizers import Split

    with _refuse_with("tokenizers"):
        splitter = Split(Regex(pattern), "removed", invert=True)

    def match(text: str) -> list[tuple[int, int]]:
        with _refuse_with("tokenizers"):
            return [span for _, span in splitter.pre_tokenize_str(text)]

    return match


def split_with_tiktoken(pattern: str, text: str) -> list[tuple[int, int]]:
    r"""Return the words of a text as (start, end), as tiktoken splits it; it drops what no match covers.

    >>> split_with_tiktoken(r"\p{L}+|\d", "ab-12")
    [(0, 2), (3, 4), (4, 5)]

    Raises `Invalid` for a pattern that fancy-regex refuses, `BacktrackLimit`, and `EngineFailed`, also where a match
    leaves out text before it (`a\Kb`).

    tiktoken returns ids only: see `_words`. Where its words stand is known from a second pattern, which has each
    character that the first does not match as a word of its own.
    """
    words = _words(pattern, text)
    every = _words(rf"(?:{pattern})|[\s\S]", text)
    if "".join(every) != text:
        raise EngineFailed("In tiktoken a match leaves out text before it, so where its matches stand is not known.")
    spans = list[tuple[int, int]]()
    at = 0
    left = len(every) - len(words)
    for word in every:
        end = at + len(word)
        rest = words[len(spans) :]
        # A dropped character may be equal to the next word; then tiktoken itself says whether it drops this one.
        dropped = left > 0 and len(word) == 1 and (rest[:1] != [word] or _is_dropped(pattern, text, at, words))
        if dropped:
            left -= 1
        else:
            spans.append((at, end))
        at = end
    return spans


def _is_dropped(pattern: str, text: str, at: int, words: list[str]) -> bool:
    """Return whether tiktoken drops the character at a position: then it is in the result once any is allowed there."""
    allowed = rf"(?:{pattern})|(?<=\A[\s\S]{{{at}}})[\s\S]" if at else rf"(?:{pattern})|\A[\s\S]"
    return sum(map(len, _encode(allowed, text, BYTES))) > sum(len(word.encode()) for word in words)


def _words(pattern: str, text: str) -> list[str]:
    """Return the words of a text in tiktoken.

    It is encoded with vocabularies in which two bytes that are adjacent in a word become one token. Each vocabulary has
    pairs that cannot overlap: their first bytes are never second ones.
    """
    with _refuse_with("tiktoken"):
        joined = set[int]()
        data = b""
        for ranks in [*_pairs(text.encode()), _runs(text.encode())]:
            tokens = _encode(pattern, text, ranks)
            data = b"".join(tokens)
            joined |= {*range(1, len(data))} - {*accumulate(map(len, tokens))}
    edges = [0, *(edge for edge in range(1, len(data)) if edge not in joined), len(data)]
    return [data[start:end].decode() for start, end in pairwise(edges)] if data else []


def _encode(pattern: str, text: str, ranks: Mapping[bytes, int]) -> list[bytes]:
    """Return the tokens of a text in tiktoken."""
    import tiktoken

    library = tiktoken.Encoding("words", pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens={})
    return library.decode_tokens_bytes(library.encode(text, disallowed_special=()))


def _pairs(data: bytes) -> Iterator[dict[bytes, int]]:
    """Yield vocabularies that together have each pair of different adjacent bytes.

    Two different numbers differ in a bit: of a pair, the first byte has it and the second has not, or the reverse.
    """
    pairs = {data[at : at + 2] for at in range(len(data) - 1) if data[at] != data[at + 1]}
    number = {byte: i for i, byte in enumerate(sorted({*data}))}
    for bit in range(max(1, (len(number) - 1).bit_length())):
        for first in (0, 1):
            chosen = [one for one in pairs if number[one[0]] >> bit & 1 == first != number[one[1]] >> bit & 1]
            yield {**BYTES, **{pair: 256 + i for i, pair in enumerate(sorted(chosen))}}


def _runs(data: bytes) -> dict[bytes, int]:
    """Return the vocabulary with each run of one byte, so that only the end of a word can divide a run."""
    longest: dict[bytes, int] = {}
    for match in RUN.finditer(data):
        longest[match[1]] = max(longest.get(match[1], 0), len(match[0]))
    runs = [byte * times for byte, most in longest.items() for times in range(2, most + 1)]
    return {**BYTES, **{run: 256 + i for i, run in enumerate(sorted(runs, key=len))}}
