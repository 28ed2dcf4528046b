"""completion: a script by which bash, zsh or fish completes commands, options and tokenizers."""

import argparse
from collections.abc import Iterator, Mapping
from importlib import import_module

from ..registry import Registry
from ..settings import Settings
from . import corpus

BASH = """\
_tokenarium() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words="" given=""
  case "${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" in
{cases}  esac
  case "$COMP_CWORD $before" in
    "1 "*) words="{commands}" ;;
    *" -t"|*" --tokenizer") words="{tokenizers}"; [[ $current == *,* ]] && given="${{current%,*}}," ;;
  esac
  COMPREPLY=($(compgen -P "$given" -W "$words" -- "${{current#"$given"}}"))
}}
complete -o default -F _tokenarium tokenarium
"""
ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
"""What zsh needs to read the script for bash."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell that reads the script")


def run(args: argparse.Namespace) -> None:
    """Print the script, in which all words are: completing runs no command."""
    top = args.make_parser()
    commands = {name: args.make_parser(name) for name in _subparsers(top).choices}
    words = {name: [*_options(_subparsers(parser).choices[name])] for name, parser in commands.items()}
    words |= {f"corpus {name}": [*_options(parser)] for name, parser in _corpus_parsers()}
    words["corpus"] = [*corpus.COMMANDS]
    tokenizers = [info.id for info in Registry(Settings.from_env()).infos()]
    if args.shell == "fish":
        print("\n".join(_fish(words, tokenizers)))
    else:
        print((ZSH if args.shell == "zsh" else "") + _bash(words, tokenizers), end="")


def _subparsers(parser: argparse.ArgumentParser) -> "argparse._SubParsersAction[argparse.ArgumentParser]":
    """Return the commands of a parser."""
    return next(one for one in parser._actions if isinstance(one, argparse._SubParsersAction))


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the long options of a parser, and the values of its arguments that have some."""
    for action in parser._actions:
        yield from (option for option in action.option_strings if option.startswith("--"))
        if not action.option_strings and action.choices and not isinstance(action, argparse._SubParsersAction):
            yield from map(str, action.choices)


def _corpus_parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for name in corpus.COMMANDS:
        parser = argparse.ArgumentParser()
        import_module(f"{corpus.__name__}.{name}").options(parser)
        yield name, parser


def _bash(words: Mapping[str, list[str]], tokenizers: list[str]) -> str:
    """Return a script of one function; of two patterns that match, the longer one comes first."""
    longest_first = sorted(words, key=lambda name: (-name.count(" "), name))
    patterns = {name: f'"{name}"*' if " " in name else f'"{name} "*' for name in longest_first}
    cases = "".join(f'    {pattern}) words="{" ".join(words[name])}" ;;\n' for name, pattern in patterns.items())
    commands = " ".join(name for name in words if " " not in name)
    return BASH.format(cases=cases, commands=commands, tokenizers=" ".join(tokenizers))


def _fish(words: Mapping[str, list[str]], tokenizers: list[str]) -> Iterator[str]:
    """Yield the lines of a script."""
    commands = " ".join(name for name in words if " " not in name)
    yield f"complete -c tokenarium -n __fish_use_subcommand -a '{commands}'"
    for name, some in words.items():
        seen = " ; and ".join(f"__fish_seen_subcommand_from {word}" for word in name.split())
        for word in some:
            yield f"complete -c tokenarium -n '{seen}' " + (f"-l {word[2:]}" if word.startswith("--") else f"-a {word}")
    yield f"complete -c tokenarium -s t -l tokenizer -x -a '{' '.join(tokenizers)}'"
