"""Decoders: from the spellings of tokens back to a text.

Each takes a list of texts and gives one; what the last gives is joined.
"""

from collections.abc import Callable, Iterable, Sequence

import regex

from app.scratch.pretokenize import matches
from app.scratch.words import byte_alphabet

Decoder = Callable[[Sequence[str]], list[str]]
CLEANED = (
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
    (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
)  # fmt: skip


def decoded(decoders: Iterable[Decoder], tokens: Sequence[str]) -> str:
    """Apply decoders one after another and join.

    >>> decoded([byte_fallback, fuse], ["a", "<0xC3>", "<0xA9>"])
    'aé'
    """
    for decoder in decoders:
        tokens = decoder(tokens)
    return "".join(tokens)


def spaced(tokens: Sequence[str]) -> list[str]:
    """Without any decoder: a space between tokens.

    >>> spaced(["a", "b"])
    ['a b']
    """
    return [" ".join(tokens)]


def fuse(tokens: Sequence[str]) -> list[str]:
    """All in one, so that the next decoder sees a whole.

    >>> fuse(["a", "b"])
    ['ab']
    """
    return ["".join(tokens)]


def byte_level(tokens: Sequence[str]) -> list[str]:
    """GPT-2's alphabet back to bytes; a token with other characters stands for itself.

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
    """Bytes spelled `<0x41>` back to characters; bytes that are no UTF-8 become one U+FFFD each.

    >>> byte_fallback(["<0xC3>", "<0xA9>", "b", "<0xFF>"])
    ['é', 'b', '�']
    """
    done, waiting = [], b""
    for token in [*tokens, ""]:
        if regex.fullmatch("<0x[0-9A-Fa-f]{2}>", token):
            waiting += bytes([int(token[3:5], 16)])
            continue
        if waiting:
            try:
                done.append(waiting.decode())
            except UnicodeDecodeError:
                done += ["\ufffd"] * len(waiting)
            waiting = b""
        done.append(token)
    return done[:-1]


def wordpiece(*, prefix: str = "##", cleanup: bool = True) -> Decoder:
    """A continuation follows directly, any other piece after a space; `cleanup` undoes the commonest splits.

    >>> wordpiece()(["play", "##ing", "!"])
    ['play', 'ing', '!']
    """

    def words(tokens: Sequence[str]) -> list[str]:
        done = []
        for i, token in enumerate(tokens):
            if i:
                token = token[len(prefix) :] if token.startswith(prefix) else f" {token}"
            for wrong, right in CLEANED if cleanup else ():
                token = token.replace(wrong, right)
            done.append(token)
        return done

    return words


def metaspace(replacement: str = "▁", *, prefix: bool = True) -> Decoder:
    """▁ back to spaces; those of the first token are dropped if one is put in front.

    >>> metaspace()(["▁a", "▁b"])
    ['a', ' b']
    """

    def texts(tokens: Sequence[str]) -> list[str]:
        return [token.replace(replacement, " " if i or not prefix else "") for i, token in enumerate(tokens)]

    return texts


def end_of_word(suffix: str = "</w>") -> Decoder:
    """The mark of the end of a word back to a space, but for the last (Sennrich et al. 2016).

    >>> end_of_word()(["low", "est</w>", "new</w>"])
    ['low', 'est ', 'new']
    """

    def texts(tokens: Sequence[str]) -> list[str]:
        return [token.replace(suffix, " " if i < len(tokens) - 1 else "") for i, token in enumerate(tokens)]

    return texts


def replace(pattern: "regex.Pattern[str]", content: str) -> Decoder:
    """Every match of a pattern replaced.

    >>> replace(regex.compile("▁"), " ")(["▁a"])
    [' a']
    """

    def replaced(token: str) -> str:
        parts, here = [], 0
        for found in matches(pattern, token):
            parts += [token[here : found.start()], content]
            here = found.end()
        return "".join([*parts, token[here:]])

    return lambda tokens: [replaced(token) for token in tokens]


def strip(content: str, *, start: int = 0, stop: int = 0) -> Decoder:
    """Up to so many of a character dropped at the ends of each text.

    >>> strip(" ", start=1)(["  a"])
    [' a']
    """

    def stripped(token: str) -> str:
        first = min(start, len(token) - len(token.lstrip(content)))
        last = min(stop, len(token) - len(token.rstrip(content)))
        return token[first : max(first, len(token) - last)]

    return lambda tokens: [stripped(token) for token in tokens]
