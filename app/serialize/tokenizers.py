"""A tokenizer as plain data, for the API and the command line."""

from typing import Any

from ..types import TokenizerInfo


def serialize_tokenizer(info: TokenizerInfo, size: int | None) -> dict[str, Any]:
    """Return what is known of a tokenizer without loading it; `size` is that of its files in bytes."""
    return {
        "id": info.id,
        "title": info.title,
        "family": info.family,
        "engines": info.engines,
        "models": info.models,
        "vocab_size": info.vocab_size,
        "grows": info.grows,
        "lossless": info.lossless,
        "normalization": info.normalization,
        "special_tokens": dict(info.special_tokens),
        "prefix": info.prefix,
        "suffix": info.suffix,
        "trained": info.trained,
        "origin": info.origin,
        "notes": info.notes,
        "bytes": size,
        "source": {"package": info.source.package, "version": info.source.version, "licence": info.source.licence},
    }
