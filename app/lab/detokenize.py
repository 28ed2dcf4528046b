"""Read ids back."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.errors import UnknownId
from app.registry import Registry


@dataclass(frozen=True, slots=True)
class Detokenization:
    """What ids stand for. `text` has U+FFFD where `raw` is no UTF-8, and `lossless` is then False."""

    text: str
    raw: bytes
    lossless: bool


def detokenize(registry: Registry, ids: Sequence[int], *, tokenizer: str, engine: str | None = None) -> Detokenization:
    """The text of ids, as its decoder joins them. Raises `UnknownTokenizer`, `UnknownId` with its pointer."""
    loaded = registry.get(tokenizer, engine)
    try:
        raw = loaded.decode(ids)
    except UnknownId as error:
        error.pointer = f"/ids/{list(ids).index(error.id)}"
        raise
    try:
        return Detokenization(raw.decode(), raw, True)
    except UnicodeDecodeError:
        return Detokenization(raw.decode(errors="replace"), raw, False)
