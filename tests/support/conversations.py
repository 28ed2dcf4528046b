"""Conversations: recorded with their ids, and generated."""

import json
from pathlib import Path

from hypothesis import strategies as st
from tokenarium.lab.chat.conversation import Conversation

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
