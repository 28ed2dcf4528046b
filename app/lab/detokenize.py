"""From ids back to text: decoding, the bytes of each token, and how much of a text survives a round trip."""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..errors import UnknownId
from ..files.spans import column
from ..registry import Registry
from ..scratch.compat.pipeline.pre_tokenizers import byte_alphabet
from ..types import INSERTED, Family, Kind, Tokenizer, VocabEntry
from .text_index import Places, TextIndex
from .tokenize import Tokenization

SKIPPED_KINDS: frozenset[Kind] = frozenset({"special", "unknown"})
"""Kinds of entries that Hugging Face's `skip_special_tokens` leaves out."""
CONCATENATING: tuple[Family, ...] = ("bpe", "unigram")
"""Families whose decoders concatenate the bytes of tokens and put nothing between them."""


@dataclass(frozen=True, slots=True)
class Detokenization:
    """The decoded bytes of ids. `text` has U+FFFD where `raw` is not valid UTF-8, and `lossless` is then False."""

    text: str
    raw: bytes
    lossless: bool


def detokenize(
    registry: Registry,
    ids: Sequence[int],
    *,
    tokenizer: str,
    engine: str | None = None,
    skip_special: bool = False,
    pointer: str = "/ids",
) -> Detokenization:
    """Decode ids. `skip_special` leaves out special tokens and the unknown token.

    Raises `UnknownTokenizer`, and `UnknownId` with a JSON pointer to the first unknown id under `pointer`.
    """
    loaded = registry.get(tokenizer, engine)
    try:
        kept = [id for id in ids if loaded.entry(id).kind not in SKIPPED_KINDS] if skip_special else ids
        raw = loaded.decode(kept)
    except UnknownId as error:
        error.pointer = f"{pointer}/{list(ids).index(error.id)}"
        raise
    try:
        return Detokenization(raw.decode(), raw, True)
    except UnicodeDecodeError:
        return Detokenization(raw.decode(errors="replace"), raw, False)


# A library takes as long to look up thousands of entries as to tokenize the text, so their bytes are kept.
_raw_bytes: WeakKeyDictionary[Tokenizer, dict[int, bytes]] = WeakKeyDictionary()


def raw_bytes(tokenization: Tokenization, ids: Sequence[int]) -> list[bytes]:
    """Return the bytes of each id."""
    if tokenization.encoding.grown:  # ids mean something else in the next text, so nothing can be kept
        return [tokenization.entry(id).raw for id in ids]
    cache = _raw_bytes.setdefault(tokenization.tokenizer, {})
    for id in ids:
        if id not in cache:
            cache[id] = tokenization.entry(id).raw
    return [cache[id] for id in ids]


def vocabulary_forms(tokenization: Tokenization) -> list[str]:
    """Return each token as Hugging Face's vocabulary file writes it: `Ġworld`, `▁world`, `##ing`."""
    tokenizer = tokenization.tokenizer
    byte_level = "tiktoken" in tokenizer.info.engines or getattr(tokenizer, "byte_level", False)
    alphabet = byte_alphabet() if byte_level else []
    ids = tokenization.encoding.ids.tolist()
    forms = {id: vocabulary_form(tokenization.entry(id), alphabet) for id in set(ids)}
    return [forms[id] for id in ids]


def vocabulary_form(entry: VocabEntry, alphabet: Sequence[str]) -> str:
    """Return an entry's piece, or, if an alphabet for bytes is passed, its bytes in that alphabet.

    >>> vocabulary_form(VocabEntry(2375, " world", b" world"), byte_alphabet())
    'Ġworld'
    """
    return "".join(alphabet[byte] for byte in entry.raw) if alphabet and entry.kind == "normal" else entry.piece


def round_trip(tokenization: Tokenization, index: TextIndex) -> tuple[float | None, bool]:
    """Return the round-trip fidelity of a text, and whether decoding restores it byte for byte.

    Fidelity is the share, from 0 to 1, of the text's non-whitespace bytes that its tokens contain unchanged; None for a
    text without any. It counts bytes that became an unknown token, were changed by normalization, or were dropped, as
    lost. Whitespace does not count because decoders insert it between words.
    """
    info = tokenization.tokenizer.info
    solid = ~index.blank
    if info.lossless:
        return (1.0 if solid.any() else None), True
    raws, which = _distinct_raws(tokenization)
    concatenating = info.family in CONCATENATING
    # The space that SentencePiece puts in front of a text is removed again by its decoder.
    if concatenating and b"".join(raws[which].tolist()).removeprefix(b" ") == index.data:
        return (1.0 if solid.any() else None), True
    unchanged = _find_unchanged(tokenization, raws.tolist(), which)
    total = int(np.count_nonzero(solid))
    fidelity = int(np.count_nonzero(unchanged & solid)) / total if total else None
    if concatenating or not unchanged[solid].all():
        return fidelity, bool(unchanged.all())
    # Only now does the result depend on where the decoder inserts whitespace, and decoding is slow.
    encoding = tokenization.encoding
    ids = encoding.ids[encoding.flags & INSERTED == 0].tolist()
    return fidelity, tokenization.tokenizer.decode(ids) == index.data


def _distinct_raws(tokenization: Tokenization) -> tuple[NDArray[np.object_], NDArray[np.int32]]:
    """Return the bytes of each distinct id, and for each token the row of its id among these."""
    encoding = tokenization.encoding
    ids = np.flatnonzero(np.bincount(encoding.ids)).astype(np.int32)
    row = np.zeros(1 + int(ids[-1]) if len(ids) else 0, np.int32)
    row[ids] = np.arange(len(ids))
    raws = np.empty(len(ids), np.object_)
    raws[:] = raw_bytes(tokenization, ids.tolist())
    return raws, row[encoding.ids]


def _find_unchanged(tokenization: Tokenization, raws: Sequence[bytes], which: NDArray[np.int32]) -> Places:
    """Return, by byte of the text, whether a token contains it unchanged."""
    encoding = tokenization.encoding
    data = np.frombuffer(tokenization.data, np.uint8)
    lengths = column([len(raw) for raw in raws])
    offsets = np.cumsum(lengths, dtype=np.int32) - lengths  # of each distinct token in their concatenation
    sizes = encoding.byte_ends - encoding.byte_starts
    spaced = np.array([raw[:1] == b" " for raw in raws], np.bool_)
    # A space in front of the text, which decoding removes, is no change: compare from the second byte on.
    extra = (lengths[which] == sizes + 1) & spaced[which] & (encoding.byte_starts == 0)
    comparable = np.flatnonzero((lengths[which] == sizes) | extra)
    widths = sizes[comparable]
    within = np.arange(widths.sum(), dtype=np.int32) - np.repeat(np.cumsum(widths, dtype=np.int32) - widths, widths)
    positions = np.repeat(encoding.byte_starts[comparable], widths) + within
    token_bytes = np.frombuffer(b"".join(raws), np.uint8)
    unchanged = np.zeros(len(data), np.bool_)
    aligned = token_bytes[np.repeat((offsets[which] + extra)[comparable], widths) + within]
    unchanged[positions] = aligned == data[positions]
    return unchanged
