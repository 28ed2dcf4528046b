"""The types of a corpus: its files, the parts that are read on their own, and what was not read of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import TokenariumError

Format = Literal["lines", "paragraphs", "text", "jsonl", "json", "csv", "tsv", "tar", "parquet", "arrow"]
FORMATS: tuple[Format, ...] = get_args(Format)
"""`lines`: each line is a document · `paragraphs`: empty lines separate documents · `text`: a file is a document ·
`json`: an array of objects · `tar`: an archive of samples, as WebDataset has them."""
Row = tuple[bytes, str, tuple[str | None, ...]]
"""A document as UTF-8, empty where a row has none or is left out; the value of its group; those of columns to keep."""
EMPTY: Row = (b"", "", ())
ENDINGS: Mapping[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tar": "tar",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
COMPRESSED = (".tgz", ".gz", ".xz", ".bz2", ".zst")
MAX_PROBLEMS = 100
"""Problems that are described; all are counted."""
Policy = Literal["refuse", "skip", "replace"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
"""Documents that are not UTF-8: an error of the run · left out and counted · read with U+FFFD in place of bad bytes."""


@dataclass(frozen=True, slots=True)
class CorpusSource:
    """A file: its path or address, format, size in bytes, and what tells whether it has changed.

    `ranges` is false if it can only be read from its beginning; the size is then 0 if the server does not say it.
    """

    path: str
    format: Format
    bytes: int
    version: str
    ranges: bool = True

    @property
    def compression(self) -> str:
        """The ending that says how it is compressed, or "".

        >>> CorpusSource("a.txt.gz", "lines", 1, "").compression
        '.gz'
        """
        return find_compression(strip_query(self.path))

    @property
    def splittable(self) -> bool:
        """True if a part of its bytes can be read without what stands before it."""
        return self.ranges and self.format in ("lines", "jsonl") and not self.compression


def find_compression(name: str) -> str:
    """Return the ending of a name that says how the file is compressed, or ""."""
    return next(filter(name.endswith, COMPRESSED)) if name.endswith(COMPRESSED) else ""


def strip_query(path: str) -> str:
    """Return a path, or an address without its query, of which the ending tells the format.

    >>> strip_query("https://host/a.txt.gz?download=true")
    'https://host/a.txt.gz'
    """
    return path.partition("?")[0] if path.startswith(("http://", "https://")) else path


@dataclass(frozen=True, slots=True, repr=False)
class SourcePart:
    """A range of a source: of bytes, of row groups of Parquet, or of record batches of Arrow.

    `size` is the number of bytes of the file that it stands for, where the range is not of bytes.
    """

    source: CorpusSource
    start: int
    end: int
    size: int = 0

    @property
    def bytes(self) -> int:
        """The bytes of the file that it stands for, for progress."""
        if self.end - self.start == self.source.bytes:  # a file as a whole, of which there may be very many
            return self.size or self.source.bytes
        return self.size or (self.end - self.start if self.source.splittable else self.source.bytes)

    def __repr__(self) -> str:
        """Return all that names it; that of a dataclass takes a while for each of very many files."""
        one = self.source
        every = (one.path, one.format, one.bytes, one.version, one.ranges, self.start, self.end, self.size)
        return f"SourcePart{every}"


@dataclass(slots=True)
class Unread:
    """What was not read as it is: the number of `documents` left out, and of those with `replaced` bytes.

    `problems` describes the first that were left out; `failed` names parts that could not be read, with the cause.
    """

    documents: int = 0
    replaced: int = 0
    problems: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    @classmethod
    def of_part(cls, part: SourcePart, error: Exception) -> "Unread":
        """Return the note that a part could not be read, with the reason."""
        why = str(getattr(error, "detail", "") or error)
        path = part.source.path
        return cls(failed=[why if why.startswith(path) else f"{path}: {why}"])

    def leave_out(self, place: str, why: str) -> None:
        """Note a document that is left out."""
        self.documents += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(f"{place}: {why}")

    def __iadd__(self, other: "Unread") -> "Unread":
        self.documents += other.documents
        self.replaced += other.replaced
        if other.problems and len(self.problems) < MAX_PROBLEMS:
            new = dict.fromkeys([*self.problems, *other.problems])
            self.problems[:] = [*new][:MAX_PROBLEMS]
        if other.failed:
            self.failed[:] = dict.fromkeys([*self.failed, *other.failed])
        return self


@dataclass(slots=True)
class ReadContext:
    """How documents are read, and what could not be read.

    `column` has the text of a document in tables (JSON Lines, CSV, Parquet, Arrow), `group` the value by which
    documents are grouped, and `keep` are further columns. `rows` is how many rows were read so far, with those that
    have no document. A row that lacks the column, where others have it, is left out.
    """

    column: str = "text"
    group: str = ""
    invalid: Policy = "refuse"
    unread: Unread = field(default_factory=Unread)
    keep: tuple[str, ...] = ()
    rows: int = 0
    found: bool = False
    _lacking: list[tuple[str, TokenariumError]] = field(default_factory=list)

    def note_found(self) -> None:
        """Note that a row has the columns; those before it are left out."""
        self.found = True
        for place, error in self._lacking:
            self._leave_out(place, error)
        self._lacking.clear()

    def note_lacking(self, place: str, error: TokenariumError) -> None:
        """Note a row that lacks a column. Raises the error of the first if none of many has had it."""
        if self.found:
            self._leave_out(place, error)
            return
        self._lacking.append((place, error))
        if len(self._lacking) == MAX_PROBLEMS:
            self.check_found()

    def check_found(self) -> None:
        """Raise the error of the first row if all rows so far lack a column."""
        if self._lacking:
            _, error = self._lacking[0]
            self._lacking.clear()
            raise error

    def _leave_out(self, place: str, error: TokenariumError) -> None:
        _, _, why = error.detail.partition(" has no ")
        self.unread.leave_out(place, f"no {why}".rstrip("."))


@dataclass(slots=True)
class Batch:
    """Documents as UTF-8, none of them empty, and the value of the group of each if they are grouped by a column.

    `first` is the number of rows before them in their part, `numbers` where each document is behind it (a function,
    since a count asks for none), and `kept` has for each the values of the columns to keep.
    """

    documents: Sequence[bytes]
    groups: Sequence[str] = ()
    first: int = 0
    numbers: Callable[[], Sequence[int] | NDArray[np.int64]] = tuple
    kept: Sequence[tuple[str | None, ...]] = ()

    @property
    def rows(self) -> NDArray[np.int64]:
        """The number of the row of each document in its part, the first of which is 0."""
        return np.asarray(self.numbers(), np.int64) + self.first


def utf8(data: bytes, reading: ReadContext, place: str) -> bytes | None:
    """Return the UTF-8 of a document, as the policy says; None if it is left out."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if reading.invalid == "replace":
            reading.unread.replaced += 1
            return data.decode(errors="replace").encode()
        reading.unread.leave_out(place, f"byte {error.start:,} of it is not UTF-8")
        return None
    return data


def is_utf8(data: bytes) -> bool:
    """Return whether bytes are UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
