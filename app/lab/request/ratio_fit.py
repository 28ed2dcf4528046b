"""Fit how many tokens a model without a public tokenizer takes for one of a known tokenizer, from the bills of a log.

A bill is a fixed number of tokens for the format and a multiple of the known count. Both are fitted by least squares;
resampling the requests gives the interval (Efron 1979, Bootstrap Methods).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import regex
from numpy.typing import NDArray

from .parts import RequestCount

LEAST_REQUESTS = 8
"""Requests of a fit; fewer tell too little."""
RESAMPLES = 500
SCRIPTS = (
    *("Latin", "Han", "Hiragana", "Katakana", "Hangul", "Cyrillic", "Arabic", "Devanagari", "Greek", "Hebrew", "Thai"),
)
PATTERNS = {script: regex.compile(rf"\p{{Script={script}}}") for script in SCRIPTS}
SAMPLE = 20_000
"""Characters of a request whose scripts are counted."""


@dataclass(frozen=True, slots=True)
class RatioFit:
    """A fitted ratio: tokens of `model` for one of `tokenizer`, from `low` to `high` in 95 of 100 resamples.

    `content` is "all requests", a script, or a kind of content; `fixed` are the tokens of the format.
    """

    model: str
    tokenizer: str
    content: str
    requests: int
    ratio: float
    low: float
    high: float
    fixed: float


def fit_ratios(bills: Sequence[tuple[RequestCount, int]]) -> list[RatioFit]:
    """Return the ratios that billed input tokens give for each model without a public tokenizer.

    Requests with pictures or files are left out. Without enough requests of enough different sizes there is no fit.
    """
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for count, billed in bills:
        if count.model.own or any(part.kind == "media" for part in count.parts):
            continue
        formats = [part.tokens for part in count.parts if part.kind == "format" and part.tokens]
        pair = (_known_count(count), billed - sum(span.low for span in formats))
        for content in ("all requests", *_contents(count)):
            pairs.setdefault((count.model.name, content), []).append(pair)
    tokenizers = {count.model.name: count.model.tokenizer for count, _ in bills}
    fits = (_fit(tokenizers[model], model, content, points) for (model, content), points in pairs.items())
    return [fit for fit in fits if fit]


def _known_count(count: RequestCount) -> float:
    """Return the tokens of the known tokenizer, which the model's range was made of."""
    low = count.model.ratio.low
    ranged = [part.tokens for part in count.parts if part.tokens and not part.tokens.exact]
    return sum(span.low for span in ranged) / low


def _contents(count: RequestCount) -> Iterator[str]:
    """Yield the script of most letters of a request, and its kind of content if most of it is one."""
    text = "".join(part.text for part in count.parts)[:SAMPLE]
    letters = {script: len(pattern.findall(text)) for script, pattern in PATTERNS.items()}
    script = max(letters, key=lambda one: letters[one])
    if letters[script]:
        yield f"{script} script"
    whole = count.tokens.low or 1
    data = sum(part.tokens.low for part in count.parts if part.tokens and part.kind in ("tool", "call", "result"))
    yield "mostly tools and data" if data > whole / 2 else "mostly messages"


def _fit(tokenizer: str, model: str, content: str, points: Sequence[tuple[float, float]]) -> RatioFit | None:
    known, billed = (np.array(column, float) for column in zip(*points, strict=True))
    if len(points) < LEAST_REQUESTS or np.ptp(known) < known.mean() / 2:
        return None
    random = np.random.default_rng(0)  # the same log has the same interval
    chosen = random.integers(0, len(points), (RESAMPLES, len(points)))
    slopes = np.array([_line(known[rows], billed[rows])[0] for rows in chosen])
    low, high = np.nanpercentile(slopes, (2.5, 97.5))
    slope, fixed = _line(known, billed)
    return RatioFit(model, tokenizer, content, len(points), slope, float(low), float(high), fixed)


def _line(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """Return slope and intercept by least squares; a slope of NaN if all of `x` are the same."""
    centred = x - x.mean()
    spread = float((centred * centred).sum())
    slope = float((centred * y).sum()) / spread if spread else float("nan")
    return slope, float(y.mean() - slope * x.mean())
