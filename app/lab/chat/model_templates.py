"""Which chat template a model has: of the models that share a vocabulary, each may have its own."""

from __future__ import annotations

import re

from ...registry import Registry
from ...types import ChatTemplate
from ..model_names import fold_name, list_spellings


def is_named(pattern: str, model: str) -> bool:
    """True if a pattern of `ChatTemplate.names` fits a model, without what providers and runners add to its name.

    >>> is_named("qwen3-.*b", "openrouter/Qwen/Qwen3-8B:free"), is_named("qwen3-.*b", "QwQ-32B")
    (True, False)
    """
    return any(re.fullmatch(pattern, spelling) for spelling in list_spellings(model))


def find_template(registry: Registry, tokenizer: str, model: str = "") -> ChatTemplate | None:
    """Return the chat template of a model whose tokenizer this is: its own, that of its kin, or else the tokenizer's.

    A tokenizer that someone has added brings its own template, which no name replaces. None if there is none.
    `fit_template` says which it is. Raises `UnknownTokenizer`, `BadFile`.
    """
    own = registry.chat_template(tokenizer)
    added = own is not None and registry.info(tokenizer).origin != "bundled"
    known = own is not None and (fold_name(model) in (tokenizer, fold_name(own.model)) or is_named(own.names, model))
    if not model or added or known:
        return own
    entries = registry.further_templates(tokenizer)
    kin = fold_name(model).rpartition("/")[2]
    named = (entry for entry in entries if model == entry["model"] or is_named(entry["names"], model))
    near = (entry for entry in entries if re.fullmatch(entry.get("near", ""), kin))
    entry = next(named, None) or next(near, None)
    return registry.chat_template(tokenizer, entry)


def explain_missing(registry: Registry, model: str) -> str:
    """Return in a sentence why nobody has a model's chat template; "" if that is not known to be so.

    >>> from tokenarium.settings import Settings
    >>> explain_missing(Registry(Settings()), "openai/gpt-5-mini")
    'OpenAI has published no chat template of this model.'
    """
    unpublished = registry.unpublished_templates()
    return next((text for pattern, text in unpublished.items() if is_named(pattern, model)), "")
