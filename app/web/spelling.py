"""Pieces as JSON, spelled once for each id: a megabyte has 250,000 tokens but few distinct ones."""

from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
import orjson
from numpy.typing import NDArray

from app.lab.tokenize import Tokenization
from app.types import Tokenizer, VocabEntry


class Spelling:
    """The JSON of every piece seen so far, in a table indexed by id."""

    def __init__(self) -> None:
        self._table: NDArray[np.object_] = np.zeros(0, object)
        self._known = np.zeros(0, np.bool_)
        self._lock = Lock()

    def of(self, done: Tokenization) -> orjson.Fragment:
        """The column `pieces` of a tokenization."""
        ids = done.encoding.ids
        with self._lock:
            table, known = self._reaching(int(ids.max(initial=0)))
            for id in set(ids[~known[ids]].tolist()):
                table[id] = orjson.dumps(piece(done.entry(id)))
                known[id] = True
        return orjson.Fragment(b"[%b]" % b",".join(table[ids].tolist()))

    def _reaching(self, id: int) -> tuple[NDArray[np.object_], NDArray[np.bool_]]:
        """The table and which of it is known, grown to hold an id."""
        if id >= len(self._table):
            more = id + 1 - len(self._table)
            self._known = np.append(self._known, np.zeros(more, np.bool_))
            self._table = np.append(self._table, np.zeros(more, object))
        return self._table, self._known


_spellings: WeakKeyDictionary[Tokenizer, Spelling] = WeakKeyDictionary()


def pieces(done: Tokenization) -> orjson.Fragment:
    """The column `pieces`: strings, or `{"bytes_hex": …}` where a token's bytes are no UTF-8."""
    if done.encoding.grown:
        return Spelling().of(done)
    return _spellings.setdefault(done.tokenizer, Spelling()).of(done)


def piece(entry: VocabEntry) -> str | dict[str, str]:
    """How the vocabulary spells an entry, or its bytes where they spell nothing.

    >>> piece(VocabEntry(235, "<0x8D>", b"\\x8d"))
    {'bytes_hex': '8d'}
    """
    try:
        entry.raw.decode()
    except UnicodeDecodeError:
        return {"bytes_hex": entry.raw.hex()}
    return entry.piece
