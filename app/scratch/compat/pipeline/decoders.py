"""The decoders of Hugging Face `tokenizers` (0.23): from the spellings of tokens back to text.

Each takes and returns a list of texts; the results of the last are joined. `ByteLevel`, `Metaspace` and `Replace`
are also pre-tokenizers or normalizers, and stand there.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from itertools import groupby

from .component import Char, Decoder, DecoderComponent, initial

BYTE = re.compile("<0x[0-9A-Fa-f]{2}>")
CLEANUPS = (
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
    (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
)  # fmt: skip
"""What the WordPiece decoder replaces with `cleanup`, in this order."""


def apply_decoders(decoders: Iterable[Decoder], tokens: Sequence[str]) -> str:
    """Apply decoders one after another, and join the result.

    >>> apply_decoders([ByteFallback().decode, Fuse().decode], ["a", "<0xC3>", "<0xA9>"])
    'aé'
    """
    for decoder in decoders:
        tokens = decoder(tokens)
    return "".join(tokens)


def join_with_spaces(tokens: Sequence[str]) -> list[str]:
    """Join tokens with spaces, which is the default without a decoder.

    >>> join_with_spaces(["a", "b"])
    ['a b']
    """
    return [" ".join(tokens)]


class Fuse(DecoderComponent):
    """Joins all tokens, so that the next decoder gets one text.

    >>> Fuse().decode(["a", "b"])
    ['ab']
    """

    def decode(self, tokens: Sequence[str]) -> list[str]:
        return ["".join(tokens)]


class ByteFallback(DecoderComponent):
    """Converts byte tokens such as `<0x41>` to characters; bytes of an invalid sequence become one U+FFFD each.

    >>> ByteFallback().decode(["<0xC3>", "<0xA9>", "b", "<0xFF>"])
    ['é', 'b', '�']
    """

    def decode(self, tokens: Sequence[str]) -> list[str]:
        texts = []
        pending = b""
        for token in [*tokens, ""]:  # the empty one flushes the bytes at the end
            if BYTE.fullmatch(token):
                pending += bytes([int(token[3:5], 16)])
                continue
            if pending:
                try:
                    texts.append(pending.decode())
                except UnicodeDecodeError:
                    texts += ["\ufffd"] * len(pending)
                pending = b""
            texts.append(token)
        return texts[:-1]


class WordPieceDecoder(DecoderComponent, type="WordPiece"):
    """Joins continuations (`##ing`) directly and other tokens with a space; `cleanup` removes common wrong spaces.

    >>> WordPieceDecoder().decode(["play", "##ing", "!"])
    ['play', 'ing', '!']
    """

    prefix: str = "##"
    cleanup: bool = True

    def decode(self, tokens: Sequence[str]) -> list[str]:
        texts = []
        for i, token in enumerate(tokens):
            if i:
                token = token[len(self.prefix) :] if token.startswith(self.prefix) else f" {token}"
            for wrong, right in CLEANUPS if self.cleanup else ():
                token = token.replace(wrong, right)
            texts.append(token)
        return texts


class CTC(DecoderComponent):
    """Joins equal adjacent tokens and drops the blank, as CTC does (Graves et al. 2006); with `cleanup`, writes spaces.

    >>> CTC().decode(["h", "h", "<pad>", "h", "|"])
    ['h', 'h', ' ']
    """

    pad_token: str = "<pad>"
    word_delimiter_token: str = "|"
    cleanup: bool = True

    def decode(self, tokens: Sequence[str]) -> list[str]:
        kept = [token.replace(self.pad_token, "") for token, _ in groupby(tokens)]
        for wrong, right in (*CLEANUPS, (self.word_delimiter_token, " ")) if self.cleanup else ():
            kept = [token.replace(wrong, right) for token in kept]
        return [token for token in kept if token]


class BPEDecoder(DecoderComponent):
    """Replaces the end-of-word mark by a space, except at the end of the text (Sennrich et al. 2016).

    >>> BPEDecoder().decode(["low", "est</w>", "new</w>"])
    ['low', 'est ', 'new']
    """

    suffix: str = "</w>"

    def decode(self, tokens: Sequence[str]) -> list[str]:
        return [token.replace(self.suffix, " " if i < len(tokens) - 1 else "") for i, token in enumerate(tokens)]


class StripDecoder(DecoderComponent, type="Strip"):
    """Removes up to `start` and `stop` of a character from the ends of each text.

    >>> StripDecoder(" ", start=1).decode(["  a"])
    [' a']
    """

    content: Char = field(metadata=initial(" "))
    start: int = field(default=0, metadata=initial(1))
    stop: int = 0

    def decode(self, tokens: Sequence[str]) -> list[str]:
        return [self._strip(token) for token in tokens]

    def _strip(self, token: str) -> str:
        first = min(self.start, len(token) - len(token.lstrip(self.content)))
        last = min(self.stop, len(token) - len(token.rstrip(self.content)))
        return token[first : max(first, len(token) - last)]
