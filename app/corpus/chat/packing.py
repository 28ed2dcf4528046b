"""How sequences of some lengths fill a context, and the ids of conversations to train on, for shards."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Invalid, TokenariumError
from ..types import ReadContext, SourcePart
from .conversations import read_rows, recognize
from .counting import ChatPlan, encode_conversation

BATCH = 1 << 20
"""Tokens that are held at once, about."""


@dataclass(frozen=True, slots=True)
class PackingPlan:
    """Conversations in sequences of `context` tokens, those that are longer truncated.

    `tokens` are those that are left; `truncated` conversations lose `lost` tokens.
    """

    context: int
    conversations: int
    tokens: int
    truncated: int
    lost: int
    sequences: int

    @property
    def padded_waste(self) -> float:
        """The share of padding if each conversation has a sequence of its own."""
        return _waste(self.tokens, self.conversations * self.context)

    @property
    def packed_waste(self) -> float:
        """The share of padding if they are packed into `sequences`."""
        return _waste(self.tokens, self.sequences * self.context)


class MaskedRows(NamedTuple):
    """The ids of conversations, the offsets at which each begins, 1 for each id with loss, and the bytes of the texts.

    If each document is a sequence of several conversations, `lengths` are the tokens of all these and `packed` how many
    each sequence has.
    """

    ids: NDArray[Any]
    offsets: NDArray[np.int64]
    mask: NDArray[np.uint8]
    bytes: int
    lengths: NDArray[np.int32] | None = None
    packed: Sequence[int] = ()


@dataclass(slots=True)
class _Encoded:
    ids: NDArray[np.uint32]
    mask: NDArray[np.bool_]
    bytes: int


def _waste(tokens: int, places: int) -> float:
    return 1 - tokens / places if places else 0.0


def plan_packing(lengths: Mapping[int, int], context: int) -> PackingPlan:
    """Return how many conversations of each length, {tokens: conversations}, fill a context.

    >>> plan = plan_packing({6: 2, 3: 2, 1: 1, 12: 1}, 10)
    >>> plan.sequences, plan.truncated, plan.lost, plan.padded_waste
    (3, 1, 2, 0.5166666666666666)
    """
    cut: Counter[int] = Counter()
    for length, count in lengths.items():
        cut[min(length, context)] += count
    return PackingPlan(
        context=context,
        conversations=sum(cut.values()),
        tokens=sum(length * count for length, count in cut.items()),
        truncated=sum(count for length, count in lengths.items() if length > context),
        lost=sum((length - context) * count for length, count in lengths.items() if length > context),
        sequences=count_sequences(cut, context),
    )


def pack(lengths: Sequence[int], context: int) -> list[list[int]]:
    """Return the indexes of the conversations of each sequence, by best fit decreasing; no length exceeds the context.

    >>> pack([5, 3, 4, 5, 3], 10)
    [[0, 3], [2, 1, 4]]
    """
    sequences: list[list[int]] = []
    room: list[tuple[int, int]] = []  # what is left of each sequence, and its index, in order
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        at = bisect_left(room, (lengths[index], 0))
        if at < len(room):
            left, sequence = room.pop(at)
        else:
            left, sequence = context, len(sequences)
            sequences.append([])
        sequences[sequence].append(index)
        insort(room, (left - lengths[index], sequence))
    return sequences


def count_sequences(lengths: Mapping[int, int], context: int) -> int:
    """Return the sequences that best fit decreasing needs: each length, the longest first, goes where it fits tightest.

    Equal lengths are placed together.

    >>> count_sequences({5: 2, 4: 1, 3: 2}, 10)
    2
    """
    sequences = 0
    room: Counter[int] = Counter()  # sequences by the tokens that they have room for
    sizes: list[int] = []  # the keys of `room`, in order

    def add(size: int, number: int) -> None:
        if size and number:
            if not room[size]:
                insort(sizes, size)
            room[size] += number

    for length in sorted((length for length in lengths if length), reverse=True):
        left = lengths[length]
        while left:
            at = bisect_left(sizes, length)
            size = sizes[at] if at < len(sizes) else context
            each = size // length  # a sequence that has taken one is the tightest for the next, while it fits
            filled, rest = divmod(left, each)
            if at < len(sizes):
                there = room[size]
                filled, rest = (there, 0) if filled >= there else (filled, rest)
                used = filled + (rest > 0)
                room[size] -= used
                if not room[size]:
                    del room[size]
                    sizes.pop(at)
            else:
                sequences += filled + (rest > 0)
            add(size - each * length, filled)
            add(size - rest * length, int(rest > 0))
            left -= filled * each + rest
    return sequences


def encode_part(plan: ChatPlan, part: SourcePart, reading: ReadContext) -> Iterator[MaskedRows]:
    """Yield the conversations of a part, batch by batch, truncated to the context of the plan if it has one.

    All conversations of a part are packed together.
    Rows that are no conversation, or that the template refuses, are noted in `reading`. Raises `BadFile`.
    """
    held: list[_Encoded] = []
    for place, row in read_rows(part, reading):
        try:
            held += [*_encode_row(plan, row)]
        except TokenariumError as error:
            reading.unread.leave_out(place, error.detail)
        if not plan.packed and sum(len(one.ids) for one in held) >= BATCH:
            yield _join(plan, held)
            held = []
    if held:
        yield _join(plan, held)


def _encode_row(plan: ChatPlan, row: Any) -> Iterator[_Encoded]:
    _, found = recognize(row, dict(plan.columns))
    for one in found:
        result = encode_conversation(plan, one)
        if plan.marked and result.loss.basis != "generation":
            raise Invalid("The template does something else where it marks the assistant’s text.")
        tokenization = result.chat.tokenization
        most = max(plan.contexts, default=len(tokenization.encoding))
        yield _Encoded(tokenization.encoding.ids[:most], result.loss.tokens[:most], len(tokenization.data))


def _join(plan: ChatPlan, held: list[_Encoded]) -> MaskedRows:
    sequences = [[index] for index in range(len(held))]
    if plan.packed:
        sequences = pack([len(one.ids) for one in held], plan.contexts[-1])
        held = [held[index] for sequence in sequences for index in sequence]
    lengths = np.array([len(one.ids) for one in held], np.int32)
    packed = [len(sequence) for sequence in sequences]
    return MaskedRows(
        ids=np.concatenate([one.ids for one in held]),
        offsets=np.append(0, np.cumsum(lengths, dtype=np.int64))[np.cumsum([0, *packed])],
        mask=np.concatenate([one.mask.astype(np.uint8) for one in held]),
        bytes=sum(one.bytes for one in held),
        lengths=lengths if plan.packed else None,
        packed=packed,
    )
