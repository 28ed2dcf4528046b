"""The decoders of Hugging Face `tokenizers` (0.23): from the spellings of tokens back to text.

Each takes and returns a list of texts; the results of the last are joined.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from .pre_tokenizers import byte_alphabet

BYTE = re.compile("<0x[0-9A-Fa-f]{2}>")
Decoder = Callable[[Sequence[str]], list[str]]
CLEANUPS = (
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
    (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
)  # fmt: skip
"""What the WordPiece decoder replaces with `cleanup`, in this order."""


def apply_decoders(decoders: Iterable[Decoder], tokens: Sequence[str]) -> str:
    """Apply decoders one after another, and join the result.

    >>> apply_decoders([byte_fallback, fuse], ["a", "<0xC3>", "<0xA9>"])
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


def fuse(tokens: Sequence[str]) -> list[str]:
    """Join all tokens, so that the next decoder gets one text.

    >>> fuse(["a", "b"])
    ['ab']
    """
    return ["".join(tokens)]


def byte_level(tokens: Sequence[str]) -> list[str]:
    """Convert GPT-2's byte alphabet back to bytes; a token with other characters is kept as it is.

    >>> byte_level(["Ã©", "Ġa"])
    ['é a']
    """
    alphabet = {char: byte for byte, char in enumerate(byte_alphabet())}
    data = b"".join(
        bytes(alphabet[char] for char in token) if all(char in alphabet for char in token) else token.encode()
        for token in tokens
    )
    return [data.decode(errors="replace")]


def byte_fallback(tokens: Sequence[str]) -> list[str]:
    """Convert byte tokens such as `<0x41>` to characters; bytes of an invalid sequence become one U+FFFD each.

    >>> byte_fallback(["<0xC3>", "<0xA9>", "b", "<0xFF>"])
    ['é', 'b', '�']
    """
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


def wordpiece(*, prefix: str = "##", cleanup: bool = True) -> Decoder:
    """Join continuations (`##ing`) directly and other tokens with a space; `cleanup` removes common wrong spaces.

    >>> wordpiece()(["play", "##ing", "!"])
    ['play', 'ing', '!']
    """

    def words(tokens: Sequence[str]) -> list[str]:
        texts = []
        for i, token in enumerate(tokens):
            if i:
                token = token[len(prefix) :] if token.startswith(prefix) else f" {token}"
            for wrong, right in CLEANUPS if cleanup else ():
                token = token.replace(wrong, right)
            texts.append(token)
        return texts

    return words


def metaspace(replacement: str = "▁", *, prefix: bool = True) -> Decoder:
    """Replace ▁ by spaces; with `prefix`, remove those of the first token.

    >>> metaspace()(["▁a", "▁b"])
    ['a', ' b']
    """

    def texts(tokens: Sequence[str]) -> list[str]:
        return [token.replace(replacement, " " if i or not prefix else "") for i, token in enumerate(tokens)]

    return texts


def ctc(pad: str = "<pad>", delimiter: str = "|", *, cleanup: bool = True) -> Decoder:
    """Join equal adjacent tokens and drop the blank, as CTC does (Graves et al. 2006); with `cleanup`, write spaces.

    >>> ctc()(["h", "h", "<pad>", "h", "|"])
    ['h', 'h', ' ']
    """

    def texts(tokens: Sequence[str]) -> list[str]:
        kept = [token.replace(pad, "") for token, _ in groupby(tokens)]
        for wrong, right in (*CLEANUPS, (delimiter, " ")) if cleanup else ():
            kept = [token.replace(wrong, right) for token in kept]
        return [token for token in kept if token]

    return texts


def end_of_word(suffix: str = "</w>") -> Decoder:
    """Replace the end-of-word mark by a space, except at the end of the text (Sennrich et al. 2016).

    >>> end_of_word()(["low", "est</w>", "new</w>"])
    ['low', 'est ', 'new']
    """

    def texts(tokens: Sequence[str]) -> list[str]:
        return [token.replace(suffix, " " if i < len(tokens) - 1 else "") for i, token in enumerate(tokens)]

    return texts


def strip(content: str, *, start: int = 0, stop: int = 0) -> Decoder:
    """Remove up to `start` and `stop` of a character from the ends of each text.

    >>> strip(" ", start=1)(["  a"])
    [' a']
    """

    def strip_token(token: str) -> str:
        first = min(start, len(token) - len(token.lstrip(content)))
        last = min(stop, len(token) - len(token.rstrip(content)))
        return token[first : max(first, len(token) - last)]

    return lambda tokens: [strip_token(token) for token in tokens]
