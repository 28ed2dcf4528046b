"""What the endpoints that count tokens share: the one counter of a prompt, and what they refuse.

They answer with one number. What is known as a range only, or not at all, is refused, since nothing in another server's
answer says so; `?estimate=1` asks for the middle of the range, and the answer then has both ends.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Request
from pydantic import Field

from ....errors import Invalid, UnknownTokenizer
from ....lab.chat.conversation import Conversation, is_media
from ....lab.chat.rendering import choose_template
from ....lab.chat.templates import fit_template
from ....lab.request.counting import count_prompt
from ....lab.request.parts import Basis, RequestCount
from ....lab.request.recognition import ApiFormat, ModelCall
from ....lab.request.values import objects
from ....lab.token_ranges import find_range
from ...services import get_services
from .common import get_requested_model, get_requested_tokenizer

NO_ESTIMATE = "No estimate is made without ?estimate=1."
ONLY_TURNS = f"Only texts, the client’s own functions, their calls and results can be counted exactly. {NO_ESTIMATE}"
ONLY_RANGE = f"The format of this model’s prompts is not published, so that its tokens are a range. {NO_ESTIMATE}"
UNKNOWN = "The tokenizer of this model is not here. No estimate is made."
Estimate = Annotated[
    bool, Field(description="Answer with the middle of a range, with its ends in `estimate`, in place of a refusal.")
]


@dataclass(frozen=True, slots=True)
class CountAnswer:
    """The tokens of a prompt, and how they are known: members of the answer, and header fields with the same for
    clients that drop members which they do not know."""

    tokens: int
    about: dict[str, Any]
    headers: dict[str, str]


def answer_count(
    request: Request, format: ApiFormat, body: dict[str, Any], *, model: str, estimate: bool, pointer: str = "/messages"
) -> CountAnswer:
    """Count a request in the format of a dialect; special tokens in its messages are read as plain text.

    Raises `UnknownTokenizer` without similar names, which would be guesses, `Invalid`, `TooLarge`, `LoneSurrogate`.
    """
    name = get_requested_model(request, model)
    if not (estimate and find_range(name)):
        _check_tokenizer(request, name)
    services = get_services(request)
    call = ModelCall(format, body)
    count = count_prompt(services.registry, call, model=name, limit=services.settings.max_text, pointer=pointer)
    if count.failure:
        raise Invalid(count.failure, pointer=pointer)
    if not count.settled and not (estimate and count.tokens.high):
        raise Invalid(ONLY_RANGE if count.complete else ONLY_TURNS, pointer=pointer)
    return _answer(count)


def _check_tokenizer(request: Request, name: str) -> None:
    try:
        get_requested_tokenizer(request, name)
    except UnknownTokenizer as error:
        detail = f"{error.detail} {NO_ESTIMATE}" if find_range(name) else UNKNOWN
        raise UnknownTokenizer(detail, pointer="/model") from None


def _answer(count: RequestCount) -> CountAnswer:
    low, high = int(count.tokens.low), int(count.tokens.high)
    ends = None if count.settled else {"low": low, "high": high, "complete": count.complete}
    about = {"basis": count.basis, "estimate": ends, "notes": count.sentences}
    return CountAnswer(int(count.tokens.middle), about, {"X-Token-Count": f"{count.basis}; low={low}; high={high}"})


def judge_prompt(request: Request, id: str, conversation: Conversation) -> tuple[Basis, list[str]]:
    """Return how the tokens of a conversation are known, and sentences about it, as `count_open` has them."""
    if any(map(is_media, (part for one in conversation.messages for part in objects(one.get("content"))))):
        return "unknown", ["What is no text, such as a picture, has tokens that are not counted."]
    if conversation.template is not None:
        return "template", []
    template = choose_template(get_services(request).registry, id, conversation)
    fit = fit_template(template, conversation.model, id)
    return ("exact", []) if fit.exact else ("template", [f"Counted with the {fit.text}."])
