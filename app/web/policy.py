"""Route policies: how requests to a route are treated, declared beside the route and read by every middleware.

A decorator on the endpoint declares the policy; `route_table.get_route` finds the route of a request, and with it the
policy. An endpoint without one, and an address without a route, have the default, which is the cautious choice
everywhere.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from .api.dialects.dialect import Dialect

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
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
