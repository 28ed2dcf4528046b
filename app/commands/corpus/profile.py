"""corpus profile: how often each token occurs, which never do, duplicates, digits and white space."""

import argparse
from pathlib import Path
from typing import Any

from ...corpus.plan import Plan
from ...corpus.profiling import Profile, make_profile_file, profile, token_rows
from ...corpus.types import Unread
from ...csv_text import csv_text
from ...errors import plural
from ...serialize.json import dumps
from ..output import print_notes, write_columns, write_value
from ..tokenizer_options import add_special, add_tokenizers
from . import arguments

PRINTED_ROWS = 12
"""Tokens, and documents with long runs, that are printed."""


def options(parser: argparse.ArgumentParser) -> None:
    arguments.add_sources(parser)
    add_tokenizers(parser, one="a profile is of one vocabulary")
    add_special(parser)
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        metavar="FILE",
        help="write the frequencies: .csv, or JSON for `tokenarium prune --profile`",
    )
    arguments.add_running(parser)


def run(args: argparse.Namespace) -> None:
    """Profile, write the file, print the figures or JSON, and exit with 1 if anything could not be read."""
    plan = arguments.make_plan(args)
    found = arguments.find_sources(args)
    unread = Unread()
    plan, notes = arguments.with_faster(args, plan, found)
    todo = arguments.list_parts(found, unread)
    with arguments.executor(args, plan, len(todo)) as (pool, workers), arguments.progress(todo) as moved:
        one = profile(plan, todo, pool, results=arguments.get_results(args), progress=moved, workers=workers)
    one.unread += unread
    if args.out and args.out.suffix == ".csv":
        rows = ([str(id), piece, str(times)] for id, piece, times in token_rows(plan, one))
        args.out.write_text(csv_text([("id", "token", "count"), *rows]), newline="")
    elif args.out:
        args.out.write_bytes(dumps(make_profile_file(plan, one)))
    if args.json:
        write_value({**_answer(plan, one), **arguments.unread_fields(one.unread), "notes": notes + one.notes})
    else:
        _print(plan, one)
        print_notes(notes + one.notes)
    arguments.report_unread(one.unread, plan.invalid)


def _answer(plan: "Plan", one: "Profile") -> dict[str, Any]:
    rows = token_rows(plan, one)
    names = ("documents", "bytes", "characters", "tokens", "used")
    return {
        "tokenizer": plan.tokenizers[0],
        **{name: getattr(one, name) for name in names},
        "vocabulary": len(rows),
        "covering": {str(share): one.count_covering(share) for share in (0.5, 0.9, 0.99)},
        "duplicates": {"share": one.duplicates.share, "exact": one.duplicates.exact, "most": one.duplicates.most},
        "digits": one.digits / one.bytes if one.bytes else 0.0,
        "white_space": one.spaces / one.bytes if one.bytes else 0.0,
        "runs": [extreme._asdict() for extreme in one.runs.documents],
        "frequent": [{"id": id, "token": piece, "count": times} for id, piece, times in rows[:100]],
        "never": [id for id, _, times in rows if not times],
    }


def _print(plan: "Plan", one: "Profile") -> None:
    answer = _answer(plan, one)
    print(f"{plural(one.documents, 'document')}, {plural(one.tokens, 'token')}, {plural(one.bytes, 'byte')}")
    size = answer["vocabulary"]
    used = answer["used"]
    print(f"{used:,} of {size:,} tokens of the vocabulary occur ({used / size if size else 0:.1%}).")
    print(
        ", ".join(
            f"{plural(number, 'token makes', 'tokens make')} {float(share):.0%}"
            for share, number in answer["covering"].items()
        )
        + "."
    )
    about = "" if one.duplicates.exact else "about "
    share = one.duplicates.share
    most = one.duplicates.most
    print(f"{about}{share:.2%} of the documents repeat one before them; one occurs {plural(most, 'time')}.")
    print(f"{answer['digits']:.2%} of the bytes are digits, {answer['white_space']:.2%} white space.")
    rows = [[f"{row['count']:,}", row["id"], repr(row["token"])] for row in answer["frequent"][:PRINTED_ROWS]]
    write_columns([["count", "id", "token"], *rows])
    for extreme in one.runs.documents[:PRINTED_ROWS]:
        text = " ".join(extreme.text.split())[:60]
        print(f"one token {extreme.score:,.0f} times in {extreme.path}: {text}")
