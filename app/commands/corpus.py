"""corpus: count the tokens of any amount of text, in files and folders of several formats, on all cores."""

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Invalid

if TYPE_CHECKING:
    from ..corpus.counting import Counts, Plan
    from ..corpus.estimating import Estimate
    from ..corpus.sources import Source
    from ..corpus.tally import Tally


def options(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("count", help="count documents and tokens", description="Count documents and tokens.")
    one.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or a pattern with *")
    one.add_argument("-t", "--tokenizer", required=True, metavar="IDS", help="tokenizers or models, with commas")
    one.add_argument("--format", help="lines, paragraphs, text, jsonl, csv or parquet; by default by the ending")
    one.add_argument("--column", default="text", help="the column with the text (jsonl, csv, parquet)")
    one.add_argument("--by", default="", metavar="GROUP", help="file, script, or column:NAME")
    one.add_argument("--invalid", default="refuse", help="documents that are not UTF-8: refuse, skip or replace")
    one.add_argument(
        "--estimate", metavar="PERCENT", help="sample until the tokens are known this exactly, as in 0.5%%"
    )
    one.add_argument("--seed", type=int, default=0, help="of the sample")
    one.add_argument("--workers", type=int, default=None, help="processes; by default one a core")
    one.add_argument("--again", action="store_true", help="count anew what was counted before")
    one.add_argument("--reference", action="store_true", help="use no faster engine than the reference library")
    one.add_argument("--json", action="store_true", help="print everything as one JSON object")


def run(args: argparse.Namespace) -> None:
    """Count, print a table or JSON, and exit with 1 if anything could not be read."""
    from ..corpus.sources import FORMATS, sources
    from ..serialize.json import dumps

    plan = _plan(args)
    found = [*sources(args.paths, format=_one_of("--format", args.format, FORMATS) if args.format else None)]
    if args.estimate:
        estimates, counts, notes = _estimated(args, plan, found)
        answer = {"estimates": [_estimate(one) for one in estimates], **_failures(counts), "notes": notes}
    else:
        estimates = []
        counts, notes = _counted(args, plan, found)
        answer = {**_tables(counts), **_failures(counts), "notes": [*notes, *counts.notes]}
    if args.json:
        print(dumps({"files": len(found), "bytes": sum(source.bytes for source in found), **answer}).decode())
    else:
        _print(plan, found, counts, estimates)
        for note in answer["notes"]:
            print(f"Note: {note}", file=sys.stderr)
    for problem in [*counts.failed, *counts.problems]:
        print(f"tokenarium: not read: {problem}", file=sys.stderr)
    if counts.unread > len(counts.problems):
        print(f"tokenarium: not read: {counts.unread - len(counts.problems):,} more documents", file=sys.stderr)
    if counts.failed or (counts.unread and plan.invalid == "refuse"):
        raise SystemExit(1)


def _plan(args: argparse.Namespace) -> "Plan":
    from ..corpus.counting import Plan
    from ..corpus.sources import POLICIES
    from ..lab.models import resolve_model
    from ..registry import Registry
    from ..settings import Settings

    settings = Settings.from_env()
    registry = Registry(settings)
    ids = [resolve_model(registry, name.strip()) for name in args.tokenizer.split(",") if name.strip()]
    by, _, group = args.by.partition(":")
    if by not in ("", "file", "script", "column") or (by == "column") != bool(group):
        raise Invalid(f"--by is file, script or column:NAME, not {args.by[:60]!r}.")
    invalid = _one_of("--invalid", args.invalid, POLICIES)
    return Plan(settings, tuple(dict.fromkeys(ids)), args.column, by, group, invalid)


def _one_of(option: str, value: str, valid: tuple[Any, ...]) -> Any:
    if value not in valid:
        raise Invalid(f"{option} is one of {', '.join(valid)}, not {value[:60]!r}.")
    return value


def _counted(args: argparse.Namespace, plan: "Plan", found: "list[Source]") -> "tuple[Counts, list[str]]":
    """Count every part in processes."""
    from ..corpus.counting import Counts, count, with_fast_engines
    from ..corpus.sources import Part, parts
    from ..errors import TokenariumError

    notes: list[str] = []
    if not args.reference:
        plan, notes = with_fast_engines(plan, found, _cache() / "engines")
    todo, failed = list[Part](), Counts()
    for source in found:
        try:
            todo += parts(source)
        except TokenariumError as error:
            failed.failed.append(error.detail)
    results = None if args.again else _cache() / "counts"
    workers = args.workers or plan.settings.workers or 1
    with _progress(sum(part.bytes for part in todo)) as moved, _pool(min(workers, len(todo))) as pool:
        counts = count(plan, todo, pool, results=results, progress=lambda part: moved(part.bytes), workers=workers)
    counts += failed
    return counts, notes


def _cache() -> Path:
    """Return the folder of results and of vocabularies for faster engines."""
    from platformdirs import user_cache_path

    return user_cache_path("tokenarium", appauthor=False) / "corpus"


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """A pool that is given up at once when the user interrupts: what it has counted is kept."""
    pool = ProcessPoolExecutor(max(1, workers), mp_context=get_context("spawn"))
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


@contextmanager
def _progress(size: int) -> Iterator[Any]:
    """A bar on a terminal, which is moved by bytes."""
    from tqdm import tqdm

    with tqdm(total=size, unit="B", unit_scale=True, disable=not sys.stderr.isatty(), file=sys.stderr) as bar:
        yield bar.update


def _estimated(
    args: argparse.Namespace, plan: "Plan", found: "list[Source]"
) -> "tuple[list[Estimate], Counts, list[str]]":
    from ..corpus.counting import with_fast_engines
    from ..corpus.estimating import estimate

    if whole := [source.path for source in found if not source.splittable]:
        raise Invalid(f"A sample is drawn from uncompressed lines and JSON Lines; {whole[0]} is read as a whole.")
    try:
        within = float(args.estimate.removesuffix("%")) / 100
    except ValueError:
        within = 0.0
    if not 0 < within < 1:
        raise Invalid(f"--estimate is a percentage such as 0.5%, not {args.estimate[:40]!r}.")
    notes: list[str] = []
    if not args.reference:
        plan, notes = with_fast_engines(plan, found, _cache() / "engines")
    estimates, counts = estimate(plan, found, within=within, seed=args.seed)
    return estimates, counts, notes


def _tables(counts: "Counts") -> dict[str, Any]:
    from ..corpus.counting import TOTAL, totals

    groups = {
        group: {id: _figures(tally) for id, tally in tallies.items()}
        for group, tallies in sorted(counts.groups.items())
        if group != TOTAL
    }
    return {"total": {id: _figures(tally) for id, tally in totals(counts).items()}, "groups": groups}


def _figures(tally: "Tally") -> dict[str, Any]:
    from ..corpus.tally import QUANTILES

    names = ("documents", "characters", "bytes", "tokens", "unknown", "fallback", "longest")
    return {
        **{name: getattr(tally, name) for name in names},
        "bytes_per_token": tally.bytes_per_token,
        "quantiles": {str(share): tally.quantile(share) for share in QUANTILES},
        "histogram": [*tally.histogram()],
    }


def _estimate(one: "Estimate") -> dict[str, Any]:
    names = ("tokenizer", "tokens", "margin", "blocks", "sampled", "bytes")
    return {**{name: getattr(one, name) for name in names}, "confidence": 0.95}


def _failures(counts: "Counts") -> dict[str, Any]:
    return {"unread": counts.unread, "replaced": counts.replaced, "problems": [*counts.failed, *counts.problems]}


def _print(plan: "Plan", found: "list[Source]", counts: "Counts", estimates: "list[Estimate]") -> None:
    from ..corpus.counting import TOTAL, totals
    from .output import write_columns

    for one in estimates:
        share = one.sampled / one.bytes if one.bytes else 0.0
        print(
            f"{one.tokenizer}: {one.tokens:,.0f} ± {one.margin:,.0f} tokens ({one.relative:.2%}) in 95 of 100 samples; "
            f"{one.sampled:,} of {one.bytes:,} bytes were read ({share:.1%})."
        )
    if estimates:
        return
    heads = ["documents", "tokens", "characters", "bytes", "bytes/token", "median", "p95", "longest", "tokenizer"]
    grouped = [(group, tallies) for group, tallies in sorted(counts.groups.items()) if group != TOTAL]
    rows = [[*_row(tally), id, group] for group, tallies in grouped for id, tally in tallies.items()]
    every = [[*_row(tally), id, *(["total"] if grouped else [])] for id, tally in totals(counts).items()]
    write_columns([[*heads, *([plan.group or plan.by] if grouped else [])], *rows, *every])


def _row(tally: "Tally") -> list[Any]:
    return [
        *(tally.documents, tally.tokens, tally.characters, tally.bytes, f"{tally.bytes_per_token:.2f}"),
        *(tally.quantile(0.5), tally.quantile(0.95), tally.longest),
    ]
