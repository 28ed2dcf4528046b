"""What pages need of the picker of tokenizers: its rows, and the ids of names in an address."""

from collections.abc import Collection, Iterable
from typing import Any

from fastapi import Request

from ..lab.models import model_list, resolve_model
from .offered import list_offered
from .services import get_services

ADDING = "/tokenizers/fetch"
"""The page that fetches a tokenizer by name, after its licence is accepted."""


def picker_rows(
    request: Request, chosen: Collection[str] = (), *, only: Collection[str] | None = None
) -> dict[str, Any]:
    """Return the rows of the picker for its template; with `only`, of these tokenizers and no other.

    A visitor's private tokenizers are among them, also one that is `chosen` by its address.
    """
    models = model_list(list_offered(request, chosen))
    return {"models": models if only is None else models.only(only), "adding": f"{ADDING}?name="}


def tokenizer_id(request: Request, name: str) -> str:
    """Return the id of a tokenizer, or of that of a model. Raises `UnknownTokenizer`."""
    return resolve_model(get_services(request).registry, name, pointer="/tokenizer")


def list_tokenizer_ids(request: Request, names: Iterable[str]) -> tuple[str, ...]:
    """Return the id for each name, as `tokenizer_id` does."""
    return tuple(tokenizer_id(request, name) for name in names)
