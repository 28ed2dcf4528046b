"""The ids of conversations to train on, and which of them have loss, for shards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Invalid, TokenariumError
from ..types import ReadContext, SourcePart
from .conversations import recognize
from .counting import ChatPlan, encode_conversation
from .packing import pack
from .rows import read_rows

BATCH = 1 << 20
"""Tokens that are held at once, about."""


class MaskedRows(NamedTuple):
    """The ids of conversations, the offsets at which each begins, 1 for each id with loss, and the bytes of the texts.

    There is no mask if the template does not mark the assistant's text. If each document is a sequence of several
    conversations, `lengths` are the tokens of all these and `packed` how many each sequence has.
    """

    ids: NDArray[Any]
    offsets: NDArray[np.int64]
    mask: NDArray[np.uint8] | None
    bytes: int
    lengths: NDArray[np.int32] | None = None
    packed: Sequence[int] = ()


@dataclass(slots=True)
class _Encoded:
    ids: NDArray[np.uint32]
    mask: NDArray[np.bool_] | None
    bytes: int


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
        chat, mask = encode_conversation(plan, one)
        if plan.marked and mask is None:
            raise Invalid("The template does something else where it marks the assistant’s text.")
        tokenization = chat.tokenization
        most = max(plan.contexts, default=len(tokenization.encoding))
        yield _Encoded(tokenization.encoding.ids[:most], mask if mask is None else mask[:most], len(tokenization.data))


def _join(plan: ChatPlan, held: list[_Encoded]) -> MaskedRows:
    sequences = [[index] for index in range(len(held))]
    if plan.packed:
        sequences = pack([len(one.ids) for one in held], plan.contexts[-1])
        held = [held[index] for sequence in sequences for index in sequence]
    lengths = np.array([len(one.ids) for one in held], np.int32)
    packed = [len(sequence) for sequence in sequences]
    masks = [one.mask.astype(np.uint8) for one in held if one.mask is not None]
    return MaskedRows(
        ids=np.concatenate([one.ids for one in held]),
        offsets=np.append(0, np.cumsum(lengths, dtype=np.int64))[np.cumsum([0, *packed])],
        mask=np.concatenate(masks) if plan.marked else None,
        bytes=sum(one.bytes for one in held),
        lengths=lengths if plan.packed else None,
        packed=packed,
    )
