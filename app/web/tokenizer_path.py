"""The prefix /t/{tokenizer} of the dialects' routes: the base URL of a client then names the tokenizer."""

from collections.abc import Awaitable
from urllib.parse import unquote

from starlette.types import ASGIApp, Receive, Scope, Send

PREFIX = "/t/"


class TokenizerPathMiddleware:
    """ASGI middleware that takes /t/{tokenizer} from the path of a dialect's route, and notes the tokenizer.

    A slash in a name is written `%2F`. Other routes have no such address, and answer 404.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] == "http" and scope["path"].startswith(PREFIX):
            name, rest = split(scope.get("raw_path") or scope["path"].encode())
            if name:
                scope = {**scope, "path": rest, "raw_path": rest.encode(), "tokenarium.tokenizer": name}
        return self.app(scope, receive, send)


def split(raw_path: bytes) -> tuple[str, str]:
    """Return the tokenizer of a path and the path behind it, both decoded.

    >>> split(b"/t/gpt2/v1/tokenize"), split(b"/t/Qwen%2FQwen3-8B/tokenize")
    (('gpt2', '/v1/tokenize'), ('Qwen/Qwen3-8B', '/tokenize'))
    """
    name, slash, rest = raw_path.decode("latin-1")[len(PREFIX) :].partition("/")
    return unquote(name), slash + unquote(rest)
