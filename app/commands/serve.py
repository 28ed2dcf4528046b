"""serve: open the playground and the API."""

import argparse
import dataclasses

from app.settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)


def run(args: argparse.Namespace) -> None:
    """Listen until interrupted; nothing that is sent is logged."""
    import uvicorn

    from app.main import create_app

    settings = Settings.from_env()
    changes = {name: value for name in ("host", "port") if (value := getattr(args, name)) is not None}
    settings = dataclasses.replace(settings, **changes)
    print(f"Tokenarium is at http://{settings.host}:{settings.port}", flush=True)
    uvicorn.run(create_app(settings), host=settings.host, port=settings.port, access_log=False, log_level="warning")
