"""The tokenizers that a page offers: all that are listed, and the visitor's private ones, which a cookie remembers.

The cookie is set when a visitor adds a private tokenizer, holds only ids, and ends with them after an hour. Routes that
pages of other origins may call never read it.
"""

from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import Response

from ..errors import UnknownTokenizer
from ..registry import Registry
from ..store import PRIVATE, PRIVATE_SECONDS
from ..types import TokenizerInfo
from .services import get_services

COOKIE = "tokenarium_private"
MAX_REMEMBERED = 8


def list_offered(request: Request, chosen: Iterable[str] = ()) -> list[TokenizerInfo]:
    """Return the tokenizers to choose from; a private one that is `chosen` already is among them."""
    registry = get_services(request).registry
    ids = dict.fromkeys([*read_remembered(request), *(id for id in chosen if PRIVATE.fullmatch(id))])
    return [*registry.infos(), *_infos(registry, ids)]


def private_infos(request: Request) -> list[TokenizerInfo]:
    """Return the private tokenizers of the visitor that are still there."""
    return [*_infos(get_services(request).registry, read_remembered(request))]


def _infos(registry: Registry, ids: Iterable[str]) -> Iterable[TokenizerInfo]:
    for id in ids:
        try:
            yield registry.info(id)
        except UnknownTokenizer:  # its hour is over
            continue


def read_remembered(request: Request) -> list[str]:
    """Return the ids in the cookie."""
    ids = request.cookies.get(COOKIE, "").split(".")
    return [id for id in ids if PRIVATE.fullmatch(id)][:MAX_REMEMBERED]


def remember(request: Request, response: Response, id: str) -> None:
    """Set the cookie so that it has an id, if that is private."""
    if not PRIVATE.fullmatch(id):
        return
    ids = [id, *(other for other in read_remembered(request) if other != id)][:MAX_REMEMBERED]
    secure = request.url.scheme == "https"
    options = {"max_age": PRIVATE_SECONDS, "httponly": True, "samesite": "strict", "secure": secure}
    response.set_cookie(COOKIE, ".".join(ids), **options)  # type: ignore[arg-type]
