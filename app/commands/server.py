"""The server process of `serve`, which says where it is once it listens."""

import resource
import sys
from contextlib import suppress
from socket import socket

from uvicorn import Config, Server
from uvicorn.supervisors import Multiprocess

MAX_OPEN = 16_384
"""Files and connections that a process may have open: the usual 1,024 are fewer than the phones of a large hall."""


class AnnouncedServer(Server):
    """A server that prints where it is once it listens."""

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            announce(self.config)


def announce(config: Config) -> None:
    print(f"Tokenarium is at http://{config.host}:{config.port}", flush=True)


def run_until_stopped(config: Config) -> None:
    """Serve with as many processes as the configuration says. Raises `SystemExit` if the server cannot start."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MAX_OPEN if hard == resource.RLIM_INFINITY else min(MAX_OPEN, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    server = AnnouncedServer(config)
    with suppress(KeyboardInterrupt):
        if config.workers > 1:
            listening = config.bind_socket()
            listening.listen(config.backlog)  # connections wait for the processes, which listen on it, too
            announce(config)
            Multiprocess(config, sockets=[listening]).run()
            return
        server.run()
    if not server.started:
        sys.exit(3)
