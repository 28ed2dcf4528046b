"""Results that are asked for again soon, by a key that only who has the text can know. In memory only."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Kept = TypeVar("Kept")


class Memory(Generic[Kept]):
    """The last few results; the oldest are forgotten, by number and by bytes.

    >>> memory = Memory[str](entries=1, max_bytes=100, size=len)
    >>> memory.keep("a", lambda: "x"), memory.keep("b", lambda: "y"), memory.get("a")
    ('x', 'y', None)
    """

    def __init__(self, *, entries: int, max_bytes: int, size: Callable[[Kept], int]) -> None:
        self._entries = entries
        self._max_bytes = max_bytes
        self._size = size
        self._held: OrderedDict[str, Kept] = OrderedDict()
        self._guard = Lock()

    def get(self, key: str) -> Kept | None:
        """A result that is still held."""
        with self._guard:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def keep(self, key: str, make: Callable[[], Kept]) -> Kept:
        """The result that is held, or else the one made, which is then held."""
        done = self.get(key)
        if done is None:
            done = make()
        with self._guard:
            self._held[key] = done
            self._held.move_to_end(key)
            while len(self._held) > 1 and (len(self._held) > self._entries or self._total() > self._max_bytes):
                self._held.popitem(last=False)
        return done

    def _total(self) -> int:
        return sum(map(self._size, self._held.values()))


def key_of(text: str, *options: str) -> str:
    """A key from which nobody can tell the text.

    >>> key_of("a") == key_of("a"), key_of("a") == key_of("a", "b")
    (True, False)
    """
    digest = hashlib.sha256("\0".join(options).encode())
    digest.update(b"\0" + text.encode(errors="surrogatepass"))
    return digest.hexdigest()
