"""Tokenize lists of documents: by the reference library, or by a faster one that is checked against it all along."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..atomic_files import write_whole
from ..errors import TokenariumError, Unavailable
from ..files.targets import build_tokenizer_json
from ..files.tiktoken.gigatoken import find_scheme, load, remove_specials, version
from ..files.tokenizer_json.library import HuggingFaceTokenizer
from ..lab import conformance
from ..registry import Registry
from ..types import SpecialPolicy, Tokenizer

CHECKED = 1000
"""One document in so many is tokenized by both; so many are before a faster engine is used."""
PROBES = 500
"""Generated texts, among them the nasty ones, on which a faster engine must agree before it is used."""

Rows = tuple[NDArray[np.uint32], NDArray[np.int64]]
"""The ids of documents in one array, and the offsets at which each begins, and the last ends."""


class EncodingMismatch(Exception):
    """The faster engine gave other tokens than the reference for a document of the corpus."""

    @property
    def note(self) -> str:
        """A sentence for the notes of a count."""
        return f"The faster engine gave other tokens for {str(self)!r}; the reference counted."


class Encoder(Protocol):
    """Tokenizes documents, given as UTF-8."""

    def encode(self, documents: Sequence[bytes]) -> Rows: ...


@dataclass(frozen=True)
class ReferenceEncoder:
    """The library of a tokenizer, document by document; `special`: what special tokens in them are."""

    tokenizer: Tokenizer
    special: SpecialPolicy = "text"

    def encode(self, documents: Sequence[bytes]) -> Rows:
        """Return the tokens of documents. Raises what `Tokenizer.encode` raises."""
        rows = [self.tokenizer.encode(document.decode(), special=self.special).ids for document in documents]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        return np.concatenate([np.zeros(0, np.uint32), *rows]), offsets

    @cached_property
    def marks(self) -> NDArray[np.uint8]:
        """By id: 1 for the unknown token, 2 for one that stands for a byte of a character without a token, else 0."""
        info = self.tokenizer.info
        marks = np.zeros(info.vocab_size or 0, np.uint8)
        if info.lossless and info.family == "bpe" and self.tokenizer.engine == "tiktoken":
            return marks  # every token stands for bytes: none of them is a fallback
        for id in range(len(marks)):
            try:
                kind = self.tokenizer.entry(id).kind
            except TokenariumError:  # an id without a token
                continue
            marks[id] = {"unknown": 1, "byte": 2}.get(kind, 0)
        return marks


class ParsingEncoder:
    """A faster encoder of plain text, and the reference for the documents that spell a special token."""

    def __init__(self, fast: Encoder, reference: ReferenceEncoder) -> None:
        self.fast = fast
        self.reference = reference
        special = reference.tokenizer.info.special_tokens
        self._find_special = re.compile(b"|".join(re.escape(token.encode()) for token in special)).search

    def encode(self, documents: Sequence[bytes]) -> Rows:
        """Return the tokens of documents. Raises what `Tokenizer.encode` raises."""
        ids, offsets = self.fast.encode(documents)
        text = getattr(documents, "text", None)  # of lines, which is searched faster than each of them
        some = documents if text is None or self._find_special(text) else ()
        rows = [row for row, document in enumerate(some) if self._find_special(document)]
        if not rows or len(offsets) != len(documents) + 1:
            return ids, offsets
        parsed, ends = self.reference.encode([documents[row] for row in rows])
        pieces = np.split(ids, np.column_stack([offsets[:-1][rows], offsets[1:][rows]]).ravel())
        pieces[1::2] = np.split(parsed, ends[1:-1])
        lengths = np.diff(offsets)
        lengths[rows] = np.diff(ends)
        return np.concatenate(pieces), np.append(0, np.cumsum(lengths))


class CheckedEncoder:
    """A faster encoder, one in `every` of whose documents the reference tokenizes too."""

    def __init__(self, fast: Encoder, reference: Encoder, *, every: int = CHECKED) -> None:
        self.fast = fast
        self.reference = reference
        self.every = every
        self._passed = 0

    def encode(self, documents: Sequence[bytes]) -> Rows:
        """Return the tokens of documents. Raises `EncodingMismatch`."""
        ids, offsets = self.fast.encode(documents)
        if len(offsets) != len(documents) + 1:
            raise EncodingMismatch(documents[0][:60].decode(errors="replace"))
        rows = [*range(-self._passed % self.every, len(documents), self.every)]
        self._passed += len(documents)
        for row in rows:
            compare(ids[offsets[row] : offsets[row + 1]], documents[row], self.reference)
        return ids, offsets


def compare(ids: NDArray[np.uint32], document: bytes, reference: Encoder) -> None:
    """Raise `EncodingMismatch` unless these are the ids of a document."""
    expected, _ = reference.encode([document])
    if not np.array_equal(ids, expected):
        raise EncodingMismatch(document[:60].decode(errors="replace"))


def fast_vocabulary(registry: Registry, id: str, folder: Path) -> Path:
    """Return the file from which `fast_encoder` reads a tokenizer, written into a folder unless it is there.

    Raises `BadFile` for one that tokenizer.json cannot say.
    """
    record = registry.record(id)
    ranks = record.spec.get("ranks", "")
    scheme = find_scheme(ranks, record.pattern or "") if ranks and "normalizer" not in record.spec else None
    described = json.dumps([record.sha256(), record.pattern, [*record.info.special_tokens]])
    key = hashlib.sha256(described.encode()).hexdigest()[:32]
    path = folder / (f"{key}.{scheme}.tiktoken" if scheme else f"{key}.json")
    if scheme and not path.exists():
        write_whole(path, record.file(ranks))
    elif not path.exists():
        write_whole(path, remove_specials(build_tokenizer_json(record)))
    return path


def fast_encoder(path: Path, reference: ReferenceEncoder) -> Encoder:
    """Return the faster encoder of a tokenizer, which treats special tokens as its reference. Raises `Unavailable`."""
    tokenizer = reference.tokenizer
    if reference.special == "text" or not tokenizer.info.special_tokens:
        return load(path)
    if isinstance(tokenizer, HuggingFaceTokenizer) and not tokenizer.matches_specials_first:
        raise Unavailable("It parses no special tokens, which normalizing may make of other text.")
    return ParsingEncoder(load(path), reference)


def get_proven_encoder(
    fast: Encoder, reference: ReferenceEncoder, documents: Sequence[bytes], *, vocabulary: Path | None = None
) -> str | None:
    """Return None if a faster encoder agrees on nasty texts and on the first documents of a corpus, else why not.

    With the file of its vocabulary, what was proven is noted beside it, and not proven again until the engine, the
    reference or this program has another version.
    """
    versions = json.dumps([__version__, version(), reference.tokenizer.engine, reference.special, PROBES, CHECKED])
    first = documents[:CHECKED]
    for name, texts in (("generated", _generate_texts(reference)), (_digest(first), first)):
        key = hashlib.sha256(f"{versions} {name}".encode()).hexdigest()[:16]
        note = vocabulary and vocabulary.with_name(f"{vocabulary.name}.{key}.proven")
        if note and note.exists():
            continue
        if compared := [*texts]:
            try:
                CheckedEncoder(fast, reference, every=1).encode(compared)
            except EncodingMismatch as difference:
                return f"It gives other tokens for {str(difference)!r}."
        if note:
            write_whole(note, b"")
    return None


def _generate_texts(reference: ReferenceEncoder) -> Iterator[bytes]:
    generated = conformance.texts(seed=0, specials=[*reference.tokenizer.info.special_tokens])
    yield from (text.encode() for text in islice(generated, PROBES))


def _digest(documents: Sequence[bytes]) -> str:
    digest = hashlib.sha256()
    for document in documents:
        digest.update(f"{len(document)} ".encode() + document)
    return digest.hexdigest()
