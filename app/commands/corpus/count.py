"""corpus count: documents, characters, bytes and tokens in several tokenizers, by group, or an estimate of them."""

import argparse
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from ...corpus.counting import TOTAL, CorpusCounts, count, totals
from ...corpus.counts import QUANTILES, DocumentCounts
from ...corpus.estimating import TokenEstimate, estimate
from ...corpus.plan import Plan
from ...corpus.report import CorpusReport, score_text
from ...corpus.running import NoExecutor, NotKept
from ...corpus.sources import CorpusSource, SourcePart, Unread
from ...errors import Invalid
from ..output import print_notes, write_columns, write_value
from ..tokenizer_options import add_special, add_tokenizers
from . import arguments


def options(parser: argparse.ArgumentParser) -> None:
    arguments.add_sources(parser)
    add_tokenizers(parser)
    add_special(parser)
    arguments.add_groups(parser)
    parser.add_argument(
        "--estimate", metavar="PERCENT", help="sample until the tokens are known this exactly, as in 0.5%%"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    arguments.add_running(parser)


def run(args: argparse.Namespace) -> None:
    """Count, print a table or JSON, and exit with 1 if anything could not be read."""
    plan = arguments.make_plan(args)
    if args.estimate and (args.report or args.csv):
        raise Invalid("--report and --csv need a count of everything; leave --estimate out.")
    plan = replace(plan, details=bool(args.report))
    found = arguments.find_sources(args)
    estimates: list[TokenEstimate] = []
    if args.estimate:
        plan, notes = arguments.with_faster(args, plan, found)
        estimates, counts = _run_estimate(args, plan, found)
        answer: dict[str, Any] = {"estimates": [_estimate(one) for one in estimates]}
    else:
        counts, notes = count_corpus(args, plan, found)
        answer = _tables(counts)
    notes += counts.notes
    if args.report or args.csv:
        write_report(args, CorpusReport(plan, counts, found, f"Tokens in {make_title(args)}", notes))
    if args.json:
        answer |= {**arguments.unread_fields(counts.unread), "notes": notes}
        write_value({"files": len(found), "bytes": sum(source.bytes for source in found), **answer})
    else:
        _print(plan, counts, estimates)
        print_notes(notes)
    if not counts.groups and not estimates and not counts.unread.failed and not counts.unread.documents:
        print("Note: there are no documents.", file=sys.stderr)
    arguments.report_unread(counts.unread, plan.invalid)


def make_title(args: argparse.Namespace) -> str:
    """Return what the corpus is called in the title of a report."""
    names = [Path(path).name or path for path in args.paths]
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")


def write_report(args: argparse.Namespace, report: "CorpusReport") -> None:
    """Write the report and the CSV, where they are asked for. Raises `OSError`."""
    if args.csv:
        Path(args.csv).write_text(report.every_table.csv(), newline="")
    if args.report:
        write_html(args.report, "report", report.counts.unread, report=report, score_text=score_text)


def write_html(path: str | Path, page: str, unread: "Unread", **context: Any) -> None:
    """Write a report as one HTML file. Raises `OSError`."""
    context["problems"] = [*unread.failed, *unread.problems]
    sheets = ("tokens", "base", "components", "text", "corpus")
    standalone = import_module("...serialize.standalone", __package__)  # no other count needs Jinja
    Path(path).write_text(standalone.render_standalone(f"corpus/{page}.html", context, sheets=sheets))
    print(f"The report is in {path}.", file=sys.stderr)


def count_corpus(
    args: argparse.Namespace, plan: "Plan", found: "list[CorpusSource]"
) -> "tuple[CorpusCounts, list[str]]":
    """Count every part, and return notes on engines and files; what is known already needs no engine and no process."""
    counts = CorpusCounts()
    todo = arguments.list_parts(found, counts.unread)
    results = None if args.report else arguments.get_results(args)  # a report says which engine counted
    if results:
        with suppress(NotKept):
            counts += count(plan, todo, NoExecutor(), results=results)
            return counts, arguments.describe_formats(args, found)
    plan, notes = arguments.with_faster(args, plan, found)
    counts += _count_in_processes(args, plan, todo)
    return counts, notes


def _count_all(args: argparse.Namespace, plan: "Plan", found: "list[CorpusSource]") -> "CorpusCounts":
    counts = CorpusCounts()
    counts += _count_in_processes(args, plan, arguments.list_parts(found, counts.unread))
    return counts


def _count_in_processes(args: argparse.Namespace, plan: "Plan", todo: "list[SourcePart]") -> "CorpusCounts":
    with arguments.executor(args, plan, len(todo)) as (pool, workers), arguments.progress(todo) as moved:
        results = arguments.get_results(args)
        return count(plan, todo, pool, results=results, progress=moved, workers=workers)


def _run_estimate(
    args: argparse.Namespace, plan: "Plan", found: "list[CorpusSource]"
) -> "tuple[list[TokenEstimate], CorpusCounts]":
    try:
        within = float(args.estimate.removesuffix("%")) / 100
    except ValueError:
        within = 0.0
    if not 0 < within < 1:
        raise Invalid(f"--estimate is a percentage such as 0.5%, not {args.estimate[:40]!r}.")
    return estimate(plan, found, within=within, seed=args.seed, count_all=partial(_count_all, args, plan, found))


def _tables(counts: "CorpusCounts") -> dict[str, Any]:
    groups = {
        group: {id: _figures(tally) for id, tally in tallies.items()}
        for group, tallies in sorted(counts.groups.items())
        if group != TOTAL
    }
    return {"total": {id: _figures(tally) for id, tally in totals(counts).items()}, "groups": groups}


def _figures(tally: "DocumentCounts") -> dict[str, Any]:
    names = ("documents", "characters", "bytes", "tokens", "unknown", "fallback", "longest")
    return {
        **{name: getattr(tally, name) for name in names},
        "bytes_per_token": tally.bytes_per_token,
        "quantiles": {str(share): tally.quantile(share) for share in QUANTILES},
        "histogram": [*tally.histogram()],
    }


def _estimate(one: "TokenEstimate") -> dict[str, Any]:
    names = ("tokenizer", "tokens", "margin", "documents", "documents_margin", "windows", "sampled", "read", "bytes")
    return {**{name: getattr(one, name) for name in names}, "confidence": 0.95}


def _print(plan: "Plan", counts: "CorpusCounts", estimates: "list[TokenEstimate]") -> None:
    for one in estimates:
        print(
            f"{one.tokenizer}: {one.tokens:,.0f} ± {one.margin:,.0f} tokens ({one.relative:.2%}) in 95 of 100 samples, "
            f"{one.documents:,.0f} ± {one.documents_margin:,.0f} documents."
        )
    if estimates:
        one = estimates[0]
        share = one.read / one.bytes if one.bytes else 0.0
        print(f"{one.read:,} of {one.bytes:,} bytes were read ({share:.1%}), {one.sampled:,} of text tokenized.")
        return
    heads = ["documents", "tokens", "characters", "bytes", "bytes/token", "median", "p95", "longest", "tokenizer"]
    grouped = [(group, tallies) for group, tallies in sorted(counts.groups.items()) if group != TOTAL]
    rows = [[*_row(tally), id, group] for group, tallies in grouped for id, tally in tallies.items()]
    every = [[*_row(tally), id, *(["total"] if grouped else [])] for id, tally in totals(counts).items()]
    write_columns([[*heads, *([plan.group or plan.by] if grouped else [])], *rows, *every])


def _row(tally: "DocumentCounts") -> list[Any]:
    return [
        *(tally.documents, tally.tokens, tally.characters, tally.bytes, f"{tally.bytes_per_token:.2f}"),
        *(tally.quantile(0.5), tally.quantile(0.95), tally.longest),
    ]
