"""corpus verify: check every hash and count of a folder of shards, and a sample of its documents."""

import argparse
import sys
from dataclasses import asdict

from ...corpus.shards import open as open_shards
from ...corpus.verifying import verify
from ...errors import plural
from ...registry import get_registry
from ...settings import Settings
from ..output import print_notes, write_value


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="a folder or an address that corpus tokenize wrote")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")


def run(args: argparse.Namespace) -> None:
    """Print what was checked, and what is wrong; then exit with 1."""
    report = verify(open_shards(args.folder), get_registry(Settings.from_env()), seed=args.seed)
    if args.json:
        write_value({"ok": not report.problems, **asdict(report)})
    else:
        print(
            f"{plural(report.files, 'file')} checked, {plural(report.decoded, 'document')} decoded, "
            f"{report.compared:,} of them compared with their source: "
            + (plural(len(report.problems), "problem") if report.problems else "all is well")
        )
        print_notes(report.notes)
        for problem in report.problems:
            print(f"tokenarium: {problem}", file=sys.stderr)
    if report.problems:
        raise SystemExit(1)
