"""list: the tokenizers of the store."""

import argparse

from ..registry import get_registry
from ..serialize.tokenizers import serialize_tokenizer
from ..settings import Settings
from .output import write_value


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print what GET /api/tokenizers answers")


def run(args: argparse.Namespace) -> None:
    """Print a line for each tokenizer: its id, family, vocabulary size and engines."""
    registry = get_registry(Settings.from_env())
    if args.json:
        write_value([serialize_tokenizer(info, registry.size(info.id)) for info in registry.infos()])
        return
    for info in registry.infos():
        print(f"{info.id:20} {info.family:13} {info.tokens or 'grows':>8}  {', '.join(info.engines)}")
