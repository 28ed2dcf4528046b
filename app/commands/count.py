"""count: the number of tokens in texts, as wc counts words."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from ..lab.counting import count_tokens, decode_stream
from ..lab.prices import TokenRange
from ..lab.token_ranges import as_range
from . import inputs, tokenizer_options
from .output import print_notes, write_columns, write_json, write_problem


def options(parser: argparse.ArgumentParser) -> None:
    inputs.options(parser)
    tokenizer_options.options(parser)


def run(args: argparse.Namespace) -> None:
    """Print a row for each input, with --lines the sums of its lines, and the total of all inputs.

    The text of several tokenizers is held in memory. Of a model without a public tokenizer, a range is printed.
    """
    registry, each = tokenizer_options.get_count_options(args)
    ranges = [one for _, one in each]
    read = inputs.CommandInputs(args, silent=not args.json)
    tokens = ["tokens"] if len(each) == 1 else [one.id if one else options["tokenizer"] for options, one in each]
    header = ["lines", *tokens, "characters", "bytes"]
    sums = [[0] * len(header) for _ in read.names]
    for one, parts in read.streams():
        with read.catch_errors(one, partial(write_problem, read) if args.json else None):
            text = decode_stream(parts) if len(each) == 1 else [*decode_stream(parts)]
            answers = [count_tokens(registry, text, **options) for options, _ in each]
            for answer, of in zip(answers, ranges, strict=True) if args.json else ():
                write_json(read, one, as_range(asdict(answer), of) if of else asdict(answer))
            counted = [1, *(answer.count for answer in answers), answers[0].characters, answers[0].bytes]
            sums[one.index] = [a + b for a, b in zip(sums[one.index], counted, strict=True)]
    if not args.json:
        print_notes(one.sentence for one in ranges if one)
        _write_table(read, header, sums, ranges)
    read.finish()


def _write_table(
    read: inputs.CommandInputs, header: list[str], sums: list[list[int]], ranges: Sequence[TokenRange | None]
) -> None:
    """Print the sums of every input that did not fail as a whole."""
    named = enumerate(zip(sums, read.names, strict=True))
    rows = [(row, name) for index, (row, name) in named if row[0] or index not in read.failed]
    if not rows:
        return
    if len(read.names) > 1:
        rows.append(([sum(column) for column in zip(*sums, strict=True)], "total"))
    skipped = 0 if read.lines else 1
    columns = [None, *ranges, None, None]
    cells = [
        (["{}-{}".format(*of.multiply(cell)) if of else cell for cell, of in zip(row, columns, strict=True)], name)
        for row, name in rows
    ]
    write_columns([[*header[skipped:], "text"], *([*row[skipped:], name] for row, name in cells)])
