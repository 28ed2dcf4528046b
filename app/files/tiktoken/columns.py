"""What tiktoken's ids are in a text: their spans, from the cumulative sum of byte lengths, and their flags."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import EngineFailed
from ...types import SPECIAL, Encoding, SpecialPolicy
from ..spans import encode_tiles
from ..special_tokens import with_policy

if TYPE_CHECKING:
    from .library import TiktokenTokenizer


class TiktokenColumns:
    """The lengths (bytes) and the flags of the tokens of a vocabulary by id, shape `(vocab_size,)`."""

    def __init__(self, tokenizer: "TiktokenTokenizer") -> None:
        self._tokenizer = tokenizer
        self.lengths: NDArray[np.int32] = np.frombuffer(tokenizer.sizes, np.int32)
        self.flags = np.zeros(len(tokenizer.sizes), np.uint8)
        self.flags[[*tokenizer.info.special_tokens.values()]] = SPECIAL

    def encode(self, text: str, *, special: SpecialPolicy) -> Encoding:
        """Return the encoding of a text. Raises what `Tokenizer.encode` raises."""
        normalized = self._tokenizer.normalized
        encode = self._encode if normalized is None else partial(normalized.encode, self._encode)
        return with_policy(encode, text, info=self._tokenizer.info, special=special)

    def _encode(self, text: str) -> Encoding:
        ids = self._tokenizer.ids_as_column(text)
        data = text.encode()
        encoding = encode_tiles(ids, self.lengths.take(ids), text=text, data=data, flags=self.flags.take(ids))
        if missing := len(data) - (int(encoding.byte_ends[-1]) if len(ids) else 0):
            raise EngineFailed(f"tiktoken dropped {missing} bytes that its pattern does not match.")
        return encoding
