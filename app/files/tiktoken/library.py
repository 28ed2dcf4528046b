"""tiktoken as a `Tokenizer`. Ids and counts are the library's alone; spans, with numpy, are made by `columns`."""

from array import array
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ...errors import BadFile, EngineFailed, UnknownId
from ...types import Encoding, Engine, SpecialPolicy, TokenizerInfo, VocabEntry
from ..split_words import translate_errors
from ..vocab_entries import make_raw_entry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tiktoken import Encoding as Library

    from ..unicode_normalizer import UnicodeNormalizer
    from .columns import TiktokenColumns

NBYTES = 225
"""The memory that an id takes, as measured."""


def _translate_errors() -> AbstractContextManager[None]:
    return translate_errors("tiktoken", lambda why: EngineFailed(f"tiktoken failed on this text: {why}."))


@dataclass(frozen=True, eq=False)
class TiktokenTokenizer:
    """A `tiktoken.Encoding`; `sizes` are the bytes of tokens by id, 0 where there is none."""

    info: TokenizerInfo
    library: "Library"
    sizes: "array[int]"
    nbytes: int
    normalized: "UnicodeNormalizer | None" = None
    engine: Engine = field(default="tiktoken", init=False)

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        return self._columns.encode(text, special=special)

    @cached_property
    def _columns(self) -> "TiktokenColumns":
        from .columns import TiktokenColumns  # with numpy, which a count is spared

        return TiktokenColumns(self)

    def ids_as_column(self, text: str) -> "NDArray[np.uint32]":
        """Return the ids that the library gives a text, also one of which it drops a part. Raises `EngineFailed`."""
        with _translate_errors():
            return self.library.encode_to_numpy(text, allowed_special=set(), disallowed_special=())

    def ids(self, text: str) -> Sequence[int]:
        """Return the ids of a text: see `Batched`."""
        normal, size = text, len(text)
        if not text.isascii():
            normal = text if self.normalized is None else self.normalized.text(text)
            size = len(normal.encode())
        try:
            ids = self.library.encode_ordinary(normal)
        except BaseException:  # to enter a context for each text takes longer than a word
            with _translate_errors():
                raise
        if sum(map(self.sizes.__getitem__, ids)) != size or self._has_added(text):
            inner: list[int] = self.encode(text).ids.tolist()
            return inner
        return ids

    def _has_added(self, text: str) -> bool:
        """True if a text has an added token; most have not even what such a token begins with."""
        for begin in self._begins:
            if begin in text:
                return any(token in text for token in self.info.added_tokens)
        return False

    @cached_property
    def _begins(self) -> tuple[str, ...]:
        return (*{token[:1] for token in self.info.added_tokens},)

    def ids_of_many(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Return the ids of each text: see `Batched`."""
        return [*map(self.ids, texts)]

    def _ids_of_bytes(self, data: bytes) -> list[int]:
        with _translate_errors():
            return self.library._encode_bytes(data)

    @property
    def encode_bytes(self) -> Callable[[bytes], Sequence[int]] | None:
        """A function from bytes that need not be UTF-8 to ids, None if the text is normalized first."""
        return self._ids_of_bytes if self.normalized is None else None

    def decode(self, ids: Sequence[int]) -> bytes:
        with suppress(KeyError, OverflowError):  # of an unknown id, which `entry` names
            return self.library.decode_bytes(ids)
        return b"".join(self.entry(id).raw for id in ids)

    def entry(self, id: int) -> VocabEntry:
        if not 0 <= id < len(self.sizes) or not self.sizes[id]:
            raise UnknownId(id, vocab_size=self.info.vocab_size)
        raw = self.library.decode_single_token_bytes(id)
        return make_raw_entry(id, raw, kind="special" if id in self._special_ids else "normal")

    @cached_property
    def _special_ids(self) -> frozenset[int]:
        return frozenset(self.info.special_tokens.values())


def load(
    info: TokenizerInfo, *, ranks: dict[bytes, int], pattern: str, normalized: "UnicodeNormalizer | None" = None
) -> TiktokenTokenizer:
    """Build a tokenizer from ranks, which are cleared, and a pattern. Raises `BadFile` if the pattern cannot compile.

    `normalized`: what brings a text into a Unicode normalization form first, which tiktoken itself never does.
    """
    import tiktoken

    specials = {**info.special_tokens, **info.added_tokens}
    size = max(max(ranks.values()), max(specials.values(), default=0)) + 1
    sizes = array("i", bytes(4 * size))
    deque(map(sizes.__setitem__, ranks.values(), map(len, ranks)), maxlen=0)
    for token, id in specials.items():
        sizes[id] = len(token.encode())
    try:
        library = tiktoken.Encoding(info.id, pat_str=pattern, mergeable_ranks=ranks, special_tokens=specials)
    except ValueError as error:
        raise BadFile(f"tiktoken cannot read the pattern of {info.id}.") from error
    ranks.clear()  # which the library keeps beside its own three copies, for pickling only
    return TiktokenTokenizer(
        info=info,
        library=library,
        sizes=sizes,
        nbytes=NBYTES * size,
        normalized=normalized,
    )
