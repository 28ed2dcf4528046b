"""Whose template a conversation is rendered with, and where "equal to" may be said."""

import pytest
from tokenarium.lab.chat.template_fit import fit_template
from tokenarium.lab.models import resolve_model

APPLY = "equal to transformers.apply_chat_template for"


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("qwen3", f"{APPLY} Qwen3"),
        ("Qwen/Qwen3-0.6B", f"{APPLY} Qwen3"),
        ("Qwen/Qwen3-30B-A3B", f"{APPLY} Qwen3"),
        ("Qwen/Qwen2.5-7B-Instruct", "template of Qwen3, not of Qwen/Qwen2.5-7B-Instruct"),
        ("QwQ-32B", "template of Qwen3, not of QwQ-32B"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "template of Qwen3, not of Qwen/Qwen3-Coder-30B-A3B-Instruct"),
        ("Qwen/Qwen3-30B-A3B-Thinking-2507", "template of Qwen3, not of Qwen/Qwen3-30B-A3B-Thinking-2507"),
        ("qwen3.5", f"{APPLY} Qwen3.5"),
        ("Qwen/Qwen3.5-4B", f"{APPLY} Qwen3.5"),
        ("zai-org/GLM-4.6", f"{APPLY} GLM-4.6"),
        ("zai-org/GLM-4.7", "template of GLM-4.6, not of zai-org/GLM-4.7"),
        ("deepseek-ai/DeepSeek-R1", "template of DeepSeek-V3.1, not of deepseek-ai/DeepSeek-R1"),
        ("deepseek-ai/DeepSeek-V3.2", "template of DeepSeek-V3.1, not of deepseek-ai/DeepSeek-V3.2"),
        ("phi-3", f"{APPLY} Phi-3.5 mini"),
        ("gpt-oss-120b", "equal to openai-harmony 0.0.8 for gpt-oss"),
        ("mistral-v3", "equal to mistral-common 1.13.1 for format v3 of Mistral"),
    ],
)
def test_equality_is_said_of_the_models_own_template_alone(registry, model, text):
    tokenizer = resolve_model(registry, model)
    fit = fit_template(registry.chat_template(tokenizer), model, tokenizer)
    assert (fit.text, fit.exact) == (text, text.startswith("equal to"))


@pytest.mark.parametrize("tokenizer", ["deepseek-v3", "gemma4", "kimi-k2"])
def test_an_edited_template_is_called_one(registry, tokenizer):
    template = registry.chat_template(tokenizer)
    fit = fit_template(template, tokenizer, tokenizer)
    assert not fit.exact
    assert "llama.cpp" in fit.text
    assert "by its authors" not in template.source
