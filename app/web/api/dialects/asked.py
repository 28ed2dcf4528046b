"""What requests in every dialect have in common: their fields, and the lab calls behind them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag

from app.types import SpecialPolicy
from app.web.inline import FEW, at_length

if TYPE_CHECKING:
    from app.lab.chat.conversation import Conversation
    from app.lab.chat.rendering import Rendering
    from app.lab.detokenize import Detokenization
    from app.lab.tokenize import Tokenization

Id = Annotated[int, Field(ge=0, lt=2**32)]
MODEL = "A tokenizer’s id or a model’s name; o200k_base where there is none."
Model = Annotated[
    str | None, Field(description=MODEL), AfterValidator(lambda model: None if model == "default" else model)
]
"""A model, or none; `default` is what SGLang’s clients say for none."""
UNKNOWN_LENGTH = -1
"""The `max_model_len` of vLLM and SGLang, whose clients expect an integer: SGLang’s word for one that is not known.
Vocabularies know none."""
Template = Annotated[bool, Field(description="Add the special tokens that the model expects around a text.")]


def is_batch(ids: Any) -> bool:
    """Whether ids are a batch of lists: the first element tells, so that a fault is complained of once."""
    return isinstance(ids, list) and bool(ids) and isinstance(ids[0], list)


IdLists = Annotated[
    Annotated[list[Id], Tag("as one")] | Annotated[list[list[Id]], Tag("as batch")],
    Discriminator(lambda value: "as batch" if is_batch(value) else "as one"),
]
"""Ids, or a batch of lists of them."""


class Lenient(BaseModel):
    """A body with strict values, whose unknown fields are ignored as the dialect’s own server ignores them."""

    model_config = ConfigDict(strict=True, extra="ignore")


def example(**fields: Any) -> ConfigDict:
    """The configuration of a lenient body with an example of it."""
    return ConfigDict(strict=True, extra="ignore", json_schema_extra={"example": fields})


def cutter(
    request: Request,
    texts: Sequence[str],
    *,
    model: str | None,
    pointer: str = "/prompt",
    special: SpecialPolicy = "parse",
) -> "Callable[[str, bool], Tokenization]":
    """What cuts each of the texts, with or without the template, once their length and the model are found good.

    Raises `TooLarge`, `UnknownTokenizer`, `LoneSurrogate`.
    """
    from app.lab.models import resolved
    from app.lab.tokenize import check_batch, check_length, tokenize

    registry, settings = request.app.state.registry, request.app.state.settings
    check_batch(texts, limit=settings.max_batch, pointer=pointer)
    check_length(texts, limit=settings.max_text, pointer=pointer)
    if len(texts) > FEW:
        at_length(request)
    id = resolved(registry, model)
    return lambda text, template: tokenize(registry, text, tokenizer=id, special=special, template=template)


def written(request: Request, id: str, conversation: "Conversation", *, attributed: bool = False) -> "Rendering":
    """The conversation as the tokenizer’s chat template writes it, never on the event loop.

    Raises `Invalid`, `BadTemplate`, `OverLimit`.
    """
    at_length(request)
    from app.lab.chat.rendering import render

    return render(request.app.state.registry, id, conversation, attributed=attributed)


def read(
    request: Request,
    ids: list[int] | list[list[int]],
    *,
    model: str | None,
    skip_special: bool = False,
    field: str = "tokens",
) -> "list[Detokenization]":
    """What the ids stand for, or each list of a batch of them. Raises `UnknownTokenizer`, `UnknownId`."""
    from app.lab.detokenize import detokenize
    from app.lab.models import resolved
    from app.lab.tokenize import check_batch

    registry = request.app.state.registry
    id = resolved(registry, model)
    lists = [one for one in ids if isinstance(one, list)] or [[one for one in ids if isinstance(one, int)]]
    check_batch(lists, limit=request.app.state.settings.max_batch, pointer=f"/{field}")
    pointers = [f"/{field}/{i}" for i in range(len(lists))] if is_batch(ids) else [f"/{field}"]
    return [
        detokenize(registry, one, tokenizer=id, skip_special=skip_special, pointer=pointer)
        for one, pointer in zip(lists, pointers, strict=True)
    ]
