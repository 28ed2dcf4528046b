"""corpus: what can be done with any amount of text, in files and folders of several formats, on all cores."""

import argparse
from importlib import import_module

COMMANDS = {
    "count": "count documents and tokens",
    "compare": "compare vocabularies by group",
    "profile": "say which tokens occur how often, and what the text is made of",
    "plan": "say how many cores and hours a size would take",
    "tokenize": "write the ids of all documents to shards for training",
    "inspect": "show what is in a folder of shards, and any document of it",
    "verify": "check the hashes, the counts and a sample of a folder of shards",
    "train": "train BPE or WordPiece on counted words, in bounded memory",
}


def options(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, help in COMMANDS.items():
        one = commands.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:]}.")
        module = import_module(f".{name}", __package__)
        module.options(one)
        one.set_defaults(work=module.run)


def run(args: argparse.Namespace) -> None:
    """Run the chosen command."""
    args.work(args)
