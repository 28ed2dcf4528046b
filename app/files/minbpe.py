"""minbpe's two files. `.model`: a version, a pattern, special tokens, and merges, one per line; `.vocab`: to be read.

The first 256 ids are the bytes; the n-th merge makes the id 255 + n. https://github.com/karpathy/minbpe
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

import regex

from ..errors import BadFile
from .patterns import check_pattern_complexity

VERSION = "minbpe v1"
MAX_MERGES = 1_000_000


@dataclass(frozen=True, slots=True)
class MinbpeModel:
    """Merges of pairs of ids in training order, the pre-tokenization pattern (empty for none), and special tokens."""

    merges: tuple[tuple[int, int], ...]
    pattern: str = ""
    special_tokens: Mapping[str, int] | None = None

    def vocabulary(self) -> list[bytes]:
        """Return the bytes of each id, without special tokens.

        >>> MinbpeModel(((104, 105), (256, 33))).vocabulary()[256:]
        [b'hi', b'hi!']
        """
        raws = [bytes([byte]) for byte in range(256)]
        for a, b in self.merges:
            raws.append(raws[a] + raws[b])
        return raws


def load_minbpe(data: bytes) -> MinbpeModel:
    r"""Read a model.

    >>> load_minbpe(b"minbpe v1\n\n1\n<|end|> 257\n104 105\n")
    MinbpeModel(merges=((104, 105),), pattern='', special_tokens={'<|end|>': 257})

    Raises `BadFile`, with the number of the line, for an invalid one: a merge of ids that no earlier line makes, a
    repeated pair, a special token with the id of a merge, a pattern that cannot be compiled or is too complex.
    """
    try:
        lines = data.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise BadFile(f"The model is not UTF-8 at byte {error.start}.") from None
    if lines[0] != VERSION:
        raise BadFile(f"Line 1 is not {VERSION!r}.")
    if len(lines) < 3 or not lines[2].isascii() or not lines[2].isdigit() or len(lines[2]) > 6:
        raise BadFile("Line 3 is not the number of special tokens.")
    count = int(lines[2])
    if len(lines) < 3 + count:
        raise BadFile(f"The model ends at line {len(lines)}, before its {count} special tokens do.")
    if len(lines) - count > MAX_MERGES:  # before any of them is parsed
        raise BadFile(f"The model has {len(lines)} lines; at most {MAX_MERGES} merges are read.")
    _check_pattern(lines[1])
    merges = _merges(lines[3 + count :], 4 + count)
    return MinbpeModel(merges, lines[1], _specials(lines[3 : 3 + count], 256 + len(merges)))


def dump_minbpe(model: MinbpeModel) -> bytes:
    r"""Write a model as minbpe does.

    >>> dump_minbpe(MinbpeModel(((104, 105),)))
    b'minbpe v1\n\n0\n104 105\n'
    """
    specials = (model.special_tokens or {}).items()
    tokens = [f"{token} {id}" for token, id in specials]
    merges = [f"{a} {b}" for a, b in model.merges]
    return "".join(f"{line}\n" for line in (VERSION, model.pattern, len(tokens), *tokens, *merges)).encode()


def dump_vocabulary(model: MinbpeModel) -> bytes:
    r"""Write the `.vocab` of a model as minbpe does: each token with its two parts, for people; nothing reads it.

    >>> print(*dump_vocabulary(MinbpeModel(((104, 105), (10, 256)))).decode().splitlines()[-2:], sep="\n")
    [h][i] -> [hi] 256
    [\u000a][hi] -> [\u000ahi] 257
    """
    shown = [_show(raw) for raw in model.vocabulary()]
    lines = [f"[{text}] {id}" for id, text in enumerate(shown[:256])]
    lines += [f"[{shown[a]}][{shown[b]}] -> [{shown[id]}] {id}" for id, (a, b) in enumerate(model.merges, 256)]
    lines += [f"[{_show(token.encode())}] {id}" for token, id in (model.special_tokens or {}).items()]
    return "".join(f"{line}\n" for line in lines).encode()


def _show(raw: bytes) -> str:
    """Return bytes as a text: those that are no UTF-8 as U+FFFD, control characters spelled out."""
    text = raw.decode(errors="replace")
    return "".join(f"\\u{ord(char):04x}" if unicodedata.category(char)[0] == "C" else char for char in text)


def _check_pattern(pattern: str) -> None:
    try:
        check_pattern_complexity(pattern)
        regex.compile(pattern, regex.V0)
    except BadFile as error:
        raise BadFile(f"Line 2: {error.detail}", limit=error.limit) from None
    except (regex.error, RecursionError, OverflowError) as error:
        raise BadFile("Line 2 is not a pattern that can be read.") from error


def _merges(lines: list[str], first_line: int) -> tuple[tuple[int, int], ...]:
    merges: dict[tuple[int, int], int] = {}
    for at, line in enumerate(lines, first_line):
        parts = line.split(" ")
        if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 8 for part in parts):
            raise BadFile(f"Line {at} is not a merge of two ids: {line[:40]!r}.")
        pair = (int(parts[0]), int(parts[1]))
        next_id = 256 + len(merges)
        if max(pair) >= next_id:
            raise BadFile(f"Line {at} merges the id {max(pair)}, which no line before it makes.")
        if pair in merges:
            raise BadFile(f"Line {at} repeats the merge of line {merges[pair]}.")
        merges[pair] = at
    return tuple(merges)


def _specials(lines: list[str], first: int) -> dict[str, int]:
    specials: dict[str, int] = {}
    for at, line in enumerate(lines, 4):
        token, _, digits = line.rpartition(" ")
        if not token or not digits.isascii() or not digits.isdigit() or len(digits) > 7:
            raise BadFile(f"Line {at} is not a special token and its id: {line[:40]!r}.")
        id = int(digits)
        if id < first or id in specials.values() or token in specials:
            raise BadFile(f"Line {at} gives {token[:40]!r} an id that is taken, or repeats it: {id}.")
        specials[token] = id
    return specials
