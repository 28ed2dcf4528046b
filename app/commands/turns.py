"""turns: compare the turns of conversations, so that a trainer or a cache sees which ids are lost, and why."""

import argparse
from pathlib import Path
from typing import Any

from ..errors import TokenariumError
from ..lab.prices import add_dollars, format_dollars
from ..lab.request.values import parse_json
from ..lab.turns.prefixes import RELATIONS, PrefixCheck
from ..lab.turns.report import TurnsOptions, TurnsReport, examine_turns
from ..lab.turns.table import examine_templates, save_table
from ..lab.turns.trajectory import read_trajectories
from ..registry import get_registry
from ..serialize.terminal import printable
from ..serialize.turns import serialize_turns
from ..settings import Settings
from .inputs import CommandInput, CommandInputs, add_inputs
from .option_arguments import add_options, options_from
from .output import write_columns, write_heading, write_json


def options(parser: argparse.ArgumentParser) -> None:
    add_inputs(
        parser,
        what="conversation",
        files="messages, a log of requests, or rows of TRL, verl or ShareGPT, one on each line; -, or none, is stdin",
    )
    add_options(parser, TurnsOptions)
    parser.add_argument("--template", type=Path, metavar="FILE", help="a chat template in place of the model's own")
    parser.add_argument(
        "--chat-template-kwargs", type=_object, default={}, metavar="JSON", help="further variables of the template"
    )
    parser.add_argument("--check", action="store_true", help="print a line for each prefix that is broken; exit with 1")
    parser.add_argument("--record", action="store_true", help="compute the table of all templates of /turns/templates")
    parser.add_argument("--json", action="store_true", help="print what the API answers; of several files, one a line")


def run(args: argparse.Namespace) -> None:
    """Print the turns of each conversation, or with `--check` only what is broken."""
    if args.record:
        settings = Settings.from_env()
        save_table(settings.store, [*examine_templates(get_registry(settings))])
        return
    read = CommandInputs(args, silent=not args.json, texts=False)
    template = args.template.read_text() if args.template else None
    chosen = options_from(args, TurnsOptions, chat_template=template, chat_template_kwargs=args.chat_template_kwargs)
    broken = False
    for one in read:
        with read.catch_errors(one):
            reports = _examine(read, one, chosen)
            broken = broken or any(report.broken for report in reports)
            if args.json:
                write_json(read, one, {"conversations": [serialize_turns(report) for report in reports]})
            elif args.check:
                _write_findings(one, reports)
            else:
                write_heading(read, one.index)
                _write_reports(reports)
    read.finish()
    if args.check and broken:
        raise SystemExit(1)


def _examine(read: CommandInputs, one: CommandInput, chosen: TurnsOptions) -> list[TurnsReport]:
    """Return the reports of a file. What cannot be read or rendered is said, and the others follow."""
    registry = get_registry(Settings.from_env())
    log = read_trajectories(one.text)
    for line in log.broken:
        read.fail(one, f"line {line.number}: {line.reason}")
    reports = []
    for trajectory in log.trajectories:
        try:
            reports.append(examine_turns(registry, trajectory, chosen, limit=2**40))
        except TokenariumError as error:
            read.fail(one, f"line {trajectory.line}: {error.detail}")
    return reports


def _write_findings(one: CommandInput, reports: list[TurnsReport]) -> None:
    """Print a line for each prefix that is broken, as compilers do."""
    for report in reports:
        for lane in report.lanes:
            for check in lane.checks:
                if check.lost:
                    print(printable(f"{one}:{lane.turn.line}: turn {lane.index + 1}: {_describe(check)}"))
        if report.broken and report.mends:
            print(printable(f"{one}:{report.trajectory.line}: {report.mends[0].proof}"))


def _describe(check: PrefixCheck) -> str:
    place = check.difference.token if check.difference else 0
    lost = f"{RELATIONS[check.relation]}: {check.lost:,} of {check.size:,} ids lost from token {place:,} on."
    return f"{lost} {check.cause.detail if check.cause else ''}"


def _write_reports(reports: list[TurnsReport]) -> None:
    """Print the turns of each conversation in columns, and what is broken below them."""
    for index, report in enumerate(reports):
        title = f"{report.model}, {report.trajectory.source}, line {report.trajectory.line}: {report.verdict}"
        if index:
            print()
        print(printable(title))
        rows: list[list[object]] = [["turn", "ids", "as before", "with answer", "lost of prompt", "lost of turn"]]
        for lane in report.lanes:
            whole = "" if lane.whole is None else f"{len(lane.whole):,}"
            lost = [f"{check.lost:,}" if check else "" for check in (lane.check("prompt"), lane.check("turn"))]
            rows.append([lane.index + 1, f"{len(lane.prompt):,}", f"{lane.shared:,}", whole, *lost])
        write_columns(rows)
        for lane in report.lanes:
            for check in lane.checks:
                if check.lost:
                    print(printable(f"Turn {lane.index + 1}: {_describe(check)}"))
        full, cached = (_sum_dollars(report, part) for part in (0, 1))
        offer = f" at {report.target.money.offer}" if report.target.money.offer else ""
        print(f"The prompts as input{offer}: {full} without a cache, {cached} with what it can serve.")
        for sentence in (*(mend.proof for mend in report.mends), *report.notes):
            print(printable(sentence))


def _sum_dollars(report: TurnsReport, part: int) -> str:
    dollars = add_dollars([report.compute_dollars(lane)[part] for lane in report.lanes])
    return "unknown cost" if dollars is None else format_dollars(dollars)


def _object(text: str) -> dict[str, Any]:
    """Return a JSON object. Raises `ArgumentTypeError`, of which argparse says the option."""
    try:
        value = parse_json(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError('must be a JSON object, such as {"enable_thinking": false}')
    return value
