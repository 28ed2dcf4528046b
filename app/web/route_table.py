"""Routes found by method and path, once for each request."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fastapi.routing import iter_route_contexts
from starlette.routing import BaseRoute, Mount
from starlette.types import Scope

from .api.dialects.dialect import Dialect
from .policy import DEFAULT, STATIC_FILES, RoutePolicy, get_policy

NO_ROUTE = "none"
"""Template of a request to an address that no route has."""
ROUTE = "tokenarium.route"
"""Key in the scope of a request: its entry in the table."""


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

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self.routes = routes
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


def _entries(routes: Sequence[BaseRoute]) -> Iterator[tuple[re.Pattern[str], RouteEntry]]:
    for context in iter_route_contexts(routes):
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
    entry: RouteEntry | None = scope.get(ROUTE)
    if entry is None:
        entry = scope["app"].state.services.routes.find(scope["method"], scope["path"])
        scope[ROUTE] = entry
    return entry
