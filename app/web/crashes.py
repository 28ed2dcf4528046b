"""Crashes: a fault of ours is answered, and logged by its kind and its places; its message may quote a text."""

import logging
from traceback import format_tb

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import TokenariumError
from app.web.problems import on_crash

log = logging.getLogger(__name__)


class Crashes:
    """ASGI middleware within the guard, so that its answer carries the headers of all others."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises `ConnectionAbortedError` where half of another answer is sent already."""
        begun = scope["type"] != "http"

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, noted)
        except TokenariumError:
            raise
        except Exception as error:
            log.error("%s\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
            if begun:
                raise ConnectionAbortedError("The answer broke off.") from None
            await (await on_crash(Request(scope), error))(scope, receive, send)
