"""Spellings: the raw bytes of vocabulary entries, remembered, since asking a library for thousands takes as long as
cutting the text."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from app.lab.tokenize import Tokenization
from app.types import Tokenizer

_known: WeakKeyDictionary[Tokenizer, dict[int, bytes]] = WeakKeyDictionary()


def raw_bytes(done: Tokenization, ids: Sequence[int]) -> list[bytes]:
    """The bytes that ids stand for, one by one. A vocabulary that grew with this text is not remembered."""
    if done.encoding.grown:
        return [done.entry(id).raw for id in ids]
    known = _known.setdefault(done.tokenizer, {})
    for id in ids:
        if id not in known:
            known[id] = done.entry(id).raw
    return [known[id] for id in ids]
