"""The server process of `serve`, which says where it is once it listens."""

import resource
import socket
import sys
from contextlib import suppress
from typing import Any

from uvicorn import Config, Server
from uvicorn.supervisors import Multiprocess

from ..errors import Unavailable

MAX_OPEN = 16_384
"""Files and connections that a process may have open: the usual 1,024 are fewer than the phones of a large hall."""
ACCEPTED_AT_ONCE = 16
"""Connections that are accepted in one pass of the event loop."""


class AnnouncedServer(Server):
    """A server that prints where it is once it listens."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            announce(self.config)


def announce(config: Config) -> None:
    """Print the address of a server.

    >>> announce(Config("app", host="::1", port=8000))
    Tokenarium is at http://[::1]:8000
    """
    host = f"[{config.host}]" if ":" in config.host else config.host
    print(f"Tokenarium is at http://{host}:{config.port}", flush=True)


def listen(config: Config) -> list[socket.socket]:
    """Return sockets for the connections that wait at the host and port of a configuration. Raises `Unavailable`.

    All are one. uvloop accepts one connection of each in a pass, which takes long beside hundreds of busy connections.
    """
    six = ":" in config.host
    family = socket.AF_INET6 if six else socket.AF_INET
    try:
        first = socket.create_server(
            (config.host, config.port),
            family=family,
            backlog=config.backlog,
            dualstack_ipv6=six and socket.has_dualstack_ipv6(),
        )
        return [first, *(first.dup() for _ in range(ACCEPTED_AT_ONCE - 1))]
    except (OSError, OverflowError) as error:
        why = (getattr(error, "strerror", None) or str(error)).partition(" (while")[0].removesuffix(".").lower()
        raise Unavailable(
            f"The server cannot listen on port {config.port} of {config.host}: {why}. --port and --host choose others."
        ) from None


def run_until_stopped(app: str, **options: Any) -> None:
    """Serve an app with `options` of `Config`. Raises `Unavailable`, `SystemExit` if it cannot start."""
    config = Config(app, **options)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MAX_OPEN if hard == resource.RLIM_INFINITY else min(MAX_OPEN, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    server = AnnouncedServer(config)
    sockets = listen(config)
    with suppress(KeyboardInterrupt):
        if config.workers > 1:
            announce(config)
            Multiprocess(config, sockets=sockets).run()
            return
        server.run(sockets=sockets)
    if not server.started:
        sys.exit(3)
