"""A text as bytes: the entropy of each, patches by several rules beside tokens, and what a typo moves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict

from ...errors import Invalid
from ...registry import Registry
from ...scratch.patching import iter_patch_starts, place_after_spaces, place_by_size, strides
from ...scratch.vocabulary_size import ModelDimensions, attention_operations
from ..option_schema import Items, Options, declare, declare_tokenizers, validate, with_values
from ..tokenize import check_length, tokenize
from .byte_model import load

Rule = Literal["monotonic", "global", "combined", "size"]
Typo = Literal["", "swap", "drop", "double"]
MAX_BYTES = 20_000
MAX_TOKENIZERS = 4
MAX_COMPARED = 300
"""Units between the first and the last that a typo moves which are aligned; of more, all count as moved."""
HIGHEST = log(256)
"""The entropy in nats of a byte of which nothing is known."""
LARGE = ModelDimensions(width=4096, others=6_979_588_096)
LAYERS = 32
"""Width, parameters without the vocabulary, and layers of Llama 3 8B, as its configuration has them."""


class PatchOptions(Options):
    """A text, how to cut it into patches, and what to compare the patches with."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"text": "The tokenizer reads strawberry.", "tokenizers": ["o200k_base"]}}
    )

    text: str = declare("Text", help="The text, of at most 20,000 bytes.")
    rule: Rule = declare(
        "A patch begins where the entropy",
        "monotonic",
        choices={"monotonic": "rises", "global": "is high", "combined": "both", "size": "is highest"},
        help="A patch begins where the entropy exceeds `threshold` (global), exceeds that of the byte before by `rise` "
        "(monotonic), or both (combined); or at the highest entropies, to have `size` bytes on average.",
    )
    threshold: float = declare("Higher than (nats)", 2.4, ge=0, le=6)
    rise: float = declare("Rises by more than (nats)", 0.5, ge=0, le=6)
    size: float = declare("Bytes per patch, on average", 4.5, ge=1, le=1000)
    stride: int = declare("Fixed patches, bytes", 8, ge=1, le=1000)
    tokenizers: Items[str] = declare_tokenizers("Compare with the tokens of", max_length=MAX_TOKENIZERS)
    typo: Typo = declare(
        "Make a typo",
        "",
        choices={"": "none", "swap": "swap two characters", "drop": "drop a character", "double": "double a character"},
    )
    at: int | None = declare("at character", None, ge=0, help="None: within the longest word.")


@dataclass(frozen=True, slots=True)
class ByteEntropy:
    """A byte, its entropy, the limit that the entropy must exceed for a patch to begin, and whether one does."""

    value: int
    entropy: float
    limit: float
    begins: bool


@dataclass(frozen=True, slots=True)
class UnitSegmentation:
    """A text in units: patches or tokens. `spans` are their places in bytes, empty for a token that covers no input."""

    id: str
    name: str
    kind: Literal["patches", "tokens"]
    spans: tuple[tuple[int, int], ...]
    length: int

    @property
    def bytes_per_unit(self) -> float | None:
        """Bytes of the text by unit, None without any."""
        return self.length / len(self.spans) if self.spans else None

    @property
    def operations(self) -> float:
        """The operations that a large model needs for one step a unit, see `count_operations`."""
        return count_operations(len(self.spans))


@dataclass(frozen=True, slots=True)
class MovedUnits:
    """What a typo does to a cut: the cut of the changed text, and which of its units were not in the old one."""

    cut: UnitSegmentation
    new: tuple[bool, ...]
    before: int

    @property
    def gone(self) -> int:
        """Units of the old cut that the new one does not have."""
        return self.before - self.new.count(False)


@dataclass(frozen=True, slots=True)
class PatchStudy:
    """A text as bytes with entropies, cut in several ways; with a typo, what that moves, in the same order."""

    question: PatchOptions
    data: bytes
    row: tuple[ByteEntropy, ...]
    bits_per_byte: float | None
    cuts: tuple[UnitSegmentation, ...]
    changed: str = ""
    moved: tuple[MovedUnits, ...] = ()

    @property
    def patches(self) -> UnitSegmentation:
        """The cut by the chosen rule."""
        return self.cuts[0]


def study(registry: Registry, store: Path, question: PatchOptions) -> PatchStudy:
    """Return a text as bytes and patches. Raises `Invalid`, `TooLarge`, and what loading a tokenizer raises."""
    check(question)
    row, bits = measure_bytes(store, question)
    data = question.text.encode()
    shown = PatchStudy(question, data, tuple(row), bits, tuple(_cuts(registry, question, row)))
    if not question.typo:
        return shown
    changed = with_typo(question.text, question.typo, question.at)
    other = with_values(question, text=changed)
    cuts = _cuts(registry, other, measure_bytes(store, other)[0])
    moved = (_find_moved(data, changed.encode(), old, new) for old, new in zip(shown.cuts, cuts, strict=True))
    return replace(shown, changed=changed, moved=tuple(moved))


def check(question: PatchOptions) -> None:
    """Raise `TooLarge` or `Invalid` for a question that is beyond the limits."""
    check_length([question.text], limit=MAX_BYTES)
    validate(question)
    if question.at is not None and question.at >= len(question.text):
        raise Invalid(f"at is the place of a character, from 0 to {len(question.text) - 1}.", pointer="/at")


def measure_bytes(store: Path, question: PatchOptions) -> tuple[list[ByteEntropy], float | None]:
    """Return each byte with its entropy and limit, and the bits per byte of the text, None if it is empty."""
    data = question.text.encode()
    surprisals, predicted = load(store).predict(data)
    entropies = predicted.tolist()
    bits = float(surprisals.mean()) / log(2) if data else None
    if question.rule == "size":
        starts = {*place_by_size(entropies, question.size)}
        limit = max((one for at, one in enumerate(entropies) if at not in starts), default=0.0)
        return [ByteEntropy(data[at], one, limit, at in starts) for at, one in enumerate(entropies)], bits
    steps = iter_patch_starts(entropies, question.rule, threshold=question.threshold, rise=question.rise)
    return [ByteEntropy(data[step.at], step.entropy, step.limit, step.begins) for step in steps], bits


def _cuts(registry: Registry, question: PatchOptions, row: Sequence[ByteEntropy]) -> Iterator[UnitSegmentation]:
    data = question.text.encode()

    def patches(id: str, name: str, starts: Sequence[int]) -> UnitSegmentation:
        return UnitSegmentation(id, name, "patches", tuple(pairwise([*starts, len(data)])) if data else (), len(data))

    yield patches(question.rule, "Entropy patches", [at for at, byte in enumerate(row) if byte.begins])
    yield patches("stride", f"Fixed patches of {question.stride}", strides(len(data), question.stride))
    yield patches("space-like", "Patches after spaces", place_after_spaces(data))
    for id in question.tokenizers:
        encoding = tokenize(registry, question.text, tokenizer=id, special="text").encoding
        spans = zip(encoding.byte_starts.tolist(), encoding.byte_ends.tolist(), strict=True)
        yield UnitSegmentation(id, registry.get(id).info.title, "tokens", tuple(spans), len(data))


def count_operations(steps: int, model: ModelDimensions = LARGE, layers: int = LAYERS) -> float:
    """Return the operations of a large model to read a text: 2 · parameters · steps + 4 · layers · width · steps².

    A multiplication and an addition for each parameter and step, and the two products of attention.

    >>> f"{count_operations(1000):.3e}"
    '1.448e+13'
    """
    return 2 * model.others * steps + attention_operations(steps, int(model.width), layers)


def with_typo(text: str, typo: Typo, at: int | None = None) -> str:
    """Return a text with two characters swapped, one dropped or one doubled; by default within the longest word.

    >>> with_typo("a tokenizer", "swap"), with_typo("a tokenizer", "drop", 3), with_typo("a tokenizer", "double", 0)
    ('a tokeinzer', 'a tkenizer', 'aa tokenizer')
    """
    place = longest_word_middle(text) if at is None else at
    here = text[place : place + 1]
    after = text[place + 1 : place + 2]
    made = {"": here + after, "swap": after + here, "drop": after, "double": here + here + after}
    return text[:place] + made[typo] + text[place + 2 :]


def longest_word_middle(text: str) -> int:
    """Return the place of the character in the middle of the longest word, 0 without any.

    >>> longest_word_middle("a tokenizer")
    6
    """
    longest = max(text.split(), key=len, default="")
    return text.find(longest) + max(0, len(longest) - 1) // 2


def _find_moved(old_data: bytes, new_data: bytes, old: UnitSegmentation, new: UnitSegmentation) -> MovedUnits:
    """Return which units of the new cut are not aligned with equal ones of the old."""
    before = [old_data[start:end] for start, end in old.spans]
    after = [new_data[start:end] for start, end in new.spans]
    same = _same(before, after)
    back = min(_same(before[::-1], after[::-1]), min(len(before), len(after)) - same)
    flags = [same <= at < len(after) - back for at in range(len(after))]
    old_part = before[same : len(before) - back]
    new_part = after[same : len(after) - back]
    if max(len(old_part), len(new_part)) <= MAX_COMPARED:
        for match in SequenceMatcher(None, old_part, new_part, autojunk=False).get_matching_blocks():
            flags[same + match.b : same + match.b + match.size] = [False] * match.size
    return MovedUnits(new, tuple(flags), len(before))


def _same(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    differing = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))
