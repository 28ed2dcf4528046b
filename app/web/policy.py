"""Route policies: how requests to a route are treated, declared beside the route and read by every middleware.

A decorator on the endpoint declares the policy; `get_route` finds the route of a request, once, and with it the policy.
An endpoint without one, and an address without a route, have the default, which is the cautious choice everywhere.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from fastapi.routing import iter_route_contexts
from starlette.routing import BaseRoute, Mount
from starlette.types import Scope

from .api.dialects.dialect import Dialect
from .services import get_services

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
NO_ROUTE = "none"
"""Template of a request to an address that no route has."""
BUNDLED_ONLY = "tokenarium.bundled_only"
"""Key in the scope of a request: True if a page of another origin may read or frame the answer."""


@dataclass(frozen=True, slots=True)
class RoutePolicy:
    """How requests to a route are treated.

    `run` says where the endpoint runs: in a `worker` process; `inline`, on the server's event loop while the request is
    small and in a worker else; or in the `server` process, for what takes no time or keeps state there.
    `same_worker`: a client's requests wait for the worker that answered the one before, which has cached its result.
    `streamed`: the body may have any size and is read part by part; other bodies are limited and read as a whole.
    `upload`: the body may have the size of an upload and is read part by part, too.
    `watched`: the answer is a stream of events, of which there is a limited number at a time.
    `counted`: the request counts against the limit on concurrent requests. What is not counted must take little.
    `cors`: pages of any origin may call the route and read the answer, so it must keep nothing and read no cookie. For
    them only the tokenizers of the store exist.
    `sounds`: the page has sounds to listen to.
    `cacheable`: answers are the same for everyone, so they may be stored. Others may show a text or depend on a cookie.
    `framed`: pages of any origin may show the answer in a frame, with tokenizers of the store.
    `dialect` is the API whose error format all answers have. Where the body decides, `detect` returns the dialect of a
    body, and `dialects` has those that it may be.
    """

    run: Literal["worker", "inline", "server"] = "worker"
    same_worker: bool = False
    streamed: bool = False
    upload: bool = False
    watched: bool = False
    counted: bool = True
    cors: bool = False
    framed: bool = False
    sounds: bool = False
    cacheable: bool = False
    dialect: Dialect | None = None
    dialects: tuple[Dialect, ...] = ()
    detect: Callable[[Any], Dialect | None] | None = None

    def __call__(self, endpoint: Endpoint) -> Endpoint:
        """Declare this to be the policy of an endpoint; a decorator, to be placed under those of the router.

        >>> @RoutePolicy(run="server")
        ... def endpoint(): ...
        >>> get_policy(endpoint).run
        'server'
        """
        endpoint.__dict__["route_policy"] = self
        return endpoint


DEFAULT = RoutePolicy()
STATIC_FILES = RoutePolicy(run="server", counted=False, cacheable=True)


def get_policy(endpoint: Callable[..., Any] | None) -> RoutePolicy:
    """Return the policy that an endpoint declares, or the default."""
    policy: RoutePolicy = getattr(endpoint, "route_policy", DEFAULT)
    return policy


@dataclass(frozen=True, slots=True)
class RouteEntry:
    """A route of the table. `template` is its path with names for parameters, which metrics and the log show."""

    template: str
    methods: frozenset[str] = frozenset()
    policy: RoutePolicy = DEFAULT
    route: BaseRoute | None = None


UNKNOWN = RouteEntry(NO_ROUTE)


class RouteTable:
    """The routes of an app, found by path in a dictionary, or else by the router's own regular expressions."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._patterns = [*_entries(routes)]
        self.entries = [entry for _, entry in self._patterns]
        self._literal: defaultdict[str, list[RouteEntry]] = defaultdict(list)
        dialects: defaultdict[str, set[Dialect | None]] = defaultdict(set)
        for entry in self.entries:
            dialects[_folder(entry.template)].add(entry.policy.dialect)
            if "{" not in entry.template and not isinstance(entry.route, Mount):
                self._literal[entry.template].append(entry)
        self._unknown = {
            folder: RouteEntry(NO_ROUTE, policy=RoutePolicy(cors=True, dialect=dialect))
            for folder, (dialect, *others) in dialects.items()
            if dialect and not others
        }

    def find(self, method: str, path: str) -> RouteEntry:
        """Return the route of a request; of several with its path the one with its method, or else the first.

        A path without a route has the default policy. Beside routes that all have one dialect, such as
        /compat/vllm/nothing, it has that dialect.
        """
        # The regular expressions also match what the dictionary does not have: a path that ends in a line feed.
        entries = self._literal.get(path) or [entry for regex, entry in self._patterns if regex.match(path)]
        for entry in entries:
            if method in entry.methods:
                return entry
        return entries[0] if entries else self._unknown.get(_folder(path), UNKNOWN)


def _entries(routes: Iterable[BaseRoute]) -> Iterator[tuple[re.Pattern[str], RouteEntry]]:
    for context in iter_route_contexts([*routes]):
        route = context.original_route
        if isinstance(route, Mount):
            yield route.path_regex, RouteEntry(route.path, policy=STATIC_FILES, route=route)
        elif context.methods:
            policy = get_policy(context.endpoint)
            yield (
                context.path_regex,
                RouteEntry(str(context.path_format), frozenset(context.methods), policy, route),
            )


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def get_route(scope: Scope) -> RouteEntry:
    """Return the route of an HTTP request. It is looked up once and kept in the scope."""
    entry: RouteEntry | None = scope.get("tokenarium.route")
    if entry is None:
        entry = get_services(scope["app"]).routes.find(scope["method"], scope["path"])
        scope["tokenarium.route"] = entry
    return entry
