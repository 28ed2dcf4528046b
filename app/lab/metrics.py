"""Metrics of a tokenization, as the literature defines them, computed over whole columns at a time.

`counts` gives the few that the playground always shows, `measure` all that a comparison shows. A ratio with a divisor
of 0 is None. Shares are from 0 to 1.
"""

from dataclasses import dataclass

import numpy as np
import regex
from numpy.typing import NDArray

from ..files.spans import column
from ..types import BYTE_FALLBACK, UNKNOWN, Encoding
from .detokenize import round_trip
from .text_index import Places, TextIndex, span_edges
from .tokenize import Tokenization

# `text_index.words` finds the same words in whole arrays; a test compares the two.
WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’\-][\p{L}\p{M}\p{N}]+)*")
UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Javanese}\p{Khmer}\p{Lao}\p{Myanmar}\p{Tai_Tham}\p{Tai_Viet}\p{Thai}\p{Tibetan}\p{Yi}]"
)
LETTER = regex.compile(r"\p{L}")
SAMPLE = 10_000
"""Characters that decide whether a text separates its words."""
RENYI_ALPHA = 2.5
"""The order at which Zouhar et al. 2023 found the highest correlation with translation quality."""


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Numbers of tokens, code points, UTF-8 bytes, words and distinct ids, and two ratios of them.

    `words` is None for a text in a script that does not separate words.
    """

    tokens: int
    characters: int
    bytes: int
    words: int | None
    distinct: int
    bytes_per_token: float | None
    tokens_per_word: float | None


@dataclass(frozen=True, slots=True)
class Measures:
    """All metrics of one tokenization; the function of the same name defines each.

    `distinct` counts distinct ids, `renyi` is the Rényi efficiency, `fidelity` the round-trip fidelity, and `exact` is
    True if decoding restores the text byte for byte. `unknown` and `byte_fallback` are shares of the tokens.
    """

    tokens: int
    characters: int
    bytes: int
    words: int
    distinct: int
    bytes_per_token: float | None
    fertility: float | None
    retention: float | None
    renyi: float | None
    utilisation: float | None
    word_agreement: float | None
    fidelity: float | None
    exact: bool
    unknown: float | None
    byte_fallback: float | None


def counts(tokenization: Tokenization) -> TokenCounts:
    """Count the tokens, code points, bytes, words and distinct ids of a tokenization."""
    encoding = tokenization.encoding
    size = len(tokenization.data)
    text = tokenization.text
    words = word_count(text) if separates_words(text) else None
    return TokenCounts(
        tokens=len(encoding),
        characters=len(tokenization.text),
        bytes=size,
        words=words,
        distinct=int(np.count_nonzero(np.bincount(encoding.ids))) if len(encoding) else 0,
        bytes_per_token=bytes_per_token(size, tokens=len(encoding)),
        tokens_per_word=fertility(len(encoding), words=words or 0),
    )


def word_count(text: str) -> int:
    """Return the number of words: runs of letters, marks and digits, which may contain an apostrophe or a hyphen.

    >>> word_count("I'll say it: naïve, state-of-the-art!")
    5
    """
    return sum(1 for _ in WORD.finditer(text))


def separates_words(text: str) -> bool:
    """Tell whether at most half of the letters of a text belong to scripts without spaces between words.

    >>> separates_words("Hello, 你好!"), separates_words("สวัสดีชาวโลก")
    (True, False)
    """
    beginning = text[:SAMPLE]
    return beginning.isascii() or 2 * len(UNSPACED.findall(beginning)) <= len(LETTER.findall(beginning))


def measure(tokenization: Tokenization, index: TextIndex) -> Measures:
    """Return all metrics of a tokenization of the indexed text."""
    encoding = tokenization.encoding
    info = tokenization.tokenizer.info
    frequencies = np.bincount(encoding.ids)
    frequencies = frequencies[frequencies > 0]
    fidelity, exact = round_trip(tokenization, index)
    # A vocabulary that is built from the text itself has exactly the entries of this text.
    vocabulary = len(encoding.grown) if info.grows else info.tokens
    return Measures(
        tokens=len(encoding),
        characters=len(index.text),
        bytes=len(index.data),
        words=len(index.word_starts),
        distinct=len(frequencies),
        bytes_per_token=bytes_per_token(len(index.data), tokens=len(encoding)),
        fertility=fertility(len(encoding), words=len(index.word_starts)),
        retention=retention(encoding, index),
        renyi=renyi_efficiency(frequencies),
        utilisation=utilisation(len(frequencies), vocabulary=vocabulary),
        word_agreement=word_agreement(encoding, index),
        fidelity=fidelity,
        exact=exact,
        unknown=flag_share(encoding, UNKNOWN),
        byte_fallback=flag_share(encoding, BYTE_FALLBACK),
    )


def ratio(value: float, by: float) -> float | None:
    """Return value / by, or None if `by` is 0.

    >>> ratio(20, 8), ratio(1, 0)
    (2.5, None)
    """
    return value / by if by else None


def fertility(tokens: int, *, words: int) -> float | None:
    """Return tokens / words, in tokens per word; 1 if every word is one token (Rust et al. 2021, How Good is Your
    Tokenizer?).

    Tokens of whitespace and punctuation count as well.

    >>> fertility(6, words=4)
    1.5
    """
    return ratio(tokens, words)


def bytes_per_token(size: int, *, tokens: int) -> float | None:
    """Return bytes / tokens, the compression rate in UTF-8 bytes per token: `Hello, 🌍! 你好!` has 20 bytes in 8 tokens
    of o200k_base.

    >>> bytes_per_token(20, tokens=8)
    2.5
    """
    return ratio(size, tokens)


def premium(tokens: int, *, english: int) -> float | None:
    """Return tokens / english, the number of tokens of a text relative to its English translation (Petrov et al. 2023,
    Language Model Tokenizers Introduce Unfairness Between Languages).

    >>> premium(30, english=20), premium(20, english=20)
    (1.5, 1.0)
    """
    return ratio(tokens, english)


def retention(encoding: Encoding, index: TextIndex) -> float | None:
    """Return the single-token retention rate: the share of words that are one token (Nayeem et al. 2025, Beyond
    Fertility).

    1/n · Σ [|T(wᵢ)| = 1] over all n words of the text, repeated ones counted repeatedly. A word is one token if a
    single token overlaps it, covers it completely and is not unknown; the token may contain spaces beside the word.

    >>> retention(_tokens([3, 1, 4]), TextIndex("the cats"))  # the · space · cats
    1.0
    >>> retention(_tokens([3, 3, 2]), TextIndex("the cats"))  # the ·ca ts
    0.5
    """
    starts = index.word_starts
    ends = index.word_ends
    if not len(starts) or not len(encoding):
        return 0.0 if len(starts) else None
    real = np.flatnonzero(encoding.byte_starts < encoding.byte_ends)
    if np.any(np.diff(encoding.byte_starts[real]) < 0):  # a post-processor may reorder tokens
        real = real[np.argsort(encoding.byte_starts[real], kind="stable")]
    # Cumulative counts of token starts and ends give, for any position, how many tokens began or ended before it.
    size = len(index.data) + 1
    opened = np.cumsum(np.bincount(encoding.byte_starts[real], minlength=size))
    closed = np.cumsum(np.bincount(encoding.byte_ends[real], minlength=size))
    begun = opened[ends - 1]  # number of tokens that begin before the word ends
    last = np.append(real, -1)[begun - 1]
    overlapping = begun - closed[starts]
    covered = (encoding.byte_starts[last] <= starts) & (encoding.byte_ends[last] >= ends)
    not_unknown = encoding.flags[last] & UNKNOWN == 0
    return float(((overlapping == 1) & covered & not_unknown).mean())


def renyi_efficiency(
    frequencies: NDArray[np.int_], *, alpha: float = RENYI_ALPHA, types: int | None = None
) -> float | None:
    """Return the Rényi efficiency: how evenly a text uses its tokens, 1 if all are equally frequent (Zouhar et al.
    2023, Tokenization and the Noiseless Channel).

    H_α(p) / log |V| with H_α(p) = log(Σ pᵢ^α) / (1 − α), where pᵢ is the relative frequency of token i. |V| is the
    number of distinct tokens in the text, as in the authors' implementation, unless `types` is passed.

    Frequencies 3 and 1: p = ¾, ¼; Σ p^2.5 = 0.51839; H = 0.43802; divided by ln 2 = 0.63193.

    >>> round(renyi_efficiency(np.array([3, 1])), 5), renyi_efficiency(np.array([2, 2]))
    (0.63193, 1.0)
    """
    types = len(frequencies) if types is None else types
    if types < 2 or not len(frequencies):  # log |V| would be 0
        return None
    powers = np.sum((frequencies / frequencies.sum()) ** alpha)
    return float(np.log(powers) / (1 - alpha) / np.log(types))


def utilisation(distinct: int, *, vocabulary: int | None) -> float | None:
    """Return distinct / vocabulary, the share of the vocabulary that a text uses; None if its size is unknown.

    >>> utilisation(8, vocabulary=16), utilisation(8, vocabulary=None)
    (0.5, None)
    """
    return ratio(distinct, vocabulary or 0)


def boundaries(encoding: Encoding, index: TextIndex) -> Places:
    """Return the byte positions at which tokens begin or end, without the two ends of the text.

    >>> np.flatnonzero(boundaries(_tokens([3, 3, 2]), TextIndex("the cats"))).tolist()
    [3, 6]
    """
    return span_edges(len(index.data), encoding.byte_starts, encoding.byte_ends)


def boundary_agreement(one: Places, other: Places) -> float:
    """Return the Jaccard index |A ∩ B| / |A ∪ B| of two sets of boundaries in one text (Jaccard 1912).

    It is 1 if both are empty.

    >>> text = TextIndex("the cats")
    >>> boundary_agreement(boundaries(_tokens([3, 3, 2]), text), boundaries(_tokens([3, 5]), text))
    0.5
    """
    union = int(np.count_nonzero(one | other))
    return int(np.count_nonzero(one & other)) / union if union else 1.0


def word_agreement(encoding: Encoding, index: TextIndex) -> float:
    """Return the boundary agreement of the tokens with the edges of words.

    A boundary inside or after whitespace counts as one at its start, because some tokenizers attach a space to the word
    before it and others to the word after it.

    >>> text = TextIndex("the cats")
    >>> word_agreement(_tokens([3, 3, 2]), text), word_agreement(_tokens([4, 4]), text)
    (0.5, 1.0)
    """
    return boundary_agreement(index.fold_whitespace(boundaries(encoding, index)), index.folded_edges)


def flag_share(encoding: Encoding, flag: int) -> float | None:
    """Return the share of tokens with a flag, such as `UNKNOWN` or `BYTE_FALLBACK`.

    >>> flag_share(_tokens([3, 1], flags=[BYTE_FALLBACK, 0]), BYTE_FALLBACK)
    0.5
    """
    return ratio(count_flagged(encoding, flag), len(encoding))


def count_flagged(encoding: Encoding, flag: int) -> int:
    """Return the number of tokens with a flag."""
    return int(np.count_nonzero(encoding.flags & flag))


def _tokens(lengths: list[int], *, flags: list[int] | None = None) -> Encoding:
    """Return an encoding of adjacent tokens of these lengths in bytes, for the examples above."""
    ends = np.cumsum(column(lengths), dtype=np.int32)
    starts = ends - column(lengths)
    ids = np.arange(len(lengths), dtype=np.uint32)
    return Encoding(
        ids=ids,
        byte_starts=starts,
        byte_ends=ends,
        char_starts=starts,
        char_ends=ends,
        flags=np.array(flags or [0] * len(lengths), np.uint8),
    )
