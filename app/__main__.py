"""The command line: the list of commands, each of which is a module of `commands`."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module

from . import __version__
from .errors import TokenariumError, naming_extra
from .serialize.terminal import PrintableStream

COMMANDS = {
    "serve": "open the playground and the API",
    "tokenize": "tokenize texts",
    "show": "show the tokens of texts in colours",
    "detokenize": "detokenize ids to text",
    "count": "count the tokens of texts",
    "compare": "compare the tokens of texts in several tokenizers",
    "du": "count the tokens of folders and files",
    "mcp": "answer agents over the Model Context Protocol",
    "request": "count the parts of a request to a model",
    "turns": "compare the turns of conversations",
    "corpus": "count the tokens of any amount of text",
    "list": "list the tokenizers",
    "add": "add a tokenizer from files, or fetch one",
    "vocabulary": "say what a vocabulary is made of",
    "prune": "prune a copy of a tokenizer to a corpus or to scripts",
    "extend": "extend a copy of a BPE tokenizer by merges learned from a corpus",
    "convert": "convert a tokenizer to another format",
    "doctor": "say what is wrong with the files of a tokenizer",
    "conformance": "compare the engines on generated texts",
    "atlas": "count the tokens of every language for the page /languages",
    "actions": "train the vocabulary of movements for the page /beyond/actions",
    "train": "train a tokenizer on files",
    "scale": "measure the training on a book for the page /learn/at-scale",
    "train-bytes": "train the byte model of the page /beyond/bytes",
    "vendor": "rebuild the store from its packages",
    "completion": "print a script by which a shell completes commands and options",
}
EXAMPLES = {
    "serve": "serve --port 8080",
    "tokenize": "tokenize -t gpt-4o -e 'Hello world'",
    "show": "show -t bert -e 'Hello world'",
    "detokenize": "detokenize -t gpt2 -e '15496 995'",
    "count": "count -t gpt-4o,qwen3 README.md",
    "compare": "compare -t gpt2,bert -e 'Hello world'",
    "du": "du --depth 2 --top 10",
    "mcp": "mcp --folder src",
    "request": "request request.json -m gpt-4o",
    "turns": "turns log.jsonl --check",
    "corpus": "corpus count texts/ -t gpt2,qwen3 --by file",
    "list": "list --json",
    "add": "add tokenizer.json --name mine",
    "vocabulary": "vocabulary gpt2 --json",
    "prune": "prune gpt2 corpus.txt -o smaller",
    "extend": "extend gpt2 corpus.txt -o larger",
    "convert": "convert gpt2 --to tokenizer.json -o converted",
    "doctor": "doctor tokenizer.json --json",
    "conformance": "conformance gpt2 --n 1000",
    "atlas": "atlas",
    "actions": "actions",
    "train": "train corpus.txt --size 1000 -o mine.json",
    "scale": "scale",
    "train-bytes": "train-bytes",
    "vendor": "vendor gpt2",
    "completion": "completion bash > ~/.local/share/bash-completion/completions/tokenarium",
}
INTERNAL = {"job": "do the work of a job that a server started"}


def parser(chosen: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands, and of the options of the chosen one."""
    top = argparse.ArgumentParser(prog="tokenarium", description="A playground and visualizer for tokenizers.")
    top.add_argument("--version", action="version", version=f"tokenarium {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    shown = COMMANDS | INTERNAL if chosen in INTERNAL else COMMANDS
    for name, help in shown.items():
        example = f"Example: tokenarium {EXAMPLES[name]}" if name in EXAMPLES else None
        one = commands.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:]}.", epilog=example)
        if name == chosen:
            command = import_module(f"{__package__}.commands.{name.replace('-', '_')}")
            command.options(one)
            one.set_defaults(run=command.run, make_parser=parser)
    return top


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command. An error is one line on standard error, and exit status 1, or 2 for wrong arguments."""
    argv = sys.argv[1:] if argv is None else argv
    chosen = next((word for word in argv if not word.startswith("-")), None)
    if chosen == "serve":  # the server's log has colours
        _run(chosen, argv)
        return
    with redirect_stdout(PrintableStream(sys.stdout)), redirect_stderr(PrintableStream(sys.stderr)):
        _run(chosen, argv)


def _run(chosen: str | None, argv: Sequence[str]) -> None:
    try:
        try:
            with naming_extra():
                args = parser(chosen).parse_args(argv)
                args.run(args)
        finally:
            sys.stdout.flush()
    except TokenariumError as error:
        print(f"tokenarium: {error.sentences}", file=sys.stderr)
        raise SystemExit(error.exit_code) from None
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader of the output has closed it, as head does
            raise SystemExit(141) from None
        where = f"{error.filename}: " if error.filename else ""
        print(f"tokenarium: {where}{error.strerror or error}.", file=sys.stderr)
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
