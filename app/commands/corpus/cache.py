"""corpus cache: what is kept of earlier runs, and how to delete it."""

import argparse

from ...corpus.results import MAX_BYTES, clear, measure
from ...corpus.ship import cache
from ...serialize.json import dumps
from .arguments import format_count


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clear", action="store_true", help="delete the results; vocabularies stay")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> None:
    """Print where the results are and how much they take, or delete them."""
    size = clear() if args.clear else measure()
    if args.json:
        answer = {"folder": str(cache()), "files": size.files, "bytes": size.bytes, "cleared": args.clear}
        print(dumps(answer).decode())
        return
    what = f"{format_count(size.files, 'file')}, {format_count(size.bytes, 'byte')}"
    if args.clear:
        print(f"Deleted {what} from {cache()}.")
    else:
        print(f"{what} in {cache()}; each kind of result keeps at most {MAX_BYTES >> 20} MB. --clear deletes them.")
