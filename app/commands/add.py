"""add: add a tokenizer from files, or fetch one on request."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tqdm import tqdm

from ..errors import Invalid, NotAllowed, UnknownTokenizer
from ..files.archives import Folder
from ..lab.tokenizers.adding import AddedTokenizer, add
from ..lab.tokenizers.catalogue import get_catalogue
from ..lab.tokenizers.fetching import HUB, fetch, hub_parts
from ..settings import Settings
from .output import write_made

MAX_READ = 2**26
"""Bytes of a GGUF file that are read: its vocabulary comes before the weights."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="*",
        metavar="WHAT",
        help="files of one tokenizer, a folder or a zip of them; or a name to fetch, such as llama-3 or hf:org/name",
    )
    parser.add_argument("--name", default="", help="a title; else the name of the file or folder")
    parser.add_argument("--pattern", help="the pre-tokenization pattern of tiktoken ranks")
    parser.add_argument("--json", action="store_true", help="print what was made as one JSON object")
    parser.add_argument("--yes", action="store_true", help="accept the licence of a vocabulary that is fetched")


def run(args: argparse.Namespace) -> None:
    """Add a tokenizer and print its id; what was found in its files is printed on standard error."""
    settings = Settings.from_env()
    if not settings.keep:
        raise NotAllowed("TOKENARIUM_KEEP is off: nothing is kept.")
    if not args.what:
        raise Invalid(f"Name the files of a tokenizer, or one to fetch: {_list_known(settings)}.")
    paths = [Path(word) for word in args.what]
    if len(paths) == 1 and not paths[0].exists():
        added = _fetch(settings, args.what[0], accepted=args.yes)
    else:
        files = dict(pair for path in paths for pair in read_files(path).items())
        added = add(settings, files, title=args.name, pattern=args.pattern)
    if args.json:
        notes = [f"{finding.severity}: {finding.detail}" for finding in added.findings]
        write_made([], tokenizer=added.info.id, notes=notes, size=added.info.tokens)
    else:
        _print(added)


def _print(added: AddedTokenizer) -> None:
    for finding in added.findings:
        print(f"{finding.severity}: {finding.detail}", file=sys.stderr)
    print(added.info.id)


def read_files(path: Path) -> Mapping[str, bytes]:
    """Return the files of a folder, or one file, of a GGUF file only its begin. Raises `OSError`."""
    if path.is_dir():
        return {f"{path.resolve().name}/{name}": data for name, data in Folder(path).items()}
    with path.open("rb") as file:
        head = file.read(4)
        return {path.name: head + (file.read(MAX_READ) if head == b"GGUF" else file.read())}


def _fetch(settings: Settings, name: str, *, accepted: bool) -> AddedTokenizer:
    """Fetch a vocabulary once its licence is accepted. Raises `UnknownTokenizer`, `NotAllowed`, `Unavailable`."""
    if name.startswith(HUB):
        hub_parts(name)
    elif get_catalogue(settings).get(name) is None:
        raise UnknownTokenizer(
            f"There is no file {name[:200]}, and nothing of this name to fetch: {_list_known(settings)}."
        )
    elif not accepted:
        _ask(settings, name)
    with TemporaryDirectory(prefix="tokenarium-fetch-") as folder, _download_progress() as show:
        return fetch(settings, name, Path(folder), show)


def _ask(settings: Settings, name: str) -> None:
    """Show the licence of a vocabulary, and ask. Raises `NotAllowed` unless the answer is yes."""
    wanted = get_catalogue(settings).find(name)
    print(f"{wanted.title} is licensed under the {wanted.licence}: {wanted.link}", file=sys.stderr)
    if not sys.stdin.isatty():
        raise NotAllowed("Read the licence, then accept it with --yes.")
    print("Do you accept it? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise NotAllowed("The licence was not accepted; nothing was fetched.")


def _list_known(settings: Settings) -> str:
    return ", ".join([*get_catalogue(settings).vocabularies, "hf:org/name"])


@contextmanager
def _download_progress() -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Show the progress of a download on a terminal, by the events of `fetch`."""
    with tqdm(disable=None, leave=False, file=sys.__stderr__, unit="B", unit_scale=True) as bar:

        def show(event: Mapping[str, Any]) -> None:
            if event["kind"] == "downloading":
                bar.total = event["of"]
                bar.update(event["read"] - bar.n)
            else:
                bar.set_description(event["what"])

        yield show
