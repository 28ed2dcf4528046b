"""Whether a chat template is that of a model: one serves a whole vocabulary, whose models may have others."""

import re
from dataclasses import dataclass

from ...types import ChatTemplate


@dataclass(frozen=True, slots=True)
class TemplateFit:
    """`exact`: the model's own template writes the same prompt. `text` says what it equals, or whose it is."""

    exact: bool
    text: str


def fit_template(template: ChatTemplate, model: str, tokenizer: str) -> TemplateFit:
    """Return how a tokenizer's template fits a model; the id of the tokenizer stands for the template's own model.

    >>> qwen = ChatTemplate("", model="Qwen3", names="qwen3-.*b", equals="transformers.apply_chat_template")
    >>> fit_template(qwen, "Qwen/Qwen3-8B", "qwen3").text
    'equal to transformers.apply_chat_template for Qwen3'
    >>> fit_template(qwen, "QwQ-32B", "qwen3")
    TemplateFit(exact=False, text='template of Qwen3, not of QwQ-32B')
    """
    name = model.casefold().rpartition("/")[2].replace(" ", "-")
    if name not in ("", tokenizer) and not re.fullmatch(template.names, name):
        return TemplateFit(False, f"template of {template.model or tokenizer}, not of {model}")
    if template.equals:
        return TemplateFit(True, f"equal to {template.equals} for {template.model}")
    return TemplateFit(False, f"template of {template.model or tokenizer}, {template.source}")
