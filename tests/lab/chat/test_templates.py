"""Whose template a conversation is rendered with, where "equal to" may be said, and on what a template fails."""

import pytest
from tokenarium.lab.chat.model_templates import find_template
from tokenarium.lab.chat.templates import MAX_LINES, difference, fit_template, template_tests
from tokenarium.lab.models import resolve_model

APPLY = "equal to transformers.apply_chat_template for"
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("qwen3", f"{APPLY} Qwen3"),
        ("Qwen/Qwen3-0.6B", f"{APPLY} Qwen3"),
        ("Qwen/Qwen3-30B-A3B", f"{APPLY} Qwen3"),
        ("Qwen/Qwen2.5-7B-Instruct", f"{APPLY} Qwen2.5"),
        ("openrouter/qwen/qwen-2.5-72b-instruct", f"{APPLY} Qwen2.5"),
        ("qwen2.5:7b", "template of Qwen2.5, not of qwen2.5:7b"),
        ("Qwen/Qwen3-4B-Instruct-2507", f"{APPLY} Qwen3-4B-Instruct-2507"),
        ("Qwen/Qwen3-30B-A3B-Thinking-2507", "template of Qwen3, not of Qwen/Qwen3-30B-A3B-Thinking-2507"),
        ("qwen3.5", f"{APPLY} Qwen3.5"),
        ("Qwen/Qwen3.5-4B", f"{APPLY} Qwen3.5"),
        ("Qwen/Qwen3.5-0.8B", f"{APPLY} Qwen3.5 of 0.8B and 2B"),
        ("Qwen/Qwen3.6-27B", f"{APPLY} Qwen3.6"),
        ("zai-org/GLM-4.5-Air", f"{APPLY} GLM-4.5"),
        ("zai-org/GLM-4.7", "template of GLM-4.7-Flash, not of zai-org/GLM-4.7"),
        ("deepseek-ai/DeepSeek-R1", f"{APPLY} DeepSeek-R1"),
        ("deepseek-ai/DeepSeek-R1-0528", "template of DeepSeek-R1, not of deepseek-ai/DeepSeek-R1-0528"),
        ("phi-3", f"{APPLY} Phi-3.5 mini"),
        ("microsoft/Phi-3-mini-4k-instruct", f"{APPLY} Phi-3 mini"),
        ("google/gemma-4-E2B-it", f"{APPLY} Gemma 4 E2B"),
        ("google/gemma-4-31B-it", "template of Gemma 4 E2B, not of google/gemma-4-31B-it"),
        ("gpt-oss-120b", "equal to openai-harmony 0.0.8 for gpt-oss"),
        ("mistral-v3", "equal to mistral-common 1.13.1 for format v3 of Mistral"),
    ],
)
def test_equality_is_said_of_the_models_own_template_alone(registry, model, text):
    tokenizer = resolve_model(registry, model)
    fit = fit_template(find_template(registry, tokenizer, model), model, tokenizer)
    assert (fit.text, fit.exact) == (text, text.startswith("equal to"))


@pytest.mark.parametrize(
    "model",
    [
        "deepseek-v3",
        "zai-org/GLM-4.6",
        "kimi-k2",
        "QwQ-32B",
        "Qwen3-Coder",
        "DeepSeek-V3.2",
        "DeepSeek-V4",
        "GLM-4.7-Flash",
    ],
)
def test_what_llama_cpp_has_written_edited_or_copied_is_said_to_be_so(registry, model):
    tokenizer = resolve_model(registry, model)
    template = find_template(registry, tokenizer, model)
    fit = fit_template(template, model, tokenizer)
    assert not fit.exact
    assert fit.text.startswith("template of ")
    assert "llama.cpp" in fit.text
    assert "by its authors" not in template.source


def results(registry, tokenizer, template):
    return {test.name: test for test in template_tests(registry, tokenizer, template, limit=100_000)}


def test_mistral_refuses_tools_and_writes_bos_that_a_server_adds_again(registry):
    tests = results(registry, "mistral-v1", None)
    assert len(tests) == 9
    assert tests["tools"].tokens is None
    assert tests["tools"].error == "The template refuses this conversation: This format knows no tools."
    assert any("Duplicate BOS" in finding for finding in tests["a question, BOS added by the server"].findings)
    assert any("parsed" in finding for finding in tests["special tokens in a message"].findings)


def test_a_template_that_ignores_tools_needs_as_many_tokens_without_them(registry):
    tests = results(registry, "qwen3", CHATML)
    assert tests["a question"].tokens == tests["tools"].tokens > 0
    shipped = results(registry, "qwen3", None)
    assert shipped["tools"].tokens > shipped["a question"].tokens + 50


def test_a_mistake_is_named_with_its_line(registry):
    tests = results(registry, "qwen3", "{{ messages[0].content }}\n{{ nothing.at.all }}")
    assert {test.error for test in tests.values()} == {"The template fails in line 2: 'nothing' is undefined."}


@pytest.mark.parametrize("template", ["", "a\nb", CHATML])
def test_an_unchanged_template_has_no_difference(template):
    assert difference(template, template) == []


def test_only_lines_around_a_change_are_shown():
    before = [f"line {number}" for number in range(20)]
    after = [*before[:10], "new", *before[11:]]
    assert difference("\n".join(before), "\n".join(after)) == [
        ("same", "line 8"),
        ("same", "line 9"),
        ("removed", "line 10"),
        ("added", "new"),
        ("same", "line 11"),
        ("same", "line 12"),
    ]


def test_very_long_templates_are_not_compared():
    assert difference("\n" * (MAX_LINES + 1), "a") is None
