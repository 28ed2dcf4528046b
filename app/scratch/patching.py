"""Where a patch of bytes begins: every few bytes, after a space, or where the next byte is hard to predict.

A model of bytes reads texts four times as long as one of tokens. MegaByte (Yu et al. 2023), SpaceByte (Slagle 2024) and
BLT (Pagnoni et al. 2024) therefore run their large model once for a patch of bytes; they differ in where one begins.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

Rule = Literal["global", "monotonic", "combined"]


class PatchDecision(NamedTuple):
    """A byte, its entropy, the limit that it had to exceed, and whether a patch begins with it."""

    at: int
    entropy: float
    limit: float
    begins: bool


def iter_patch_starts(
    entropies: Sequence[float], rule: Rule, *, threshold: float = 1.335, rise: float = 0.5
) -> Iterator[PatchDecision]:
    """Yield for each byte whether a patch begins with it, by the entropy of the byte given those before it.

    `global`: the entropy exceeds a threshold. `monotonic`: it exceeds that of the byte before by `rise`. `combined`:
    both. The first byte always begins a patch: in BLT the first two positions do, and the first is a start token.

    >>> row = [3.0, 1.0, 1.2, 2.0, 1.9, 0.2, 1.0]
    >>> [met.at for met in iter_patch_starts(row, "global", threshold=1.5) if met.begins]
    [0, 3, 4]
    >>> [met.at for met in iter_patch_starts(row, "monotonic", rise=0.5) if met.begins]
    [0, 3, 6]
    >>> [met.at for met in iter_patch_starts(row, "combined", threshold=1.5, rise=0.5) if met.begins]
    [0, 3]
    """
    before = 0.0
    for at, entropy in enumerate(entropies):
        limit = threshold
        if rule == "monotonic":
            limit = before + rise
        elif rule == "combined":
            limit = max(threshold, before + rise)
        yield PatchDecision(at, entropy, limit, at == 0 or entropy > limit)
        before = entropy


def place_by_size(entropies: Sequence[float], size: float) -> list[int]:
    """Return where patches begin that have about this many bytes on average: at the highest entropies of all.

    The whole text has to be known for that, so a model that writes cannot use it; it suits training.

    >>> place_by_size([3.0, 1.0, 1.2, 2.0, 1.9, 0.2, 1.0], 2)
    [0, 3, 4]
    """
    patches = max(1, int(len(entropies) // size))
    highest = sorted(range(1, len(entropies)), key=lambda at: -entropies[at])
    return sorted([*range(min(1, len(entropies))), *highest[: patches - 1]])


def strides(length: int, stride: int) -> list[int]:
    """Return where patches of a fixed size begin, as in MegaByte.

    >>> strides(10, 4)
    [0, 4, 8]
    """
    return [*range(0, length, stride)]


def space_like(byte: int) -> bool:
    """Return whether a byte ends a patch of SpaceByte: it is no letter, no digit and no continuation byte of UTF-8.

    The first byte of a character beyond ASCII is space-like, too, whatever the character is.

    >>> [space_like(byte) for byte in "a ,é".encode()]
    [False, True, True, True, False]
    """
    return not (bytes([byte]).isalnum() or 0x80 <= byte < 0xC0)


def place_after_spaces(text: bytes) -> list[int]:
    """Return where patches of SpaceByte begin: after a space-like byte that follows one that is not.

    >>> place_after_spaces(b"to be, or"), place_after_spaces("être".encode())
    ([0, 3, 6], [0, 1])
    """
    ends = [space_like(byte) for byte in text]
    return [at for at in range(len(text)) if at == 0 or (ends[at - 1] and not (at > 1 and ends[at - 2]))]
