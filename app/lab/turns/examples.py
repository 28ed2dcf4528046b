"""A conversation on which templates differ: reasoning, two tools, calls in a loop, and a second question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..chat.conversation import Conversation

BODY = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
TOOLS: list[dict[str, Any]] = BODY["tools"]
MESSAGES: list[dict[str, Any]] = BODY["messages"]
EXAMPLE = Conversation(MESSAGES, TOOLS)


def make_log(model: str) -> str:
    """Return the requests of the conversation to a model, one on each line; the last has no answer yet."""
    ends = [place for place, message in enumerate(MESSAGES) if message["role"] == "assistant"]
    requests = [{"model": model, "messages": MESSAGES[:end], "tools": TOOLS} for end in ends]
    return "".join(f"{json.dumps(request, ensure_ascii=False)}\n" for request in requests)
