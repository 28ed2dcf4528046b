"""The exception tree. Every one carries what a problem report needs, and none carries the text it is about.

TokenariumError
├── BadRequest            400, malformed: the bytes are not what they claim to be
│   └── BadEncoding       400, bytes that are not UTF-8
├── UnknownTokenizer      404, with the nearest names
├── TooLarge              413, with the limit
├── Invalid               422, with a pointer to the value
│   ├── UnknownEngine
│   ├── UnknownId
│   ├── LoneSurrogate
│   ├── SpecialTokenRefused
│   └── BadFile           a tokenizer file that says nonsense
├── Unavailable           503, something outside is missing (a hub, a package)
└── EngineFailed          a library gave up; answered by another engine where there is one
"""

from collections.abc import Iterable
from typing import ClassVar


class TokenariumError(Exception):
    """The root. `code` is stable for programs, `title` is for people, `detail` is this case."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Something went wrong here"

    def __init__(self, detail: str, *, pointer: str | None = None, limit: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.pointer = pointer
        self.limit = limit


class BadRequest(TokenariumError):
    status, code, title = 400, "malformed", "The request is malformed"


class BadEncoding(BadRequest):
    code, title = "bad-encoding", "The bytes are not UTF-8"


class UnknownTokenizer(TokenariumError):
    status, code, title = 404, "unknown-tokenizer", "No such tokenizer"


class TooLarge(TokenariumError):
    status, code, title = 413, "too-large", "Too large"


class Invalid(TokenariumError):
    status, code, title = 422, "invalid", "A value is not valid"


class UnknownEngine(Invalid):
    code, title = "unknown-engine", "No such engine for this tokenizer"


class UnknownId(Invalid):
    code, title = "unknown-id", "No such id in this vocabulary"

    def __init__(self, id: int, *, vocab_size: int | None, pointer: str | None = None) -> None:
        size = "grows with each text and starts empty" if vocab_size is None else f"ends at {vocab_size - 1}"
        super().__init__(f"No token has the id {id}; the vocabulary {size}.", pointer=pointer)


class LoneSurrogate(Invalid):
    code, title = "lone-surrogate", "Half a UTF-16 surrogate pair"

    def __init__(self, offset: int, *, pointer: str | None = None) -> None:
        super().__init__(f"Code point {offset} of the text is a lone surrogate, which no UTF-8 text can hold.", pointer=pointer)
        self.offset = offset


class SpecialTokenRefused(Invalid):
    code, title = "special-token", "A special token is spelled in the text"

    def __init__(self, token: str, offset: int) -> None:
        super().__init__(f"{token} is spelled out at code point {offset}. Choose to read it as text or as a special token.")
        self.offset = offset


class BadFile(Invalid):
    code, title = "bad-file", "The tokenizer file is not valid"


class Unavailable(TokenariumError):
    status, code, title = 503, "unavailable", "Not available now"


class EngineFailed(TokenariumError):
    code, title = "engine-failed", "The library gave up on this text"


def listed(names: Iterable[str]) -> str:
    """Names for a message.

    >>> listed(["b", "a"])
    'b, a'
    """
    return ", ".join(names)
