"""corpus cache: what is kept of earlier runs, and how to delete it."""

import argparse

from ...corpus.results import MAX_BYTES, CacheSize, list_caches
from ...errors import plural
from ..output import write_value


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clear", action="store_true", help="delete the results; vocabularies stay")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> None:
    """Print where the results are and how much they take, or delete them."""
    caches = list_caches()
    path = caches[0].path
    size = sum((one.measure() for one in caches), CacheSize())
    if args.clear:
        for one in caches:
            one.clear()
    if args.json:
        answer = {"path": str(path), "parts": size.parts, "files": size.files, "bytes": size.bytes}
        write_value({**answer, "cleared": args.clear})
        return
    known = f"{plural(size.parts, 'part')} and {plural(size.files, 'file')}"
    of = f"{known}, {plural(size.bytes, 'byte')}"
    if args.clear:
        print(f"Deleted the results of {of}, from {path}.")
    else:
        bound = f"at most {MAX_BYTES >> 20} MB of parts and 150 MB of files stay when a run has ended"
        print(f"The results of {of}, are in {path}; {bound}. --clear deletes them.")
