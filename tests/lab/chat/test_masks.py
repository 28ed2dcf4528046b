"""The assistant's tokens are those of transformers' mask, wherever the template marks them."""

import pytest
from hypothesis import given
from tokenarium.convert.record_json import build_tokenizer_json
from tokenarium.lab.chat.conversation import Conversation
from tokenarium.lab.chat.masks import mask_generations
from tokenarium.lab.chat.rendering import find_generations, render
from tokenarium.lab.tokenize import tokenize
from tokenizers import Tokenizer

from tests.support.conversations import conversations

MARKED = """{%- for message in messages %}
<|im_start|>{{ message.role }}
{% if message.role == 'assistant' -%}
{% generation %}{{ message.content | trim }}<|im_end|>{% endgeneration %}
{%- else %}{{ message.content }}<|im_end|>{% endif %}

{% endfor %}"""
HELLO = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": " Hello 🌍 "}]


def masked(registry, messages, template=MARKED):
    """The ids of a conversation, and the mask of the assistant's tokens."""
    asked = Conversation(messages, add_generation_prompt=False, template=template)
    text = render(registry, "qwen3", asked).text
    encoding = tokenize(registry, text, tokenizer="qwen3", special="parse").encoding
    spans = find_generations(registry, "qwen3", asked, text)
    return encoding.ids.tolist(), None if spans is None else mask_generations(encoding, spans).astype(int).tolist()


@pytest.fixture(scope="module")
def library(registry):
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_buffer(build_tokenizer_json(registry.record("qwen3"))), chat_template=MARKED
    )


@pytest.mark.nightly
@given(messages=conversations())
def test_the_mask_is_that_of_transformers(registry, library, messages):
    found = library.apply_chat_template(messages, return_dict=True, return_assistant_tokens_mask=True)
    assert masked(registry, messages) == (found["input_ids"], found["assistant_masks"])


def test_the_end_of_a_turn_is_learned_and_the_role_is_not(registry):
    ids, mask = masked(registry, HELLO)
    learned = [id for id, one in zip(ids, mask, strict=True) if one]
    assert registry.get("qwen3").decode(learned).decode() == "Hello 🌍<|im_end|>"


def test_a_template_without_the_tag_marks_nothing(registry):
    assert masked(registry, HELLO, template=None)[1] is None


def test_a_template_that_counts_its_own_output_marks_nothing(registry):
    counting = "{% set x %}{% generation %}a{% endgeneration %}{% endset %}{{ x | length }}"
    assert masked(registry, HELLO, template=counting)[1] is None


def test_noncharacters_in_a_message_are_not_taken_for_marks(registry):
    messages = [*HELLO, {"role": "assistant", "content": "a\U0010fffeb"}]
    assert masked(registry, messages)[1] is None
