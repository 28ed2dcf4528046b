"""Which tokens of a conversation are in the loss: what the template marks as the assistant's, else found by prefixes.

A template marks them by the tag `generation`. Without it, the tokens of a turn are those behind the prompt before it,
up to the end of the turn, where both are prefixes of the conversation. The mask is that of transformers 5.23 but where
that has too many or too few: a span that ends at the first token, or in white space that the tokenizer drops, there
reaches to the last token of all; of a last character in several tokens it has only the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import TemplateLimit, TokenariumError, plural
from ...registry import Registry
from ...types import SPECIAL, Encoding
from ..tokenize import tokenize
from .conversation import Conversation
from .rendering import choose_template, render, render_template
from .sandbox import GENERATION_MARKS
from .tokens import ChatTokens
from .warnings import ChatWarning, Code, list_numbers

GENERATION = re.compile(r"\{%[-+]?\s*generation\s*[-+]?%\}")
"""The tag by which a template marks the text of the assistant."""
MARK = re.compile(f"[{''.join(GENERATION_MARKS)}]")
ASSISTANT = ("assistant", "model")
MAX_TURNS = 250
"""Turns of a conversation whose prompts are rendered, each on its own."""
MAX_PLACES = 9
"""Places of a message at which the end of its turn is looked for."""
NOT_LEARNED = ", so that there is no loss"
NO_PREFIX = "The prompt before {} is no prefix of the conversation{}."
OTHER_IDS = "The ids of the prompt before {} are no prefix of the conversation: its end merges with what follows."
NO_TURN = "It is not known where the turn of {} ends{}."
END_OUTSIDE = "The token that ends {} is not in the loss: a model does not learn to stop."
NO_END = "No special token ends {}: a model does not learn to stop."
NO_LOSS = "No token of the conversation is in the loss."
TRIMMED = (
    "The loss ends in white space that the tokenizer drops, in {}; there transformers 5.23 goes on to the last token."
)
UNCHECKED = "Only the last {} of {} are compared with their prompts."
OTHERS = " The others have no loss."
Spans = tuple[tuple[int, int], ...]
"""Half-open ranges of code points."""
Basis = Literal["generation", "prefixes"]
"""What a mask follows from: the tag `generation`, or prompts that are prefixes."""


@dataclass(frozen=True)
class LossMask:
    """The tokens in the loss, shape `(n,)`, the spans of the text that they are from, and warnings."""

    tokens: NDArray[np.bool_]
    spans: Spans
    basis: Basis
    warnings: tuple[ChatWarning, ...] = ()


class AssistantTurn(NamedTuple):
    """A message of the assistant in a rendered conversation.

    `start` is where the prompt before it ends, None if its text is no prefix of the conversation; `same_ids` is False
    if its text is one and its ids are not. `end` is where the turn ends, and `end_token` the row of its last special
    token, None if it has none.
    """

    message: int
    start: int | None
    same_ids: bool
    end: int | None
    end_token: int | None


def find_loss(registry: Registry, tokenizer: str, conversation: Conversation, chat: ChatTokens) -> LossMask:
    """Return the loss of a conversation that was tokenized with origins. Raises what `render` raises."""
    spans = find_generations(registry, tokenizer, conversation, chat.tokenization.text)
    numbers = [number for number, message in enumerate(conversation.messages) if message.get("role") in ASSISTANT]
    turns = [_find_turn(registry, tokenizer, conversation, chat, number) for number in numbers[-MAX_TURNS:]]
    basis: Basis = "generation"
    if spans is None:
        basis = "prefixes"
        spans = tuple((turn.start, turn.end) for turn in turns if turn.start is not None and turn.end is not None)
    mask = mask_spans(chat.tokenization.encoding, spans)
    warnings = [*_warn_turns(turns, mask, basis), *_warn_trimmed(chat.tokenization.encoding, spans)]
    if not mask.any() and not conversation.add_generation_prompt:
        warnings.append(ChatWarning("no-loss", NO_LOSS))
    if len(numbers) > MAX_TURNS:
        detail = UNCHECKED.format(MAX_TURNS, plural(len(numbers), "turn"))
        warnings.append(ChatWarning("no-prefix", detail + OTHERS if basis == "prefixes" else detail))
    return LossMask(mask, spans, basis, tuple(warnings))


def find_generations(registry: Registry, tokenizer: str, conversation: Conversation, text: str) -> Spans | None:
    """Return where the text of the assistant lies in a rendered text, as the tag `generation` of the template says.

    None if the template has no such tag, or if it does something else where it is marked. Raises what `render` raises.
    """
    template = choose_template(registry, tokenizer, conversation)
    if not GENERATION.search(template.text) or any(mark in text for mark in GENERATION_MARKS):
        return None
    marked = render_template(template, conversation, marked=True)
    pieces = MARK.split(marked)
    if "".join(pieces) != text:
        return None
    places = [*accumulate(map(len, pieces))][:-1]
    return tuple(zip(places[::2], places[1::2], strict=True))


def mask_spans(encoding: Encoding, spans: Spans) -> NDArray[np.bool_]:
    """Return, by token, whether it has a character of one of the spans, shape `(n,)`.

    >>> from tokenarium.registry import Registry
    >>> from tokenarium.settings import Settings
    >>> encoding = Registry(Settings()).get("bytes").encode("Q: x A: y")
    >>> mask_spans(encoding, ((8, 9),)).nonzero()[0].tolist()
    [8]
    """
    mask = np.zeros(len(encoding), np.bool_)
    for start, end in spans:
        if start < end:
            mask[slice(*_rows(encoding, start, end))] = True
    return mask


def _rows(encoding: Encoding, start: int, end: int) -> tuple[int, int]:
    """Return the range of the tokens with a character in [start, end)."""
    first = int(np.searchsorted(encoding.char_ends, start, side="right"))
    return first, int(np.searchsorted(encoding.char_starts, end, side="left"))


def _find_turn(
    registry: Registry, tokenizer: str, conversation: Conversation, chat: ChatTokens, number: int
) -> AssistantTurn:
    """Return where a message of the assistant lies, by the prompt before it and the conversation that ends with it."""
    text, encoding = chat.tokenization.text, chat.tokenization.encoding
    prompt = _write(registry, tokenizer, conversation, number, prompted=True)
    start = len(prompt) if prompt is not None and text.startswith(prompt) else None
    codes = [code for code, origin in enumerate(chat.origins) if origin and origin.message == number]
    owned = np.diff(np.isin(chat.origin_codes, codes), prepend=False, append=False)
    said = np.flatnonzero(owned).reshape(-1, 2)[: -MAX_PLACES - 1 : -1].tolist()  # the last ones first
    whole = _write(registry, tokenizer, conversation, number + 1, prompted=False)
    names = tuple(registry.info(tokenizer).special_tokens)
    ends = [_find_end(text, whole, first, last, names) for first, last in said or [(start or 0, start or 0)] if whole]
    end = next((end for end in ends if end is not None), None)
    last = next((last for first, last in said if end is not None and last <= end), start or 0)
    special = np.flatnonzero(encoding.flags & SPECIAL)
    ending = special[(encoding.char_starts[special] >= last) & (encoding.char_starts[special] < (end or 0))].tolist()
    same_ids = start is None or _begins_with_ids(registry, chat, start)
    return AssistantTurn(number, start, same_ids, end, ending[-1] if ending else None)


def _write(
    registry: Registry, tokenizer: str, conversation: Conversation, messages: int, *, prompted: bool
) -> str | None:
    """Return the first messages as the template writes them alone; None if it refuses them.

    Raises `TemplateLimit`, since what takes too long to be known is not refused.
    """
    part = replace(conversation, messages=conversation.messages[:messages], continue_final_message=False)
    try:
        return render(registry, tokenizer, replace(part, add_generation_prompt=prompted)).text
    except TemplateLimit:
        raise
    except TokenariumError:
        return None


def _find_end(text: str, whole: str, first: int, last: int, special: tuple[str, ...]) -> int | None:
    r"""Return where a turn ends in a text, given a text that ends with it, and a place of its message, [first, last).

    A template may write a turn otherwise where others follow: then what closes it is looked for behind its message,
    all of it or another special token.

    >>> _find_end("A: x<end>\nU: y<end>\n", "A: (thought) x<end>\n", 3, 4, ("<end>",))
    10
    >>> _find_end("A: x<end>\nU: y<end>\n", "A: x<stop>", 3, 4, ("<end>", "<stop>"))
    9
    """
    if text.startswith(whole):
        return len(whole)
    if whole.startswith(text):  # the turn is to be continued
        return len(text)
    said = text[max(first, last - 20) : last]
    closings = [whole[match.end() :] for match in re.finditer(re.escape(said), whole)][-MAX_PLACES:] if said else []
    for closing in closings:
        if text.startswith(closing, last):
            return last + len(closing)
    token = max((one for one in special if text.startswith(one, last)), key=len, default="")
    return last + len(token) if token and closings and closings[-1].startswith(special) else None


def _begins_with_ids(registry: Registry, chat: ChatTokens, end: int) -> bool:
    """Return whether the text up to a place has the ids alone that it has in the conversation.

    Special tokens separate what is tokenized, so that the text behind the last one before the place decides.
    """
    encoding = chat.tokenization.encoding
    special = np.flatnonzero((encoding.flags & SPECIAL != 0) & (encoding.char_starts < end)).tolist()
    first = special[-1] + 1 if special else 0
    begin = int(encoding.char_ends[first - 1]) if special else 0
    alone = tokenize(registry, chat.tokenization.text[begin:end], tokenizer=chat.tokenization.tokenizer.info.id)
    return np.array_equal(alone.encoding.ids, encoding.ids[first : first + len(alone.encoding)])


def _warn_turns(turns: list[AssistantTurn], mask: NDArray[np.bool_], basis: Basis) -> Iterator[ChatWarning]:
    """Yield what is wrong with the loss of turns; one warning names all messages of its kind."""
    learned = [turn for turn in turns if basis == "generation" or None not in (turn.start, turn.end)]
    kinds: list[tuple[Code, str, list[AssistantTurn]]] = [
        ("no-prefix", NO_PREFIX, [turn for turn in turns if turn.start is None]),
        ("no-prefix", OTHER_IDS, [turn for turn in turns if not turn.same_ids]),
        ("no-prefix", NO_TURN, [turn for turn in turns if turn.start is not None and turn not in learned]),
        ("end-outside", END_OUTSIDE, [turn for turn in learned if turn.end_token and not mask[turn.end_token]]),
        ("no-end", NO_END, [turn for turn in learned if turn.end and turn.end_token is None]),
    ]
    for code, sentence, found in kinds:
        if found:
            numbers = list_numbers("message", [turn.message for turn in found])
            detail = sentence.format(numbers, NOT_LEARNED if basis == "prefixes" else "")
            yield ChatWarning(code, detail, found[0].message)


def _warn_trimmed(encoding: Encoding, spans: Spans) -> Iterator[ChatWarning]:
    """Yield a warning if spans end in what no token stands for."""
    trimmed = [end for start, end in spans if start < end and len({*_rows(encoding, end - 1, end)}) < 2]
    if trimmed:
        yield ChatWarning("trimmed", TRIMMED.format(plural(len(trimmed), "place")), averted=True)
