"""What is known of each model of a vocabulary: its chat template with the hash of the file, its window and its price.

The templates are those of `templates.toml` in the store, prices those of `prices.toml`; each has a date or a version.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..registry import Registry
from ..types import ChatTemplate
from .chat.model_templates import explain_missing, find_template, is_named
from .chat.templates import TemplateFit, fit_template
from .model_names import fold_name
from .models import find_model
from .prices import PricedModel, load_prices
from .request.targets import find_price


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """A model: the chat template that writes its prompts here, None if there is none, and how it fits; its price."""

    name: str
    template: ChatTemplate | None
    fit: TemplateFit
    money: PricedModel


def list_model_facts(registry: Registry, tokenizer: str) -> list[ModelFacts]:
    """Return what is known of the models of a tokenizer, those of its templates first. Raises `UnknownTokenizer`.

    >>> from tokenarium.settings import Settings
    >>> [one.name for one in list_model_facts(Registry(Settings()), "glm-4")]
    ['GLM-4.6', 'GLM-4.5', 'GLM-4.7-Flash']
    """
    own = registry.chat_template(tokenizer)
    further = (registry.chat_template(tokenizer, entry) for entry in registry.further_templates(tokenizer))
    facts = {
        fold_name(one.model): ModelFacts(one.model, one, fit_template(one, "", tokenizer), find_price(one.model))
        for one in (own, *further)
        if one is not None and one.model
    }
    for money in load_prices():
        if money.tokenizer == tokenizer and fold_name(money.name) not in facts:
            facts[fold_name(money.name)] = _describe(registry, tokenizer, money)
    return [*facts.values()]


def list_template_names(registry: Registry) -> list[str]:
    """Return the ids of the tokenizers that have a chat template, and the names of the models that have one of these.

    >>> from tokenarium.settings import Settings
    >>> {"qwen3", "Qwen2.5", "GLM-4.7-Flash"} <= {*list_template_names(Registry(Settings()))}
    True
    """
    names: dict[str, str] = {}
    for id in registry.chat_templates(info.id for info in registry.infos()):
        own = registry.chat_template(id)
        for name in (id, own.model if own else "", *(entry["model"] for entry in registry.further_templates(id))):
            if find_model(registry, name) == id:
                names.setdefault(fold_name(name), name)
    return [*names.values()]


def _describe(registry: Registry, tokenizer: str, money: PricedModel) -> ModelFacts:
    template = find_template(registry, tokenizer, money.name)
    missing = explain_missing(registry, money.name)
    if template is None or (missing and not is_named(template.names, money.name)):
        return ModelFacts(money.name, None, TemplateFit(False, missing or "Its chat template is not here."), money)
    return ModelFacts(money.name, template, fit_template(template, money.name, tokenizer), money)
