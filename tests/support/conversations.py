"""Conversations: recorded with their ids, and generated."""

import json
from pathlib import Path

from hypothesis import strategies as st
from tokenarium.lab.chat.conversation import Conversation, template_message

RECORDED = json.loads(Path(__file__).with_name("chat_references.json").read_text())
"""Conversations with the ids that mistral-common 1.13.1 and openai-harmony 0.0.8 give them."""
OWN = ["mistral-v1", "mistral-v2", "mistral-v3", "mistral-v7", "o200k_harmony", "tekken"]
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


ARGUMENTS = st.dictionaries(
    st.sampled_from(["city", "größe", "n", "list"]),
    TEXT | st.integers(-9, 9) | st.floats(-9, 9, width=16) | st.booleans() | st.none() | st.lists(TEXT, max_size=2),
    max_size=3,
)
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "Das Wetter: “7 °C”",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
    for name in ("get_weather", "convert")
]


@st.composite
def trajectories(draw, *, texts=False):
    """What an agent's log holds: reasoning, calls of tools, one or more at a time, their results, answers. The
    arguments are data, or `texts`. A turn may end before its answer."""
    messages = [{"role": "system", "content": draw(TEXT)}] * draw(st.integers(0, 1))
    for turn in range(draw(st.integers(1, 2))):
        messages.append({"role": "user", "content": draw(TEXT)})
        for step in range(draw(st.integers(0, 2))):
            drawn = draw(st.lists(ARGUMENTS, min_size=1, max_size=2))
            ids = [f"call{turn}{step}{place:04}" for place in range(len(drawn))]
            calls = [
                {"id": id, "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
                for id, arguments in zip(ids, (json.dumps(one) if texts else one for one in drawn), strict=True)
            ]
            reasoning = {"reasoning_content": draw(TEXT)} if draw(st.booleans()) else {}
            content = draw(st.just("") | TEXT)
            messages.append({"role": "assistant", "content": content, "tool_calls": calls, **reasoning})
            messages += [
                {"role": "tool", "tool_call_id": id, "name": "get_weather", "content": draw(TEXT)} for id in ids
            ]
        if draw(st.booleans()):
            reasoning = {"reasoning_content": draw(TEXT)} if draw(st.booleans()) else {}
            messages.append({"role": "assistant", "content": draw(TEXT), **reasoning})
    return Conversation(messages, draw(st.sampled_from([None, TOOLS])), add_generation_prompt=draw(st.booleans()))


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
