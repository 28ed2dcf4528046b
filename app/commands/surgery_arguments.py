"""What the commands prune, extend and convert share: the tokenizer, the corpus, the folder for files, the report."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ..atomic_files import write_folder
from ..errors import BadFile, Invalid
from ..files.records import record_from_files
from ..lab.models import resolve_here
from ..lab.option_schema import get_option_fields
from ..lab.surgery.jobs import check_tokenizer, free_name
from ..lab.surgery.operation import SurgeryResult, operate
from ..lab.surgery.options import SurgeryOptions, check_options
from ..lab.surgery.versions import lines, save_tokenizer
from ..lab.tokenizers.adding import unpack_files
from ..registry import get_registry
from ..settings import Settings
from ..store import Record
from .add import read_files
from .option_arguments import add_options, options_from
from .output import write_made
from .train import add_corpora, read_corpora


def add_tokenizer(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names a tokenizer."""
    parser.add_argument("tokenizer", nargs="?", help="an id of list, the name of a model, a file, a folder or a zip")


def get_record(settings: Settings, name: str | None) -> Record:
    """Return the record of a tokenizer of this server, or of files. Raises `UnknownTokenizer`, `BadFile`, `OSError`."""
    if not name:
        raise Invalid("Name a tokenizer: an id of `tokenarium list`, the name of a model, or its files.")
    path = Path(name)
    if path.exists():
        return record_from_files(path.stem.lower(), unpack_files(read_files(path)), title=path.stem)
    registry = get_registry(settings)
    return registry.record(resolve_here(registry, name))


def add_arguments(parser: argparse.ArgumentParser, operation: str) -> None:
    """Add the arguments of an operation: the corpus, where the result goes, and the options it uses."""
    add_tokenizer(parser)
    add_corpora(parser)
    parser.add_argument("-o", "--out", type=Path, metavar="FOLDER", help="a new folder for the files")
    parser.add_argument("--keep", metavar="NAME", default="", help="keep the tokenizer in the store under this name")
    parser.add_argument("--json", action="store_true", help="print what was made as one JSON object")
    chosen = SurgeryOptions(operation=operation)
    unused = [
        one.name for one in get_option_fields(SurgeryOptions).values() if not one.is_used(chosen, only=("operation",))
    ]
    add_options(parser, SurgeryOptions, without=("operation", *unused))


def operate_on(args: argparse.Namespace, operation: str) -> None:
    """Run an operation, with a progress bar on a terminal; print what changed. An interrupt exits with 130."""
    settings = Settings.from_env()
    chosen = check_options(options_from(args, SurgeryOptions, operation=operation))
    if not args.out and not args.keep:
        raise Invalid("Give --out to write the files to a folder, or --keep to keep the tokenizer in the store.")
    if args.out and args.out.exists():
        raise Invalid(f"{args.out} exists; --out names a new folder.")
    record = get_record(settings, args.tokenizer)
    check_tokenizer(record.info, chosen)
    name = free_name(get_registry(settings), args.keep) if args.keep else ""
    counts = _read_profile(args.profile, record) if getattr(args, "profile", None) else None
    names, texts = read_corpora(args, settings)
    with _surgery_progress() as show:
        operated = operate(record, texts, chosen, corpus_name=names, counts=counts, report=show)
    kept = save_tokenizer(settings, record, operated, name) if name else None
    if args.out:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        write_folder(args.out, operated.files)
    if args.json:
        files = [args.out / name for name in operated.files] if args.out else []
        write_made(files, tokenizer=kept, notes=operated.report["notes"], report=operated.report)
    else:
        _print(operated, args.out, kept)


def _read_profile(path: Path, record: Record) -> dict[int, int]:
    """Return the occurrences by id of `corpus profile --out`. Raises `BadFile`, `Invalid` for another tokenizer."""
    try:
        data = json.loads(path.read_bytes())
        counts = {int(id): int(times) for id, times in data["frequencies"].items()}
        sha256 = data["sha256"]
        name = str(data["tokenizer"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadFile(f"{path} is no profile; `tokenarium corpus profile --out FILE.json` writes one.") from None
    if sha256 != record.sha256():
        raise Invalid(f"The profile is of {name[:60]}, whose files are others than those of {record.info.id}.")
    return counts


def _print(operated: SurgeryResult, out: Path | None, kept: str | None) -> None:
    for label, value in lines(operated.report):
        print(f"{label:24} {value}")
    for note in operated.report["notes"]:
        print(note, file=sys.stderr)
    if out:
        print(f"{len(operated.files)} files written to {out}", file=sys.stderr)
    if kept:
        print(f"kept as {kept}", file=sys.stderr)


@contextmanager
def _surgery_progress() -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Show the progress of an operation on a terminal, by the events of `operate`."""
    with tqdm(disable=None, leave=False, file=sys.__stderr__, total=100, unit="%") as bar:

        def show(event: Mapping[str, Any]) -> None:
            if event["kind"] == "doing":
                bar.set_description(event["what"], refresh=False)
                bar.n = round(100 * (event["share"] or 0))
                bar.refresh()

        yield show
