"""Read ids back."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.errors import UnknownId
from app.registry import Registry
from app.types import Kind

SKIPPED: frozenset[Kind] = frozenset({"special", "unknown"})
"""Kinds of entries that are special to Hugging Face's decoders."""


@dataclass(frozen=True, slots=True)
class Detokenization:
    """What ids stand for. `text` has U+FFFD where `raw` is no UTF-8, and `lossless` is then False."""

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
    """The text of ids, as its decoder joins them. `skip_special` leaves out special tokens and the unknown one.

    Raises `UnknownTokenizer`, `UnknownId` with its pointer, which begins as `pointer` says.
    """
    loaded = registry.get(tokenizer, engine)
    try:
        kept = [id for id in ids if loaded.entry(id).kind not in SKIPPED] if skip_special else ids
        raw = loaded.decode(kept)
    except UnknownId as error:
        error.pointer = f"{pointer}/{list(ids).index(error.id)}"
        raise
    try:
        return Detokenization(raw.decode(), raw, True)
    except UnicodeDecodeError:
        return Detokenization(raw.decode(errors="replace"), raw, False)
