"""count: the number of tokens in texts, as wc counts words."""

import argparse
from dataclasses import asdict
from functools import partial

from ..lab.counting import count_tokens, decode_stream
from . import inputs, tokenizer_options
from .output import write_columns, write_json, write_problem


def options(parser: argparse.ArgumentParser) -> None:
    inputs.options(parser)
    tokenizer_options.options(parser)


def run(args: argparse.Namespace) -> None:
    """Print a row for each input, with --lines the sums of its lines, and the total of all inputs.

    The text of several tokenizers is held in memory.
    """
    registry, each = tokenizer_options.get_tokenize_options(args)
    read = inputs.CommandInputs(args, silent=not args.json)
    tokens = ["tokens"] if len(each) == 1 else [options["tokenizer"] for options in each]
    header = ["lines", *tokens, "characters", "bytes"]
    sums = [[0] * len(header) for _ in read.names]
    for one, parts in read.streams():
        with read.catch_errors(one, partial(write_problem, read) if args.json else None):
            text = decode_stream(parts) if len(each) == 1 else [*decode_stream(parts)]
            answers = [count_tokens(registry, text, **options) for options in each]
            for answer in answers if args.json else ():
                write_json(read, one, asdict(answer))
            counted = [1, *(answer.count for answer in answers), answers[0].characters, answers[0].bytes]
            sums[one.index] = [a + b for a, b in zip(sums[one.index], counted, strict=True)]
    if not args.json:
        _write_table(read, header, sums)
    read.finish()


def _write_table(read: inputs.CommandInputs, header: list[str], sums: list[list[int]]) -> None:
    """Print the sums of every input that did not fail as a whole."""
    named = enumerate(zip(sums, read.names, strict=True))
    rows = [(row, name) for index, (row, name) in named if row[0] or index not in read.failed]
    if not rows:
        return
    if len(read.names) > 1:
        rows.append(([sum(column) for column in zip(*sums, strict=True)], "total"))
    skipped = 0 if read.lines else 1
    write_columns([[*header[skipped:], "text"], *([*row[skipped:], name] for row, name in rows)])
