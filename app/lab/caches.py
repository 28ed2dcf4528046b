"""In-memory caches of recent results, so that scrolling through a long text does not tokenize it again."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from ..registry import Registry
from ..types import SpecialPolicy
from .tokenize import Tokenization, tokenize

Value = TypeVar("Value")


class LRUCache(Generic[Value]):
    """A thread-safe cache that drops the least recently used values beyond `entries`, or beyond `max_bytes` in total.

    `size` returns the bytes of a value. The newest value is kept even if it alone exceeds `max_bytes`.

    >>> cache = LRUCache[str](entries=1, max_bytes=100, size=len)
    >>> cache.get_or_create("a", lambda: "x"), cache.get_or_create("b", lambda: "y"), cache.get("a")
    ('x', 'y', None)
    """

    def __init__(self, *, entries: int, max_bytes: int, size: Callable[[Value], int]) -> None:
        self._entries = entries
        self._max_bytes = max_bytes
        self._size = size
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> Value | None:
        """Return the value of a key, or None if it is not in the cache."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def get_or_create(self, key: str, create: Callable[[], Value]) -> Value:
        """Return the value of a key; if it is not in the cache, create it and store it."""
        value = self.get(key)
        if value is None:
            value = create()  # outside of the lock: it may take seconds, and a second creation does no harm
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > 1 and (len(self._values) > self._entries or self._total() > self._max_bytes):
                self._values.popitem(last=False)
        return value

    def discard(self, unwanted: Callable[[Value], bool]) -> None:
        """Drop the values for which a function is true."""
        with self._lock:
            for key in [key for key, value in self._values.items() if unwanted(value)]:
                del self._values[key]

    def _total(self) -> int:
        return sum(map(self._size, self._values.values()))


def hash_text(text: str, *options: str) -> str:
    """Return the SHA-256 of a text and options in hex, which does not reveal the text.

    >>> hash_text("a") == hash_text("a"), hash_text("a") == hash_text("a", "b")
    (True, False)
    """
    # Options contain no NUL, so that no two combinations give the same bytes.
    digest = hashlib.sha256("\0".join(options).encode())
    digest.update(b"\0" + text.encode(errors="surrogatepass"))
    return digest.hexdigest()


class RecentTokenizations:
    """A cache of the last few tokenizations."""

    def __init__(self, *, entries: int = 4, max_bytes: int = 64_000_000) -> None:
        self._cache = LRUCache[Tokenization](entries=entries, max_bytes=max_bytes, size=memory_bytes)

    def forget(self, tokenizer: str) -> None:
        """Drop what a tokenizer has made: each such tokenization would keep the whole tokenizer in memory."""
        self._cache.discard(lambda tokenization: tokenization.tokenizer.info.id == tokenizer)

    def tokenize(
        self,
        registry: Registry,
        text: str,
        *,
        tokenizer: str,
        engine: str | None = None,
        special: SpecialPolicy = "text",
        add_special_tokens: bool = False,
    ) -> tuple[str, Tokenization]:
        """Like `tokenize.tokenize`, and return the key of the result as well."""

        def create() -> Tokenization:
            return tokenize(
                registry,
                text,
                tokenizer=tokenizer,
                engine=engine,
                special=special,
                add_special_tokens=add_special_tokens,
            )

        key = hash_text(text, tokenizer, engine or "", special, str(add_special_tokens))
        return key, self._cache.get_or_create(key, create)


def memory_bytes(tokenization: Tokenization) -> int:
    """Return an estimate of the memory of a tokenization in bytes: its text as str and as UTF-8, and its columns."""
    e = tokenization.encoding
    columns = (e.ids, e.byte_starts, e.byte_ends, e.char_starts, e.char_ends, e.flags)
    return 4 * len(tokenization.text) + len(tokenization.data) + sum(column.nbytes for column in columns)
