"""train: train a tokenizer on files, and write it in a format that other tools read."""

import argparse
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ..atomic_files import replace_file
from ..errors import Invalid, from_disk, join_names
from ..lab.train.corpora import load_built_in
from ..lab.train.events import Event
from ..lab.train.exports import Exports
from ..lab.train.options import TrainingOptions
from ..lab.train.progress import measures
from ..lab.train.saving import save_trained
from ..lab.train.training import TrainingResult, load_baseline, train
from ..settings import Settings
from .inputs import CommandInputs, add_inputs
from .option_arguments import add_options, options_from
from .output import write_made

FORMATS = {".json": "tokenizer.json", ".model": "sentencepiece.model", ".tiktoken": "ranks.tiktoken"}


def options(parser: argparse.ArgumentParser) -> None:
    add_corpora(parser)
    parser.add_argument("-o", "--out", type=Path, help="the file to write: .json, .model, .tiktoken")
    parser.add_argument("--format", help="tokenizer.json, sentencepiece.model, ranks.tiktoken or minbpe.model")
    parser.add_argument("--keep", metavar="NAME", help="keep the tokenizer in the store under this name")
    parser.add_argument("--json", action="store_true", help="print what was made as one JSON object")
    add_options(parser, TrainingOptions)


def run(args: argparse.Namespace) -> None:
    """Train, with a progress bar on a terminal; print the metrics on standard error."""
    settings = Settings.from_env()
    chosen = options_from(args, TrainingOptions)
    format = get_format(args)
    if not args.out and not args.keep:
        raise Invalid("Give --out to write a file, or --keep to keep the tokenizer in the store.")
    names, texts = read_corpora(args, settings)
    with TrainingProgressBar() as bar:
        for event in train(texts, chosen, corpus_name=names, baseline=load_baseline(settings, chosen.baseline)):
            if isinstance(event, TrainingResult):
                trained = event
            else:
                bar.show(event)
    if args.out:
        write_export(trained.exports, args.out, format)
    kept = save_trained(args.keep, settings, trained) if args.keep else None
    if args.json:
        files = [args.out] if args.out else []
        figures = {"size": trained.summary["size"], "measured": trained.summary["measured"]}
        write_made(files, tokenizer=kept, notes=trained.summary["notes"], **figures)
        return
    _print_metrics(trained, args.out)
    if kept:
        print(f"kept as {kept}", file=sys.stderr)


def get_format(args: argparse.Namespace) -> str:
    """The format given by --format, or by the suffix of the file."""
    format = args.format or (FORMATS.get(args.out.suffix, "") if args.out else "")
    if args.out and not format:
        raise Invalid(f"{args.out.suffix or 'No suffix'} names no format; give --format, or {join_names(FORMATS)}.")
    return format


def add_corpora(parser: argparse.ArgumentParser) -> None:
    """Add the texts of a training."""
    add_inputs(parser, what="text to learn from", files="text files; - is standard input")
    parser.add_argument(
        "--corpora", nargs="*", default=[], metavar="NAME", help="built-in corpora: udhr:eng, moby-dick, source"
    )


def read_corpora(args: argparse.Namespace, settings: Settings) -> tuple[str, list[str]]:
    """Return the names and the texts of `add_corpora`. Raises `SystemExit` once it is said which cannot be read."""
    corpora: list[tuple[str, str]] = []
    if args.files or args.text:
        read = CommandInputs(args, texts=False)
        for one in read:
            with read.catch_errors(one):
                corpora.append((Path(one.name).name, one.text.removeprefix("\ufeff")))
        read.finish()
    corpora += (load_built_in(settings.store, name) for name in args.corpora)
    return ", ".join(name for name, _ in corpora), [text for _, text in corpora]


def write_export(exports: "Exports", out: Path, format: str) -> None:
    """Write a file, whole or not at all."""
    if format not in exports.files:
        detail = f"A format must be one of {join_names(exports.files)}."
        raise Invalid(exports.refusals.get(format, detail), pointer="/format")
    try:
        with replace_file(out) as file:
            file.write(exports.files[format])
    except OSError as error:
        raise from_disk(error, f"{out} cannot be written") from None


def _print_metrics(trained: "TrainingResult", out: Path | None) -> None:
    for note in trained.summary["notes"]:
        print(note, file=sys.stderr)
    for label, value in measures(trained.summary["measured"]):
        print(f"{label:24} {value}", file=sys.stderr)
    if out:
        print(f"{trained.summary['size']:,} tokens written to {out}", file=sys.stderr)


class TrainingProgressBar:
    """The progress of a training, on a terminal."""

    def __init__(self) -> None:
        self._make: Any = lambda **options: tqdm(disable=None, leave=False, file=sys.__stderr__, **options)
        self._kind, self._bar = "", self._make()

    def show(self, event: "Event") -> None:
        """Update the bar by an event."""
        if event["kind"] == "counting":
            self._update("counting", event["of"], event["read"], unit="B", unit_scale=True)
        elif event["kind"] == "learning":
            self._update("learning", event["of"], event["pieces"], unit=" tokens")
        elif event["kind"] == "doing":
            self._bar.set_description(event["what"])

    def _update(self, kind: str, total: int, position: int, **options: Any) -> None:
        if kind != self._kind:
            self._bar.close()
            self._kind, self._bar = kind, self._make(total=total, desc=kind, **options)
        self._bar.update(position - self._bar.n)

    def __enter__(self) -> "TrainingProgressBar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()
