"""count: the number of tokens in texts, as wc counts words."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from math import nan

from ..lab.counting import count_tokens, decode_stream
from ..lab.prices import TokenRange
from ..lab.reconstruction import reconstruct
from ..lab.token_ranges import as_range
from . import inputs, tokenizer_options
from .output import print_notes, write_columns, write_json, write_problem


def options(parser: argparse.ArgumentParser) -> None:
    inputs.options(parser)
    tokenizer_options.options(parser)


def run(args: argparse.Namespace) -> None:
    """Print a row for each input, with --lines the sums of its lines, and the total of all inputs.

    The text of several tokenizers is held in memory. Of a model without a public tokenizer, a range is printed, and
    what the package of the settings counts.
    """
    registry, each = tokenizer_options.get_count_options(args)
    ranges = [one for _, one in each]
    beside = [one for one in ranges if one and registry.reconstruction]
    read = inputs.CommandInputs(args, silent=not args.json)
    tokens = ["tokens"] if len(each) == 1 else [one.id if one else options["tokenizer"] for options, one in each]
    header = ["lines", *tokens, *(registry.reconstruction for _ in beside), "characters", "bytes"]
    notes = dict.fromkeys(one.sentence for one in ranges if one)
    sums: list[list[float]] = [[0] * len(header) for _ in read.names]
    for one, parts in read.streams():
        with read.catch_errors(one, partial(write_problem, read) if args.json else None):
            text = decode_stream(parts) if len(each) == 1 and not beside else [*decode_stream(parts)]
            answers = [count_tokens(registry, text, **options) for options, _ in each]
            for answer, of in zip(answers, ranges, strict=True) if args.json else ():
                plain = asdict(answer)
                write_json(read, one, as_range(registry, plain, of, "".join(text)) if of else plain)
            reconstructed = [made for of in beside if (made := reconstruct(registry, of, "".join(text)))]
            notes |= dict.fromkeys(made.sentence if made.count is None else made.what for made in reconstructed)
            counts: list[float] = [answer.count for answer in answers]
            counts += [nan if made.count is None else made.count for made in reconstructed]
            counted = [1, *counts, answers[0].characters, answers[0].bytes]
            sums[one.index] = [a + b for a, b in zip(sums[one.index], counted, strict=True)]
    if not args.json:
        print_notes(notes)
        _write_table(read, header, sums, [*ranges, *(None for _ in beside)])
    read.finish()


def _write_table(
    read: inputs.CommandInputs, header: list[str], sums: list[list[float]], ranges: Sequence[TokenRange | None]
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
