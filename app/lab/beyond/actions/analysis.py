"""Encode a movement with FAST, decode it again, and compare it with naive binning (Pertsch et al. 2025).

The universal vocabulary of movements has 256 symbols and 768 merges, was trained by our own BPE, and is read from the
store.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import isfinite
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ....errors import Invalid, TooLarge
from ....files.tiktoken.ranks import dump_ranks, load_ranks
from ....scratch.dct_tokens import DOWN, UP, read_levels
from ....scratch.fast.bpe.train import train_bpe
from ....scratch.fast.dct_tokens import DctEncoding, compute_ranges, decode, encode, flatten, transform
from ....settings import Settings
from ....types import TrainedVocab
from .movements import MovementExample, corpus

FOLDER = "actions"
FILE = "actions.tiktoken"
SIZE = 1024
SEED = 20
MOVEMENTS = 3_000
CORPUS_SCALES = (5, 10, 10, 20)
"""Scales of the training: mostly that of FAST, so that the vocabulary serves others, too."""
Array = NDArray[np.float64]
MAX_NUMBERS = 2_000
MAX_DIMENSIONS = 32
MAX_VALUE = 1e6
MAX_SCALE = 100
FARTHEST = 100.0
"""How far from the centre an outlier may lie, in halves of the range; more would take thousands of symbols."""
SCALES = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100)
"""The scales of the curve of error against tokens."""
BINS = 256


@dataclass(frozen=True, slots=True)
class ActionToken:
    """A token of a movement: its id, and what it says, as `0 ×12` for zeros that follow each other."""

    id: int
    symbols: bytes

    @property
    def label(self) -> str:
        """What the token says.

        >>> ActionToken(0, bytes([142, 127, 127])).label, ActionToken(0, bytes([254])).label
        ('15 0 ×2', '126 +')
        """
        parts: list[tuple[str, int]] = []
        for symbol in self.symbols:
            text = f"{symbol + DOWN}" if symbol < 254 else f"{UP} +" if symbol == 254 else f"{DOWN} −"
            text = text.replace("-", "−")
            if parts and parts[-1][0] == text:
                parts[-1] = text, parts[-1][1] + 1
            else:
                parts.append((text, 1))
        return " ".join(f"{text} ×{times}" if times > 1 else text for text, times in parts)


@dataclass(frozen=True, slots=True)
class ActionMeasurement:
    """Tokens and error of one way to encode a movement. The error is the root mean square, as a share of the range."""

    tokens: int
    error: float
    scale: float | None = None


def train_vocabulary() -> dict[bytes, int]:
    """Return the ranks of the tokens, trained on movements made by formula; the same on every machine.

    Movements are words, and symbols their characters, so a token can be as long as a movement.
    """
    words = Counter[str]()
    for number, movement in enumerate(corpus(SEED, MOVEMENTS)):
        series = np.array(movement)
        centre, half = compute_ranges(series)
        levels = np.rint(transform((series - centre) / half) * CORPUS_SCALES[number % len(CORPUS_SCALES)])
        words[flatten(levels.astype(np.int64)).decode("latin-1")] += 1
    alphabet = [chr(symbol) for symbol in range(256)]
    *_, vocabulary = train_bpe(words, size=SIZE, unit="characters", alphabet=alphabet)
    assert isinstance(vocabulary, TrainedVocab)
    return {piece.encode("latin-1"): rank for rank, piece in enumerate(vocabulary.pieces)}


def save(store: Path, ranks: dict[bytes, int]) -> Path:
    """Write the ranks to the store, as a tiktoken file, and return its path."""
    path = store / FOLDER / FILE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(dump_ranks(ranks))
    return path


@cache
def ranks() -> dict[bytes, int]:
    """Return the ranks of the store's vocabulary, read once.

    >>> len(ranks()), ranks()[bytes([127])]
    (1024, 127)
    """
    return load_ranks((Settings().store / FOLDER / FILE).read_bytes())


@dataclass(frozen=True)
class ActionAnalysis:
    """A movement of shape (times, dimensions), what each stage of FAST makes of it, and what comes back."""

    series: Array
    names: tuple[str, ...]
    scale: float
    encoded: DctEncoding

    @cached_property
    def tokens(self) -> tuple[ActionToken, ...]:
        """The tokens, with their ids."""
        ids = ranks()
        return tuple(ActionToken(ids[token], token) for token in self.encoded.tokens)

    @cached_property
    def decoded(self) -> Array:
        """The movement that the tokens say."""
        return decode(self.encoded.tokens, self.encoded.ranges, self.scale)

    @property
    def exact(self) -> bool:
        """True if the tokens give back each whole number that was encoded; only rounding may lose something."""
        return read_levels(b"".join(self.encoded.tokens)) == self.encoded.levels.ravel().tolist()

    @property
    def zeros(self) -> int:
        """The number of coefficients that are 0 after rounding."""
        return int((self.encoded.levels == 0).sum())

    @property
    def measured(self) -> ActionMeasurement:
        """Tokens and error at the chosen scale."""
        return ActionMeasurement(len(self.encoded.tokens), self._error(self.decoded), self.scale)

    @property
    def naive(self) -> ActionMeasurement:
        """Tokens and error of binning: each number is one token, one of 256 equal parts of the range."""
        return ActionMeasurement(self.series.size, self._error(bin_values(self.encoded.normalized), normalized=True))

    def _error(self, other: Array, *, normalized: bool = False) -> float:
        """Return the root mean square error as a share of the range, which is 2 after normalization."""
        centre, half = self.encoded.ranges
        difference = (other if normalized else (other - centre) / half) - self.encoded.normalized
        return float(np.sqrt((difference**2).mean()) / 2)

    @cached_property
    def curve(self) -> tuple[ActionMeasurement, ...]:
        """Tokens and error at several scales."""
        return tuple(analyse(self.series, self.names, scale).measured for scale in SCALES)


def bin_values(normalized: Array) -> Array:
    """Return numbers as the middles of 256 equal bins from -1 to 1; what lies outside falls into the last bin.

    >>> bin_values(np.array([[-1.0, 0.0, 3.0]])).tolist()
    [[-0.99609375, 0.00390625, 0.99609375]]
    """
    bins = np.clip(np.floor((normalized + 1) / 2 * BINS), 0, BINS - 1)
    middles: Array = (bins + 0.5) / BINS * 2 - 1
    return middles


def analyse(series: Array, names: Sequence[str] = (), scale: float = 10) -> ActionAnalysis:
    """Return a movement and its tokens. Raises `Invalid` for an outlier that is too far from all other values."""
    centre, half = compute_ranges(series)
    if (farthest := np.abs((series - centre) / half).max(axis=0)).max() > FARTHEST:  # before each takes many symbols
        at = int(farthest.argmax())
        message = f"Dimension {at + 1} has an outlier {farthest[at]:,.0f} times as far out as its 99th percentile."
        raise Invalid(message, pointer="/series", limit=int(FARTHEST))
    names = tuple(names) or tuple(f"dimension {d + 1}" for d in range(series.shape[1]))
    return ActionAnalysis(series, names, scale, encode(series, scale, ranks()))


def analyse_example(example: MovementExample, seed: int = 1, scale: float = 10) -> ActionAnalysis:
    """Return a movement made by formula, and its tokens."""
    return analyse(np.array(example.make(seed)), example.dimensions, scale)


def check_series(rows: Sequence[Sequence[float]], pointer: str = "/series") -> Array:
    """Return a series as an array.

    Raises `Invalid` for fewer than two rows, rows of several lengths, and numbers that are not finite or too large;
    `TooLarge` for too many.
    """
    if len(rows) < 2 or not rows[0]:
        raise Invalid("A movement has a row for each moment, two or more, each with a number or more.", pointer=pointer)
    width = len(rows[0])
    if width > MAX_DIMENSIONS or width * len(rows) > MAX_NUMBERS:
        message = f"A movement has at most {MAX_NUMBERS:,} numbers in {MAX_DIMENSIONS} dimensions."
        raise TooLarge(message, pointer=pointer, limit=MAX_NUMBERS)
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise Invalid(f"Row {number} has {len(row)} numbers, and the first row {width}.", pointer=pointer)
        if not all(isfinite(x) and abs(x) <= MAX_VALUE for x in row):
            message = f"Row {number} has a number that is not finite, or beyond ±{MAX_VALUE:,.0f}."
            raise Invalid(message, pointer=pointer)
    return np.array(rows, np.float64)


def parse_csv(text: str) -> tuple[Array, tuple[str, ...]]:
    """Return the numbers of a CSV, one row for each moment, and the names of the dimensions if its first row has them.

    Numbers are separated by commas, semicolons, tabs or spaces.

    >>> series, names = parse_csv("x, y\\n0, 1\\n2, 3.5")
    >>> series.tolist(), names
    ([[0.0, 1.0], [2.0, 3.5]], ('x', 'y'))

    Raises what `check_series` raises, and `Invalid`, with the number of the row, for what is no number.
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise Invalid("Draw a movement, choose one, or paste numbers: a row for each moment.", pointer="/numbers")
    names: tuple[str, ...] = ()
    rows: list[list[float]] = []
    for number, line in lines[: MAX_NUMBERS + 2]:
        separator = next((one for one in (",", ";", "\t") if one in line), None)
        cells = [cell.strip() for cell in line.split(separator)]
        try:
            rows.append([float(cell) for cell in cells])
        except ValueError:
            if number == lines[0][0] and not any(_is_number(cell) for cell in cells):
                names = tuple(cell[:40] for cell in cells)
                continue
            raise Invalid(f"Row {number} has something that is no number.", pointer="/numbers") from None
    series = check_series(rows, "/numbers")
    return series, names if len(names) == series.shape[1] else ()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def format_csv(series: Sequence[Sequence[float]], names: Sequence[str] = ()) -> str:
    """Return a movement as CSV, as short as its numbers.

    >>> format_csv([[0.0, 1.5]], ("x", "y"))
    'x,y\\n0,1.5'
    """
    return "\n".join([",".join(names)] * bool(names) + [",".join(f"{x:.6g}" for x in row) for row in series])
