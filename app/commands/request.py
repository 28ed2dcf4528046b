"""request: count the parts of requests to models, each a file or a line of a log."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from ..corpus.folder.budgets import parse_count
from ..errors import plural
from ..lab.costs import Span
from ..lab.prices import format_dollars
from ..lab.request.bill import check_bill, tell
from ..lab.request.log import RequestLog, read_requests
from ..lab.request.log_report import ExaminedRequest, LogReport, examine_calls, examine_log
from ..lab.request.parts import KINDS, RequestCount
from ..lab.request.tools import ToolServer, find_tool_excesses, find_unknown_names, group_tools
from ..registry import Registry, get_registry
from ..serialize.request import serialize_examined
from ..serialize.terminal import printable
from ..settings import Settings
from .inputs import CommandInputs, add_inputs, print_error
from .output import write_columns, write_heading, write_json

MAX_SAVINGS = 10
"""Ways to save tokens that are printed."""


def options(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser, what="request", files="a JSON body, or a log with one on each line; -, or none, is stdin")
    parser.add_argument("-m", "--model", default="", help="a model in place of the one that the request names")
    parser.add_argument(
        "--ratio", nargs=2, type=float, metavar=("LOW", "HIGH"), help="Claude tokens per GPT-4o token, as measured"
    )
    parser.add_argument(
        "--max-tools",
        action="append",
        default=[],
        metavar="[NAME=]TOKENS",
        help="list the tools by server, and exit with 1 if all of them have more tokens, such as 5k; with a name, if "
        "that tool or the tools mcp__NAME__… have more; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print what the API answers; of several files, one a line")


def run(args: argparse.Namespace) -> None:
    """Print the parts of a request, or a row for each request of a log."""
    read = CommandInputs(args, silent=not args.json, texts=False)
    limits = dict(map(_read_limit, args.max_tools))
    tools: list[tuple[str, list[ToolServer]]] = []
    registry = get_registry(Settings.from_env())
    for one in read:
        with read.catch_errors(one):
            log = read_requests(one.text)
            for broken in log.broken:
                print_error(f"{one}, line {broken.number}: {broken.reason}")
            if log.broken_count > len(log.broken):
                print_error(f"{one}: {plural(log.broken_count, 'line has', 'lines have')} no request.")
            found = _examine(registry, log, args)
            if args.json:
                write_json(read, one, serialize_examined(found))
            else:
                write_heading(read, one.index)
                _write_log(found) if isinstance(found, LogReport) else _write_request(found)
            tools += _group_tools(str(one), found) if limits else ()
            if log.broken_count:
                read.failed[one.index] = log.broken_count
    excesses = _check_tools(tools, limits, silent=args.json)
    for excess in excesses:
        print_error(excess)
    read.finish()
    if excesses:
        raise SystemExit(1)


def _read_limit(text: str) -> tuple[str, int]:
    """Return a limit of tokens and the tool or server that it is for. Raises `Invalid`."""
    name, _, tokens = text.rpartition("=")
    return name, parse_count(tokens)


def _group_tools(name: str, found: ExaminedRequest | LogReport) -> list[tuple[str, list[ToolServer]]]:
    """Return the place of each request with its tools."""
    if isinstance(found, ExaminedRequest):
        return [(name, group_tools(found.count))]
    return [(f"{name}, line {row.line}", group_tools(row.count)) for row in found.rows if row.count]


def _check_tools(
    tools: Sequence[tuple[str, list[ToolServer]]], limits: Mapping[str, int], *, silent: bool
) -> list[str]:
    """Print the tools of each request, and return what is wrong with the limits, or exceeds one."""
    wrong = [*find_unknown_names((servers for _, servers in tools), limits)] if tools else []
    for where, servers in tools:
        if not silent:
            _write_tools(where, servers)
        wrong += [f"{where}: {excess}" for excess in find_tool_excesses(servers, limits)]
    return wrong


def _write_tools(where: str, servers: Sequence[ToolServer]) -> None:
    """Print the tools of a request by server."""
    rows: list[list[object]] = [["tokens", f"tools of {where}"]]
    for server in servers:
        rows.append([tell(server.tokens), f"{server.name or 'no server'}, {plural(len(server.tools), 'tool')}"])
        rows += [[tell(tool.tokens) if tool.tokens else "?", f"  {tool.name}"] for tool in server.tools]
    write_columns(rows)


def _examine(registry: Registry, log: RequestLog, args: argparse.Namespace) -> ExaminedRequest | LogReport:
    ratio = (min(args.ratio), max(args.ratio)) if args.ratio else None
    options: dict[str, Any] = {"model": args.model, "ratio": ratio, "limit": 2**40}
    if len(log.calls) == 1:
        return examine_calls(registry, log.calls, **options, most=1)
    return examine_log(registry, log, **options, most=len(log.calls))  # which knows the numbers of its lines


def _write_request(examined: ExaminedRequest) -> None:
    _write_parts(examined.count)
    for one in examined.savings[:MAX_SAVINGS]:
        print(printable(f"Saves {plural(one.saved, 'token')}: {one.title}, {one.part}. {one.proof}"))


def _write_parts(count: RequestCount) -> None:
    rows: list[list[object]] = [["tokens", "kind", "part"]]
    rows += [[tell(one.tokens) if one.tokens else "?", KINDS[one.kind], one.name] for one in count.parts]
    write_columns([*rows, [_total(count), "", f"{count.model.name or count.model.tokenizer}, {count.basis}"]])
    if count.dollars:
        least = "" if count.complete else "at least "
        print(f"Cost as input without a cache: {least}{_dollars(count.dollars)}, {count.model.money.source}.")
    for sentence in count.sentences:
        print(printable(sentence))
    if bill := check_bill(count):
        print(f"Billed: {plural(bill.billed.input, 'token')}; unexplained: {tell(bill.unexplained)}.")
        print(*map(printable, bill.causes), sep="\n")


def _write_log(report: LogReport) -> None:
    """Print a row for each request, and the sums by day and model."""
    rows: list[list[object]] = [
        ["line", "tokens", "billed", "unexplained", "same start", "model", "what differs first"]
    ]
    for row in report.rows:
        if row.count is None:
            print_error(f"line {row.line}: {row.error}")
            continue
        bill = check_bill(row.count)
        billed = [f"{bill.billed.input:,}", tell(bill.unexplained)] if bill else ["", ""]
        same = (
            [f"{'' if row.cache.rendered else '≤ '}{row.cache.common:,}", row.count.model.name, row.cache.cause]
            if row.cache
            else ["", row.count.model.name, ""]
        )
        rows.append([row.line, _total(row.count), *billed, *same])
    write_columns(rows)
    sums: list[list[object]] = [["requests", "tokens", "billed", "from cache", "cost", "day", "model"]]
    for one in report.groups:
        stated = ("unknown" if tokens is None else f"{tokens:,}" for tokens in (one.billed, one.cached))
        numbers = [f"{one.requests:,}", tell(one.tokens), *stated]
        sums.append([*numbers, format_dollars(one.dollars), one.day, one.model])
    print()
    write_columns(sums)
    for fit in report.fits:
        about = f"{fit.model}, {fit.content}: {fit.ratio:.3f} tokens for one of {fit.tokenizer}"
        print(printable(f"{about}, --ratio {fit.low:.3f} {fit.high:.3f}, from {fit.requests:,} bills of this log."))


def _total(count: RequestCount) -> str:
    return tell(count.tokens) if count.complete else f"at least {tell(count.tokens)}"


def _dollars(span: Span) -> str:
    low, high = format_dollars(span.low), format_dollars(span.high)
    return low if low == high else f"{low} to {high}"
