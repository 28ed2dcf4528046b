"""The byte model in the store: trained on the declaration of human rights in all languages, read when first needed.

Its file is plain numbers, xz-compressed: for each length of context the sorted contexts, how many kinds of bytes follow
each, which ones, and how often. `model.toml` has the sizes of these arrays and the SHA-256 of the numbers.
"""

import hashlib
import json
import lzma
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...atomic_files import write_whole
from ...errors import BadFile
from ...scratch.fast.byte_entropy import ByteModel, Contexts, count
from ...scratch.patching import iter_patch_starts, place_after_spaces
from ..languages.declarations import Declaration, declaration, declarations, get_pinned_sha256

FOLDER = "byte-model"
NUMBERS = "model.bin.xz"
ABOUT = "model.toml"
FIGURES = "figures.json"
HELD_OUT = range(25, 31)
"""The articles of each language that the model has not seen; its figures are of these."""
LEAST = (1, 1, 2, 6, 12, 40)
"""How often a context of 0 to 5 bytes must occur to be kept, so that the file stays below a megabyte."""
WEIGHT = 3
"""Of a shorter context. With 1, as Witten and Bell have it, a model of 532 languages trusts long contexts too much: it
was chosen on articles 19 to 24 of every eighth language by models of articles 1 to 18, from 3.17 to 3.06 bits."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the model gives for the held-out articles of a language: bits per byte, and bytes per patch by rule."""

    code: str
    name: str
    script: str
    bytes: int
    bits_per_byte: float
    global_1335: float
    global_24: float
    monotonic_05: float
    space_like: float


def train(store: Path) -> ByteModel:
    """Return a model of the articles that are not held out, in all languages. Takes a second."""
    texts = [one.of([n for n in one.articles if n not in HELD_OUT]).encode() for one in declarations(store).values()]
    return ByteModel(count([text for text in texts if text], LEAST), weight=WEIGHT)


def figures(model: ByteModel, store: Path) -> Iterator[Figures]:
    """Yield the figures of each language that has held-out articles."""
    for one in declarations(store).values():
        if text := one.of(HELD_OUT).encode():
            yield _figures(model, one, text)


def _figures(model: ByteModel, one: Declaration, text: bytes) -> Figures:
    surprisals, predicted = model.predict(text)
    entropies = predicted.tolist()
    starts = (
        sum(met.begins for met in iter_patch_starts(entropies, "global", threshold=1.335)),
        sum(met.begins for met in iter_patch_starts(entropies, "global", threshold=2.4)),
        sum(met.begins for met in iter_patch_starts(entropies, "monotonic", rise=0.5)),
        len(place_after_spaces(text)),
    )
    sizes = (round(len(text) / patches, 3) for patches in starts)
    return Figures(one.code, one.name, one.script, len(text), round(float(surprisals.mean()) / log(2), 3), *sizes)


def save(store: Path, model: ByteModel, measured: Sequence[Figures]) -> int:
    """Write a model and its figures into the store; return the bytes that they take there."""
    numbers = pack(model)
    rows = [[len(one.keys), len(one.counts)] for one in model.orders]
    about = (
        f'id = "{FOLDER}"\ntitle = "A model of bytes: how often which byte follows up to {len(rows) - 1} others"\n'
        'note = "Written by `tokenarium train-bytes` from the declarations in this store without articles 25 to 30."\n'
        f'texts = "{get_pinned_sha256(store)}"\nsha256 = "{hashlib.sha256(numbers).hexdigest()}"\n'
        f"weight = {model.weight}\nleast = {[*LEAST]}\n\n"
        f"# For contexts of 0, 1 … bytes: how many there are, and how many pairs of a context and a byte after it.\n"
        f"sizes = {rows}\n"
    )
    written = {
        NUMBERS: lzma.compress(numbers, preset=9 | lzma.PRESET_EXTREME),
        FIGURES + ".xz": lzma.compress(json.dumps([asdict(one) for one in measured], ensure_ascii=False).encode()),
        ABOUT: about.encode(),
    }
    for name, data in written.items():
        write_whole(store / FOLDER / name, data)
    return sum(map(len, written.values()))


def pack(model: ByteModel) -> bytes:
    """Return the numbers of a model, each array by its lowest bytes first, which compresses better."""

    def planes(numbers: npt.NDArray[Any], kind: str) -> bytes:
        return numbers.astype(kind).view(np.uint8).reshape(len(numbers), -1).T.tobytes()

    parts = []
    for one in model.orders:
        parts.append(planes(np.diff(one.keys, prepend=np.uint64(0)), "<u8"))
        parts += [planes(np.diff(one.starts), "<u2"), one.following.tobytes(), planes(one.counts, "<u4")]
    return b"".join(parts)


@lru_cache(maxsize=1)
def load(store: Path) -> ByteModel:
    """Return the model of a store, which is read once. Raises `BadFile` if it is missing or damaged."""
    about, numbers = _read(store)
    orders = list[Contexts]()
    at = 0

    def take(length: int, kind: str) -> npt.NDArray[Any]:
        nonlocal at
        width = np.dtype(kind).itemsize
        planes = np.frombuffer(numbers, np.uint8, length * width, at).reshape(width, length)
        at += length * width
        return np.ascontiguousarray(planes.T).view(kind).reshape(length)

    for contexts, pairs in about["sizes"]:
        keys = take(contexts, "<u8").cumsum(dtype="u8")
        kinds = take(contexts, "<u2").cumsum(dtype="i8")
        starts = _from_zero(kinds)
        orders.append(Contexts(keys, starts, take(pairs, "u1"), take(pairs, "<u4")))
    return ByteModel(orders, weight=about["weight"])


def _from_zero(ends: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.concatenate([np.zeros(1, np.int64), ends])


def _read(store: Path) -> tuple[Mapping[str, Any], bytes]:
    folder = store / FOLDER
    try:
        about = tomllib.loads((folder / ABOUT).read_text(encoding="utf-8"))
        numbers = lzma.decompress((folder / NUMBERS).read_bytes())
    except (OSError, ValueError, lzma.LZMAError) as error:
        raise BadFile("The byte model is missing or cannot be read; `tokenarium train-bytes` writes it.") from error
    if hashlib.sha256(numbers).hexdigest() != about.get("sha256"):
        raise BadFile("The byte model is damaged: its hash differs. `tokenarium train-bytes` writes it anew.")
    return about, numbers


@lru_cache(maxsize=1)
def load_figures(store: Path) -> tuple[Figures, ...]:
    """Return the figures of all languages as the store has them. Raises `BadFile`."""
    try:
        rows = json.loads(lzma.decompress((store / FOLDER / f"{FIGURES}.xz").read_bytes()))
    except (OSError, ValueError, lzma.LZMAError) as error:
        raise BadFile("The figures of the byte model are missing; `tokenarium train-bytes` writes them.") from error
    return tuple(Figures(**row) for row in rows)


CHOSEN = (
    *("eng", "fra", "deu_1996", "spa", "tur", "fin", "vie", "swh", "rus", "ell_monotonic", "arb", "heb", "hin"),
    *("tha", "kat", "kor", "jpn", "cmn_hans"),
)
"""Languages of the table on the page, of several families and scripts."""


def select_figures(measured: Sequence[Figures]) -> list[Figures]:
    """Return the figures of some languages."""
    by_code = {one.code: one for one in measured}
    return [by_code[code] for code in CHOSEN if code in by_code]


def unseen(store: Path, code: str) -> str:
    """Return the shortest held-out article in a language, or the shortest of all. Raises `Invalid` for no language."""
    one = declaration(store, code)
    held_out = [text for number, text in one.articles.items() if number in HELD_OUT]
    return min(held_out or one.articles.values(), key=len)


class StoredCounts(Mapping[bytes, Mapping[int, int]]):
    """The counts of a model as the teaching file reads them: by context, which bytes followed and how often."""

    def __init__(self, model: ByteModel) -> None:
        self._orders = model.orders

    def __getitem__(self, context: bytes) -> Mapping[int, int]:
        key = int.from_bytes(context, "big")
        one = self._orders[len(context)]
        at = int(one.keys.searchsorted(key))
        if at == len(one.keys) or int(one.keys[at]) != key:
            raise KeyError(context)
        part = slice(one.starts[at], one.starts[at + 1])
        return dict(zip(one.following[part].tolist(), one.counts[part].tolist(), strict=True))

    def __iter__(self) -> Iterator[bytes]:
        for length, one in enumerate(self._orders):
            yield from (int(key).to_bytes(length, "big") for key in one.keys)

    def __len__(self) -> int:
        return sum(len(one.keys) for one in self._orders)
