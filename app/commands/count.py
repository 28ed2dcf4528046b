"""count: the tokens of texts, as wc counts their words."""

import argparse
from functools import partial

from app.commands import cutting, inputs

HEADER = ("lines", "tokens", "characters", "bytes")


def options(parser: argparse.ArgumentParser) -> None:
    inputs.options(parser)
    cutting.options(parser)


def run(args: argparse.Namespace) -> None:
    """Print a row an input, of --lines their sums, and the total of all. A line is forgotten once it is counted."""
    from app.commands.output import write_json, write_problem
    from app.web.columns import columns

    cut, read = cutting.cutter(args), inputs.Inputs(args, silent=not args.json)
    sums = [[0] * len(HEADER) for _ in read.names]
    for one in read:
        with read.trying(one, partial(write_problem, read) if args.json else None):
            found = columns(cut(one.text), ())
            if args.json:
                write_json(read, one, found)
            counted = [1, found["count"], found["characters"], found["bytes"]]
            sums[one.index] = [a + b for a, b in zip(sums[one.index], counted, strict=True)]
    if not args.json:
        _write_table(read, sums)
    read.finish()


def _write_table(read: inputs.Inputs, sums: list[list[int]]) -> None:
    """Print the sums of every input of which anything was counted."""
    from app.commands.output import write_columns

    named = enumerate(zip(sums, read.names, strict=True))
    done = [(row, name) for index, (row, name) in named if row[0] or index not in read.failed]
    if not done:
        return
    if len(read.names) > 1:
        done.append(([sum(column) for column in zip(*sums, strict=True)], "total"))
    skipped = 0 if read.lines else 1
    write_columns([[*HEADER[skipped:], "text"], *([*row[skipped:], name] for row, name in done)])
