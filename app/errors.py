"""The exception tree. Each class has a status, a code and a title for its problem report (RFC 9457).

No message contains the text it is about, so that a report never echoes a large or hostile input.

TokenariumError
├── BadRequest            400  the request is malformed
│   └── BadEncoding       400  bytes that are not UTF-8
├── Forbidden             403  an unsafe request from another site
├── NotAllowed            403  this server, or the state of its store, does not permit it
├── UnknownTokenizer      404  the detail names the nearest ids
├── UnknownFile           404  the tokenizer has no file of this name; the detail says why
├── UnknownJob            404  no training job of this id, or it has expired
├── UnknownScene          404  the course has no scene of this id; the detail names those it has
├── UnknownTerm           404  the glossary has no term of this name
├── UnknownGuide          404  the documentation has no guide of this name; the detail names those it has
├── UnknownHall           404  no hall has this code, or it has expired
├── TooSlow               408  the client stopped sending the request
├── NotRead               408  the client stopped reading the response
├── TooLarge              413  with the limit
├── QueryTooLong          414
├── UnsupportedMedia      415  not JSON in UTF-8, or compressed
├── Misdirected           421  the Host header names another server
├── Invalid               422  with a JSON pointer to the value
│   ├── UnknownEngine
│   ├── UnknownId
│   ├── EmptyBatch
│   ├── LoneSurrogate
│   ├── SpecialTokenRefused
│   ├── BadFile           an invalid tokenizer file
│   ├── BadTemplate       a chat template that cannot be rendered, with the line
│   ├── RegexTimeout      a pattern that exceeds its time limit on a text
│   └── OverLimit         work that exceeds its limit of time or memory
│       └── TemplateLimit a chat template that exceeds its budget of steps or sizes
├── TooManyConnections    429  from one address at once
├── TooOften              429  the client does something more often than it may; try again soon
├── HeadTooLarge          431  the request line and header fields have too many bytes, or there are too many fields
├── Unavailable           503  something external is missing: the hub, a package
│   ├── Overloaded        the server is busy; try again soon
│   └── WorkerLost        the worker process died
├── NoSpace               507  the disk or the quota is full; nothing was saved
└── EngineFailed          500  the library failed on a text; another engine answers if there is one
    ├── BacktrackLimit    422  it ran into its backtracking limit: reported as RegexTimeout if no engine answers
    └── NoUnknownToken    422  the text has what the vocabulary lacks, and there is no unknown token for it
"""

from collections.abc import Iterable
from typing import Any, ClassVar


class TokenariumError(Exception):
    """The root. `code` is stable, for programs; `title` names the kind of error, `detail` the case at hand.

    `pointer` is a JSON pointer (RFC 6901) to the invalid value, `limit` the limit that was exceeded.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Internal error"

    def __init__(self, detail: str, *, pointer: str | None = None, limit: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.pointer = pointer
        self.limit = limit

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers send errors by pickle, which would call `__init__` with `args` alone; subclasses take other arguments.
        return _restore, (type(self), self.args, self.__dict__)


class BadRequest(TokenariumError):
    status = 400
    code = "malformed"
    title = "The request is malformed"


class BadEncoding(BadRequest):
    code = "bad-encoding"
    title = "The bytes are not UTF-8"


class Forbidden(TokenariumError):
    status = 403
    code = "cross-site"
    title = "Requests from other sites are refused"


class NotAllowed(TokenariumError):
    status = 403
    code = "not-allowed"
    title = "Not permitted on this server"


class UnknownJob(TokenariumError):
    status = 404
    code = "unknown-job"
    title = "No such training job"


class UnknownScene(TokenariumError):
    status = 404
    code = "unknown-scene"
    title = "No such scene"


class UnknownTerm(TokenariumError):
    status = 404
    code = "unknown-term"
    title = "No such term"


class UnknownGuide(TokenariumError):
    status = 404
    code = "unknown-guide"
    title = "No such guide"


class UnknownHall(TokenariumError):
    status = 404
    code = "unknown-hall"
    title = "No such hall"


class TooSlow(TokenariumError):
    status = 408
    code = "too-slow"
    title = "The request was sent too slowly"


class NotRead(TokenariumError):
    status = 408
    code = "not-read"
    title = "The response was read too slowly"


class UnknownTokenizer(TokenariumError):
    status = 404
    code = "unknown-tokenizer"
    title = "No such tokenizer"


class UnknownFile(TokenariumError):
    status = 404
    code = "unknown-file"
    title = "This tokenizer has no such file"


class NotFinished(TokenariumError):
    status = 409
    code = "not-finished"
    title = "The job has not finished"


class TooLarge(TokenariumError):
    status = 413
    code = "too-large"
    title = "Too large"


class QueryTooLong(TokenariumError):
    status = 414
    code = "query-too-long"
    title = "The query is too long"


class UnsupportedMedia(TokenariumError):
    status = 415
    code = "unsupported-media"
    title = "The body must be JSON in UTF-8"


class Misdirected(TokenariumError):
    status = 421
    code = "unknown-host"
    title = "The Host header names another server"


class TooManyConnections(TokenariumError):
    status = 429
    code = "too-many-connections"
    title = "Too many connections from one address"


class TooOften(TokenariumError):
    status = 429
    code = "too-often"
    title = "Too many requests"


class HeadTooLarge(TokenariumError):
    status = 431
    code = "head-too-large"
    title = "The head of the request is too large"


class Invalid(TokenariumError):
    status = 422
    code = "invalid"
    title = "A value is not valid"


class UnknownEngine(Invalid):
    code = "unknown-engine"
    title = "No such engine for this tokenizer"


class UnknownId(Invalid):
    code = "unknown-id"
    title = "No such id in this vocabulary"

    def __init__(self, id: int, *, vocab_size: int | None, pointer: str | None = None) -> None:
        valid = (
            "this vocabulary is built anew from each text"
            if vocab_size is None
            else f"the largest id is {vocab_size - 1}"
        )
        super().__init__(f"No token has the id {id}; {valid}.", pointer=pointer)
        self.id = id


class EmptyBatch(Invalid):
    code = "empty"
    title = "The batch is empty"


class LoneSurrogate(Invalid):
    code = "lone-surrogate"
    title = "Lone surrogate in the text"

    def __init__(self, offset: int, *, pointer: str | None = None) -> None:
        detail = f"Code point {offset} of the text is a lone surrogate, which UTF-8 cannot encode."
        super().__init__(detail, pointer=pointer)
        self.offset = offset


class SpecialTokenRefused(Invalid):
    code = "special-token"
    title = "The text contains a special token"

    def __init__(self, token: str, offset: int) -> None:
        super().__init__(
            f"{token} is spelled out at code point {offset}. Choose to treat it as plain text or to parse it."
        )
        self.offset = offset


class BadFile(Invalid):
    code = "bad-file"
    title = "A file is not valid"


class BadTemplate(Invalid):
    code = "bad-template"
    title = "The chat template cannot be rendered"


class RegexTimeout(Invalid):
    code = "regex-timeout"
    title = "A pattern takes too long on this text"


class OverLimit(Invalid):
    code = "over-limit"
    title = "The request exceeds the limits of time or memory"


class TemplateLimit(OverLimit):
    code = "template-limit"
    title = "The chat template takes more than it may"


class Unavailable(TokenariumError):
    status = 503
    code = "unavailable"
    title = "Not available"


class Overloaded(Unavailable):
    code = "overloaded"
    title = "The server is busy"


class WorkerLost(Unavailable):
    code = "worker-lost"
    title = "The worker process died"


class NoSpace(TokenariumError):
    status = 507
    code = "no-space"
    title = "Not enough storage"


class EngineFailed(TokenariumError):
    code = "engine-failed"
    title = "The library failed on this text"


class BacktrackLimit(EngineFailed):
    status = RegexTimeout.status
    code = RegexTimeout.code
    title = RegexTimeout.title


class NoUnknownToken(EngineFailed):
    status = 422
    code = "no-unknown-token"
    title = "The vocabulary has no unknown token"

    def __init__(self, name: str | None = None) -> None:
        """`name` is the unknown token that the model names but the vocabulary lacks."""
        there = f"there is no unknown token {name[:40]!r} in it" if name else "the model names no unknown token"
        super().__init__(f"The text has a word or a character that the vocabulary lacks, and {there}.")


def _restore(kind: type[TokenariumError], args: tuple[Any, ...], fields: dict[str, Any]) -> TokenariumError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


def join_names(names: Iterable[str]) -> str:
    """Join names for a message.

    >>> join_names(["b", "a"])
    'b, a'
    """
    return ", ".join(names)


def plural(count: int, noun: str, several: str = "") -> str:
    """Return a count with its noun, and with the verb where `several` is more than the noun with an s.

    >>> plural(1, "token"), plural(1200, "token"), plural(1, "line has", "lines have")
    ('1 token', '1,200 tokens', '1 line has')
    """
    return f"{count:,} {noun if count == 1 else several or f'{noun}s'}"


def reason(error: BaseException) -> str:
    r"""Return the message of a library's error on one line, shortened and without a full stop.

    >>> reason(ValueError("bad\nfile."))
    'bad file'
    """
    return " ".join(str(error).split())[:200].removesuffix(".") or type(error).__name__
