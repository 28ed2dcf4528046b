"""show: the tokens of texts in colours."""

import argparse
import os
import sys

from ..serialize.terminal import colour_tokens, summary
from . import inputs, tokenizer_options
from .output import write, write_heading


def options(parser: argparse.ArgumentParser) -> None:
    inputs.add_inputs(parser)
    parser.add_argument(
        "--color",
        choices=["auto", "always", "never"],
        default="auto",
        help="colours: on a terminal unless NO_COLOR is set (the default), always, or never",
    )
    tokenizer_options.options(parser)


def run(args: argparse.Namespace) -> None:
    """Print each text with its tokens in colours, and its counts in a line."""
    on_terminal = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    colours = args.color == "always" or (args.color == "auto" and on_terminal)
    functions = tokenizer_options.tokenize_functions(args)
    read = inputs.CommandInputs(args)
    for one in read:
        with read.catch_errors(one):
            tokenizations = [tokenize(one.text) for tokenize in functions]
            write_heading(read, one.index)
            for tokenization in tokenizations:
                write(f"{colour_tokens(tokenization, colours=colours)}\n{summary(tokenization)}\n".encode())
    read.finish()
