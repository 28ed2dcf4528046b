"""tokenize: the tokens of texts."""

import argparse
from functools import partial
from typing import get_args

from ..lab.tokenize import Tokenization
from ..serialize.columns import TokenColumn, columns
from ..types import VocabEntry
from . import inputs, tokenizer_options
from .output import write, write_heading, write_json, write_problem


def options(parser: argparse.ArgumentParser) -> None:
    inputs.options(parser)
    tokenizer_options.options(parser)
    parser.add_argument(
        "--include", action="append", choices=get_args(TokenColumn), help="with --json: a column; may be repeated"
    )


def run(args: argparse.Namespace) -> None:
    """Print each token on a line; with --lines, the ids of each line on a line, of several tokenizers one by one."""
    functions = tokenizer_options.tokenize_functions(args)
    read = inputs.CommandInputs(args)
    for one in read:
        with read.catch_errors(one, partial(write_problem, read) if args.json else None):
            for tokenization in [tokenize(one.text) for tokenize in functions]:
                if args.json:
                    write_json(read, one, columns(tokenization, args.include or ("ids", "pieces", "offsets")))
                elif args.lines:
                    write(b" ".join(b"%d" % id for id in tokenization.encoding.ids.tolist()) + b"\n")
                else:
                    write_heading(read, one.index, tokenization.tokenizer.info.id if len(functions) > 1 else "")
                    _write_tokens(tokenization)
                    for note in tokenization.notes:
                        inputs.print_error(f"{one}: {note}")
    read.finish()


def _write_tokens(tokenization: "Tokenization") -> None:
    """Print the id of each token, its span in bytes and in characters, and its piece."""
    write(f"{'id':>8}  {'bytes':>12}  {'characters':>12}  piece\n".encode())
    for token in tokenization.tokens():
        spans = f"{token.byte_start}–{token.byte_end}", f"{token.char_start}–{token.char_end}"
        write(f"{token.entry.id:>8}  {spans[0]:>12}  {spans[1]:>12}  {quote_piece(token.entry)}\n".encode())


def quote_piece(entry: "VocabEntry") -> str:
    """Return a piece as a Python literal, so that no control character in it reaches the terminal.

    >>> from tokenarium.types import VocabEntry
    >>> print(quote_piece(VocabEntry(1, " a\\n", b" a\\n")), quote_piece(VocabEntry(2, "<0xF0>", b"\\xf0")))
    ' a\\n' b'\\xf0'
    """
    try:
        entry.raw.decode()
    except UnicodeDecodeError:
        return repr(entry.raw)
    return repr(entry.piece)
