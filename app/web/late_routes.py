"""Routes that are imported late: a capability's module with the first request that its routes may answer.

To import all capabilities takes longer than to import the frameworks, so the server answers before it has done so. A
capability is named by its module, and has prefixes: every path that one of its routes takes is a prefix or below one.
`LoadingMiddleware`, which every request meets before its route is looked for, imports the capabilities whose prefixes
the path has; so does `LateRoutes.find`, with which workers begin. Page and API modules therefore import at their top
all that they use.

What a path leads to never depends on what was imported before, since capabilities keep the order in which they are
listed, and all that may answer the path are there. This also holds for a path without a route, whose dialect is that of
the routes beside it: the prefixes of a dialect include the folders of its routes.

The server imports the rest soon after its start, in a thread. A worker imports only what it is asked for, and inherits
what `main.SHARED` lists. Whoever wants to see all routes calls `load` without a path, or asks for `entries`.
"""

import asyncio
import warnings
from collections.abc import Awaitable, Mapping
from importlib import import_module
from threading import Lock

from fastapi import FastAPI
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from .route_table import RouteEntry, RouteTable

# FastAPI silences this warning with a context that two threads cannot share; the routes are imported in any thread.
warnings.filterwarnings("ignore", category=UnsupportedFieldAttributeWarning)


class LateRoutes:
    """The routes of an app by capability: names of modules of this package with their prefixes, in order."""

    def __init__(self, app: FastAPI, capabilities: Mapping[str, tuple[str, ...]]) -> None:
        self._router = app.router
        self._others = [*app.routes]
        self._order = [*capabilities]
        self._missing = dict(capabilities)
        self._included: dict[str, BaseRoute] = {}
        self._lock = Lock()
        self._table = RouteTable(self._others)

    def load(self, path: str | None = None) -> None:
        """Import and include the capabilities that may answer a path, or all. Any thread may call this."""
        missing = self._missing
        for name in [name for name, prefixes in missing.items() if path is None or is_below(path, prefixes)]:
            with self._lock:  # for one at a time, so that a request does not wait for all
                if name not in self._included:
                    self._include(name)

    def _include(self, name: str) -> None:
        """Add the routes of a capability in their place. Lists are replaced, as other threads read them."""
        router = import_module(f"{__package__}.{name}").router
        self._router.routes = [*self._router.routes]
        self._router.include_router(router)
        self._included[name] = self._router.routes[-1]
        included = [self._included[name] for name in self._order if name in self._included]
        self._router.routes = [*included, *self._others]
        self._missing = {other: prefixes for other, prefixes in self._missing.items() if other != name}

    @property
    def table(self) -> RouteTable:
        """The table of what is included."""
        routes = self._router.routes
        if self._table.routes is not routes:
            self._table = RouteTable(routes)
        return self._table

    @property
    def entries(self) -> list[RouteEntry]:
        """All routes."""
        self.load()
        return self.table.entries

    def lacks(self, path: str) -> bool:
        """True if a capability that may answer a path is not imported."""
        return any(is_below(path, prefixes) for prefixes in self._missing.values())

    def find(self, method: str, path: str) -> RouteEntry:
        """Return the route of a request as `RouteTable.find` does; what may answer it is imported before."""
        if self._missing:
            self.load(path)
        return self.table.find(method, path)


class LoadingMiddleware:
    """ASGI middleware that imports what a request needs in a thread, so that others are answered meanwhile."""

    def __init__(self, app: ASGIApp, *, routes: LateRoutes) -> None:
        self.app = app
        self.routes = routes

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        late = scope["type"] == "http" and self.routes.lacks(scope["path"])
        return self._load(scope, receive, send) if late else self.app(scope, receive, send)

    async def _load(self, scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.to_thread(self.routes.load, scope["path"])
        await self.app(scope, receive, send)


def is_below(path: str, prefixes: tuple[str, ...]) -> bool:
    """True if a path is one of the prefixes or below one; every path is below `/`, which therefore has only itself.

    >>> is_below("/train/jobs", ("/", "/train")), is_below("/trains", ("/", "/train"))
    (True, False)
    """
    return any(path == prefix or (prefix != "/" and path.startswith(f"{prefix}/")) for prefix in prefixes)
