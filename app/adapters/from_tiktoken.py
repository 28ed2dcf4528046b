"""tiktoken behind the `Tokenizer` protocol: ids straight into numpy, spans by adding up byte lengths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.adapters.pieces import raw_entry
from app.adapters.spans import tiled
from app.adapters.special import with_policy
from app.errors import EngineFailed, UnknownId
from app.types import SPECIAL, Encoding, Engine, SpecialPolicy, TokenizerInfo, VocabEntry

if TYPE_CHECKING:
    from tiktoken import Encoding as Library


@dataclass(frozen=True, eq=False)
class TiktokenTokenizer:
    """A `tiktoken.Encoding`; `lengths` and `flags` are indexed by id."""

    info: TokenizerInfo
    library: "Library"
    lengths: NDArray[np.int32]
    flags: NDArray[np.uint8]
    nbytes: int
    engine: Engine = field(default="tiktoken", init=False)

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        return with_policy(self._encode, text, tokens=self.info.special_tokens, special=special)

    def _encode(self, text: str) -> Encoding:
        ids = self._ids(text)
        data = text.encode()
        lengths = self.lengths[ids]
        if (missing := len(data) - int(lengths.sum())) != 0:
            raise EngineFailed(f"tiktoken left out {missing} bytes that its pattern does not match.")
        return tiled(ids, lengths, text=text, data=data, flags=self.flags[ids])

    def _ids(self, text: str) -> NDArray[np.uint32]:
        try:
            return self.library.encode_to_numpy(text, allowed_special=set(), disallowed_special=())
        except ValueError as error:
            raise EngineFailed("tiktoken's regular expression ran out of stack on this text.") from error
        except BaseException as error:  # the library's panic is no Exception and has no importable name
            if type(error).__name__ != "PanicException":
                raise
            raise EngineFailed("tiktoken panicked on this text.") from None

    def decode(self, ids: Sequence[int]) -> bytes:
        return b"".join(self.entry(id).raw for id in ids)

    def entry(self, id: int) -> VocabEntry:
        if not 0 <= id < len(self.lengths) or not self.lengths[id]:
            raise UnknownId(id, vocab_size=self.info.vocab_size)
        raw = self.library.decode_single_token_bytes(id)
        return raw_entry(id, raw, kind="special" if self.flags[id] & SPECIAL else "normal")


def load(info: TokenizerInfo, *, ranks: Mapping[bytes, int], pattern: str) -> TiktokenTokenizer:
    """Build tiktoken's `Encoding` over ranks that have been read already."""
    import tiktoken

    specials = dict(info.special_tokens)
    size = max([*ranks.values(), *specials.values()]) + 1
    lengths, flags = np.zeros(size, np.int32), np.zeros(size, np.uint8)
    for raw, rank in ranks.items():
        lengths[rank] = len(raw)
    for token, id in specials.items():
        lengths[id], flags[id] = len(token.encode()), SPECIAL
    library = tiktoken.Encoding(info.id, pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens=specials)
    return TiktokenTokenizer(info, library, lengths, flags, nbytes=500 * size)
