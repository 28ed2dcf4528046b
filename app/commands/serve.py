"""serve: open the playground and the API."""

import argparse
import os

from app.settings import CORES, Settings


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    parser.add_argument("--workers", type=int, default=1, help="processes that listen, each with workers of its own")


def run(args: argparse.Namespace) -> None:
    """Listen until interrupted, then finish what is under way; nothing that is sent is logged."""
    from tempfile import TemporaryDirectory

    import uvicorn

    os.environ.setdefault("TOKENARIUM_SLOTS", str(max(2, CORES // args.workers)))
    given = {"HOST": args.host, "PORT": args.port}
    os.environ.update({name: str(value) for name, value in given.items() if value is not None})
    settings = Settings.from_env()
    print(f"Tokenarium is at http://{settings.host}:{settings.port}", flush=True)
    with TemporaryDirectory(prefix="tokenarium-") as folder:
        if args.workers > 1:
            os.environ.setdefault("TOKENARIUM_METRICS", folder)
        uvicorn.run(
            "app.main:create_app",
            factory=True,
            host=settings.host,
            port=settings.port,
            workers=args.workers,
            loop="uvloop",
            http="httptools",
            access_log=False,
            log_level="warning",
            timeout_graceful_shutdown=settings.farewell,
        )
