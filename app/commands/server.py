"""The server process of `serve`, which says where it is once it listens."""

import sys
from contextlib import suppress
from socket import socket

from uvicorn import Config, Server
from uvicorn.supervisors import Multiprocess


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
