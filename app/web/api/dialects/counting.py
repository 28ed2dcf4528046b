"""What the endpoints that count tokens share. What neither a template nor a tokenizer here counts is refused.

Anthropic publishes no tokenizer for Claude 3 and later, and OpenAI publishes a chat template only for gpt-oss. Google's
SDK counts Gemini's texts with the tokenizers of Gemma, one by one. A conversation is counted if the tokenizer has a
chat template; without one, only a text alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request

from ....errors import Invalid, UnknownTokenizer
from ....lab.chat.conversation import Conversation
from ....lab.chat.rendering import resolve_template
from ....lab.chat.templates import fit_template
from ....lab.chat.tokens import tokenize_chat
from ....lab.token_ranges import find_range
from ...services import get_services
from .chat_messages import Message
from .common import get_requested_tokenizer, render_chat, tokenizer_for

NO_ESTIMATE = "No estimate is made."
ONLY_TEXT = (
    "For this model only one plain text can be counted exactly, without roles, instructions or tools, since its "
    f"tokenizer has no chat template here. {NO_ESTIMATE}"
)
ONLY_TURNS = f"Only texts, the client’s own functions, their calls and results can be counted exactly. {NO_ESTIMATE}"
NOTE = "The tokens of the text alone: what a server adds around it is not published, and not counted."
GEMINI_NOTE = (
    "As Google’s SDK counts on the client (google-genai 3.4.0): each text alone, with the tokenizer of Gemma 3 for "
    "Gemini 2.x and the previews of 3, with that of Gemma 4 for Gemini 3.1 and 3.5. Both have the same merges."
)


def find_model_tokenizer(model: str, request: Request) -> str:
    """Return the id of a model’s tokenizer. Raises `UnknownTokenizer` without similar names: they would be guesses."""
    try:
        return get_requested_tokenizer(request, model)
    except UnknownTokenizer as error:
        detail = error.detail if find_range(model) else f"The tokenizer of this model is not here. {NO_ESTIMATE}"
        raise UnknownTokenizer(detail, pointer="/model") from None


def has_template(tokenizer: str, request: Request) -> bool:
    """True if the tokenizer has a chat template here."""
    return get_services(request).registry.chat_template(tokenizer) is not None


def note_template(model: str, tokenizer: str, request: Request) -> str:
    """Return what was counted: the prompt as a template writes it, which may be that of another model."""
    template = resolve_template(get_services(request).registry, tokenizer)
    fit = fit_template(template, model, tokenizer)
    return f"The whole prompt as the chat template writes it, with what begins the answer: {fit.text}."


def count_conversation(
    messages: Sequence[Message] | None,
    tools: Sequence[Message] | None,
    request: Request,
    *,
    tokenizer: str,
    pointer: str = "/messages",
) -> int:
    """Return the number of tokens of a conversation; special tokens in its messages are read as plain text.

    Raises `Invalid` if it contains something else than text, `BadTemplate`, `TooLarge`.
    """
    if messages is None or tools is None:
        raise Invalid(ONLY_TURNS, pointer=pointer)
    registry = get_services(request).registry
    limit = get_services(request).settings.max_text
    rendering = render_chat(request, tokenizer, Conversation(messages, tools), attributed=True)
    return len(tokenize_chat(registry, tokenizer, rendering, limit=limit).tokenization.encoding)


def count_text(text: str, request: Request, *, tokenizer: str, pointer: str) -> int:
    """Return the number of tokens of a text; special tokens in it are read as plain text.

    Raises `TooLarge`, `LoneSurrogate`.
    """
    tokenize = tokenizer_for(request, [text], model=tokenizer, pointer=pointer, special="text")
    return len(tokenize(text, False).encoding)


def only_text(messages: Sequence[Message]) -> str:
    """Return the only text of a conversation. Raises `Invalid`."""
    match messages:
        case [{"content": [{"text": str(text)}]}]:
            return text
        case _:
            raise Invalid(ONLY_TEXT, pointer="/contents")


def has_more(extra: Mapping[str, Any] | None, *values: Any) -> bool:
    """True if one of the values or of the extra fields is neither null nor an empty list."""
    return any(value not in (None, []) for value in [*(extra or {}).values(), *values])
