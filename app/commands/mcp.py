"""mcp: the tools for agents, over the Model Context Protocol on standard input and output."""

import argparse
from importlib import import_module
from pathlib import Path

from ..errors import Invalid, Unavailable
from ..registry import Registry
from ..settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", default=".", metavar="DIR", help="whose files du may count; by default this one")


def run(args: argparse.Namespace) -> None:
    """Answer until the standard input ends. Raises `Unavailable` without the SDK."""
    if not Path(args.folder).is_dir():
        raise Invalid(f"There is no folder at {args.folder[:200]!r}.")
    try:
        make_server = import_module("..agents.server", __package__).make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise Unavailable("mcp is not installed; pip install tokenarium[mcp] brings it.") from None
    tools = import_module("..agents.tools", __package__)
    settings = Settings.from_env()
    make_server(tools.LocalTools(Registry(settings), settings, args.folder)).run("stdio")
