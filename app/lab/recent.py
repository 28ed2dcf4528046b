"""The last few tokenizations, so that scrolling through a long text does not cut it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.lab.memory import Memory, key_of
from app.registry import Registry
from app.types import SpecialPolicy

if TYPE_CHECKING:
    from app.lab.tokenize import Tokenization


class Recent:
    """Tokenizations by a key, answered from memory where they can be."""

    def __init__(self, *, entries: int = 4, max_bytes: int = 64_000_000) -> None:
        self._memory = Memory["Tokenization"](entries=entries, max_bytes=max_bytes, size=held_bytes)

    def get(self, key: str) -> Tokenization | None:
        """A tokenization that is still held."""
        return self._memory.get(key)

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
        """Like `lab.tokenize.tokenize`, with the key to ask for it again."""
        from app.lab.tokenize import tokenize

        def cut() -> Tokenization:
            return tokenize(registry, text, tokenizer=tokenizer, engine=engine, special=special, template=template)

        key = key_of(text, tokenizer, engine or "", special, str(template))
        return key, self._memory.keep(key, cut)


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
