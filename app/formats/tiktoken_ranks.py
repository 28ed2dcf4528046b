"""The tiktoken ranks file: a byte-level BPE vocabulary, one `base64-of-the-token rank` per line.

A token's rank is both its id and the priority of the merge that makes it: of two possible merges, the one with the
lower rank goes first. Ranks may start above 0 and leave gaps for special tokens.
"""

from base64 import b64encode
from binascii import Error as NotBase64
from binascii import a2b_base64
from collections.abc import Mapping
from functools import partial
from string import ascii_letters, digits

from ..errors import BadFile, plural

MAX_RANK = 9_999_999
"""The largest rank accepted, so that tables indexed by id stay small."""

FIELDS = f"{ascii_letters}{digits}+/=".encode()
"""The characters of tokens and ranks."""
_decode = partial(a2b_base64, strict_mode=True)


def load_ranks(data: bytes) -> dict[bytes, int]:
    r"""Read the tokens of a ranks file and their ranks, in the file's order. Empty lines are skipped.

    >>> single_bytes = dump_ranks({bytes([value]): value for value in range(256)})
    >>> load_ranks(single_bytes + b"SGVsbG8= 256\n")[b"Hello"]
    256

    Raises `BadFile`, with the number of the line, for a line that is not a token and a rank, for a repeated token or
    rank, and for a rank above `MAX_RANK`; and for a vocabulary without one of the 256 single bytes.
    """
    if (ranks := _read_columns(data)) is None:
        ranks = _read_lines(data)
    check_bytes(ranks)
    return ranks


def _read_columns(data: bytes) -> dict[bytes, int] | None:
    """Return what `_read_lines` returns, in a third of the time, or None if a line is empty or not valid."""
    fields = data.split()
    tokens, numbers = fields[::2], fields[1::2]
    size = len(tokens)
    if data.translate(None, FIELDS) != b" \n" * size or not b"".join(numbers).isdigit() or max(map(len, numbers)) > 7:
        return None
    try:
        ranks = dict(zip(map(_decode, tokens), map(int, numbers), strict=True))
    except ValueError:
        return None
    return ranks if len(ranks) == len({*ranks.values()}) == size else None


def _read_lines(data: bytes) -> dict[bytes, int]:
    """Read line by line. Raises `BadFile` with the number of the first that is not valid."""
    ranks: dict[bytes, int] = {}
    used_ranks: set[int] = set()
    for number, line in enumerate(data.splitlines(), 1):
        if not line:
            continue
        token, rank = _read_line(line, number)
        if token in ranks:
            raise BadFile(f"Line {number} repeats the token {token!r}, which already has the rank {ranks[token]}.")
        if rank in used_ranks:
            raise BadFile(f"Line {number} repeats the rank {rank}.")
        used_ranks.add(rank)
        ranks[token] = rank
    return ranks


def check_bytes(ranks: Mapping[bytes, int]) -> None:
    """Raise `BadFile` unless each of the 256 single bytes has a rank."""
    for value in range(256):
        if bytes([value]) not in ranks:
            raise BadFile(f"The byte 0x{value:02X} is missing: of {plural(len(ranks), 'line')}, none gives it a rank.")


def dump_ranks(ranks: Mapping[bytes, int]) -> bytes:
    r"""Write a ranks file, lowest rank first, every line ended: byte for byte what OpenAI publishes.

    >>> dump_ranks({b"Hello": 256, b"!": 0})
    b'IQ== 0\nSGVsbG8= 256\n'
    """
    in_order = sorted(ranks.items(), key=lambda item: item[1])
    return b"".join(b"%s %d\n" % (b64encode(token), rank) for token, rank in in_order)


def _read_line(line: bytes, number: int) -> tuple[bytes, int]:
    base64, _, digits = line.partition(b" ")
    try:
        token = _decode(base64)
    except NotBase64 as error:
        raise BadFile(f"Line {number} does not start with a token in base64: {_excerpt(line)}.") from error
    if not token or not digits.isdigit():
        raise BadFile(f"Line {number} is not a token in base64, a space and a rank: {_excerpt(line)}.")
    if len(digits) > 7:  # checked as text, since int() of a long text is slow
        raise BadFile(f"Line {number} has the rank {_excerpt(digits)}; the largest valid rank is {MAX_RANK}.")
    return token, int(digits)


def _excerpt(line: bytes) -> str:
    return repr(line if len(line) <= 40 else line[:40] + b"...")[1:]
