"""A cache from words, or whole segments of a text, to their ids, bounded in memory."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from itertools import filterfalse

MEMORY = 20_000_000
"""Approximate limit, in bytes, of a tokenizer's cache of words, and of its cache of segments."""

MANY = 300
"""From so many new words or segments on, they are encoded at once: for fewer, the steps of numpy take longer."""

SLICE = 2**17
"""How many words or segments are looked up at a time, so that new ones do not exceed the cache by much."""


class IdCache(dict[str, bytes]):
    """Cache from a string to its ids, as the bytes of an array; cleared when it exceeds `MEMORY` bytes.

    An LRU cache would pay for its order of use in each look-up; clearing all at once costs nothing until it happens.
    `ids` returns the ids of a string, and `ids_at_once` those of some or all of many strings.
    """

    def __init__(
        self,
        ids: Callable[[str], bytes],
        ids_at_once: Callable[[Collection[str]], Iterable[tuple[str, bytes]]] = lambda texts: (),
    ) -> None:
        super().__init__()
        self._ids = ids
        self._ids_at_once = ids_at_once
        self._room = MEMORY

    def __missing__(self, text: str) -> bytes:
        self[text] = ids = self._ids(text)
        self._occupy([text])
        return ids

    def join_ids(self, texts: Sequence[str]) -> bytes:
        """Return the ids of strings, one after the other.

        >>> IdCache(lambda text: text.encode()).join_ids(["a", "b", "a"])
        b'aba'
        """
        if self:  # else all are new
            with suppress(TypeError):  # None, which is the fastest way to see that some are new
                return b"".join(map(self.get, texts))  # type: ignore[arg-type]
        return b"".join(self.of(texts))

    def of(self, texts: Sequence[str]) -> list[bytes]:
        """Return the ids of each string; those of `MANY` new ones or more are made at once.

        >>> IdCache(lambda text: text.encode()).of(["a", "b", "a"])
        [b'a', b'b', b'a']
        """
        parts = list[bytes]()
        for start in range(0, len(texts), SLICE):
            some = texts[start : start + SLICE]
            new = [*filterfalse(self.__contains__, {*some})]  # `difference` would walk through all that is cached
            made = dict(self._ids_at_once(new) if len(new) >= MANY else ())
            self.update(made)
            parts += map(self.__getitem__, some)
            self._occupy(made)  # when they are in `parts`, since this may clear them
        return parts

    def _occupy(self, texts: Collection[str]) -> None:
        """Count the memory of new entries."""
        self._room -= 200 * len(texts) + 4 * sum(map(len, texts))  # the keys, the ids and the slots in the dict
        if self._room < 0:
            self.clear()
            self._room = MEMORY
