"""What the commands on corpora share: their files, their tokenizers, processes, progress, and what was not read."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tqdm import tqdm

from ...corpus.executors import Processes
from ...corpus.plan import Plan, with_fast_engines
from ...corpus.results import ResultCache, find_cache
from ...corpus.ship import cache, collect_files, hash_files
from ...corpus.sources import (
    FORMATS,
    POLICIES,
    STDIN,
    CorpusSource,
    SourcePart,
    Unread,
    describe_guess,
    describe_marks,
    parts,
    sources,
)
from ...errors import Invalid, TokenariumError, join_names, naming_extra
from ...registry import get_registry
from ...settings import Settings
from ..option_arguments import at_least_one
from ..tokenizer_options import resolve_tokenizers


def add_sources(parser: argparse.ArgumentParser, *, format: bool = True, nargs: str = "+") -> None:
    """Add the files and how their documents are read; `format`: `--format` is accepted for it, too."""
    paths = "a file, a folder, a pattern with *, an address, or -"
    formats = f"{join_names(FORMATS)}; by default by the ending. lines leaves out line ends; text is a file as a whole"
    of_format: dict[str, Any] = {"dest": "format", "choices": FORMATS}
    parser.add_argument("paths", nargs=nargs, metavar="PATH", help=paths)
    parser.add_argument("--input-format", **of_format, metavar="FORMAT", help=formats)
    if format:  # a former name of it
        parser.add_argument("--format", **of_format, help=argparse.SUPPRESS)
    parser.add_argument(
        "--column", default="text", help="the column with the text, also inside another: doc.text, messages[].content"
    )
    parser.add_argument("--invalid", choices=POLICIES, default="refuse", help="documents that are not UTF-8")


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Add by what documents are grouped, and the files that say all of the groups."""
    parser.add_argument("--by", default="", metavar="GROUP", help="file, script, or column:NAME")
    parser.add_argument("--report", metavar="FILE", help="write everything as one HTML file that needs no network")
    parser.add_argument("--csv", metavar="FILE", help="write the counts of groups and of everything as CSV")


def add_running(parser: argparse.ArgumentParser, *, reference: bool = True) -> None:
    """Add where and how the work is done, and how its result is printed; `reference` where it tokenizes."""
    parser.add_argument("--workers", type=at_least_one, metavar="N", help="processes; by default one a core")
    parser.add_argument("--on", metavar="ADDRESS", help="a Dask scheduler, as tcp://host:8786; by default this machine")
    parser.add_argument("--again", action="store_true", help="do anew what was done before")
    parser.add_argument("--no-cache", action="store_true", help="keep no results to go on with, and use none")
    if reference:
        parser.add_argument("--reference", action="store_true", help="use no faster engine than the reference library")
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")


def find_sources(args: argparse.Namespace) -> "list[CorpusSource]":
    """Return the files of the arguments. Raises `Invalid`."""
    if getattr(args, "on", None) and STDIN in args.paths:
        raise Invalid("A cluster cannot read the standard input of this machine; write it to an address first.")
    return [*sources(args.paths, format=args.format)]


def make_plan(args: argparse.Namespace) -> "Plan":
    """Return how the corpus is read and tokenized, and by what it is grouped."""
    settings = Settings.from_env()
    registry = get_registry(settings)
    chosen = tuple(resolve_tokenizers(registry, args) if "tokenizers" in args else ())
    by = getattr(args, "by", "")
    kind, _, group = by.partition(":")
    if kind not in ("", "file", "script", "column") or (kind == "column") != bool(group):
        raise Invalid(f"--by is file, script or column:NAME, not {by[:60]!r}.")
    sent = hash_files(collect_files(registry, settings, chosen)) if getattr(args, "on", None) else None
    return Plan(
        settings=settings,
        tokenizers=chosen,
        column=args.column,
        by=kind,  # type: ignore[arg-type]
        group=group,
        invalid=args.invalid,
        sent=sent,
        special=getattr(args, "special", "text"),
    )


def with_faster(args: argparse.Namespace, plan: "Plan", found: "list[CorpusSource]") -> "tuple[Plan, list[str]]":
    """Return the plan with the faster engines that have proven equal, and notes: on other engines and on files."""
    chosen, notes = (plan, []) if args.reference else with_fast_engines(plan, found, cache() / "engines")
    return chosen, [*describe_formats(args, found), *notes]


def describe_formats(args: argparse.Namespace, found: "list[CorpusSource]") -> list[str]:
    """Return notes on how documents are read: on parsed tokens, on guessed formats, on byte order marks."""
    parsed = ["Special tokens in documents are parsed."] if getattr(args, "special", "text") == "parse" else []
    return [*parsed, *([] if getattr(args, "format", None) else describe_guess(found)), *describe_marks(found)]


def list_parts(found: "list[CorpusSource]", unread: "Unread") -> "list[SourcePart]":
    """Return the parts of all files; a file that cannot be read is noted as failed."""
    todo: list[SourcePart] = []
    for source in found:
        try:
            todo += parts(source)
        except TokenariumError as error:
            unread.failed.append(error.detail)
    return todo


def get_results(args: argparse.Namespace) -> ResultCache | None:
    """Return where the results of parts are kept, unless they are to be done again."""
    return None if args.again or args.no_cache else find_cache()


@contextmanager
def executor(args: argparse.Namespace, plan: "Plan", parts: int) -> Iterator[tuple[Executor, int]]:
    """Processes or a cluster, and the number of workers.

    They are given up at once when the user interrupts: what is done is kept. Raises `Invalid`, `Unavailable`.
    """
    if getattr(args, "on", None):
        with _cluster(args.on, plan) as connected:
            yield connected
        return
    workers = max(1, min(args.workers or plan.settings.workers, parts))
    pool = Processes(workers)
    try:
        pool.submit(int).result()  # starts the processes, before a progress bar starts a thread
        yield pool, workers
    except BaseException:
        pool.give_up()
        raise
    pool.shutdown()


def _cluster(address: str, plan: "Plan") -> "AbstractContextManager[tuple[Executor, int]]":
    with naming_extra(Invalid):
        from ...corpus.cluster import connect_cluster
    return connect_cluster(address, collect_files(get_registry(plan.settings), plan.settings, plan.tokenizers))


@contextmanager
def progress(todo: Sequence[Any]) -> Iterator[Callable[[Any], None]]:
    """A bar on a terminal, which is moved by the bytes of a part, and shows each second that time passes."""
    size = sum(part.bytes for part in todo)
    with tqdm(total=size, unit="B", unit_scale=True, disable=not sys.stderr.isatty(), file=sys.__stderr__) as bar:
        yield _ProgressBar(bar)


class _ProgressBar:
    """A bar; `tick` draws it again, with the time that has passed."""

    def __init__(self, bar: Any) -> None:
        self.bar = bar

    def __call__(self, part: Any) -> None:
        self.bar.update(part.bytes)

    def tick(self) -> None:
        self.bar.refresh()


def unread_fields(unread: "Unread") -> dict[str, Any]:
    """Return what was not read, as the commands print it in JSON."""
    return {
        "unread": unread.documents,
        "replaced": unread.replaced,
        "problems": [*unread.failed, *unread.problems],
    }


def report_unread(unread: "Unread", policy: str) -> None:
    """Say on standard error what was not read, and exit with 1 if something that had to be read was not."""
    for problem in [*unread.failed, *unread.problems]:
        print(f"tokenarium: not read: {problem}", file=sys.stderr)
    if unread.documents > len(unread.problems):
        more = unread.documents - len(unread.problems)
        print(f"tokenarium: not read: {more:,} more documents", file=sys.stderr)
    if any(problem.endswith("is not UTF-8") for problem in unread.problems):
        print("tokenarium: convert it, as with iconv -f ENCODING -t UTF-8, or give --invalid replace", file=sys.stderr)
    if unread.failed or (unread.documents and policy == "refuse"):
        raise SystemExit(1)
