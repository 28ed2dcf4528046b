"""Tokenize a text with one tokenizer, and know everything about the result."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.adapters.pieces import raw_entry
from app.adapters.spans import joined
from app.errors import EngineFailed, LoneSurrogate, TooLarge
from app.registry import Registry
from app.types import INSERTED, SPECIAL, Encoding, SpecialPolicy, Token, Tokenizer, VocabEntry


@dataclass(frozen=True)
class Tokenization:
    """A text, the tokenizer that cut it, and the cut. `notes` say what a reader must know to read it right."""

    text: str
    tokenizer: Tokenizer
    encoding: Encoding
    notes: tuple[str, ...] = ()

    @cached_property
    def data(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode()

    def entry(self, id: int) -> VocabEntry:
        """A vocabulary entry, also of a vocabulary that grew with this text."""
        grown = self.encoding.grown
        return raw_entry(id, grown[id]) if 0 <= id < len(grown) else self.tokenizer.entry(id)

    def tokens(self, start: int = 0, stop: int | None = None) -> Iterator[Token]:
        """The readable view of rows start to stop."""
        e, rows = self.encoding, slice(start, stop)
        columns = (e.ids, e.byte_starts, e.byte_ends, e.char_starts, e.char_ends, e.flags)
        entries: dict[int, VocabEntry] = {}
        lists = (column[rows].tolist() for column in columns)
        for index, (id, b0, b1, c0, c1, flags) in enumerate(zip(*lists, strict=True), start):
            entry = entries.get(id) or entries.setdefault(id, self.entry(id))
            yield Token(index, entry, b0, b1, c0, c1, inserted=bool(flags & INSERTED))


def utf8_length(text: str, *, pointer: str | None = None) -> int:
    """Bytes of a text in UTF-8. Raises `LoneSurrogate` with its offset.

    >>> utf8_length("é")
    2
    """
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise LoneSurrogate(error.start, pointer=pointer) from None


def check_batch(batch: Sequence[object], *, limit: int, pointer: str = "/text") -> None:
    """Raise `TooLarge` where there are more than the limit in a batch."""
    if len(batch) > limit:
        raise TooLarge(f"The batch has {len(batch):,} inputs; the limit is {limit:,}.", pointer=pointer, limit=limit)


def check_length(texts: Sequence[str], *, limit: int, pointer: str = "/text") -> None:
    """Raise `TooLarge` where the texts together hold more bytes than the limit, `LoneSurrogate` for half a pair."""
    batch = len(texts) > 1
    size = sum(utf8_length(text, pointer=f"{pointer}/{i}" if batch else pointer) for i, text in enumerate(texts))
    if size > limit:
        raise TooLarge(f"The text has {size:,} bytes; the limit is {limit:,}.", limit=limit)


def tokenize(
    registry: Registry,
    text: str,
    *,
    tokenizer: str,
    engine: str | None = None,
    special: SpecialPolicy = "text",
    template: bool = False,
) -> Tokenization:
    """Cut a text; where a library gives up on it, the from-scratch engine answers over the same vocabulary.

    `template` adds the special tokens that the tokenizer's models expect around a text. Raises
    `UnknownTokenizer`, `UnknownEngine`, `SpecialTokenRefused`, `LoneSurrogate`, `Unavailable`.
    """
    utf8_length(text, pointer="/text")
    loaded = registry.get(tokenizer, engine)
    notes: tuple[str, ...] = ()
    try:
        encoding = loaded.encode(text, special=special)
    except EngineFailed as failure:
        if "scratch" not in loaded.info.engines:
            raise
        notes = (f"{failure.detail} The from-scratch engine answered, over the same vocabulary.",)
        loaded = registry.get(tokenizer, "scratch")
        encoding = loaded.encode(text, special=special)
    if template:
        encoding = with_template(encoding, loaded, size=(len(text.encode()), len(text)))
    return Tokenization(text, loaded, encoding, notes)


def with_template(encoding: Encoding, tokenizer: Tokenizer, *, size: tuple[int, int]) -> Encoding:
    """An encoding of a text of so many bytes and characters, between the special tokens that go around it."""
    info = tokenizer.info
    before, after = ([info.special_tokens[token] for token in side] for side in (info.prefix, info.suffix))
    return joined([_inserted(before), encoding, _inserted(after)], [(0, 0), (0, 0), size], encoding.grown)


def _inserted(ids: Sequence[int]) -> Encoding:
    zeros = np.zeros(len(ids), np.int32)
    flags = np.full(len(ids), SPECIAL | INSERTED, np.uint8)
    return Encoding(np.array(ids, np.uint32), zeros, zeros, zeros, zeros, flags)
