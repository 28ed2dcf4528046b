"""mcp: the tools for agents, over the Model Context Protocol on standard input and output."""

import argparse
import signal
from pathlib import Path

from ..agents import load_module
from ..errors import Invalid
from ..registry import Registry
from ..settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", default=".", metavar="DIR", help="whose files du may count; by default this one")


def run(args: argparse.Namespace) -> None:
    """Answer until the standard input ends. Raises `Unavailable` without the SDK."""
    if not Path(args.folder).is_dir():
        raise Invalid(f"There is no folder at {args.folder[:200]!r}.")
    make_server = load_module("server").make_server
    settings = Settings.from_env()
    tools = load_module("tools").LocalTools(Registry(settings), settings, args.folder)
    # The SDK waits for the input in a thread that no KeyboardInterrupt wakes, and which the interpreter would wait for.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    make_server(tools).run("stdio")
