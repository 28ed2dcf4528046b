"""The loss of a conversation: what a template marks or prefixes show, beside transformers, and its faults."""

import json

import pytest
from hypothesis import given
from tokenarium.errors import TemplateLimit
from tokenarium.files.targets import build_tokenizer_json
from tokenarium.lab.chat.conversation import Conversation
from tokenarium.lab.chat.limits import share_limits
from tokenarium.lab.chat.masks import MAX_TURNS, find_loss
from tokenarium.lab.chat.rendering import render
from tokenarium.lab.chat.tokens import tokenize_chat
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

from tests.support.conversations import conversations

MARKED = """{%- for message in messages %}
<|im_start|>{{ message.role }}
{% if message.role == 'assistant' -%}
{% generation %}{{ message.content | trim }}<|im_end|>{% endgeneration %}
{%- else %}{{ message.content }}<|im_end|>{% endif %}

{% endfor %}"""
HELLO = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": " Hello 🌍 "}]


def learned(registry, messages, template=MARKED, tokenizer="qwen3", **fields):
    """The tokens of a conversation, and its loss."""
    asked = Conversation(messages, add_generation_prompt=False, template=template, **fields)
    rendering = render(registry, tokenizer, asked)
    chat = tokenize_chat(registry, tokenizer, rendering, special="parse", limit=10**9)
    return chat.tokenization.encoding.ids, find_loss(registry, tokenizer, asked, chat)


def text_of(registry, messages, template=MARKED, tokenizer="qwen3", **fields):
    """What is in the loss, as a text, and the warnings by code."""
    ids, loss = learned(registry, messages, template, tokenizer, **fields)
    text = registry.get(tokenizer).decode(ids[loss.tokens].tolist()).decode()
    return text, loss.basis, [(warning.code, warning.message) for warning in loss.warnings]


def by_library(library, messages):
    found = library.apply_chat_template(messages, return_dict=True, return_assistant_tokens_mask=True)
    return found["input_ids"], found["assistant_masks"]


@pytest.fixture(scope="module")
def library(registry):
    tokenizer = Tokenizer.from_buffer(build_tokenizer_json(registry.record("qwen3")))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, chat_template=MARKED)


@pytest.mark.nightly
@given(messages=conversations())
def test_the_mask_is_that_of_transformers(registry, library, messages):
    ids, loss = learned(registry, messages)
    assert (ids.tolist(), loss.tokens.astype(int).tolist()) == by_library(library, messages)


def test_the_end_of_a_turn_is_learned_and_the_role_is_not(registry):
    assert text_of(registry, HELLO) == ("Hello 🌍<|im_end|>", "generation", [])


WORDS = {word: id for id, word in enumerate(["[UNK]", "hello", "world", "user", "a", "b"])}
LINES = (
    "{% for m in messages %}{% if m.role == 'assistant' %}{% generation %}{{ m.content ~ '\n' }}{% endgeneration %}"
    "{% else %}{{ '<|user|>' ~ m.content ~ '\n' }}{% endif %}{% endfor %}"
)


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """A tokenizer of words, which drops white space, in the registry and in transformers."""
    folder = tmp_path_factory.mktemp("words")
    model = {"type": "WordLevel", "unk_token": "[UNK]", "vocab": WORDS}
    added = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    unknown = {"id": 0, "content": "[UNK]", "special": True, **added}
    parts = {"added_tokens": [unknown], "pre_tokenizer": {"type": "Whitespace"}, "model": model, "version": "1.0"}
    empty = dict.fromkeys(["truncation", "padding", "normalizer", "post_processor", "decoder"])
    (folder / "tokenizer.json").write_text(json.dumps({**empty, **parts}))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]", "chat_template": LINES}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return Registry(Settings(hub=(str(folder),))), folder.name, PreTrainedTokenizerFast.from_pretrained(folder)


USER, WORLD, HELLO_WORLD = ({"role": "user", "content": text} for text in ("hello", "world", "hello world"))


@pytest.mark.parametrize(
    ("messages", "mask", "theirs"),
    [
        ([{"role": "assistant", "content": "a"}, HELLO_WORLD], [1, 0, 0, 0, 0, 0], [1] * 6),
        ([USER, {"role": "assistant", "content": ""}, WORLD], [0] * 8, [0] * 8),
        ([USER, {"role": "assistant", "content": " a b  "}, WORLD], [0, 0, 0, 0, 1, 1, *[0] * 4], [0] * 10),
    ],
)  # fmt: skip
def test_white_space_that_the_tokenizer_drops_marks_no_token(words, messages, mask, theirs):
    registry, tokenizer, library = words
    ids, loss = learned(registry, messages, None, tokenizer)
    assert loss.tokens.astype(int).tolist() == mask
    assert "trimmed" in {warning.code for warning in loss.warnings if warning.averted}
    assert by_library(library, messages) == (ids.tolist(), theirs)  # of transformers 5.23


def test_a_last_character_of_several_tokens_is_learned_whole(registry):
    template = "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}"
    ids, loss = learned(registry, [{"role": "assistant", "content": "a 𒀀"}], template, "gpt2")
    assert len(ids) > 3
    assert loss.tokens.all()


CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
FOUR = [USER, {"role": "assistant", "content": "One"}, WORLD, {"role": "assistant", "content": "Two"}]


@pytest.mark.parametrize(
    ("tokenizer", "template", "text"),
    [
        ("qwen3", CHATML, "One<|im_end|>\nTwo<|im_end|>\n"),
        ("qwen3", None, "One<|im_end|>\n<think>\n\n</think>\n\nTwo<|im_end|>\n"),
        ("mistral-v3", None, "One</s>Two</s>"),
        ("phi-3", None, "One<|end|>Two<|end|><|endoftext|>"),
        ("o200k_harmony", None, "<|channel|>final<|message|>One<|end|><|channel|>final<|message|>Two<|return|>"),
    ],
)
def test_without_the_tag_a_turn_is_what_follows_its_prompt(registry, tokenizer, template, text):
    assert text_of(registry, FOUR, template, tokenizer) == (text, "prefixes", [])


def test_a_turn_whose_prompt_is_no_prefix_has_no_loss(registry):
    moved = "{% if messages | length < 4 %}-{% endif %}" + CHATML
    assert text_of(registry, FOUR[:2], moved) == ("One<|im_end|>\n", "prefixes", [])
    assert text_of(registry, FOUR, moved) == ("", "prefixes", [("no-prefix", 1), ("no-loss", None)])
    sentence = "The prompt before messages 2, 4 is no prefix of the conversation, so that there is no loss."
    assert learned(registry, FOUR, moved)[1].warnings[0].detail == sentence


def test_a_prompt_whose_end_merges_with_the_answer_is_found(registry):
    template = CHATML.replace("<|im_start|>", "").replace("\n", ":\n", 1).replace("<|im_end|>", "")
    template = template.replace("assistant", "assistant:")
    text, _, warnings = text_of(registry, [USER, {"role": "assistant", "content": "\nOne"}], template)
    assert (text, warnings) == (":\n\nOne\n", [("no-prefix", 1), ("no-end", 1)])


def test_an_end_token_outside_of_the_tag_is_found(registry):
    template = MARKED.replace("<|im_end|>{% endgeneration %}", "{% endgeneration %}<|im_end|>")
    assert text_of(registry, HELLO, template) == ("Hello 🌍", "generation", [("end-outside", 1)])


def test_a_conversation_without_an_answer_has_no_loss(registry):
    assert text_of(registry, HELLO[:1]) == ("", "generation", [("no-loss", None)])


def test_of_very_many_turns_the_last_are_compared(registry):
    _, loss = learned(registry, FOUR[:2] * (MAX_TURNS + 1), CHATML)
    assert (int(loss.tokens.sum()), len(loss.spans)) == (3 * MAX_TURNS, MAX_TURNS)
    assert [warning.detail for warning in loss.warnings] == [
        "Only the last 250 of 251 turns are compared with their prompts. The others have no loss."
    ]


@pytest.mark.parametrize("messages", [HELLO, [*HELLO, {"role": "assistant", "content": "a\U0010fffeb"}]])
def test_marks_that_cannot_be_told_from_the_text_are_not_used(registry, messages):
    counting = "{% set x %}{% generation %}a{% endgeneration %}{% endset %}{{ x | length }}"
    template = MARKED if len(messages) > len(HELLO) else counting
    assert learned(registry, messages, template)[1].basis == "prefixes"


def test_a_prompt_that_takes_too_long_to_render_is_not_taken_for_one_that_is_no_prefix(registry):
    endless = "{% if messages | length == 1 %}{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}"
    with share_limits(seconds=0.2), pytest.raises(TemplateLimit, match="All renderings together"):
        learned(registry, HELLO, endless + "{% endfor %}{% endif %}{{ messages[0].content }}")
