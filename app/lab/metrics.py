"""Metrics of one cut of a text, as the literature defines them, over whole columns at a time.

`counts` gives what is always in sight; here is what comparing takes. A ratio whose divisor is 0 is None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.adapters.spans import column
from app.lab.passage import Passage, Places, inner
from app.lab.spellings import raw_bytes
from app.lab.tokenize import Tokenization
from app.types import BYTE_FALLBACK, INSERTED, UNKNOWN, Encoding, Family

ALPHA = 2.5
JOINED: tuple[Family, ...] = ("bpe", "unigram")
"""Families whose decoders join what tokens spell and put nothing between."""


@dataclass(frozen=True, slots=True)
class Measures:
    """All metrics of one cut. Shares are of 1; `exact` says that decoding gives the text back to the byte."""

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


def measure(done: Tokenization, passage: Passage) -> Measures:
    """All metrics of a tokenization of this passage, in time that does not count beside the encode."""
    encoding, info = done.encoding, done.tokenizer.info
    counts = np.bincount(encoding.ids)
    counts = counts[counts > 0]
    kept, exact = round_trip(done, passage)
    size = len(encoding.grown) if info.grows else info.vocab_size
    return Measures(
        tokens=len(encoding),
        characters=len(passage.text),
        bytes=len(passage.data),
        words=len(passage.word_starts),
        distinct=len(counts),
        bytes_per_token=ratio(len(passage.data), len(encoding)),
        fertility=fertility(len(encoding), words=len(passage.word_starts)),
        retention=retention(encoding, passage),
        renyi=renyi_efficiency(counts),
        utilisation=utilisation(len(counts), vocabulary=size),
        word_agreement=word_agreement(encoding, passage),
        fidelity=kept,
        exact=exact,
        unknown=share(encoding, UNKNOWN),
        byte_fallback=share(encoding, BYTE_FALLBACK),
    )


def ratio(value: float, by: float) -> float | None:
    """A quotient, or None by 0.

    >>> ratio(20, 8), ratio(1, 0)
    (2.5, None)
    """
    return value / by if by else None


def fertility(tokens: int, *, words: int) -> float | None:
    """Tokens per word: 1 where every word is one token (Rust et al. 2021, How Good is Your Tokenizer?).

    All tokens count, also those of white space and punctuation.

    >>> fertility(6, words=4)
    1.5
    """
    return ratio(tokens, words)


def bytes_per_token(size: int, *, tokens: int) -> float | None:
    """UTF-8 bytes per token, the compression rate: `Hello, 🌍! 你好!` has 20 bytes in 8 tokens of o200k_base.

    >>> bytes_per_token(20, tokens=8)
    2.5
    """
    return ratio(size, tokens)


def premium(tokens: int, *, english: int) -> float | None:
    """Tokens of a text over the tokens of the same text in English (Petrov et al. 2023, Language Model Tokenizers
    Introduce Unfairness Between Languages).

    >>> premium(30, english=20), premium(20, english=20)
    (1.5, 1.0)
    """
    return ratio(tokens, english)


def retention(encoding: Encoding, passage: Passage) -> float | None:
    """Single-token retention rate: the share of words that stay whole (Nayeem et al. 2025, Beyond Fertility).

    1/n · Σ [|T(wᵢ)| = 1]: one token, which may hold a space or more beside the word, touches it and covers all of it;
    an unknown token does not. Words count as often as they occur.

    >>> retention(_tokens([3, 1, 4]), Passage("the cats"))  # the · space · cats
    1.0
    >>> retention(_tokens([3, 3, 2]), Passage("the cats"))  # the ·ca ts
    0.5
    """
    starts, ends = passage.word_starts, passage.word_ends
    if not len(starts) or not len(encoding):
        return 0.0 if len(starts) else None
    real = np.flatnonzero(encoding.byte_starts < encoding.byte_ends)
    if np.any(np.diff(encoding.byte_starts[real]) < 0):
        real = real[np.argsort(encoding.byte_starts[real], kind="stable")]
    opens, closes = encoding.byte_starts[real], encoding.byte_ends[real]
    begun = np.cumsum(np.bincount(opens, minlength=len(passage.data) + 1))
    done = np.cumsum(np.bincount(closes, minlength=len(passage.data) + 1))
    behind = begun[ends - 1]  # tokens that begin before the word ends
    last = np.append(real, -1)[behind - 1]
    covers = (encoding.byte_starts[last] <= starts) & (encoding.byte_ends[last] >= ends)
    known = encoding.flags[last] & UNKNOWN == 0
    return float(((behind - done[starts] == 1) & covers & known).mean())


def renyi_efficiency(counts: NDArray[np.int_], *, alpha: float = ALPHA, types: int | None = None) -> float | None:
    """Rényi efficiency: how evenly a text uses its tokens, 1 where all are equally frequent (Zouhar et al. 2023,
    Tokenization and the Noiseless Channel).

    H_α(p) / log |V| with H_α(p) = log(Σ pᵢ^α) / (1 − α), where pᵢ is a token's share of the text. V is what occurs
    in the text, as in the authors' own program, unless `types` says how many tokens there are. Counts 3, 1: p = ¾, ¼,
    Σ p^2.5 = 0.51839, H = 0.43802, over ln 2 = 0.63193.

    >>> round(renyi_efficiency(np.array([3, 1])), 5), renyi_efficiency(np.array([2, 2]))
    (0.63193, 1.0)
    """
    types = len(counts) if types is None else types
    if types < 2 or not len(counts):
        return None
    powers = np.sum((counts / counts.sum()) ** alpha)
    return float(np.log(powers) / (1 - alpha) / np.log(types))


def utilisation(distinct: int, *, vocabulary: int | None) -> float | None:
    """The share of a vocabulary that a text uses; None where the size is not known.

    >>> utilisation(8, vocabulary=16), utilisation(8, vocabulary=None)
    (0.5, None)
    """
    return ratio(distinct, vocabulary or 0)


def boundaries(encoding: Encoding, passage: Passage) -> Places:
    """Where tokens begin and end within the text; its own ends do not count.

    >>> np.flatnonzero(boundaries(_tokens([3, 3, 2]), Passage("the cats"))).tolist()
    [3, 6]
    """
    return inner(len(passage.data), encoding.byte_starts, encoding.byte_ends)


def agreement(one: Places, other: Places) -> float:
    """Boundary agreement of two cuts of one text: the Jaccard index |A ∩ B| / |A ∪ B| of their boundaries (Jaccard
    1912). Two cuts without any agree wholly.

    >>> text = Passage("the cats")
    >>> agreement(boundaries(_tokens([3, 3, 2]), text), boundaries(_tokens([3, 5]), text))
    0.5
    """
    either = int(np.count_nonzero(one | other))
    return int(np.count_nonzero(one & other)) / either if either else 1.0


def word_agreement(encoding: Encoding, passage: Passage) -> float:
    """Agreement of token boundaries with the edges of words, as a Jaccard index.

    A boundary within or behind white space counts where that begins, since tokenizers differ in which side it goes to.

    >>> word_agreement(_tokens([3, 3, 2]), Passage("the cats")), word_agreement(_tokens([4, 4]), Passage("the cats"))
    (0.5, 1.0)
    """
    return agreement(passage.folded(boundaries(encoding, passage)), passage.folded_edges)


def share(encoding: Encoding, flag: int) -> float | None:
    """The share of tokens with a flag: of unknown ones, of single bytes of a character that the vocabulary lacks.

    >>> share(_tokens([3, 1], flags=[BYTE_FALLBACK, 0]), BYTE_FALLBACK)
    0.5
    """
    return ratio(int(np.count_nonzero(encoding.flags & flag)), len(encoding))


def round_trip(done: Tokenization, passage: Passage) -> tuple[float | None, bool]:
    """Round-trip fidelity, and whether decoding gives the text back to the byte.

    Fidelity is the share of a text's bytes, white space left out, that its tokens spell as they stand: what an unknown
    token stands for, what was changed before the cut and what was dropped does not come back. White space is left out
    because decoders put it where words meet. The decoder is asked only where the tokens do not tell.
    """
    solid = ~passage.blank
    if done.tokenizer.info.lossless:
        return (1.0 if solid.any() else None), True
    raws, which = _raws(done)
    if done.tokenizer.info.family in JOINED and b"".join(raws[which].tolist()).removeprefix(b" ") == passage.data:
        return (1.0 if solid.any() else None), True
    spelled = _spelled(done, raws.tolist(), which)
    found = ratio(int(np.count_nonzero(spelled & solid)), int(np.count_nonzero(solid)))
    if not spelled[solid].all() or done.tokenizer.info.family in JOINED:
        return found, bool(spelled.all())
    return found, done.tokenizer.decode(done.encoding.ids[done.encoding.flags & INSERTED == 0].tolist()) == passage.data


def _raws(done: Tokenization) -> tuple[NDArray[np.object_], NDArray[np.int32]]:
    """The raw bytes of each distinct token, and which of them each token is."""
    e = done.encoding
    ids = np.flatnonzero(np.bincount(e.ids)).astype(np.int32)
    row = np.zeros(1 + int(ids[-1]) if len(ids) else 0, np.int32)
    row[ids] = np.arange(len(ids))
    which = row[e.ids]
    raws = np.empty(len(ids), np.object_)
    raws[:] = raw_bytes(done, ids.tolist())
    return raws, which


def _spelled(done: Tokenization, raws: Sequence[bytes], which: NDArray[np.int32]) -> Places:
    """By byte: whether a token spells it as it stands."""
    e, data = done.encoding, np.frombuffer(done.data, np.uint8)
    lengths = column([len(raw) for raw in raws])
    begins = np.cumsum(lengths, dtype=np.int32) - lengths
    sizes, spaced = e.byte_ends - e.byte_starts, np.array([raw[:1] == b" " for raw in raws], np.bool_)
    # A space in front of all, which decoding takes off again, is no change.
    extra = (lengths[which] == sizes + 1) & spaced[which] & (e.byte_starts == 0)
    same = np.flatnonzero((lengths[which] == sizes) | extra)
    held = sizes[same]
    within = np.arange(held.sum(), dtype=np.int32) - np.repeat(np.cumsum(held, dtype=np.int32) - held, held)
    where = np.repeat(e.byte_starts[same], held) + within
    spelled = np.frombuffer(b"".join(raws), np.uint8)[np.repeat((begins[which] + extra)[same], held) + within]
    found = np.zeros(len(data), np.bool_)
    found[where] = spelled == data[where]
    return found


def _tokens(lengths: list[int], *, flags: list[int] | None = None) -> Encoding:
    """An encoding of tokens that follow one another, for the examples above."""
    ends = np.cumsum(column(lengths), dtype=np.int32)
    starts, ids = ends - column(lengths), np.arange(len(lengths), dtype=np.uint32)
    return Encoding(ids, starts, ends, starts, ends, np.array(flags or [0] * len(lengths), np.uint8))
