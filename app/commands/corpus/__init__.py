"""corpus: what can be done with any amount of text, in files and folders of several formats, on all cores."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

COMMANDS = {
    "count": "count documents and tokens",
    "compare": "compare vocabularies by group",
    "profile": "say which tokens occur how often, and what the text is made of",
    "chat": "count conversations to train on, through a chat template",
    "plan": "say how many cores and hours a size would take",
    "tokenize": "write the ids of all documents to shards for training",
    "inspect": "show what is in a folder of shards, and any document of it",
    "verify": "check the hashes, the counts and a sample of a folder of shards",
    "train": "train BPE or WordPiece on counted words, in bounded memory",
    "cache": "say what is kept of earlier runs, or delete it",
}
EXAMPLES = {
    "count": "texts/ -t gpt2,qwen3 --by file",
    "compare": "texts/ -t gpt2 -t qwen3 --report report.html",
    "profile": "texts/ -t gpt2 -o profile.json",
    "plan": "--tokens 15T -t gpt2",
    "tokenize": "texts/ -t gpt2 -o ids --format npy --end eos",
    "inspect": "ids --document 7",
    "verify": "ids",
    "train": "texts/ --size 32000 -o mine.json",
    "chat": "conversations.jsonl -t qwen3 --context 4096,8192",
    "cache": "--clear",
}


def options(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_LateParser)
    for name, help in COMMANDS.items():
        example = f"Example: tokenarium corpus {name} {EXAMPLES[name]}" if name in EXAMPLES else None
        one = commands.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:]}.", epilog=example)
        one.set_defaults(module=name)


class _LateParser(argparse.ArgumentParser):
    """The parser of one of the commands, whose module is imported when the command is chosen."""

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        command = import_module(f".{self.get_default('module')}", __package__)
        command.options(self)
        self.set_defaults(work=command.run)
        return super().parse_known_args(args, namespace)


def run(args: argparse.Namespace) -> None:
    """Run the chosen command. An interrupt exits with 130, and says how to go on where results are kept."""
    try:
        args.work(args)
    except KeyboardInterrupt:
        if hasattr(args, "workers") and not args.again and not args.no_cache:
            print("tokenarium: interrupted; run the same command to go on.", file=sys.stderr)
        raise SystemExit(130) from None
