"""convert: convert a tokenizer to another format, once the new files give the same tokens."""

import argparse

from ..lab.doctor.conversion import TARGETS, convert_record
from ..settings import Settings
from .doctor import add_conversion, write_converted
from .surgery_arguments import add_tokenizer, get_record


def options(parser: argparse.ArgumentParser) -> None:
    add_tokenizer(parser)
    parser.add_argument(
        "--to", "--format", choices=TARGETS, default=TARGETS[0], help="the format; default: tokenizer.json"
    )
    add_conversion(parser)
    parser.add_argument("--json", action="store_true", help="print what was made as one JSON object")


def run(args: argparse.Namespace) -> None:
    """Write the converted files to a folder, in which none of them exists. Raises `BadFile`, `OSError`."""
    converted = convert_record(get_record(Settings.from_env(), args.tokenizer), args.to, count=args.texts)
    write_converted(converted, args.out, json=args.json)
