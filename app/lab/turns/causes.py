"""Why a sequence is no prefix of a later one: from the origins of their characters, and by rendering them again."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from ...types import SPECIAL
from ..chat.conversation import Conversation, template_message
from .prefixes import Cause, PrefixCheck, RenderedSequence, common_length

Json = Mapping[str, Any]
Render = Callable[[Conversation], str]
PROBE = "An unlikely thought."
"""Reasoning that is put into a message to find where a template writes it."""
QUOTED = 60
"""Characters that a sentence quotes."""
NEAR = 60
"""Characters of tags that a template may write before the reasoning of a message."""
ANSWER: Json = {"role": "assistant", "content": "A"}
SPACE = re.compile(r"\s")
SYSTEM = ("system", "developer")


def find_cause(check: PrefixCheck, render: Render) -> Cause:
    """Return the cause of the first difference; `render` renders a changed conversation, to try it."""
    earlier, later = check.earlier, check.later
    place = common_length(earlier.text, later.text)
    if place == len(earlier.text):
        return _explain_seam(check)
    for explain in (_find_request, _find_reasoning, _find_move, _find_generation_prompt, _find_empty, _find_end):
        if cause := explain(check, place, render):
            return cause
    there = (find_message(earlier, place), find_message(later, place))
    message = min((one for one in there if one is not None), default=None)
    if message is None:
        return Cause("rewritten", "The prompt is rewritten once more messages follow.")
    # The later conversation is the shorter one where a client leaves out messages.
    conversation = max(earlier.conversation, later.conversation, key=lambda one: len(one.messages))
    name = name_message(conversation, message).capitalize()
    if conversation.messages[message].get("tool_calls"):
        return Cause("call", f"{name} calls a tool; the template rewrites the call once more messages follow.", message)
    return Cause("rewritten", f"{name} is rewritten once more messages follow.", message)


def name_message(conversation: Conversation, index: int) -> str:
    """Return the number of a message, from 1, and its role, as in `message 3 (assistant)`."""
    return f"message {index + 1} ({str(conversation.messages[index].get('role'))[:20]})"


def find_message(sequence: RenderedSequence, place: int, *, without: Collection[int] = ()) -> int | None:
    """Return the index of the first message that has text from a place on, or None."""
    origins = (origin for _, end, origin in sequence.runs if end > place and origin and origin.kind == "text")
    return next((origin.message for origin in origins if origin.message not in without), None)


def get_reasoning(message: Json) -> str:
    """Return the reasoning of a message, without white space around it."""
    reasoning = template_message(message).get("reasoning_content")
    return reasoning.strip() if isinstance(reasoning, str) else ""


def _explain_seam(check: PrefixCheck) -> Cause:
    """The text is a prefix; a token of the later sequence spans the end of the earlier one."""
    difference = check.difference
    assert difference is not None
    pieces = [token.piece for token in (difference.before, difference.after) if token]
    detail = f"The text is a prefix, but its last token {pieces[0]!r} merges into {pieces[-1]!r} with what follows."
    return Cause("seam", detail)


def _find_request(check: PrefixCheck, place: int, render: Render) -> Cause | None:
    """The messages or the tools of the later request are others."""
    earlier, later = check.earlier.conversation, check.later.conversation
    size = min(len(earlier.messages), len(later.messages))
    kept = replace(later, tools=earlier.tools, messages=[*earlier.messages[:size], *later.messages[size:]])
    changed = [i for i in range(size) if earlier.messages[i] != later.messages[i]]
    if not changed and earlier.tools == later.tools:
        return None
    if common_length(check.earlier.text, render(kept)) <= place:
        return None
    if not changed or earlier.tools != later.tools:
        return Cause("request", "The request has other tools than the one before it.")
    first = changed[0]
    name = name_message(later, first).capitalize()
    return Cause("request", f"{name} is not the same in the request as in the one before it.", first)


def _find_reasoning(check: PrefixCheck, place: int, render: Render) -> Cause | None:
    """The earlier text goes on with the reasoning of a message, and the later one does not.

    Of the text alone: the origins of its characters would take most of the time.
    """
    conversation = check.earlier.conversation
    for index, reasoning in enumerate(map(get_reasoning, conversation.messages)):
        stop = place + NEAR + len(reasoning)
        if reasoning and reasoning in check.earlier.text[place:stop] and reasoning not in check.later.text[place:stop]:
            return _name_reasoning(conversation, index)
    return None


def _name_reasoning(conversation: Conversation, index: int) -> Cause:
    return Cause("reasoning", f"The reasoning of {name_message(conversation, index)} is dropped.", index)


def _find_move(check: PrefixCheck, place: int, render: Render) -> Cause | None:
    """The tools or the system message stand at another place."""
    for name, is_tools in (("tools", True), ("system message", False)):
        before = _find_start(check.earlier, is_tools=is_tools)
        after = _find_start(check.later, is_tools=is_tools)
        if before is None or after is None or before == after or before < place:
            continue
        old, new = _name_following(check.earlier, before), _name_following(check.later, after)
        return Cause("moved", f"The {name} moved: from before {old} to before {new}.")
    return None


def _find_start(sequence: RenderedSequence, *, is_tools: bool) -> int | None:
    """Return the first character of the tools, or of the system message, in a rendered text."""
    systems = [index for index, one in enumerate(sequence.conversation.messages) if one.get("role") in SYSTEM]
    starts = (
        start
        for start, _, origin in sequence.runs
        if origin and (origin.kind == "tools" if is_tools else origin.kind == "text" and origin.message in systems)
    )
    return next(starts, None)


def _name_following(sequence: RenderedSequence, place: int) -> str:
    """Return the name of the first message from a place on that is not the system's."""
    messages = sequence.conversation.messages
    systems = [index for index, one in enumerate(messages) if one.get("role") in SYSTEM]
    index = find_message(sequence, place, without=systems)
    return "the end" if index is None else name_message(sequence.conversation, index)


def _find_generation_prompt(check: PrefixCheck, place: int, render: Render) -> Cause | None:
    """The generation prompt is not how the turn begins."""
    conversation = check.earlier.conversation
    if not conversation.add_generation_prompt:
        return None
    bare = render(replace(conversation, add_generation_prompt=False))
    if not check.earlier.text.startswith(bare) or place < len(bare):
        return None
    index, later = len(conversation.messages), check.later.conversation
    reasoning = get_reasoning(later.messages[index]) if index < len(later.messages) else ""
    if reasoning and reasoning not in check.later.text[place:]:
        return _name_reasoning(later, index)
    prompt = _quote(check.earlier.text[len(bare) :])
    if cause := _find_empty(check, place, render):
        return replace(cause, detail=f"{cause.detail} It is in the generation prompt {prompt}.")
    turn = _quote(check.later.text[len(bare) :])
    return Cause("generation-prompt", f"The generation prompt is {prompt}, and the turn has {turn}.")


def _find_empty(check: PrefixCheck, place: int, render: Render) -> Cause | None:
    """One text has an empty block where the reasoning of a message would be, and the other has not."""
    for present, absent, what in (
        (check.earlier, check.later, "is left out later"),
        (check.later, check.earlier, "is new"),
    ):
        conversation = present.conversation
        messages = [*conversation.messages, *([ANSWER] if conversation.add_generation_prompt else [])]
        for index in dict.fromkeys((find_message(present, place), len(messages) - 1)):
            if index is None or messages[index].get("role") != "assistant" or get_reasoning(messages[index]):
                continue
            thought = [*messages[:index], {**messages[index], "reasoning_content": PROBE}]
            probed = render(replace(conversation, messages=thought, add_generation_prompt=False))
            if _has_empty_block(present.text, probed) and not _has_empty_block(absent.text, probed):
                known = index < len(conversation.messages)
                owner = name_message(conversation, index) if known else "the next answer"
                return Cause("empty-reasoning", f"The empty reasoning block of {owner} {what}.", index)
    return None


def _has_empty_block(text: str, probed: str) -> bool:
    """Return whether a text has the block of the probe without the probe; the white space in it may be another.

    >>> _has_empty_block("Q<t> </t>A", f"Q<t>{PROBE}</t>A"), _has_empty_block("QA", f"Q<t>{PROBE}</t>A")
    (True, False)
    """
    start, found, end = (SPACE.sub("", part) for part in probed.partition(PROBE))
    plain = SPACE.sub("", text)
    return bool(found) and plain.startswith(start) and plain[len(start) :][:1] == end[:1]


def _find_end(check: PrefixCheck, place: int, render: Render) -> Cause | None:
    """The turn ends with a special token that the next prompt does not have there."""
    difference = check.difference
    encoding = check.earlier.tokenization.encoding
    if difference is None or difference.before is None or not encoding.flags[difference.token] & SPECIAL:
        return None
    if check.relation != "turn" or check.earlier.text[place:].strip() not in difference.before.piece:
        return None
    after = f"becomes {difference.after.piece}" if difference.after else "is left out"
    return Cause("end-token", f"The turn ends with {difference.before.piece}, which {after} in the next prompt.")


def _quote(text: str) -> str:
    """Return a text in quotation marks, shortened."""
    shown = text if len(text) <= QUOTED else f"{text[:QUOTED]}…"
    return f"“{shown}”".replace("\n", "↵")
