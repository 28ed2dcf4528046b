"""What is known of the models of a vocabulary: their templates by hash, their windows and their prices."""

from tokenarium.lab.chat.model_templates import find_template
from tokenarium.lab.model_facts import list_model_facts, list_template_names
from tokenarium.lab.models import resolve_model


def facts(registry, tokenizer):
    return {one.name: one for one in list_model_facts(registry, tokenizer)}


def test_each_model_of_a_vocabulary_has_its_template_by_hash(registry):
    known = facts(registry, "qwen3")
    assert list(known) == [
        "Qwen3",
        "Qwen2.5",
        "QwQ-32B",
        "Qwen3-4B-Instruct-2507",
        "Qwen3-Coder",
        "TRL’s training template of Qwen3",
    ]
    assert [name for name, one in known.items() if one.fit.exact] == ["Qwen3", "Qwen2.5", "Qwen3-4B-Instruct-2507"]
    assert known["Qwen3"].template.sha256 == "a55ee1b1660128b7098723e0abcd92caa0788061051c62d51cbe87d9cf1974d8"
    assert known["Qwen2.5"].template.sha256 == "cd8e9439f0570856fd70470bf8889ebd8b5d1107207f67a5efb46e342330527f"
    assert len({one.template.sha256 for one in known.values()}) == 6


def test_a_price_that_no_source_states_is_none(registry):
    known = facts(registry, "deepseek-v3")
    assert known["DeepSeek-R1"].money.price is None
    assert known["DeepSeek-V4"].money.price is not None
    assert known["DeepSeek-V4"].money.date


def test_a_model_without_a_published_template_says_so(registry):
    known = facts(registry, "gemma4")
    gemini = known["Gemini 3.1"]
    assert (gemini.template, gemini.fit.exact, gemini.fit.text) == (
        None,
        False,
        "Google has published no chat template of this model.",
    )
    assert facts(registry, "cl100k_base")["GPT-4 Turbo"].fit.text.startswith("OpenAI has published no")


def test_each_listed_name_leads_to_the_template_of_that_name(registry):
    names = list_template_names(registry)
    found = {name: find_template(registry, resolve_model(registry, name), name).model for name in names}
    assert {name: model for name, model in found.items() if name not in registry} == {
        name: name for name in names if name not in registry
    }
    assert {"DeepSeek-V4", "Qwen3-Coder", "QwQ-32B", "TRL’s training template of Qwen3", "gpt-oss"} <= {*names}
