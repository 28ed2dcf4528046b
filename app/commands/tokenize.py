"""tokenize: cut a text and print JSON."""

import argparse
import sys

from app.errors import BadEncoding
from app.settings import Settings


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="?", help="the text; without it, standard input is read")
    parser.add_argument("--tokenizer", default="o200k_base")
    parser.add_argument("--engine")
    parser.add_argument("--special", default="text", choices=["text", "parse", "refuse"])


def run(args: argparse.Namespace) -> None:
    """Print the answer of /tokenize for a text, or for standard input."""
    from app.lab.tokenize import tokenize
    from app.registry import Registry
    from app.web.answer import JSONResponse
    from app.web.columns import columns

    text = args.text if args.text is not None else _standard_input()
    registry = Registry(Settings.from_env())
    done = tokenize(registry, text, tokenizer=args.tokenizer, engine=args.engine, special=args.special)
    sys.stdout.buffer.write(bytes(JSONResponse(columns(done)).body) + b"\n")


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise BadEncoding(f"Byte {error.start} of standard input is not UTF-8.") from None
