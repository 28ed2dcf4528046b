"""The last few tokenizations, so that scrolling through a long text does not cut it again. In memory only."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from app.registry import Registry
from app.types import SpecialPolicy

if TYPE_CHECKING:
    from app.lab.tokenize import Tokenization


class Recent:
    """Tokenizations by a key that only who has the text can know; the oldest are forgotten, by number and by bytes."""

    def __init__(self, *, entries: int = 4, max_bytes: int = 64_000_000) -> None:
        self._entries = entries
        self._max_bytes = max_bytes
        self._held: OrderedDict[str, Tokenization] = OrderedDict()
        self._guard = Lock()

    def get(self, key: str) -> Tokenization | None:
        """A tokenization that is still held."""
        with self._guard:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def tokenize(
        self,
        registry: Registry,
        text: str,
        *,
        tokenizer: str,
        engine: str | None = None,
        special: SpecialPolicy = "text",
        template: bool = False,
    ) -> tuple[str, Tokenization]:
        """Like `lab.tokenize.tokenize`, answered from memory where it can be, with the key to ask for it again."""
        from app.lab.tokenize import tokenize

        key = _key(text, tokenizer, engine or "", special, str(template))
        done = self.get(key) or tokenize(
            registry, text, tokenizer=tokenizer, engine=engine, special=special, template=template
        )
        with self._guard:
            self._held[key] = done
            self._held.move_to_end(key)
            while len(self._held) > 1 and (len(self._held) > self._entries or self._size() > self._max_bytes):
                self._held.popitem(last=False)
        return key, done

    def _size(self) -> int:
        return sum(map(held_bytes, self._held.values()))


def held_bytes(done: Tokenization) -> int:
    """Memory that a tokenization holds, in bytes, estimated: its text twice and its columns."""
    encoding = done.encoding
    columns = (
        encoding.ids,
        encoding.byte_starts,
        encoding.byte_ends,
        encoding.char_starts,
        encoding.char_ends,
        encoding.flags,
    )
    return 4 * len(done.text) + len(done.data) + sum(column.nbytes for column in columns)


def _key(text: str, *options: str) -> str:
    digest = hashlib.sha256("\0".join(options).encode())
    digest.update(b"\0" + text.encode(errors="surrogatepass"))
    return digest.hexdigest()
