"""count: the number of tokens in texts, as wc counts words."""

import argparse
from dataclasses import asdict
from functools import partial

from ..lab.counting import count_tokens, decode_stream
from . import inputs, tokenizer_options
from .output import write_columns, write_json, write_problem

HEADER = ("lines", "tokens", "characters", "bytes")


def options(parser: argparse.ArgumentParser) -> None:
    inputs.options(parser)
    tokenizer_options.options(parser)


def run(args: argparse.Namespace) -> None:
    """Print a row for each input, with --lines the sums of its lines, and the total of all inputs."""
    registry, options = tokenizer_options.get_tokenize_options(args)
    read = inputs.CommandInputs(args, silent=not args.json)
    sums = [[0] * len(HEADER) for _ in read.names]
    for one, parts in read.streams():
        with read.catch_errors(one, partial(write_problem, read) if args.json else None):
            answer = count_tokens(registry, decode_stream(parts), **options)
            if args.json:
                write_json(read, one, asdict(answer))
            counted = [1, answer.count, answer.characters, answer.bytes]
            sums[one.index] = [a + b for a, b in zip(sums[one.index], counted, strict=True)]
    if not args.json:
        _write_table(read, sums)
    read.finish()


def _write_table(read: inputs.CommandInputs, sums: list[list[int]]) -> None:
    """Print the sums of every input that did not fail as a whole."""
    named = enumerate(zip(sums, read.names, strict=True))
    rows = [(row, name) for index, (row, name) in named if row[0] or index not in read.failed]
    if not rows:
        return
    if len(read.names) > 1:
        rows.append(([sum(column) for column in zip(*sums, strict=True)], "total"))
    skipped = 0 if read.lines else 1
    write_columns([[*HEADER[skipped:], "text"], *([*row[skipped:], name] for row, name in rows)])
