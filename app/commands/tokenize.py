"""tokenize: the tokens of texts."""

import argparse
from functools import partial
from typing import TYPE_CHECKING

from app.commands import cutting, inputs

if TYPE_CHECKING:
    from app.lab.tokenize import Tokenization
    from app.types import VocabEntry

PARTS = ("counts", "ids", "pieces", "offsets", "flags")


def options(parser: argparse.ArgumentParser) -> None:
    inputs.options(parser)
    cutting.options(parser)
    parser.add_argument("--include", action="append", choices=PARTS, help="with --json: a column; may be repeated")


def run(args: argparse.Namespace) -> None:
    """Print a token a line; of --lines, the ids of each on a line."""
    from app.commands.output import write, write_heading, write_json, write_problem
    from app.web.columns import columns

    cut, read = cutting.cutter(args), inputs.Inputs(args)
    for one in read:
        with read.trying(one, partial(write_problem, read) if args.json else None):
            done = cut(one.text)
            if args.json:
                write_json(read, one, columns(done, args.include or ("ids", "pieces", "offsets")))
            elif args.lines:
                write(b" ".join(b"%d" % id for id in done.encoding.ids.tolist()) + b"\n")
            else:
                write_heading(read, one.index)
                _write_tokens(done)
                for note in done.notes:
                    inputs.tell(f"{one}: {note}")
    read.finish()


def _write_tokens(done: "Tokenization") -> None:
    """Print the id of each token, its span in bytes and in characters, and its piece."""
    from app.commands.output import write

    write(f"{'id':>8}  {'bytes':>12}  {'characters':>12}  piece\n".encode())
    for token in done.tokens():
        spans = f"{token.byte_start}–{token.byte_end}", f"{token.char_start}–{token.char_end}"
        write(f"{token.entry.id:>8}  {spans[0]:>12}  {spans[1]:>12}  {spelled(token.entry)}\n".encode())


def spelled(entry: "VocabEntry") -> str:
    """A piece as Python writes it, so that nothing in it reaches the terminal as a command.

    >>> from app.types import VocabEntry
    >>> print(spelled(VocabEntry(1, " a\\n", b" a\\n")), spelled(VocabEntry(2, "<0xF0>", b"\\xf0")))
    ' a\\n' b'\\xf0'
    """
    try:
        entry.raw.decode()
    except UnicodeDecodeError:
        return repr(entry.raw)
    return repr(entry.piece)
