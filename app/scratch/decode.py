"""Decoding: tokens back to text. Kinds of vocabularies differ in how they mark where words begin and end.

Sennrich et al. 2016 end a word with `</w>`, BERT continues one with `##`, SentencePiece writes a space as `▁`, and
byte-level BPE has the space among its bytes. Each function yields the bytes that a token adds to the text; see
`byte_fallback.iter_text` for how bytes become characters.
"""

import re
from collections.abc import Iterable, Iterator

END = b"</w>"
CONTINUES = "##"
SPACE = "▁"
BYTE = re.compile("<0x([0-9A-F]{2})>")
CLOSING = {".", ",", "!", "?"}
"""Tokens before which BERT's decoder leaves out the space."""


def decode_word_ends(tokens: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes of each token; the mark of the end of a word becomes a space.

    >>> b"".join(decode_word_ends([b"new", b"est</w>", b"low</w>"]))
    b'newest low '
    """
    for token in tokens:
        yield token.replace(END, b" ")


def decode_continuations(tokens: Iterable[str]) -> Iterator[bytes]:
    """Yield each token with a space before it, unless it continues a word or closes a sentence.

    >>> b"".join(decode_continuations(["token", "##izer", "rules", "!"]))
    b'tokenizer rules!'
    """
    for at, token in enumerate(tokens):
        joined = not at or token.startswith(CONTINUES) or token in CLOSING
        yield (("" if joined else " ") + token.removeprefix(CONTINUES)).encode()


def decode_marked_spaces(tokens: Iterable[str]) -> Iterator[bytes]:
    r"""Yield each token; a mark is a space, the first of them was put there by the encoder, and `<0xC3>` is a byte.

    >>> b"".join(decode_marked_spaces(["▁caf", "<0xC3>", "<0xA9>", "▁au"])).decode()
    'café au'
    """
    for at, token in enumerate(tokens):
        byte = BYTE.fullmatch(token)
        text = token.removeprefix(SPACE) if not at else token
        yield bytes.fromhex(byte[1]) if byte else text.replace(SPACE, " ").encode()


def decode_bytes(tokens: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the bytes of each token as they are: nothing was marked.

    >>> b"".join(decode_bytes([b"caf", b"\xc3", b"\xa9 au"])).decode()
    'café au'
    """
    for token in tokens:
        yield bytes(token)
