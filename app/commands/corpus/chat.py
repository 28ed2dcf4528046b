"""corpus chat: what a training set of conversations has in tokens, by role and turn, and how it fills a context."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...corpus.chat.conversations import KEYS, set_format
from ...corpus.chat.counting import TEMPLATE, ChatCounts, ChatPlan, count_conversations, make_chat_plan
from ...corpus.chat.packing import PackingPlan
from ...corpus.chat.report import ChatReport
from ...corpus.plan import Plan
from ...corpus.sources import Unread
from ...errors import Invalid, plural
from ..output import write_columns, write_value
from ..tokenizer_options import add_tokenizers
from . import arguments
from .count import make_title, write_html

DEFAULT_TOKENIZER = "qwen3"
"""The tokenizer where none is named: one with a chat template."""
QUANTILES = (0.5, 0.95, 0.99)
REFUSED = 10
"""Reasons, and places, that are printed; JSON has more."""


def options(parser: argparse.ArgumentParser) -> None:
    paths = "JSON Lines, JSON, CSV or Parquet: a file, a folder, a pattern with *, an address, or -"
    parser.add_argument("paths", nargs="+", metavar="DATA", help=paths)
    add_tokenizers(parser, (DEFAULT_TOKENIZER,), one="conversations go through one template")
    parser.add_argument("--context", default="8192", metavar="N,…", help="tokens of a training sequence; 8192")
    add_chat_options(parser)
    parser.add_argument("--report", type=Path, metavar="FILE", help="write everything as one HTML file")
    formats = ("jsonl", "json", "csv", "parquet")
    help = f"{', '.join(formats)}; by default by the ending"
    parser.add_argument("--input-format", dest="format", choices=formats, metavar="FORMAT", help=help)
    parser.set_defaults(column="", invalid="refuse")
    arguments.add_running(parser, reference=False)


def add_chat_options(parser: argparse.ArgumentParser) -> None:
    """Add how rows become conversations."""
    parser.add_argument("--template", type=Path, metavar="FILE", help="a chat template in place of the model’s own")
    columns = f"what columns are called that should be {', '.join(KEYS)}, as in prompt=question,completion=answer"
    parser.add_argument("--columns", default="", metavar="NAME=COLUMN,…", help=columns)


def make_chat_plan_of(args: argparse.Namespace, plan: Plan, contexts: list[int]) -> ChatPlan:
    """Return how conversations are counted, of the arguments. Raises `Invalid`, `OSError`."""
    template = args.template.read_text() if args.template else None
    (model,) = getattr(args, "named", None) or [""]
    return make_chat_plan(plan, contexts, template=template, columns=parse_columns(args.columns), model=model)


def run(args: argparse.Namespace) -> None:
    """Count, print tables or JSON, and exit with 1 if a file could not be read or nothing in it is a conversation."""
    plan = arguments.make_plan(args)
    chat = make_chat_plan_of(args, plan, parse_contexts(args.context))
    found = [set_format(source) for source in arguments.find_sources(args)]
    unread = Unread()
    todo = arguments.list_parts(found, unread)
    with arguments.executor(args, plan, len(todo)) as (pool, workers), arguments.progress(todo) as moved:
        results = arguments.get_results(args)
        counts = count_conversations(chat, todo, pool, results=results, progress=moved, workers=workers)
    counts.unread += unread
    report = ChatReport(chat, counts, found, f"Conversations in {make_title(args)}")
    if args.report:
        write_html(args.report, "chat", counts.unread, report=report)
    if args.json:
        write_value(make_answer(report))
    else:
        _print(report)
    arguments.report_unread(counts.unread, plan.invalid)
    if not counts.conversations:
        raise SystemExit(1)


def parse_contexts(text: str) -> list[int]:
    """Return numbers of tokens with commas between them. Raises `Invalid`.

    >>> parse_contexts("4096, 8192")
    [4096, 8192]
    """
    try:
        return [int(one) for one in text.split(",")]
    except ValueError:
        raise Invalid(f"--context is one or more numbers of tokens, such as 4096,8192, not {text[:40]!r}.") from None


def parse_columns(text: str) -> dict[str, str]:
    """Return the names of columns by what they should be called. Raises `Invalid`.

    >>> parse_columns("prompt=question,completion=answer")
    {'prompt': 'question', 'completion': 'answer'}
    """
    pairs = [one.partition("=") for one in text.split(",") if one]
    for name, _, column in pairs:
        if name not in KEYS or not column:
            raise Invalid(f"--columns has NAME=COLUMN, and NAME is one of {', '.join(KEYS)}, not {name[:40]!r}.")
    return {name: column for name, _, column in pairs}


def make_answer(report: ChatReport) -> dict[str, Any]:
    """Return the counts as plain data."""
    counts = report.counts
    return {
        "tokenizer": report.plan.tokenizer,
        "rows": counts.formats.total() + counts.refused.total(),
        "formats": dict(counts.formats),
        "conversations": counts.conversations,
        "tokens": counts.tokens,
        "longest": max(counts.lengths, default=0),
        "quantiles": {str(share): counts.quantile(share) for share in QUANTILES},
        "roles": {role: {"messages": counts.messages[role], "tokens": counts.roles[role]} for role in report.roles},
        "turns": [
            {"conversations": number, "tokens": counts.turns[turn]} for turn, number in sorted(counts.reached.items())
        ],
        "loss": {"tokens": counts.loss, "conversations": counts.conversations, "bases": dict(counts.bases)},
        "findings": {
            code: {"conversations": number, "first": counts.examples[code]} for code, _, number in report.findings
        },
        "contexts": [
            asdict(one)
            | {"padded_waste": one.padded_waste, "packed_waste": one.packed_waste}
            | {"lost_loss": counts.cut_loss[one.context]}
            for one in report.packings
        ],
        "duplicates": {"share": counts.duplicates.share, "exact": counts.duplicates.exact},
        "refused": {"rows": counts.refused.total(), "reasons": dict(counts.refused), "places": counts.places},
        **arguments.unread_fields(counts.unread),
    }


def _print(report: ChatReport) -> None:
    counts = report.counts
    formats = ", ".join(f"{plural(number, 'row')} of {name}" for name, number in counts.formats.items())
    total = plural(counts.conversations, "conversation")
    print(f"{total}, {plural(counts.tokens, 'token')} of {report.plan.tokenizer} ({formats or 'no rows'})")
    if not counts.conversations:
        return _print_refused(counts)
    shares = ", ".join(f"{share:.0%} have at most {counts.quantile(share):,}" for share in QUANTILES)
    print(f"tokens of a conversation: {shares}; the longest has {max(counts.lengths):,}")
    share = counts.loss / counts.tokens if counts.tokens else 0.0
    print(f"tokens with loss: {counts.loss:,} ({share:.1%}), {report.basis}")
    about = "" if counts.duplicates.exact else "about "
    print(f"duplicates: {about}{counts.duplicates.share:.2%} of the conversations repeat one before them")
    rows = [
        [role, f"{counts.messages[role]:,}" if role != TEMPLATE else "", f"{counts.roles[role]:,}"]
        for role in report.roles
    ]
    print()
    write_columns([["role", "messages", "tokens"], *rows])
    print()
    turns = [[turn + 1, f"{number:,}", f"{counts.turns[turn]:,}"] for turn, number in sorted(counts.reached.items())]
    write_columns([["turn", "conversations", "tokens"], *turns])
    print()
    heads = ["context", "truncated", "lost tokens", "padded", "packed", "padding if padded", "padding if packed"]
    write_columns([heads, *map(_packing_row, report.packings)])
    for code, name, number in report.findings:
        print(f"\n{plural(number, 'conversation')}: {name}\n  {counts.examples[code]}")
    return _print_refused(counts)


def _packing_row(one: PackingPlan) -> list[Any]:
    truncated = f"{one.truncated:,} ({one.truncated / one.conversations:.2%})"
    sequences = [f"{one.conversations:,}", f"{one.sequences:,}"]
    waste = [f"{one.padded_waste:.1%}", f"{one.packed_waste:.1%}"]
    return [f"{one.context:,}", truncated, f"{one.lost:,}", *sequences, *waste]


def _print_refused(counts: ChatCounts) -> None:
    if not counts.refused:
        return
    print(f"\nrefused: {plural(counts.refused.total(), 'row')}")
    for reason, number in counts.refused.most_common(REFUSED):
        print(f"  {number:,}: {reason}")
    for place in counts.places[:REFUSED]:
        print(f"  {place.partition(': ')[0]}")
