"""tiktoken as a `Tokenizer`: ids straight into numpy, spans from the cumulative sum of byte lengths."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import BadFile, EngineFailed, UnknownId
from ...types import SPECIAL, Encoding, Engine, SpecialPolicy, TokenizerInfo, VocabEntry
from ..spans import encode_tiles
from ..special_tokens import with_policy
from ..split_words import translate_errors
from ..vocab_entries import make_raw_entry

if TYPE_CHECKING:
    from tiktoken import Encoding as Library

    from ..unicode_normalizer import UnicodeNormalizer

NBYTES = 225
"""The memory that an id takes, as measured."""


def _translate_errors() -> AbstractContextManager[None]:
    return translate_errors("tiktoken", lambda why: EngineFailed(f"tiktoken failed on this text: {why}."))


@dataclass(frozen=True, eq=False)
class TiktokenTokenizer:
    """A `tiktoken.Encoding`; `lengths` (bytes) and `flags` are indexed by id, shape `(vocab_size,)`."""

    info: TokenizerInfo
    library: "Library"
    lengths: NDArray[np.int32]
    flags: NDArray[np.uint8]
    nbytes: int
    normalized: "UnicodeNormalizer | None" = None
    engine: Engine = field(default="tiktoken", init=False)

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        encode = self._encode if self.normalized is None else partial(self.normalized.encode, self._encode)
        return with_policy(encode, text, info=self.info, special=special)

    def _encode(self, text: str) -> Encoding:
        ids = self._ids(text)
        data = text.encode()
        encoding = encode_tiles(ids, self.lengths.take(ids), text=text, data=data, flags=self.flags.take(ids))
        if missing := len(data) - (int(encoding.byte_ends[-1]) if len(ids) else 0):
            raise EngineFailed(f"tiktoken dropped {missing} bytes that its pattern does not match.")
        return encoding

    def _ids(self, text: str) -> NDArray[np.uint32]:
        with _translate_errors():
            return self.library.encode_to_numpy(text, allowed_special=set(), disallowed_special=())

    def ids_of_many(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Return the ids of each text: see `Batched`."""
        added = self.info.added_tokens
        sizes = self.lengths.tolist()
        many = list[Sequence[int]]()
        with _translate_errors():
            for text in texts:
                normal = text if self.normalized is None else self.normalized.text(text)
                ids = self.library.encode_ordinary(normal)
                if any(token in text for token in added) or sum([sizes[id] for id in ids]) != len(normal.encode()):
                    ids = self.encode(text).ids.tolist()
                many.append(ids)
        return many

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
        if not 0 <= id < len(self.lengths) or not self.lengths[id]:
            raise UnknownId(id, vocab_size=self.info.vocab_size)
        raw = self.library.decode_single_token_bytes(id)
        return make_raw_entry(id, raw, kind="special" if self.flags[id] & SPECIAL else "normal")


def load(
    info: TokenizerInfo, *, ranks: dict[bytes, int], pattern: str, normalized: "UnicodeNormalizer | None" = None
) -> TiktokenTokenizer:
    """Build a tokenizer from ranks, which are cleared, and a pattern. Raises `BadFile` if the pattern cannot compile.

    `normalized`: what brings a text into a Unicode normalization form first, which tiktoken itself never does.
    """
    import tiktoken

    specials = {**info.special_tokens, **info.added_tokens}
    size = max(max(ranks.values()), max(specials.values(), default=0)) + 1
    lengths = np.zeros(size, np.int32)
    flags = np.zeros(size, np.uint8)
    lengths[np.fromiter(ranks.values(), np.int32, len(ranks))] = np.fromiter(map(len, ranks), np.int32, len(ranks))
    for token, id in specials.items():
        lengths[id], flags[id] = len(token.encode()), SPECIAL * (token in info.special_tokens)
    try:
        library = tiktoken.Encoding(info.id, pat_str=pattern, mergeable_ranks=ranks, special_tokens=specials)
    except ValueError as error:
        raise BadFile(f"tiktoken cannot read the pattern of {info.id}.") from error
    ranks.clear()  # which the library keeps beside its own three copies, for pickling only
    return TiktokenTokenizer(
        info=info,
        library=library,
        lengths=lengths,
        flags=flags,
        nbytes=NBYTES * size,
        normalized=normalized,
    )
