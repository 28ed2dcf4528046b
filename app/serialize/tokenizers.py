"""A tokenizer as plain data, for the API and the command line."""

from dataclasses import asdict
from typing import Any

from ..lab.model_facts import ModelFacts
from ..types import TokenizerInfo


def serialize_tokenizer(info: TokenizerInfo, size: int | None) -> dict[str, Any]:
    """Return what is known of a tokenizer without loading it; `size` is that of its files in bytes."""
    names = ("id", "title", "family", "engines", "models", "vocab_size", "grows", "lossless", "normalization")
    told = {name: getattr(info, name) for name in (*names, "prefix", "suffix", "trained", "origin", "notes")}
    return told | {"special_tokens": dict(info.special_tokens), "bytes": size, "source": asdict(info.source)}


def serialize_facts(facts: ModelFacts) -> dict[str, Any]:
    """Return what is known of a model: its chat template with the hash of the file, its window, its price."""
    template, money = facts.template, facts.money
    return {
        "name": facts.name,
        "chat_template": template
        and {
            "model": template.model,
            "sha256": template.sha256,
            "source": template.source,
            "provenance": template.provenance,
            "exact": facts.fit.exact,
        },
        "detail": facts.fit.text,
        "window": money.window,
        "price": money.price,
        "output_price": money.output,
        "price_source": {"source": money.source, "date": money.date} if money.source else None,
    }
