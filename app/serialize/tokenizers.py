"""A tokenizer as plain data, for the API and the command line."""

from dataclasses import asdict
from typing import Any

from ..types import TokenizerInfo


def serialize_tokenizer(info: TokenizerInfo, size: int | None) -> dict[str, Any]:
    """Return what is known of a tokenizer without loading it; `size` is that of its files in bytes."""
    names = ("id", "title", "family", "engines", "models", "vocab_size", "grows", "lossless", "normalization")
    told = {name: getattr(info, name) for name in (*names, "prefix", "suffix", "trained", "origin", "notes")}
    return told | {"special_tokens": dict(info.special_tokens), "bytes": size, "source": asdict(info.source)}
