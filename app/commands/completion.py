"""completion: a script by which bash, zsh or fish completes commands, options and tokenizers."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

from ..registry import get_registry
from ..settings import Settings
from . import corpus

BASH = """\
_tokenarium() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="${{COMP_WORDS[1]}}"
  local words="" given="" tokenarium_tokenizers="{tokenizers}"
  [[ $command == corpus && $COMP_CWORD -gt 2 ]] && command="corpus ${{COMP_WORDS[2]}}"
  [[ $COMP_CWORD == 1 ]] && command="" before=""
  case "$command $before" in
{values}    *) case "$command ${{current:0:1}}" in
      " "*) words="{commands}" ;;
{words}    esac ;;
  esac
  [[ $words == "$tokenarium_tokenizers" && $current == *,* ]] && given="${{current%,*}},"
  COMPREPLY=($(compgen -P "$given" -W "$words" -- "${{current#"$given"}}"))
}}
complete -o default -F _tokenarium tokenarium
"""
ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
"""What zsh needs to read the script for bash."""


TOKENIZERS = ("tokenizers", "tokenizer", "id", "baseline", "default")
"""What the arguments are called whose values are tokenizers."""
Parsers = Mapping[str, argparse.ArgumentParser]


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell that reads the script")


def run(args: argparse.Namespace) -> None:
    """Print the script, in which all words are: completing runs no command."""
    commands = [*_subparsers(args.make_parser()).choices]
    parsers = dict(_corpus_parsers())  # first, as the shell takes the first pattern that matches
    parsers |= {name: _subparsers(args.make_parser(name)).choices[name] for name in commands}
    tokenizers = " ".join(info.id for info in get_registry(Settings.from_env()).infos())
    if args.shell == "fish":
        print("\n".join(_fish(commands, parsers, tokenizers)))
    else:
        print((ZSH if args.shell == "zsh" else "") + _bash(commands, parsers, tokenizers), end="")


def _subparsers(parser: argparse.ArgumentParser) -> "argparse._SubParsersAction[argparse.ArgumentParser]":
    """Return the commands of a parser."""
    return next(one for one in parser._actions if isinstance(one, argparse._SubParsersAction))


def _corpus_parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for name in corpus.COMMANDS:
        parser = argparse.ArgumentParser()
        import_module(f"{corpus.__name__}.{name}").options(parser)
        yield f"corpus {name}", parser


def _arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[Sequence[str], str]]:
    """Yield the options of each argument, none of one that has a place, and its values, by the shell or as words."""
    for action in parser._actions:
        if action.help != argparse.SUPPRESS:
            values = "$tokenarium_tokenizers" if action.dest in TOKENIZERS else " ".join(map(str, action.choices or ()))
            yield action.option_strings, values


def _bash(commands: Sequence[str], parsers: Parsers, tokenizers: str) -> str:
    """Return a script of one function. Where it has no words, bash completes the names of files."""
    values: dict[str, str] = {}
    words: dict[str, str] = {}
    for name, parser in parsers.items():
        found = [*_arguments(parser)]
        values |= {f'"{name} {one}"': some for options, some in found for one in options if some}
        words[f'"{name} -"'] = " ".join(one for options, _ in found for one in options if one.startswith("--"))
        words[f'"{name} "*'] = " ".join(some for options, some in found if some and not options)
    cases = {
        key: "".join(f'    {one}) words="{some}" ;;\n' for one, some in rows.items())
        for key, rows in (("values", values), ("words", words))
    }
    return BASH.format(**cases, commands=" ".join(commands), tokenizers=tokenizers)


def _fish(commands: Sequence[str], parsers: Parsers, tokenizers: str) -> Iterator[str]:
    """Yield the lines of a script."""
    yield f"set -g tokenarium_tokenizers {tokenizers}"
    yield f"complete -c tokenarium -n __fish_use_subcommand -a '{' '.join(commands)}'"
    for name, parser in parsers.items():
        seen = " ; and ".join(f"__fish_seen_subcommand_from {word}" for word in name.split())
        for options, values in _arguments(parser):
            flags = [f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in options]
            some = [f"{'-x ' if options else ''}-a '{values}'"] if values else []
            if flags or some:
                yield " ".join([f"complete -c tokenarium -n '{seen}'", *flags, *some])
