"""The exception tree. Every one carries what a problem report needs, and none carries the text it is about.

TokenariumError
├── BadRequest            400, malformed: the bytes are not what they claim to be
│   └── BadEncoding       400, bytes that are not UTF-8
├── Forbidden             403, an unsafe request from another site
├── NotAllowed            403, what this server, or its store, does not let anyone do
├── UnknownTokenizer      404, with the nearest names
├── UnknownFile           404, a file that this tokenizer is not kept in, and why
├── UnknownJob            404, a training that is not, or no longer, here
├── TooSlow               408, a body that stopped coming
├── NotRead               408, an answer that nobody reads while it is written
├── TooLarge              413, with the limit
├── QueryTooLong          414
├── UnsupportedMedia      415, not JSON in UTF-8, or compressed
├── Misdirected           421, a Host that is not ours
├── Invalid               422, with a pointer to the value
│   ├── UnknownEngine
│   ├── UnknownId
│   ├── EmptyBatch
│   ├── LoneSurrogate
│   ├── SpecialTokenRefused
│   ├── BadFile           a tokenizer file that says nonsense
│   ├── BadTemplate       a chat template that cannot be rendered, with its line
│   ├── RegexTimeout      a pattern that takes for ever on a text
│   └── OverLimit         work that took more time or memory than it may
├── Unavailable           503, something outside is missing (a hub, a package)
│   ├── Overloaded        too much is under way; try again soon
│   └── WorkerLost        the process that did the work is gone
├── NoSpace               507, the disk or the quota is full; nothing was kept
└── EngineFailed          a library gave up; answered by another engine where there is one
"""

from collections.abc import Iterable
from typing import Any, ClassVar


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

    def __reduce__(self) -> tuple[Any, ...]:
        """What it takes to raise it in another process, whatever its class is made from."""
        return _copied, (type(self), self.args, self.__dict__)


class BadRequest(TokenariumError):
    status, code, title = 400, "malformed", "The request is malformed"


class BadEncoding(BadRequest):
    code, title = "bad-encoding", "The bytes are not UTF-8"


class Forbidden(TokenariumError):
    status, code, title = 403, "cross-site", "Requests from other sites are refused"


class NotAllowed(TokenariumError):
    status, code, title = 403, "not-allowed", "This is not allowed here"


class UnknownJob(TokenariumError):
    status, code, title = 404, "unknown-job", "No such training"


class TooSlow(TokenariumError):
    status, code, title = 408, "too-slow", "The request stopped coming"


class NotRead(TokenariumError):
    status, code, title = 408, "not-read", "The answer was not read"


class UnknownTokenizer(TokenariumError):
    status, code, title = 404, "unknown-tokenizer", "No such tokenizer"


class UnknownFile(TokenariumError):
    status, code, title = 404, "unknown-file", "There is no such file of this tokenizer"


class TooLarge(TokenariumError):
    status, code, title = 413, "too-large", "Too large"


class QueryTooLong(TokenariumError):
    status, code, title = 414, "query-too-long", "The query is too long"


class UnsupportedMedia(TokenariumError):
    status, code, title = 415, "unsupported-media", "This is not JSON in UTF-8"


class Misdirected(TokenariumError):
    status, code, title = 421, "unknown-host", "This server does not answer for that host"


class Invalid(TokenariumError):
    status, code, title = 422, "invalid", "A value is not valid"


class UnknownEngine(Invalid):
    code, title = "unknown-engine", "No such engine for this tokenizer"


class UnknownId(Invalid):
    code, title = "unknown-id", "No such id in this vocabulary"

    def __init__(self, id: int, *, vocab_size: int | None, pointer: str | None = None) -> None:
        size = "grows with each text and starts empty" if vocab_size is None else f"ends at {vocab_size - 1}"
        super().__init__(f"No token has the id {id}; the vocabulary {size}.", pointer=pointer)
        self.id = id


class EmptyBatch(Invalid):
    code, title = "empty", "There is nothing to do"


class LoneSurrogate(Invalid):
    code, title = "lone-surrogate", "Half a UTF-16 surrogate pair"

    def __init__(self, offset: int, *, pointer: str | None = None) -> None:
        detail = f"Code point {offset} of the text is a lone surrogate, which no UTF-8 text can hold."
        super().__init__(detail, pointer=pointer)
        self.offset = offset


class SpecialTokenRefused(Invalid):
    code, title = "special-token", "A special token is spelled in the text"

    def __init__(self, token: str, offset: int) -> None:
        super().__init__(f"{token} is spelled out at code point {offset}. Read it as text, or as a special token.")
        self.offset = offset


class BadFile(Invalid):
    code, title = "bad-file", "The tokenizer file is not valid"


class BadTemplate(Invalid):
    code, title = "bad-template", "The chat template cannot write this out"


class RegexTimeout(Invalid):
    code, title = "regex-timeout", "A pattern takes too long on this text"


class OverLimit(Invalid):
    code, title = "over-limit", "This takes more than one request may"


class Unavailable(TokenariumError):
    status, code, title = 503, "unavailable", "Not available now"


class Overloaded(Unavailable):
    code, title = "overloaded", "Too much is under way here"


class WorkerLost(Unavailable):
    code, title = "worker-lost", "The process that did this is gone"


class NoSpace(TokenariumError):
    status, code, title = 507, "no-space", "There is no room to keep this"


class EngineFailed(TokenariumError):
    code, title = "engine-failed", "The library gave up on this text"


def _copied(kind: type[TokenariumError], args: tuple[Any, ...], fields: dict[str, Any]) -> TokenariumError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


def listed(names: Iterable[str]) -> str:
    """Names for a message.

    >>> listed(["b", "a"])
    'b, a'
    """
    return ", ".join(names)
