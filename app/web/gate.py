"""The gate: how many requests are let in at once; one more is told so, and when to come again."""

from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from app.errors import Overloaded

OPEN = frozenset({"/healthz", "/metrics"})
OPEN_UNDER = ("/static/",)
"""What is let in whatever is under way: it takes nothing, and tells how the server is."""
WATCHED_UNDER, WATCHED = ("/api/jobs/", "/train/jobs/"), ("/events", "/stream")
"""How addresses begin and end where a training is watched: as long as it lasts, by a whole lecture hall."""


@dataclass(slots=True)
class Crowd:
    """Requests that are inside now, of `most`, and how many were shed so far."""

    most: int
    inside: int = 0
    shed: int = 0


class Gate:
    """ASGI middleware that sheds what is too much."""

    def __init__(self, app: ASGIApp, *, crowd: Crowd) -> None:
        self.app = app
        self.crowd = crowd

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises `Overloaded`, which the guard tells."""
        if scope["type"] != "http" or is_open(scope["path"]):
            await self.app(scope, receive, send)
            return
        if self.crowd.inside >= self.crowd.most:
            self.crowd.shed += 1
            raise Overloaded("Too many requests are under way here already. Try again soon.")
        self.crowd.inside += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.crowd.inside -= 1


def is_open(path: str) -> bool:
    """Whether requests to this address are not counted.

    >>> is_open("/healthz"), is_open("/train/jobs/1/stream"), is_open("/tokenize")
    (True, True, False)
    """
    watched = path.startswith(WATCHED_UNDER) and path.endswith(WATCHED)
    return watched or path in OPEN or path.startswith(OPEN_UNDER)
