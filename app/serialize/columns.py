"""Tokenizations and detokenizations as JSON: columns with one entry a token, without one Python object a token."""

from __future__ import annotations

from collections.abc import Collection
from threading import Lock
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import orjson
from numpy.typing import NDArray

from ..lab.detokenize import Detokenization
from ..lab.tokenize import Tokenization
from ..types import BYTE_FALLBACK, INSERTED, SPECIAL, UNKNOWN, Tokenizer, VocabEntry

TokenColumn = Literal["counts", "ids", "pieces", "offsets", "flags"]
"""The columns that a client may ask for; `counts` alone asks for none of them."""
OFFSETS = ("byte_starts", "byte_ends", "char_starts", "char_ends")
FLAGS = {"special": SPECIAL, "unknown": UNKNOWN, "byte_fallback": BYTE_FALLBACK, "inserted": INSERTED}


class PieceCache:
    """The JSON of the pieces of one tokenizer by id: a megabyte has 250,000 tokens, but few distinct ones."""

    def __init__(self) -> None:
        self._json: NDArray[np.object_] = np.zeros(0, object)
        self._cached = np.zeros(0, np.bool_)
        self._lock = Lock()

    def column(self, tokenization: Tokenization) -> orjson.Fragment:
        """Return the column `pieces` of a tokenization."""
        ids = tokenization.encoding.ids
        with self._lock:
            self._grow(int(ids.max(initial=0)) + 1)
            table = self._json
            cached = self._cached
            for id in set(ids[~cached[ids]].tolist()):
                table[id] = orjson.dumps(piece(tokenization.entry(id)))
                cached[id] = True
        return orjson.Fragment(b"[%b]" % b",".join(table[ids].tolist()))

    def _grow(self, size: int) -> None:
        """Make room for ids below a size."""
        if (missing := size - len(self._json)) > 0:
            self._cached = np.append(self._cached, np.zeros(missing, np.bool_))
            self._json = np.append(self._json, np.zeros(missing, object))


_caches: WeakKeyDictionary[Tokenizer, PieceCache] = WeakKeyDictionary()


def pieces(tokenization: Tokenization) -> orjson.Fragment:
    """Return the column `pieces`: strings, or `{"bytes_hex": …}` where the bytes of a token are not UTF-8."""
    # A vocabulary that grows with each text numbers other words in another text, so nothing of it can be cached.
    if tokenization.encoding.grown:
        return PieceCache().column(tokenization)
    return _caches.setdefault(tokenization.tokenizer, PieceCache()).column(tokenization)


def piece(entry: VocabEntry) -> str | dict[str, str]:
    """Return the spelling of a token in its vocabulary, or its bytes in hex where they are not UTF-8.

    >>> piece(VocabEntry(235, "<0x8D>", b"\\x8d"))
    {'bytes_hex': '8d'}
    """
    try:
        entry.raw.decode()
    except UnicodeDecodeError:
        return {"bytes_hex": entry.raw.hex()}
    return entry.piece


def columns(tokenization: Tokenization, include: Collection[str] = ("ids", "pieces", "offsets")) -> dict[str, Any]:
    """Return the counts of a tokenization and the columns to include; flags are lists of token indexes."""
    encoding = tokenization.encoding
    answer: dict[str, Any] = {
        "tokenizer": tokenization.tokenizer.info.id,
        "engine": tokenization.tokenizer.engine,
        "count": len(encoding),
        "characters": len(tokenization.text),
        "bytes": len(tokenization.data),
        "notes": tokenization.notes,
    }
    if "ids" in include:
        answer["ids"] = encoding.ids
    if "pieces" in include:
        answer["pieces"] = pieces(tokenization)
    if "offsets" in include:
        answer |= {name: getattr(encoding, name) for name in OFFSETS}
    if "flags" in include:
        answer |= {name: (encoding.flags & bit).nonzero()[0] for name, bit in FLAGS.items()}
    return answer


def serialize_detokenization(detokenization: Detokenization) -> dict[str, str | bool]:
    """Return the text of ids, its bytes in hex, and whether the bytes are UTF-8, so that the text lost nothing."""
    raw = detokenization.raw.hex()
    return {"text": detokenization.text, "bytes_hex": raw, "lossless": detokenization.lossless}
