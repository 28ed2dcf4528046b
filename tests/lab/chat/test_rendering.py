"""The templates of the store against the ids of their models' own libraries, recorded, and transformers."""

import json
from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import Invalid
from tokenarium.lab.chat.conversation import Conversation
from tokenarium.lab.chat.rendering import render
from tokenarium.lab.chat.templates import portable
from tokenarium.lab.chat.tokens import tokenize_chat
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from transformers import AutoTokenizer

from tests.support.conversations import OWN, RECORDED, by_transformers, conversations, recorded
from tests.support.faulty_files import GOOD

PUBLISHED = ["deepseek-v3", "gemma4", "glm-4", "kimi-k2", "phi-3", "qwen3", "qwen3.5"]
NOW = datetime(2025, 1, 2)


def ids(registry, tokenizer, conversation, **options):
    rendering = render(registry, tokenizer, conversation)
    return tokenize_chat(registry, tokenizer, rendering, limit=10**9, **options).tokenization.encoding.ids.tolist()


def test_the_tokenizers_with_a_published_format_have_a_template(registry):
    assert sorted(registry.chat_templates(info.id for info in registry.infos())) == sorted([*OWN, *PUBLISHED])
    assert all("1.13.1" in registry.chat_template(id).source for id in OWN if id != "o200k_harmony")
    assert registry.chat_template("cl100k_base") is None


@pytest.mark.parametrize("one", RECORDED, ids=lambda one: f"{one['tokenizer']}-{len(one['ids'])}")
def test_a_conversation_has_the_ids_that_its_models_library_gives(registry, one):
    assert ids(registry, one["tokenizer"], recorded(one)) == one["ids"]


def test_a_first_message_by_hand(registry):
    hello = Conversation([{"role": "user", "content": "Hello world"}])
    assert ids(registry, "mistral-v1", hello) == [1, 733, 16289, 28793, 22557, 1526, 733, 28748, 16289, 28793]
    assert ids(registry, "mistral-v3", hello) == [1, 3, 23325, 2294, 4]
    assert ids(registry, "tekken", hello) == [1, 3, 22177, 4304, 4]
    assert ids(registry, "o200k_harmony", hello)[-5:] == [13225, 2375, 200007, 200006, 173781]


@given(messages=conversations(), prompt=st.booleans())
@pytest.mark.parametrize("tokenizer", OWN)
def test_the_text_is_what_transformers_renders(registry, tokenizer, messages, prompt):
    conversation = Conversation(messages, add_generation_prompt=prompt, options={"current_date": "2025-01-02"})
    assert render(registry, tokenizer, conversation).text == by_transformers(registry, tokenizer, conversation)


@given(messages=conversations())
@pytest.mark.parametrize("tokenizer", OWN)
def test_a_final_message_is_continued_as_transformers_does(registry, tokenizer, messages):
    options = {"current_date": "2025-01-02"}
    conversation = Conversation(messages, continue_final_message=True, add_generation_prompt=False, options=options)
    assert render(registry, tokenizer, conversation).text == by_transformers(registry, tokenizer, conversation)


@pytest.mark.parametrize("one", [one for one in RECORDED if "tools" in one], ids=lambda one: one["tokenizer"])
def test_tools_are_written_as_transformers_does(registry, one):
    conversation = recorded(one)
    assert render(registry, one["tokenizer"], conversation).text == by_transformers(
        registry, one["tokenizer"], conversation
    )


@given(messages=conversations())
@pytest.mark.parametrize("tokenizer", OWN)
def test_no_message_can_end_itself(registry, tokenizer, messages):
    """What messages spell is text: the special tokens are those of the same conversation of harmless words."""
    special = set(registry.info(tokenizer).special_tokens.values())
    harmless = [{**message, "content": "a"} for message in messages]
    there = [
        [id for id in ids(registry, tokenizer, Conversation(each, now=NOW)) if id in special]
        for each in (messages, harmless)
    ]
    assert there[0] == there[1]


@pytest.mark.parametrize("tokenizer", [*OWN, *PUBLISHED])
def test_the_template_for_other_clients_renders_alike_here(registry, tokenizer):
    template = registry.chat_template(tokenizer)
    user, assistant = {"role": "user", "content": "Hi {{ 1 }}"}, {"role": "assistant", "content": "Yes."}
    for messages in ([user], [user, assistant, user]):
        texts = [
            render(registry, tokenizer, Conversation(messages, template=text)).text
            for text in (None, portable(template))
        ]
        assert texts[0] == texts[1]


def test_a_template_gets_parts_although_it_reads_them_under_another_name(registry):
    content = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    conversation = Conversation([{"role": "user", "content": content}])
    text = render(registry, "kimi-k2", conversation).text
    assert text == by_transformers(registry, "kimi-k2", conversation)
    assert "<|im_middle|>ab<|im_end|>" in text


@pytest.mark.parametrize("ids", [["functions.f:0", "call_7"], [None, None]])
def test_kimi_writes_calls_and_results_under_the_ids_of_the_conversation(registry, ids):
    calls = [{"type": "function", "function": {"name": "f", "arguments": '{"a":1}'}} for _ in ids]
    results = [{"role": "tool", "content": "ok"} for _ in ids]
    for call, result, id in zip(calls, results, ids, strict=True):
        call |= {"id": id} if id else {}
        result |= {"tool_call_id": id} if id else {}
    asked = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "", "tool_calls": calls}]
    conversation = Conversation([*asked, *results], tools=[{"type": "function", "function": {"name": "f"}}])
    text = render(registry, "kimi-k2", conversation).text
    assert text == by_transformers(registry, "kimi-k2", conversation)
    first, second = (id or f"functions.f:{number}" for number, id in enumerate(ids))
    section = "".join(
        f'<|tool_call_begin|>{id}<|tool_call_argument_begin|>{{"a": 1}}<|tool_call_end|>' for id in (first, second)
    )
    assert f"<|tool_calls_section_begin|>{section}<|tool_calls_section_end|><|im_end|>" in text
    for id in ids if ids[0] else ():
        assert f"<|im_system|>tool<|im_middle|>## Return of {id}\nok<|im_end|>" in text


@pytest.mark.parametrize("content", ["<think>why</think>Because", "<think>why</think>\nBecause", "<think>why", "So "])
def test_glm_continues_a_final_message_where_transformers_does(registry, content):
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": content}]
    conversation = Conversation(messages, add_generation_prompt=False, continue_final_message=True)
    try:
        expected = by_transformers(registry, "glm-4", conversation)
    except ValueError:
        with pytest.raises(Invalid, match="does not write the final message as it is"):
            render(registry, "glm-4", conversation)
    else:
        assert render(registry, "glm-4", conversation).text == expected


def test_a_conversation_with_tools_gets_the_template_of_that_name(tmp_path):
    named = {"default": "D:{% for m in messages %}{{ m.content }}{% endfor %}", "tool_use": "T:{{ tools | length }}"}
    config = {"tokenizer_class": "X", "chat_template": [{"name": name, "template": named[name]} for name in named]}
    (tmp_path / "tokenizer.json").write_bytes(GOOD["tokenizer.json"])
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    registry = Registry(Settings(hub=(str(tmp_path),)))
    witness = AutoTokenizer.from_pretrained(tmp_path)
    messages = [{"role": "user", "content": "Hi"}]
    for tools, sent, text in ((None, None, "D:Hi"), ([{}], None, "T:1"), ([], None, "T:0"), ([{}], "default", "D:Hi")):
        conversation = Conversation(messages, tools, template=sent)
        assert witness.apply_chat_template(messages, tools=tools, chat_template=sent, tokenize=False) == text
        assert render(registry, tmp_path.name, conversation).text == text


def test_an_empty_template_beside_another_writes_nothing(tmp_path):
    (tmp_path / "tokenizer.json").write_bytes(GOOD["tokenizer.json"])
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "chat_template": "{{ messages[0].content }}"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "chat_template.jinja").write_text("")
    messages = [{"role": "user", "content": "Hi"}]
    assert AutoTokenizer.from_pretrained(tmp_path).apply_chat_template(messages, tokenize=False) == ""
    assert render(Registry(Settings(hub=(str(tmp_path),))), tmp_path.name, Conversation(messages)).text == ""


def test_the_field_of_the_final_message_that_is_continued_may_be_named(registry):
    template = "{% for m in messages %}{{ m.content }}<think>{{ m.reasoning_content }}</think>{% endfor %}"
    messages = [{"role": "assistant", "content": "A", "thinking": "Well, "}]
    conversation = Conversation(
        messages, add_generation_prompt=False, continue_final_message="thinking", template=template
    )
    assert render(registry, "cl100k_base", conversation).text == "A<think>Well, "
    with pytest.raises(Invalid, match="no final message with a text to continue"):
        render(registry, "cl100k_base", replace(conversation, continue_final_message="thought"))
