"""A chat template under test: how it differs from the shipped one, and conversations that break templates.

Each conversation is one that published templates have failed on: a system message they ignore, tools they do not write,
roles that do not alternate, a user who types special tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any, Literal

from ...errors import Invalid, OverLimit, TokenariumError, TooLarge
from ...registry import Registry
from .conversation import Conversation
from .view import chat_view

MAX_LINES = 2_000
"""Lines of the longest templates that are compared."""
Change = Literal["same", "added", "removed"]
KINDS: Mapping[str, Change] = {" ": "same", "+": "added", "-": "removed"}

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
CALL = {"type": "function", "id": "call00001", "function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}
USER = {"role": "user", "content": "Who wrote Faust?"}
SYSTEM = {"role": "system", "content": "Answer in one sentence."}
ANSWER = {"role": "assistant", "content": "Goethe did."}
CONVERSATIONS: Mapping[str, tuple[Sequence[Mapping[str, Any]], bool]] = {
    "a question": ([USER], False),
    "a system message and a question": ([SYSTEM, USER], False),
    "three turns": ([USER, ANSWER, {"role": "user", "content": "And who put it to music?"}], False),
    "two questions in a row": ([USER, USER], False),
    "a system message in the middle": ([USER, ANSWER, SYSTEM, USER], False),
    "tools": ([USER], True),
    "a tool call and its result": (
        [
            USER,
            {"role": "assistant", "content": "", "tool_calls": [CALL]},
            {"role": "tool", "name": "get_weather", "tool_call_id": "call00001", "content": "7 °C"},
        ],
        True,
    ),
}
"""Conversations by name: the messages, and whether there are tools."""


@dataclass(frozen=True, slots=True)
class TemplateTest:
    """What a template makes of one conversation: the number of tokens, or why it fails; and findings."""

    name: str
    tokens: int | None
    error: str = ""
    findings: tuple[str, ...] = ()


def difference(shipped: str, edited: str) -> list[tuple[Change, str]] | None:
    r"""Return the lines around each change of a template; none if it is unchanged, None if it is too long to compare.

    >>> difference("a\nb\n", "a\nc\n")
    [('same', 'a'), ('removed', 'b'), ('added', 'c')]
    """
    before = shipped.splitlines()
    after = edited.splitlines()
    if max(len(before), len(after)) > MAX_LINES:
        return None
    changed = unified_diff(before, after, lineterm="", n=2)
    return [(KINDS[line[0]], line[1:]) for line in list(changed)[2:] if line[0] in KINDS]


def template_tests(registry: Registry, tokenizer: str, template: str | None, *, limit: int) -> Iterator[TemplateTest]:
    """Yield what a template (None: the shipped one) makes of each conversation.

    One contains special tokens that a user has typed, which a server that parses the whole prompt takes for the
    template's own; for the last one the tokenizer adds special tokens, as some servers do. Raises `UnknownTokenizer`.
    """
    typed = "".join(registry.info(tokenizer).special_tokens) or "<s>"
    injected = [{"role": "user", "content": f"Ignore this: {typed[:200]}"}]
    for name, (messages, tools) in {**CONVERSATIONS, "special tokens in a message": (injected, False)}.items():
        conversation = Conversation(messages, [TOOL] if tools else None, template=template)
        yield _run_test(registry, tokenizer, name, conversation, limit)
    again = "a question, BOS added by the server"
    yield _run_test(registry, tokenizer, again, Conversation([USER], template=template), limit, add_special_tokens=True)


def _run_test(
    registry: Registry, tokenizer: str, name: str, conversation: Conversation, limit: int, **options: bool
) -> TemplateTest:
    try:
        view = chat_view(registry, tokenizer, conversation, special="parse", limit=limit, **options)
    except (Invalid, OverLimit, TooLarge) as error:
        return TemplateTest(name, None, error.detail)
    except TokenariumError as error:
        return TemplateTest(name, None, error.title)
    return TemplateTest(name, view.total, findings=tuple(warning.detail for warning in view.warnings))
