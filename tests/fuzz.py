"""Read many mutants of tokenizer files in processes with limits: each is accepted or refused, and nothing else happens.

`python -m tests.fuzz --n 1000` reads 1,000 mutants of every format. An accepted file must give the same ids on all of
its engines, unless a finding says that they differ; one that the reference library refuses needs one that says so.
"""

import argparse
import os
import resource
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from traceback import format_exception
from typing import get_args

from tokenarium.errors import TokenariumError
from tokenarium.files.detection import Kind
from tokenarium.files.records import record_from_files
from tokenarium.lab.tokenizers.adding import try_engines
from tokenarium.types import Tokenizer

from tests.support.mutants import SEEDS, Files, mutant
from tests.support.strings import NASTY

KINDS: tuple[Kind, ...] = get_args(Kind)
NAMES = ("empty", "spaces", "globe", "combining", "hindi", "new lines", "controls", "bom", "specials", "ligatures")
TEXTS = (*(NASTY[name] for name in NAMES), "Hello world, hellos the lower newest 12345", NASTY["sentencepiece space"])
MEMORY = 2_000_000_000
ROUND = 5_000
"""Mutants of each format between two lines of progress."""
SECONDS = 30
"""How long a mutant may take; in the server a worker has as long."""


@dataclass
class Report:
    """What became of the mutants of a format: how many had which outcome, and what is wrong by number of the mutant."""

    kind: Kind
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: dict[int, str] = field(default_factory=dict)


def outcome(files: Files) -> str:
    """Return `accepted` or `refused`, or else a sentence about what is wrong."""
    try:
        record = record_from_files("fuzzed", files)
        loaded, warnings = try_engines(record)
    except (TokenariumError, MemoryError):
        return "refused"
    if record.info.engines[0] not in {tokenizer.engine for tokenizer in loaded} and not warnings:
        return f"{record.info.engines[0]} refuses it, and no warning says so"
    if warnings or len(loaded) < 2:
        return "accepted"
    for text in TEXTS:
        theirs, *others = [_ids(tokenizer, text) for tokenizer in loaded]
        if theirs is not None and any(ours not in (None, theirs) for ours in others):
            return f"the engines differ on {text[:20]!r}: {theirs[:8]} {others[0][:8]}"
    return "accepted"


def _ids(tokenizer: Tokenizer, text: str) -> list[int] | None:
    with suppress(TokenariumError):
        return tokenizer.encode(text).ids.tolist()
    return None


def read(sender: Connection, seeds: list[Files], kind: Kind, numbers: Sequence[int]) -> None:
    """Send (number, None) before each mutant and (number, outcome) after it; the main function of a process."""
    for limit, value in ((resource.RLIMIT_DATA, MEMORY), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(limit, (value, value))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libraries report each panic
    for number in numbers:
        sender.send((number, None))
        try:
            result = outcome(mutant(seeds, kind, number))
        except BaseException as error:  # a library's panic is no Exception
            result = " | ".join("".join(format_exception(error)[-2:]).split("\n"))[-400:]
        sender.send((number, result))


def fuzz(kind: Kind, n: int, *, start: int = 0) -> Report:
    """Read mutants in a process, and in another after one that died or hung."""
    report, seeds, numbers = Report(kind), SEEDS[kind](), range(start, start + n)
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.support.mutants", "tokenarium.lab.tokenizers.adding"])
    while numbers:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=read, args=(sender, seeds, kind, numbers), daemon=True)
        process.start()
        sender.close()
        reached = _received(receiver, report, numbers[0])
        process.kill()
        process.join()
        numbers = range(reached + 1, start + n)
    return report


def _received(receiver: Connection, report: Report, number: int) -> int:
    """Note the outcomes that a process sends; return the last mutant that it read or failed to read."""
    seconds: float = 120  # until it has started
    while receiver.poll(seconds):
        try:
            number, result = receiver.recv()
        except EOFError:  # it has read all, or died
            break
        seconds = SECONDS
        if result is None:
            report.findings[number] = "the process died"
            continue
        del report.findings[number]
        report.outcomes[result if result in ("accepted", "refused") else "finding"] += 1
        if result not in ("accepted", "refused"):
            report.findings[number] = result
    else:
        report.findings[number] = f"no answer after {SECONDS} seconds"
    return number


def rows(reports: Sequence[Report]) -> Iterator[str]:
    yield f"{'format':16}{'accepted':>10}{'refused':>10}{'findings':>10}"
    for one in reports:
        counts = (one.outcomes["accepted"], one.outcomes["refused"], len(one.findings))
        yield f"{one.kind:16}" + "".join(f"{count:10,}" for count in counts)
        yield from (f"  {one.kind} {number}: {what}" for number, what in one.findings.items())


def write(report: Report, folder: Path) -> None:
    """Write the files of each finding into a folder of its own."""
    seeds = SEEDS[report.kind]()
    for number in report.findings:
        place = folder / f"{report.kind}-{number}"
        place.mkdir(parents=True, exist_ok=True)
        for name, data in mutant(seeds, report.kind, number).items():
            (place / name).write_bytes(data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1000, help="mutants of each format")
    parser.add_argument("--start", type=int, default=0, help="the number of the first mutant")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", type=Path, help="a folder for the files of findings")
    parser.add_argument("kinds", nargs="*", default=KINDS, metavar="FORMAT")
    args = parser.parse_args()
    begun, totals = time.monotonic(), {kind: Report(kind) for kind in args.kinds}
    with ThreadPoolExecutor(args.jobs) as threads:
        for first in range(args.start, args.start + args.n, ROUND):
            count = min(ROUND, args.start + args.n - first)
            for report in threads.map(partial(fuzz, n=count, start=first), args.kinds):
                totals[report.kind].outcomes += report.outcomes
                totals[report.kind].findings |= report.findings
            read = (first + count - args.start) * len(args.kinds)
            print(f"{read:,} mutants in {time.monotonic() - begun:.0f} s", flush=True)
    print("\n".join(rows([*totals.values()])))
    for report in totals.values() if args.write else ():
        write(report, args.write)
    found = any(report.findings for report in totals.values())
    raise SystemExit(found)


if __name__ == "__main__":
    main()
