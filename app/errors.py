"""The exceptions: a table of classes, each with a status, a code and a title for its problem report (RFC 9457).

No message contains the text it is about, so that a report never echoes a large or hostile input.
"""

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Numbers of an `OSError` where a disk is full, or a quota."""
UNWRITABLE = FULL | {errno.EACCES, errno.EPERM, errno.EROFS}
"""Those where nothing can be written."""
EXTRAS = {
    "server": "PIL fastapi fontTools fpdf prometheus_client pygments pypdfium2 scipy segno starlette uvicorn",
    "corpus": "aiohttp awkward backports distributed fsspec gigatoken pyarrow s3fs",
    "mcp": "mcp mcp_types",
    "transformers": "transformers",
}
"""Packages that are imported here and come only with an extra of `tokenarium`, by the extra."""


class TokenariumError(Exception):
    """The root. `code` is stable, for programs; `title` names the kind of error, `detail` the case at hand.

    `pointer` is a JSON pointer (RFC 6901) to the invalid value, `limit` the limit that was exceeded, `fetch` the name
    of a vocabulary to fetch. `exit_code` is the status of a command that ends with the error, `retry_after` the seconds
    after which a client may try again, if it may. What a class does not say is as in its base.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Internal error"
    exit_code: ClassVar[int] = 1
    retry_after: int = 0

    def __init_subclass__(
        cls, *, status: int = 0, code: str = "", title: str = "", exit_code: int = 0, retry_after: int = 0
    ) -> None:
        cls.status = status or cls.status
        cls.code = code or cls.code
        cls.title = title or cls.title
        cls.exit_code = exit_code or cls.exit_code
        cls.retry_after = retry_after or cls.retry_after

    def __init__(
        self,
        detail: str,
        *,
        pointer: str | None = None,
        limit: int | None = None,
        fetch: str | None = None,
        retry_after: int = 0,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.pointer = pointer
        self.limit = limit
        self.fetch = fetch
        self.retry_after = retry_after or self.retry_after

    @property
    def sentences(self) -> str:
        """Title and detail; the detail alone where the title says only that a value is not valid.

        >>> Invalid("size must be a number.").sentences, NoSpace("Nothing was saved.").sentences
        ('size must be a number.', 'Not enough storage. Nothing was saved.')
        """
        return self.detail if self.title == Invalid.title else f"{self.title}. {self.detail}"

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers send errors by pickle, which would call `__init__` with `args` alone; subclasses take other arguments.
        return _restore, (type(self), self.args, self.__dict__)


# fmt: off
class BadRequest(TokenariumError, status=400, code="malformed", title="The request is malformed"): ...
class BadEncoding(BadRequest, code="bad-encoding", title="The bytes are not UTF-8"): ...
class Forbidden(TokenariumError, status=403, code="cross-site", title="Requests from other sites are refused"): ...
# This server, or the state of its store, does not permit it.
class NotAllowed(TokenariumError, status=403, code="not-allowed", title="Not permitted on this server"): ...
# The detail says which kind of job; it may have expired, as a hall may.
class UnknownJob(TokenariumError, status=404, code="unknown-job", title="No such job"): ...
class UnknownHall(TokenariumError, status=404, code="unknown-hall", title="No such hall"): ...
class UnknownScene(TokenariumError, status=404, code="unknown-scene", title="No such scene"): ...
class UnknownTerm(TokenariumError, status=404, code="unknown-term", title="No such term"): ...
class UnknownGuide(TokenariumError, status=404, code="unknown-guide", title="No such guide"): ...
# The detail names the nearest ids.
class UnknownTokenizer(
    TokenariumError, status=404, code="unknown-tokenizer", title="No such tokenizer", exit_code=2
): ...
class UnknownFile(TokenariumError, status=404, code="unknown-file", title="This tokenizer has no such file"): ...
class TooSlow(TokenariumError, status=408, code="too-slow", title="The request was sent too slowly"): ...
class NotRead(TokenariumError, status=408, code="not-read", title="The response was read too slowly"): ...
class NotFinished(TokenariumError, status=409, code="not-finished", title="The job has not finished"): ...
class TooLarge(TokenariumError, status=413, code="too-large", title="Too large"): ...
class QueryTooLong(TokenariumError, status=414, code="query-too-long", title="The query is too long"): ...
class UnsupportedMedia(
    TokenariumError, status=415, code="unsupported-media", title="The body must be JSON in UTF-8"
): ...
class Misdirected(TokenariumError, status=421, code="unknown-host", title="The Host header names another server"): ...
class TooManyConnections(
    TokenariumError, status=429, code="too-many-connections", title="Too many connections from one address"
): ...
class TooOften(TokenariumError, status=429, code="too-often", title="Too many requests", retry_after=60): ...
class HeadTooLarge(
    TokenariumError, status=431, code="head-too-large", title="The head of the request is too large"
): ...
class Invalid(TokenariumError, status=422, code="invalid", title="A value is not valid"): ...
class UnknownEngine(Invalid, code="unknown-engine", title="No such engine for this tokenizer", exit_code=2): ...
class EmptyBatch(Invalid, code="empty", title="The batch is empty"): ...
class BadFile(Invalid, code="bad-file", title="A file is not valid"): ...
class BadTemplate(Invalid, code="bad-template", title="The chat template cannot be rendered"): ...
class RegexTimeout(Invalid, code="regex-timeout", title="A pattern takes too long on this text"): ...
class OverLimit(Invalid, code="over-limit", title="The request exceeds the limits of time or memory"): ...
class TemplateLimit(OverLimit, code="template-limit", title="The chat template takes more than it may"): ...
# Something external is missing: the hub, a package, a folder that can be written.
class Unavailable(TokenariumError, status=503, code="unavailable", title="Not available"): ...
class Overloaded(Unavailable, code="overloaded", title="The server is busy", retry_after=1): ...
class WorkerLost(Unavailable, code="worker-lost", title="The worker process died", retry_after=1): ...
# The disk or the quota is full; nothing was saved.
class NoSpace(TokenariumError, status=507, code="no-space", title="Not enough storage"): ...
# Another engine answers if there is one; of a backtracking limit, if there is none, the report is that of RegexTimeout.
class EngineFailed(TokenariumError, code="engine-failed", title="The library failed on this text"): ...
class BacktrackLimit(EngineFailed, status=422, code=RegexTimeout.code, title=RegexTimeout.title): ...
# fmt: on


class UnknownId(Invalid, code="unknown-id", title="No such id in this vocabulary"):
    def __init__(self, id: int, *, vocab_size: int | None, pointer: str | None = None) -> None:
        valid = (
            "this vocabulary is built anew from each text"
            if vocab_size is None
            else f"the largest id is {vocab_size - 1}"
        )
        super().__init__(f"No token has the id {id}; {valid}.", pointer=pointer)
        self.id = id


class LoneSurrogate(Invalid, code="lone-surrogate", title="Lone surrogate in the text"):
    def __init__(self, offset: int, *, pointer: str | None = None) -> None:
        detail = f"Code point {offset} of the text is a lone surrogate, which UTF-8 cannot encode."
        super().__init__(detail, pointer=pointer)
        self.offset = offset


class SpecialTokenRefused(Invalid, code="special-token", title="The text contains a special token"):
    def __init__(self, token: str, offset: int) -> None:
        super().__init__(
            f"{token} is spelled out at code point {offset}. Choose to treat it as text or to recognize it."
        )
        self.offset = offset


class NoUnknownToken(EngineFailed, status=422, code="no-unknown-token", title="The vocabulary has no unknown token"):
    def __init__(self, name: str | None = None) -> None:
        """`name` is the unknown token that the model names but the vocabulary lacks."""
        there = f"there is no unknown token {name[:40]!r} in it" if name else "the model names no unknown token"
        super().__init__(f"The text has a word or a character that the vocabulary lacks, and {there}.")


def _restore(kind: type[TokenariumError], args: tuple[Any, ...], fields: dict[str, Any]) -> TokenariumError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


def from_disk(error: OSError, what: str = "A temporary file cannot be written") -> TokenariumError:
    """Return the error of a disk: `NoSpace` where it is full, or else `Unavailable`.

    >>> from_disk(OSError(errno.EROFS, "Read-only file system")).sentences
    'Not available. A temporary file cannot be written: Read-only file system.'
    """
    kind = NoSpace if error.errno in FULL else Unavailable
    return kind(f"{what}: {error.strerror or type(error).__name__}.")


@contextmanager
def naming_extra(kind: type[TokenariumError] = Unavailable) -> Iterator[None]:
    """Raise an error that names the extra to install, where a package of one is imported and missing, or a part of it.

    >>> with naming_extra():
    ...     raise ModuleNotFoundError(name="pyarrow")
    Traceback (most recent call last):
    tokenarium.errors.Unavailable: pyarrow is not installed; pip install 'tokenarium[corpus]' brings it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        name = "backports.zstd" if error.name == "backports" else error.name or ""  # a namespace of several packages
        package = name.partition(".")[0]
        extra = next((extra for extra, packages in EXTRAS.items() if package in packages.split()), None)
        if extra is None:
            raise
        raise kind(f"{name} is not installed; pip install 'tokenarium[{extra}]' brings it.") from None


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
