"""Ids of documents in files that training programs read: Parquet, flat arrays of NumPy, Megatron's indexed datasets.

A folder has `manifest.json`, and in `shards` the files, whose names sort in the order of the corpus. `open` gives
the ids of any document without reading the others.
"""

import json
import struct
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import BadFile, Invalid
from . import sinks
from .addresses import extra, is_remote, local_path

Format = Literal["parquet", "npy", "megatron"]
FORMATS: tuple[Format, ...] = get_args(Format)
MANIFEST = "manifest.json"
FOLDER = "shards"
ENDINGS: Mapping[Format, tuple[str, ...]] = {
    "parquet": (".parquet",),
    "npy": (".npy", ".offsets.npy"),
    "megatron": (".bin", ".idx"),
}
ROWS = 4096
"""Documents of a row group of Parquet: so many are read to get one."""
MEGATRON_UINT16 = 65500
"""Megatron-LM stores vocabularies below this size as uint16, and others as int32."""
MAGIC = b"MMIDIDX\x00\x00"
CODES: Mapping[str, int] = {"int32": 4, "uint16": 8}
"""Megatron's numbers of the types."""
CHAT_COLUMN = "input_ids"
MASK_COLUMN = "assistant_masks"
LENGTHS_COLUMN = "seq_lengths"
"""The columns of conversations in Parquet, as training programs call them."""
Pieces = Sequence[bytes | memoryview]


class ShardRows(NamedTuple):
    """The ids of documents in one array, the offsets at which each begins and the last ends, and where each was.

    `places` has runs of documents: the path of their source, the start of their part, the number of the first document
    in the part, and how many they are. `rows` has the number of the row of each in its part, and `kept` the columns
    that go with them, by name. `mask` has 1 for each id with loss, in shards of conversations; `lengths` the tokens of
    each conversation where documents are several of them, and `packed` how many each has.
    """

    ids: NDArray[Any]
    offsets: NDArray[np.int64]
    places: Sequence[tuple[str, int, int, int]] = ()
    rows: NDArray[np.int64] | None = None
    kept: Mapping[str, Sequence[str | None]] = {}
    mask: NDArray[np.uint8] | None = None
    lengths: NDArray[np.int32] | None = None
    packed: Sequence[int] = ()


def choose_dtype(format: Format, vocabulary: int) -> str:
    """Return the type of ids of a vocabulary in a format.

    >>> choose_dtype("npy", 50_257), choose_dtype("npy", 200_019)
    ('uint16', 'uint32')
    >>> choose_dtype("megatron", 200_019), choose_dtype("parquet", 9)
    ('int32', 'uint32')
    """
    if format == "parquet":
        return "uint32"
    if format == "megatron":
        return "uint16" if vocabulary < MEGATRON_UINT16 else "int32"
    return "uint16" if vocabulary <= 1 << 16 else "uint32"


def files(format: Format, rows: ShardRows, dtype: str, column: str = "ids") -> dict[str, Pieces]:
    """Return the files of a shard by their endings, each in pieces; `column` is that of the ids in Parquet."""
    ids = np.ascontiguousarray(rows.ids, np.dtype(dtype).newbyteorder("<"))
    offsets = rows.offsets.astype("<i8")
    if format == "parquet":
        return {".parquet": [_parquet(ids, offsets, rows, column)]}
    if format == "npy":
        others = {".mask.npy": rows.mask, ".lengths.npy": rows.lengths}
        given = {ending: _npy(array) for ending, array in others.items() if array is not None}
        return {".npy": _npy(ids), ".offsets.npy": _npy(offsets), **given}
    return {".bin": [ids.data.cast("B")] if len(ids) else [], ".idx": _megatron_index(offsets, dtype)}


def _npy(array: NDArray[Any]) -> Pieces:
    head = BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
    return [head.getvalue(), *([array.data.cast("B")] if len(array) else [])]


def _megatron_index(offsets: NDArray[np.int64], dtype: str) -> Pieces:
    """Return the index of Megatron-LM's IndexedDataset, in which each document is one sequence."""
    count = len(offsets) - 1
    return [
        MAGIC + struct.pack("<QBQQ", 1, CODES[dtype], count, count + 1),
        np.diff(offsets).astype("<i4").tobytes(),  # tokens of each sequence
        (offsets[:-1] * np.dtype(dtype).itemsize).astype("<i8").tobytes(),  # the byte at which each begins
        np.arange(count + 1, dtype="<i8").tobytes(),  # the sequence at which each document begins, and the end
    ]


OWN_COLUMNS = ("ids", "source", "part", "position", "row")
"""The columns of a table of shards, beside those that are kept."""


def _parquet(ids: NDArray[Any], offsets: NDArray[np.int64], rows: ShardRows, column: str) -> bytes:
    """Return a table with a row for each document: ids, source, the start of its part, its position and row there."""
    pa = extra("pyarrow")
    pq = extra("pyarrow.parquet")
    runs = [*rows.places]
    counts = [count for *_, count in runs]
    names = [*dict.fromkeys(path for path, *_ in runs)]
    source = np.repeat(np.array([names.index(path) for path, *_ in runs], np.int32), counts)
    begins = np.repeat(np.array([start for _, start, _, _ in runs], np.int64), counts)
    positions = [np.arange(first, first + count) for _, _, first, count in runs]
    columns = {
        column: pa.LargeListArray.from_arrays(offsets, pa.array(ids)).cast(pa.list_(pa.uint32())),
        "source": pa.DictionaryArray.from_arrays(source, pa.array(names, pa.string())),
        "part": pa.array(begins),
        "position": pa.array(np.concatenate([np.zeros(0, np.int64), *positions])),
        **({"row": pa.array(rows.rows)} if rows.rows is not None else {}),
        **{name: pa.array(values, pa.string()) for name, values in rows.kept.items()},
    }
    if rows.mask is not None:
        columns[MASK_COLUMN] = pa.LargeListArray.from_arrays(offsets, pa.array(rows.mask)).cast(pa.list_(pa.uint8()))
    if rows.lengths is not None:
        ends = np.cumsum([0, *rows.packed], dtype=np.int64)
        columns[LENGTHS_COLUMN] = pa.LargeListArray.from_arrays(ends, pa.array(rows.lengths)).cast(pa.list_(pa.int32()))
    out = BytesIO()
    pq.write_table(pa.table(columns), out, row_group_size=ROWS, compression="zstd")
    return out.getvalue()


class DocumentLocation(NamedTuple):
    """Where a document of the shards was: its source with the version, a part, and the position in that part."""

    source: Mapping[str, Any]
    start: int
    end: int
    position: int


class Shards:
    """The documents of a folder of shards by number: `shards[n]` is an array of ids.

    `manifest` is what `manifest.json` says. Raises `BadFile` for a file that is not there or not whole.
    """

    def __init__(self, folder: str, manifest: Mapping[str, Any]) -> None:
        self.folder = folder
        self.manifest = manifest
        self.format: Format = manifest["format"]
        self._column = CHAT_COLUMN if manifest.get("chat") else "ids"
        self._files = [file for shard in manifest["shards"] for file in shard["files"]]
        self._starts: list[int] = [0, *accumulate(file["documents"] for file in self._files)]
        self._parts = [part for shard in manifest["shards"] for part in shard["parts"]]
        self._part_starts = [0, *accumulate(part["documents"] for part in self._parts)]
        self._sources = {source["path"]: source for source in manifest["sources"]}
        self._loaded = lru_cache(maxsize=8)(self._load)
        self._row_group = lru_cache(maxsize=2)(self._read_row_group)

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, number: int) -> NDArray[Any]:
        """Return the ids of a document. Raises `IndexError` for one that there is not, and `BadFile`."""
        if not 0 <= number < len(self):
            raise IndexError(f"There is no document {number:,}; there are {len(self):,}.")
        index = bisect_right(self._starts, number) - 1
        row = number - self._starts[index]
        if self.format == "parquet":
            group, row = divmod(row, ROWS)
            return np.asarray(self._row_group(index, group)[row].values)
        ids, offsets = self._loaded(index)
        return np.asarray(ids[offsets[row] : offsets[row + 1]])

    def place(self, number: int) -> DocumentLocation:
        """Return the source and place of a document."""
        index = bisect_right(self._part_starts, number) - 1
        part = self._parts[index]
        return DocumentLocation(
            self._sources[part["source"]], part["start"], part["end"], number - self._part_starts[index]
        )

    def names(self) -> dict[str, Mapping[str, Any]]:
        """Return the size and the hash of each file by its name."""
        return {name: entry for file in self._files for name, entry in file["names"].items()}

    def address(self, name: str) -> str:
        """Return the address of a file."""
        return join_address(self.folder, FOLDER, name)

    def check(self) -> Iterable[str]:
        """Yield each contradiction between the files in numbers of documents and tokens."""
        for index, file in enumerate(self._files):
            name = next(iter(file["names"]))
            try:
                documents, tokens = self._counts(index)
            except BadFile as error:
                yield error.detail
                continue
            if (documents, tokens) != (file["documents"], file["tokens"]):
                said = f"{file['documents']:,} documents and {file['tokens']:,} tokens"
                yield f"{name} has {documents:,} documents and {tokens:,} tokens; the manifest says {said}."

    def _counts(self, index: int) -> tuple[int, int]:
        loaded = self._loaded(index)
        if self.format != "parquet":
            ids, offsets = loaded
            return len(offsets) - 1, len(ids)
        groups = [
            loaded.read_row_group(group, columns=[self._column])[self._column] for group in range(loaded.num_row_groups)
        ]
        return sum(map(len, groups)), sum(len(chunk.flatten()) for group in groups for chunk in group.chunks)

    def _load(self, index: int) -> Any:
        """Return a file of documents: ids and offsets, or a Parquet file. Those on this machine are mapped."""
        first, *rest = (self.address(name) for name in self._files[index]["names"])
        try:
            if self.format == "parquet":
                return extra("pyarrow.parquet").ParquetFile(BytesIO(sinks.read(first)) if is_remote(first) else first)
            if self.format == "npy":
                ids = _array(first)
                offsets = _array(rest[0])
            else:
                dtype, offsets = _read_index(_map_file(rest[0]))
                ids = _map_file(first).view(dtype)
        except (OSError, ValueError, EOFError, struct.error) as error:
            raise BadFile(f"{first} cannot be read: {' '.join(str(error).split())[:200]}.") from error
        if len(offsets) == 0 or offsets[-1] != len(ids):
            raise BadFile(f"{first} has {len(ids):,} tokens, and its index another number.")
        return ids, offsets

    def _read_row_group(self, index: int, group: int) -> Any:
        table = self._loaded(index).read_row_group(group, columns=[self._column])
        return table[self._column].combine_chunks()


def _array(address: str) -> NDArray[Any]:
    """Return an array from a .npy file."""
    if is_remote(address):
        array: NDArray[Any] = np.load(BytesIO(sinks.read(address)), allow_pickle=False)
        return array
    return np.asarray(np.load(local_path(address), mmap_mode="r", allow_pickle=False))


def _map_file(address: str) -> NDArray[np.uint8]:
    if is_remote(address):
        return np.frombuffer(sinks.read(address), np.uint8)
    path = Path(local_path(address))
    return np.memmap(path, np.uint8, "r") if path.stat().st_size else np.zeros(0, np.uint8)


def _read_index(data: NDArray[np.uint8]) -> tuple[DTypeLike, NDArray[np.int64]]:
    """Return the type of the ids, and the offsets of the documents in them, from the index of Megatron-LM."""
    head = data[:34].tobytes()
    version, code, count, _ = struct.unpack("<QBQQ", head[9:])
    names = {code: name for name, code in CODES.items()}
    if not head.startswith(MAGIC) or version != 1 or code not in names:
        raise ValueError("its index is none of Megatron-LM")
    lengths = data[34 : 34 + 4 * count].view("<i4")
    if len(lengths) != count:
        raise ValueError("its index is not whole")
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return np.dtype(names[code]).newbyteorder("<"), offsets


def read_manifest(folder: str) -> dict[str, Any]:
    """Return the manifest of a folder. Raises `BadFile` if there is none, or one of another kind."""
    address = join_address(folder, MANIFEST)
    try:
        manifest = json.loads(sinks.read(address))
        if manifest["format"] in FORMATS and isinstance(manifest["complete"], bool):
            return dict(manifest)
    except BadFile as error:
        if isinstance(error.__cause__, FileNotFoundError) and not is_remote(folder):
            raise BadFile(f"{folder} has no {MANIFEST}; name a folder that corpus tokenize has written.") from error
        raise
    except (ValueError, KeyError, TypeError):
        pass
    raise BadFile(f"{address} is no manifest of shards.")


def open(folder: str) -> Shards:
    """Return the documents of a folder that `tokenarium corpus tokenize` wrote. Raises `BadFile`, `Invalid`."""
    manifest = read_manifest(folder)
    if not manifest["complete"]:
        raise Invalid(f"{folder} is not complete; the same command that began it goes on with it.")
    return Shards(folder, manifest)


def join_address(folder: str, *names: str) -> str:
    """Return the address of a file in a folder.

    >>> join_address("s3://bucket/ids/", "manifest.json")
    's3://bucket/ids/manifest.json'
    """
    return "/".join([folder.rstrip("/") or "/", *names])
