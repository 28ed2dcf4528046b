"""What the dialects share: fields of requests, and the lab functions that answer them."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag

from ....errors import Invalid
from ....lab.chat.conversation import Conversation
from ....lab.chat.rendering import Rendering, render
from ....lab.detokenize import Detokenization, detokenize
from ....lab.models import canonical, resolve_model
from ....lab.option_schema import Items
from ....lab.request.targets import find_target
from ....lab.tokenize import Tokenization, check_batch, check_length, tokenize
from ....types import SpecialPolicy
from ...services import get_services

Id = Annotated[int, Field(ge=0, lt=2**32)]
MODEL = "A tokenizer’s id or a model’s name; the base URL /t/{tokenizer} or the server’s default may stand for it."
NO_MODEL = (
    "The request names no tokenizer. Set `model`, put /t/ and the tokenizer’s id in front of the path (as a base URL), "
    "or start the server with --default."
)
NO_TEMPLATE = "Gemini has no chat template here. Send a template, or a prompt instead of messages."
Model = Annotated[
    str | None, Field(description=MODEL), AfterValidator(lambda model: None if model == "default" else model)
]
"""A model or none; SGLang’s clients send `default` for none."""
UNKNOWN_LENGTH = -1
"""The `max_model_len` of vLLM and SGLang. A vocabulary has none, but clients expect an integer: SGLang sends −1 for one
that is unknown."""
Template = Annotated[bool, Field(description="Add special tokens around the text, such as [CLS] … [SEP].")]


def is_batch(ids: Any) -> bool:
    """True if ids are a batch of lists. The first element decides, so that a faulty one is reported once."""
    return isinstance(ids, list) and bool(ids) and isinstance(ids[0], list)


IdLists = Annotated[
    Annotated[Items[Id], Tag("as one")] | Annotated[Items[Items[Id]], Tag("as batch")],
    Discriminator(lambda value: "as batch" if is_batch(value) else "as one"),
]
"""Ids, or a batch of lists of ids."""


class LenientModel(BaseModel):
    """A body with strict types. Unknown fields are ignored, as by the servers whose dialect it is."""

    model_config = ConfigDict(strict=True, extra="ignore")


def example(**fields: Any) -> ConfigDict:
    """Return the configuration of a lenient body, with an example of its fields."""
    return ConfigDict(strict=True, extra="ignore", json_schema_extra={"example": fields})


def get_requested_tokenizer(request: Request, model: str | None) -> str:
    """Return the id of the tokenizer of the model of a request. Raises as `get_requested_model`, `UnknownTokenizer`."""
    return resolve_model(get_services(request).registry, get_requested_model(request, model))


def get_requested_model(request: Request, model: str | None) -> str:
    """Return the name of the model or tokenizer of a request: of its path, or else its model, or the server’s default.

    The path is first because a person wrote it for this server; many clients send a model that is fixed in their code.
    Raises `Invalid` if none of them is given, since a guess would be a silent error.
    """
    registry = get_services(request).registry
    default = get_services(request).settings.default
    name: str | None = request.scope.get("tokenarium.tokenizer") or model
    if name is None and default is not None:
        name = canonical(registry, default)
        # A page of another origin does not learn the name of a default that it may not use.
        name = name if name in registry else None
    if name is None:
        raise Invalid(NO_MODEL, pointer="/model")
    return name


def tokenizer_for(
    request: Request,
    texts: Sequence[str],
    *,
    model: str | None,
    pointer: str = "/prompt",
    special: SpecialPolicy | None = None,
) -> "Callable[[str, bool], Tokenization]":
    """Return a function `(text, add_special_tokens)` that tokenizes each of the texts, after checks of all.

    Raises `Invalid`, `TooLarge`, `UnknownTokenizer`, `LoneSurrogate`.
    """
    registry = get_services(request).registry
    settings = get_services(request).settings
    # The whole batch is checked before the first text is tokenized.
    check_batch(texts, limit=settings.max_batch, pointer=pointer)
    check_length(texts, limit=settings.max_text, pointer=pointer)
    id = get_requested_tokenizer(request, model)
    policy = special or registry.info(id).usual_special
    return lambda text, template: tokenize(registry, text, tokenizer=id, special=policy, add_special_tokens=template)


def render_chat(request: Request, id: str, conversation: "Conversation") -> "Rendering":
    """Return the conversation as the model’s chat template renders it, never on the event loop.

    Raises `Invalid`, also for Gemini, whose texts the tokenizer of Gemma counts, but not its template; `BadTemplate`,
    `OverLimit`.
    """
    registry = get_services(request).registry
    if conversation.template is None and find_target(registry, conversation.model or id).family == "gemini":
        raise Invalid(NO_TEMPLATE, pointer="/messages")
    return render(registry, id, conversation)


def detokenize_lists(
    request: Request,
    ids: list[int] | list[list[int]],
    *,
    model: str | None,
    skip_special: bool = False,
    field: str = "tokens",
) -> "list[Detokenization]":
    """Detokenize ids, or each list of a batch. Raises `Invalid`, `UnknownTokenizer`, `UnknownId`."""
    registry = get_services(request).registry
    id = get_requested_tokenizer(request, model)
    lists = [item for item in ids if isinstance(item, list)] or [[item for item in ids if isinstance(item, int)]]
    check_batch(lists, limit=get_services(request).settings.max_batch, pointer=f"/{field}")
    pointers = [f"/{field}/{i}" for i in range(len(lists))] if is_batch(ids) else [f"/{field}"]
    return [
        detokenize(registry, items, tokenizer=id, skip_special=skip_special, pointer=pointer)
        for items, pointer in zip(lists, pointers, strict=True)
    ]
