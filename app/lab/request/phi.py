"""Requests to phi-4: its template writes texts between special tokens that are not those of cl100k_base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..costs import Span
from .formulas import FORMULAS
from .media import count_piece
from .parts import PartCounter, RequestPart
from .pieces import list_pieces
from .values import objects

ROLES = ("system", "user", "assistant")
"""Roles whose messages the template writes; of all others it writes nothing."""
MARKS = 3
"""Special tokens around a message; as many begin the answer, one of them its role."""


def count_phi(counter: PartCounter, chat: Mapping[str, Any]) -> Iterator[RequestPart]:
    """Yield the parts of a chat as phi-4 reads it."""
    messages = objects(chat.get("messages"))
    written = [message.get("role") in ROLES for message in messages]
    for piece in list_pieces(chat):
        if piece.type == "text" and piece.message is not None and written[piece.message]:
            yield counter.part(piece.kind, piece.name, piece.value, message=piece.message)
        else:
            yield count_piece(piece, None)
    roles = sum(MARKS + counter.exact(message["role"]) for message, one in zip(messages, written, strict=True) if one)
    yield RequestPart("format", "Roles and marks of messages", Span(roles, roles), "formula", FORMULAS["phi-4"])
    yield RequestPart("prompt", "Beginning of the answer", Span(MARKS, MARKS), "formula", FORMULAS["phi-4"])
