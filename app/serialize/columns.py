"""Tokenizations and detokenizations as JSON, in columns with one entry a token, and as CSV (RFC 4180), in rows."""

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from threading import Lock
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import orjson
from numpy.typing import NDArray

from ..csv_text import CHUNK_ROWS, csv_chunks
from ..lab.cell_views import token_type
from ..lab.detokenize import Detokenization
from ..lab.tokenize import Tokenization, utf8_length
from ..types import BYTE_FALLBACK, INSERTED, SPECIAL, UNKNOWN, Tokenizer, VocabEntry
from .json import dumps

TokenColumn = Literal["counts", "ids", "pieces", "offsets", "flags"]
"""The columns that a client may ask for; `counts` alone asks for none of them."""
OFFSETS = ("byte_starts", "byte_ends", "char_starts", "char_ends")
FEW = 1000
"""Tokens of a short text, for which the steps of numpy take longer than an object for each."""
ROW = 16
"""Bytes of a row of pieces; few tokens take more than one."""
FILLER = b"\xff"
FLAGS = {"special": SPECIAL, "unknown": UNKNOWN, "byte_fallback": BYTE_FALLBACK, "inserted": INSERTED}
HEADER = ("index", "id", "piece", "bytes_hex", "byte_start", "byte_end", "char_start", "char_end", "kind")


class PieceCache:
    """The JSON of the pieces of one tokenizer by id: a megabyte has 250,000 tokens, but few distinct ones.

    Those of long texts are rows of `ROW` bytes, filled up with bytes that UTF-8 never has, so that the rows of a text
    are taken from one array and freed of these at once: so many objects take longer to join.
    """

    def __init__(self) -> None:
        self._pieces: dict[int, bytes] = {}
        self._rows = bytearray()  # each piece with a comma in as many rows as it takes, and where those of an id are
        self._firsts = np.zeros(0, np.int32)
        self._counts = np.zeros(0, np.int32)
        self._lock = Lock()

    def column(self, tokenization: Tokenization) -> orjson.Fragment:
        """Return the column `pieces` of a tokenization."""
        ids = tokenization.encoding.ids
        with self._lock:
            if len(ids) > FEW:
                return orjson.Fragment(b"[%b]" % self._gather(ids, tokenization.entry))
            listed = ids.tolist()
            with suppress(KeyError):
                return self._join(listed)
            for id in {*listed}.difference(self._pieces):
                self._pieces[id] = _dump_piece(tokenization.entry(id))
            return self._join(listed)

    def _join(self, ids: list[int]) -> orjson.Fragment:
        return orjson.Fragment(b"[%b]" % b",".join([self._pieces[id] for id in ids]))

    def _gather(self, ids: NDArray[np.uint32], entry: Callable[[int], VocabEntry]) -> bytes:
        """Return the JSON of the pieces of a long text."""
        self._grow(int(ids.max()) + 1)
        at = ids.astype(np.intp)
        for id in set(ids[self._counts[at] == 0].tolist()):
            json = _dump_piece(entry(id)) + b","
            self._firsts[id], self._counts[id] = len(self._rows) // ROW, -(-len(json) // ROW)
            self._rows += json.ljust(ROW * self._counts[id], FILLER)
        rows, counts = self._firsts[at], self._counts[at]
        if counts.max() > 1:
            rows = np.repeat(rows - (np.cumsum(counts, dtype=np.int32) - counts), counts)
            rows += np.arange(len(rows), dtype=np.int32)
        filled: bytes = np.frombuffer(self._rows, f"V{ROW}").take(rows).tobytes()
        return filled.translate(None, FILLER)[:-1]

    def _grow(self, size: int) -> None:
        """Make room for ids below a size."""
        if (missing := size - len(self._counts)) > 0:
            self._firsts = np.append(self._firsts, np.zeros(missing, np.int32))
            self._counts = np.append(self._counts, np.zeros(missing, np.int32))


def _dump_piece(entry: VocabEntry) -> bytes:
    return orjson.dumps(piece(entry))


_caches: WeakKeyDictionary[Tokenizer, PieceCache] = WeakKeyDictionary()


def pieces(tokenization: Tokenization) -> orjson.Fragment:
    """Return the column `pieces`: strings, or `{"bytes_hex": …}` where the bytes of a token are not UTF-8."""
    # A vocabulary that grows with each text numbers other words in another text, so nothing of it can be cached.
    if tokenization.encoding.grown:
        return PieceCache().column(tokenization)
    cache = _caches.get(tokenization.tokenizer) or _caches.setdefault(tokenization.tokenizer, PieceCache())
    return cache.column(tokenization)


def piece(entry: VocabEntry) -> str | dict[str, str]:
    """Return the spelling of a token in its vocabulary, or its bytes in hex where they are not UTF-8.

    >>> piece(VocabEntry(235, "<0x8D>", b"\\x8d"))
    {'bytes_hex': '8d'}
    """
    return entry.piece if entry.text is not None else {"bytes_hex": entry.raw.hex()}


def columns(tokenization: Tokenization, include: Collection[str] = ("ids", "pieces", "offsets")) -> dict[str, Any]:
    """Return the counts of a tokenization and the columns to include; flags are lists of token indexes."""
    encoding = tokenization.encoding
    answer: dict[str, Any] = {
        "tokenizer": tokenization.tokenizer.info.id,
        "engine": tokenization.tokenizer.engine,
        "count": len(encoding),
        "characters": len(tokenization.text),
        "bytes": utf8_length(tokenization.text),
        "notes": tokenization.notes,
    }
    if "ids" in include:
        answer["ids"] = encoding.ids
    if "pieces" in include:
        answer["pieces"] = pieces(tokenization)
    if "offsets" in include:
        answer |= {name: getattr(encoding, name) for name in OFFSETS}
        if encoding.char_starts is encoding.byte_starts and len(encoding) > FEW:  # ASCII: each is written once
            starts, ends = (orjson.Fragment(dumps(column)) for column in (encoding.byte_starts, encoding.byte_ends))
            answer |= {"byte_starts": starts, "byte_ends": ends, "char_starts": starts, "char_ends": ends}
    if "flags" in include:
        answer |= {name: (encoding.flags & bit).nonzero()[0] for name, bit in FLAGS.items()}
    return answer


def serialize_detokenization(detokenization: Detokenization) -> dict[str, str | bool]:
    """Return the text of ids, its bytes in hex, and whether the bytes are UTF-8, so that the text lost nothing."""
    raw = detokenization.raw.hex()
    return {"text": detokenization.text, "bytes_hex": raw, "lossless": detokenization.lossless}


def tokenization_csv(tokenization: Tokenization) -> Iterator[str]:
    """Yield the CSV of a tokenization, with one row a token."""
    return csv_chunks(HEADER, _rows(tokenization))


def _rows(tokenization: Tokenization) -> Iterator[tuple[object, ...]]:
    for start in range(0, len(tokenization.encoding), CHUNK_ROWS):
        flags = tokenization.encoding.flags[start : start + CHUNK_ROWS].tolist()
        for token, bits in zip(tokenization.tokens(start, start + CHUNK_ROWS), flags, strict=True):
            entry = token.entry
            spans = (token.byte_start, token.byte_end, token.char_start, token.char_end)
            yield token.index, entry.id, entry.piece, entry.raw.hex(), *spans, token_type(bits)
