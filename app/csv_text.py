"""CSV (RFC 4180), whose cells no spreadsheet takes for a formula; every CSV of the pages, the API and the commands."""

import csv
import re
from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import islice

CHUNK_ROWS = 5000
FORMULA = re.compile(r"[\s\x00\ufeff]*[=+\-@＝＋－＠]|[\t\r\n]")
"""How a formula begins, also in full-width signs and behind blanks, which spreadsheets pass over."""
NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|-inf|-?nan")


def csv_text(rows: Iterable[Iterable[object]], *, line_end: str = "\r\n") -> str:
    r"""Return rows of cells as CSV; None is an empty cell.

    A text that a spreadsheet would take for a formula gets an apostrophe before it; numbers stay as they are.

    >>> print(csv_text([("a", "b"), ("=1+2", "-"), (-1, "-0.5"), (None, "2,000")], line_end=";"))
    a,b;'=1+2,'-;-1,-0.5;,"2,000";
    >>> print(csv_text([("＝1+2", "  =1+2", " a")], line_end=";"))
    '＝1+2,'  =1+2, a;
    """
    buffer = StringIO(newline="")
    csv.writer(buffer, lineterminator=line_end).writerows([_harmless(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def csv_chunks(heads: Iterable[object], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Yield the CSV of rows under their heads, `CHUNK_ROWS` at a time, so that a download starts at once."""
    yield csv_text([heads])
    left = iter(rows)
    while chunk := [*islice(left, CHUNK_ROWS)]:
        yield csv_text(chunk)


def _harmless(cell: object) -> object:
    if isinstance(cell, str) and FORMULA.match(cell) and not NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell
