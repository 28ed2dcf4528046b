"""Route policies: how requests to a route are treated, declared beside the route.

A decorator on the endpoint declares the policy, and the route notes it in the scope of a request that it matches. An
endpoint without one, and an address without a route, have the default, which is the cautious choice everywhere.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from .api.dialects.dialect import Dialect

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
POLICY = "tokenarium.policy"
TEMPLATE = "tokenarium.template"
DIALECT = "tokenarium.dialect"
"""Keys in the scope of a request: the policy of its route and its path with names for parameters, which metrics and the
log show; the dialect of its body."""
NO_ROUTE = "none"
"""Template of a request to an address that no route has."""


def never(arguments: Mapping[str, Any]) -> bool:
    """The endpoint runs no program that a user wrote, whatever its arguments."""
    return False


def always(arguments: Mapping[str, Any]) -> bool:
    """The endpoint runs a program that a user wrote."""
    return True


@dataclass(frozen=True, slots=True)
class RoutePolicy:
    """How requests to a route are treated.

    `run` says where the endpoint runs: in a `worker` process; `inline`, on the server's event loop while the request is
    small and in a worker else; or in the `server` process, for what takes no time or keeps state there.
    `untrusted`: true of arguments with which the endpoint runs a program that a user wrote, such as a pattern or a
    template, for which only some of the workers may be used at a time. A tokenizer that a user added is one, too.
    `streamed`: the body may have any size and is read part by part; other bodies are limited and read as a whole.
    `upload`: the body may have the size of an upload and is read part by part, too.
    `watched`: the answer is a stream of events, of which there is a limited number at a time.
    `counted`: the request counts against the limit on concurrent requests. What is not counted must take little.
    `cors`: pages of any origin may call the route and read the answer, so it must keep nothing and read no cookie. For
    them only the tokenizers of the store exist.
    `sounds`: the page has sounds to listen to.
    `wasm`: the answer is the script of a web worker that compiles WebAssembly.
    `cacheable`: answers are the same for everyone, so they may be stored. Others may show a text or depend on a cookie.
    `framed`: pages of any origin may show the answer in a frame, with tokenizers of the store.
    `dialect` is the API whose error format all answers have. Where the body decides, `detect` returns the dialect of a
    body, and `dialects` has those that it may be.
    """

    run: Literal["worker", "inline", "server"] = "worker"
    untrusted: Callable[[Mapping[str, Any]], bool] = never
    streamed: bool = False
    upload: bool = False
    watched: bool = False
    counted: bool = True
    cors: bool = False
    framed: bool = False
    sounds: bool = False
    wasm: bool = False
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


DEFAULT_POLICY = RoutePolicy()
STATIC_FILES = RoutePolicy(run="server", counted=False, cacheable=True)
WASM_WORKER = replace(STATIC_FILES, wasm=True)


def policy_of(scope: Mapping[str, Any]) -> RoutePolicy:
    """Return the policy of the route that a request has met, or the default."""
    policy: RoutePolicy = scope.get(POLICY, DEFAULT_POLICY)
    return policy


def get_policy(endpoint: Callable[..., Any] | None) -> RoutePolicy:
    """Return the policy that an endpoint declares, or the default."""
    policy: RoutePolicy = getattr(endpoint, "route_policy", DEFAULT_POLICY)
    return policy
