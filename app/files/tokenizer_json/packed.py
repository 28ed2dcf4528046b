"""A `tokenizer.json` of BPE in columns, as the store keeps large ones: small, and read in a fraction of the time.

The file is a header in JSON (the original without its vocabulary and merges), the tokens by id, and two columns with a
number for each merge: the id of the token that it makes, and the characters of its left part. Such a file is written by
`make vendor` only, from a checked original, and read from the store only, where its hash is compared.
"""

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from sys import byteorder
from typing import Any, overload

from ...errors import BadFile
from ...scratch.compat.pipeline.added_tokens import AddedToken
from ...store import Record
from .read import TokenizerJson, load_tokenizer_json

NAME = "tokenizer.packed"
"""The name of such a file in the store."""
END = b"\0"


@dataclass(frozen=True)
class PackedJson:
    """The contents of a file; `made` and `left` have an entry for each merge."""

    header: Mapping[str, Any]
    tokens: Sequence[str]
    made: "array[int]"
    left: "array[int]"

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """The ids of the tokens."""
        return {token: id for id, token in enumerate(self.tokens)}

    @property
    def merges(self) -> "PackedPairs":
        """The pairs of tokens that are merged, by priority."""
        return PackedPairs(self.tokens, self.made, self.left)

    def unpack(self) -> TokenizerJson:
        """Return what `load_tokenizer_json` reads in the original; its checks were made when it was packed."""
        spec = self.header["model"]
        unknown = spec.get("unk_token")
        small = {**self.header, "model": {**spec, "vocab": {unknown or "?": 0}, "merges": []}, "added_tokens": []}
        file = load_tokenizer_json(json.dumps(small).encode())
        model = replace(file.model, vocabulary=self.vocabulary, pairs=self.merges, made=self.made)
        return replace(file, model=model, added=tuple(AddedToken(**token) for token in self.header["added_tokens"]))


class PackedPairs(Sequence[tuple[str, str]]):
    """The pairs of a file, each made when it is read: half a million of them take more memory than all tokens."""

    def __init__(self, tokens: Sequence[str], made: "array[int]", left: "array[int]") -> None:
        self.tokens = tokens
        self.made = made
        self.left = left

    def __len__(self) -> int:
        return len(self.made)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        made = zip(map(self.tokens.__getitem__, self.made), self.left, strict=True)
        return iter([(token[:size], token[size:]) for token, size in made])

    @overload
    def __getitem__(self, rank: int) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, rank: slice) -> list[tuple[str, str]]: ...
    def __getitem__(self, rank: int | slice) -> tuple[str, str] | list[tuple[str, str]]:
        if isinstance(rank, slice):
            return [*self][rank]
        token = self.tokens[self.made[rank]]
        size = self.left[rank]
        return token[:size], token[size:]


def pack_json(data: bytes) -> bytes:
    """Return a `tokenizer.json` in columns. Raises `BadFile` unless it is valid and its model can be packed.

    >>> model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
    >>> packed = pack_json(json.dumps({"model": model}).encode())
    >>> [*load_packed(packed).unpack().model.pairs]
    [('a', 'b')]
    """
    file = load_tokenizer_json(data)
    header = json.loads(data)
    model = file.model
    tokens = sorted(model.vocabulary, key=model.vocabulary.__getitem__)
    if model.type != "BPE" or [model.vocabulary[token] for token in tokens] != [*range(len(tokens))] or model.prefix:
        raise BadFile("Only BPE without gaps between its ids and without a prefix can be packed.")
    if any("\0" in token for token in tokens) or any(len(left) > 65_535 for left, _ in model.pairs):
        raise BadFile("A token contains NUL, or the left part of a merge is longer than 65,535 characters.")
    header["model"] = {name: value for name, value in header["model"].items() if name not in ("vocab", "merges")}
    header["added_tokens"] = header.get("added_tokens") or []
    made = array("I", [model.vocabulary[left + right] for left, right in model.pairs])
    left = array("H", [len(left) for left, _ in model.pairs])
    columns = [json.dumps(header, ensure_ascii=False).encode(), str(len(tokens)).encode(), str(len(made)).encode()]
    return b"".join([*(column + END for column in (*columns, *map(str.encode, tokens))), _little(made), _little(left)])


def load_packed(data: bytes) -> PackedJson:
    """Read a file that `pack_json` wrote."""
    header, size, count, rest = data.split(END, 3)
    end = len(rest) - 6 * int(count)
    sizes = len(rest) - 2 * int(count)
    tokens = rest[:end].decode().split("\0", int(size))[:-1]
    made = array("I", rest[end:sizes])
    left = array("H", rest[sizes:])
    if byteorder == "big":
        made.byteswap()
        left.byteswap()
    return PackedJson(json.loads(header), tokens, made, left)


def _little(column: "array[int]") -> bytes:
    if byteorder == "big":
        column = column[:]
        column.byteswap()
    return column.tobytes()


def read_tokenizer_json(record: Record) -> TokenizerJson | None:
    """Return the `tokenizer.json` of a record, which may be packed, or None if it has none. Raises `BadFile`."""
    files = record.spec.get("files", {})
    if NAME in files:
        return load_packed(record.only_file()).unpack()
    return load_tokenizer_json(record.only_file()) if "tokenizer.json" in files else None
