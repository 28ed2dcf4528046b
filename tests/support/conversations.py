"""Conversations: recorded with their ids, and generated."""

import json
from pathlib import Path

from hypothesis import strategies as st
from tokenarium.lab.chat.conversation import Conversation, template_message

RECORDED = json.loads(Path(__file__).with_name("chat_references.json").read_text())
"""Conversations with the ids that mistral-common 1.13.1 and openai-harmony 0.0.8 give them."""
OWN = ["mistral-v1", "mistral-v3", "o200k_harmony", "tekken"]
"""Tokenizers whose templates are written here."""
FIELDS = ("messages", "tools", "add_generation_prompt")


def recorded(one):
    options = one.get("chat_template_kwargs", {})
    return Conversation(**{name: one[name] for name in FIELDS if name in one}, options=options)


TEXT = st.text(alphabet=st.sampled_from("ab \n\t<s>[/INST]|{}\"'\\éé🌍▁"), min_size=1, max_size=12).filter(str.strip)


@st.composite
def conversations(draw):
    """What every format can write: instructions, then turns, with calls of tools where `tools`."""
    messages = [{"role": "system", "content": draw(TEXT)}] * draw(st.integers(0, 1))
    for _ in range(draw(st.integers(1, 3))):
        messages.append({"role": "user", "content": draw(TEXT)})
        messages += [{"role": "assistant", "content": draw(TEXT)}] * draw(st.integers(0, 1))
    return messages


def by_transformers(registry, tokenizer, conversation):
    """Return the text of a conversation as transformers renders it."""
    from transformers.utils.chat_template_utils import render_jinja_template

    template = registry.chat_template(tokenizer)
    messages = [template_message(message) for message in conversation.messages]
    (text,), _ = render_jinja_template(
        [messages],
        tools=conversation.tools,
        chat_template=template.text,
        add_generation_prompt=conversation.add_generation_prompt and not conversation.continue_final_message,
        continue_final_message=conversation.continue_final_message,
        **template.variables,
        **conversation.options,
    )
    return text
