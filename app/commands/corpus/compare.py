"""corpus compare: what several vocabularies make of a corpus, by group, and where they differ most."""

import argparse
from dataclasses import replace
from typing import Any

from ...corpus.comparing import costs, rows
from ...corpus.counting import CorpusCounts, totals
from ...corpus.counts import DocumentCounts
from ...corpus.plan import Plan
from ...corpus.report import CorpusReport
from ...errors import Invalid
from ..compare import COMPARED_TOKENIZERS
from ..output import print_notes, write_columns, write_value
from ..tokenizer_options import add_special, add_tokenizers
from . import arguments, count

EXAMPLES = 3
"""Documents of each kind that are printed."""
BEGINNING = 70
"""Characters of a document that are printed."""


def options(parser: argparse.ArgumentParser) -> None:
    arguments.add_sources(parser)
    add_tokenizers(parser, COMPARED_TOKENIZERS)
    add_special(parser)
    arguments.add_groups(parser)
    arguments.add_running(parser)


def run(args: argparse.Namespace) -> None:
    """Count, and print how the vocabularies compare, the groups first in which they differ most."""
    plan = replace(arguments.make_plan(args), details=True)
    if len(plan.tokenizers) < 2:
        raise Invalid("Name two tokenizers or more, as in -t o200k_base,qwen3 or -t o200k_base -t qwen3.")
    found = arguments.find_sources(args)
    counts, notes = count.count_corpus(args, plan, found)
    notes += counts.notes
    if args.report or args.csv:
        names = ", ".join(plan.tokenizers)
        count.write_report(args, CorpusReport(plan, counts, found, f"{names} on {count.make_title(args)}", notes))
    if args.json:
        answer = {**_answer(plan, counts), **arguments.unread_fields(counts.unread), "notes": notes}
        write_value(answer)
    else:
        _print(plan, counts)
        print_notes(notes)
    arguments.report_unread(counts.unread, plan.invalid)


def _answer(plan: "Plan", counts: "CorpusCounts") -> dict[str, Any]:
    groups: dict[str, dict[str, Any]] = {}
    for group, id, tally, ratio in rows(counts, plan.tokenizers[0]):
        groups.setdefault(group.name, {})[id] = _figures(tally) | {"ratio": ratio}
    examples = {
        id: {kind: [one._asdict() for one in kinds[kind].documents] for kind in ("more", "fewer") if kind in kinds}
        for id, kinds in counts.outliers.items()
    }
    cost = [
        {"model": one.model, "tokenizer": one.tokenizer, "dollars": one.total, "price": one.price, "date": one.date}
        for one in costs(totals(counts))
    ]
    total = groups.pop("", {})
    return {"base": plan.tokenizers[0], "total": total, "groups": groups, "examples": examples, "cost": cost}


def _figures(tally: "DocumentCounts") -> dict[str, Any]:
    names = ("documents", "bytes", "characters", "words", "tokens")
    ratios = ("tokens_per_word", "bytes_per_token", "tokens_per_character")
    return {name: getattr(tally, name) for name in (*names, *ratios)}


def _print(plan: "Plan", counts: "CorpusCounts") -> None:
    base = plan.tokenizers[0]
    heads = ["tokens", "tokens/word", "bytes/token", f"to {base}", "tokenizer", plan.group or plan.by or "corpus"]
    table: list[list[Any]] = [heads]
    for group, id, tally, ratio in rows(counts, base):
        ratios = f"{tally.tokens_per_word:.2f}", f"{tally.bytes_per_token:.2f}", f"{ratio:.2f}"
        table.append([tally.tokens, *ratios, id, group.name or "total"])
    write_columns(table)
    for id in plan.tokenizers[1:]:
        for kind in ("more", "fewer"):
            extremes = counts.outliers.get(id, {}).get(kind)
            for one in extremes.documents[:EXAMPLES] if extremes else ():
                ratio = one.score if kind == "more" else 1 / one.score
                text = " ".join(one.text.split())[:BEGINNING]
                print(f"{id}: {ratio:.2f} × the tokens of {base} ({one.tokens:,}): {text}")
    for cost in costs(totals(counts)):
        print(f"{cost.model}: ${cost.total:,.2f} at ${cost.price} a million tokens ({cost.date})")
