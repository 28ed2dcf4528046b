"""The entries of a SentencePiece vocabulary, each made when it is first needed; flags and lengths of all as columns."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ..formats.sentencepiece_model import UNKNOWN_SURFACE
from ..scratch.compat.sentencepiece.unit_normalizer import utf8_sizes
from ..scratch.fast.unigram.encode_batch import code_points
from ..types import Kind, VocabEntry
from .vocab_entries import KIND_FLAGS, MARK, make_marked_entry


class MarkedEntries(Sequence[VocabEntry]):
    """Entries in the order of their ids.

    >>> entries = MarkedEntries(["▁the", "<0x0A>"], ["normal", "byte"])
    >>> entries[0].raw, entries.lengths.tolist()
    (b' the', [4, 1])
    """

    def __init__(self, pieces: Iterable[str], kinds: Iterable[Kind], unknown: str = UNKNOWN_SURFACE) -> None:
        """`unknown`: what the unknown token is decoded to."""
        self.pieces = [*pieces]
        self.kinds = [*kinds]
        self.unknown = unknown
        self._made: dict[int, VocabEntry] = {}

    def __len__(self) -> int:
        return len(self.pieces)

    @overload
    def __getitem__(self, id: int) -> VocabEntry: ...
    @overload
    def __getitem__(self, id: slice) -> list[VocabEntry]: ...
    def __getitem__(self, id: int | slice) -> VocabEntry | list[VocabEntry]:
        if isinstance(id, slice):
            return [self[one] for one in range(*id.indices(len(self)))]
        if (entry := self._made.get(id)) is None:
            entry = self._made[id] = make_marked_entry(id, self.pieces[id], self.kinds[id], self.unknown)
        return entry

    @cached_property
    def flags(self) -> NDArray[np.uint8]:
        """The flags of each id, shape `(vocab_size,)`."""
        return np.frombuffer(bytes(map(KIND_FLAGS.__getitem__, self.kinds)), np.uint8)

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """The number of bytes of each entry, shape `(vocab_size,)`."""
        points = code_points("".join(self.pieces))
        widths = utf8_sizes(points)
        widths[points == ord(MARK)] = 1  # a mark stands for a space
        ends = np.cumsum(np.fromiter(map(len, self.pieces), np.int64, len(self.pieces)))
        lengths = np.diff(np.append(0, np.cumsum(widths))[ends], prepend=0).astype(np.int32)
        for id in np.flatnonzero(self.flags).tolist():  # of bytes and the unknown token the spelling says nothing
            lengths[id] = len(self[id].raw)
        return lengths
