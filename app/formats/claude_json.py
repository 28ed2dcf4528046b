"""`claude.json`, the tokenizer of Claude 1 and 2, and other files of its kind: tiktoken's ranks packed in JSON.

A line of `bpe_ranks` is `! first-rank token token …` with the tokens in base64 and ranks counting up. npm's package
tiktoken uses the same form for OpenAI's vocabularies.
"""

import json
from binascii import Error as NotBase64
from binascii import a2b_base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import BadFile
from .tiktoken_ranks import MAX_RANK, check_bytes

KEYS = {"pat_str": str, "special_tokens": dict, "bpe_ranks": str}


@dataclass(frozen=True, slots=True)
class PackedRanks:
    """The contents of a file: ranks, the pattern that is applied before, and special tokens."""

    ranks: Mapping[bytes, int]
    pattern: str
    special_tokens: Mapping[str, int]


def load_claude_json(data: bytes) -> PackedRanks:
    r"""Read a file.

    >>> from base64 import b64encode
    >>> letters = " ".join(b64encode(bytes([value])).decode() for value in range(256))
    >>> file = {"pat_str": ".", "special_tokens": {"<EOT>": 0}, "bpe_ranks": f"! 1 {letters}\n! 300 SGk="}
    >>> load_claude_json(json.dumps(file).encode()).ranks[b"Hi"]
    300

    Raises `BadFile` for invalid JSON, a missing key, or a token, rank or id that is invalid or repeated.
    """
    try:
        top = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise BadFile("The file is not JSON in UTF-8.") from error
    for key, kind in KEYS.items():
        if not isinstance(top, dict) or not isinstance(top.get(key), kind):
            raise BadFile(f"The file has no {key} of type {kind.__name__}.")
    ranks = _unpack_ranks(top["bpe_ranks"])
    check_bytes(ranks)
    return PackedRanks(ranks, top["pat_str"], _specials(top["special_tokens"], ranks))


def _unpack_ranks(packed: str) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    used: set[int] = set()
    for number, line in enumerate(packed.splitlines(), 1):
        mark, _, rest = line.partition(" ")
        first, *tokens = rest.split(" ")
        if mark != "!" or not tokens or not first.isascii() or not first.isdigit() or len(first) > 7:
            raise BadFile(f"Line {number} of bpe_ranks does not begin with !, a rank and a token.")
        for rank, token in enumerate(tokens, int(first)):
            raw = _token(token, rank)
            if raw in ranks or rank in used or rank > MAX_RANK:
                raise BadFile(f"Rank {rank} or its token {raw[:40]!r} is repeated or too large.")
            ranks[raw] = rank
            used.add(rank)
    return ranks


def _token(token: str, rank: int) -> bytes:
    try:
        raw = a2b_base64(token, strict_mode=True)
    except (NotBase64, ValueError):  # the latter if it is not ASCII
        raw = b""
    if not raw:
        raise BadFile(f"The token of rank {rank} is not base64: {token[:40]!r}.")
    return raw


def _specials(tokens: dict[str, Any], ranks: Mapping[bytes, int]) -> dict[str, int]:
    used = {*ranks.values()}
    for token, id in tokens.items():
        if not token or type(id) is not int or not 0 <= id <= MAX_RANK or id in used:
            raise BadFile(f"The special token {token[:40]!r} has no valid id of its own.")
        used.add(id)
    return tokens
