"""vocabulary: print what a vocabulary is made of, and for which of its tokens no text was found."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from tqdm import tqdm

from ..errors import Invalid, NoSpace
from ..lab.models import resolve_here
from ..lab.vocabulary.analysing import AnalysisProgress, analyse
from ..lab.vocabulary.analysis import Analysis, hash_record, load_analysis, load_figures, save_analysis, write_recorded
from ..lab.vocabulary.columns import load_columns
from ..lab.vocabulary.search import Query, search
from ..registry import Registry, get_registry
from ..serialize.vocabulary import vocabulary_csv
from ..settings import Settings
from .output import write, write_value


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", metavar="ID", help="an id of list, or the name of a model")
    parser.add_argument("--json", action="store_true", help="all figures as JSON")
    parser.add_argument("--csv", action="store_true", help="every token as CSV, with its class if it has been analysed")
    parser.add_argument("--record", action="store_true", help="record those of all bundled tokenizers in the store")


def run(args: argparse.Namespace) -> None:
    """Print the figures, which are kept for the next time."""
    if not (args.id or args.record):
        raise Invalid("Name a tokenizer or a model.")
    settings = Settings.from_env()
    registry = get_registry(settings)
    if args.record:
        record(settings, registry)
        return
    id = resolve_here(registry, args.id)
    if args.csv:
        _write_csv(settings, registry, id)
        return
    figures = load_figures(settings, registry.record(id))
    if figures is None:
        figures = _analyse(settings, registry, id).figures
    if args.json:
        write_value(figures)
        return
    for line in format_report(figures):
        print(line)


def _write_csv(settings: Settings, registry: Registry, id: str) -> None:
    """Write every token of a vocabulary as CSV."""
    columns = load_columns(registry.get(id))
    analysis = load_analysis(settings, registry, id)
    for part in vocabulary_csv(columns, search(columns, Query()), analysis.classes if analysis else None):
        write(part.encode())


def record(settings: Settings, registry: Registry) -> None:
    """Analyse every bundled tokenizer whose vocabulary does not grow, and write the figures into the store."""
    ids = [info.id for info in registry.infos() if info.origin == "bundled" and not info.grows]
    figures = {hash_record(registry.record(id)): _analyse(settings, registry, id).figures for id in ids}
    write_recorded(settings.store, figures)
    print(f"The figures of {len(figures)} vocabularies are recorded.")


def _analyse(settings: Settings, registry: Registry, id: str) -> Analysis:
    """Analyse a vocabulary, with a bar of progress on a terminal, and keep the result where that is possible."""
    record = registry.record(id)
    with tqdm(
        disable=None, leave=False, file=sys.__stderr__, total=100, bar_format="{desc} {bar} {percentage:3.0f}%"
    ) as bar:
        for step in analyse(record, registry.get(id)):
            if isinstance(step, AnalysisProgress):
                bar.set_description(step.doing)
                bar.update(100 * step.share - bar.n)
    assert not isinstance(step, AnalysisProgress)
    with suppress(NoSpace, OSError):
        save_analysis(settings, record, step)
    return step


def format_report(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the report."""
    first, last, unused = (figures["ids"][name] for name in ("first", "last", "unused"))
    yield f"{figures['id']}: {figures['tokens']:,} tokens, ids {first} to {last}, {unused:,} of them unused"
    yield ""
    yield "Classes (Land and Bartolo 2024)"
    yield from (f"{count:>9,}  {name}" for name, count in figures["classes"].items())
    yield from _causes(figures["causes"])
    yield ""
    yield "Scripts"
    for one in figures["scripts"]:
        longest = ", ".join(_quote(token["token"]) for token in one["longest"][:1])
        yield f"{one['tokens']:>9,}  {one['script']}; longest {longest}"
    yield ""
    yield "Numbers that are single tokens"
    for row in figures["numbers"]:
        spaced = f"; {row['spaced']:,} with a space in front"
        yield f"{row['single']:>9,}  of {row['of']} with {row['digits']} digits{spaced}"
    yield ""
    yield "White space"
    for row in figures["white_space"]:
        missing = f"; without {_join_items(row['missing'])}" if row["missing"] else ""
        yield f"{row['tokens']:>9,}  runs of {row['run']}, the longest {row['longest']}{missing}"
    yield ""
    words = figures["variants"]["words"]
    counts = _join_items(figures["variants"]["by_count"])
    yield f"{words:>9,}  words, by their number of variants (case, space in front) from 1 to 6: {counts}"
    yield from _oddities(figures)


def _oddities(figures: Mapping[str, Any]) -> Iterator[str]:
    undecodable = figures["undecodable"]
    yield (
        f"{undecodable['count']:>9,}  not UTF-8 by themselves: {undecodable['single_bytes']:,} single bytes, "
        f"{undecodable['longer']:,} longer"
    )
    for name, text in (("orphans", "orphans"), ("duplicates", "pairs of duplicates"), ("reserved", "reserved names")):
        some = ", ".join(_quote(one["token"]) for one in figures[name]["examples"][:5])
        yield f"{figures[name]['count']:>9,}  {text}{': ' if some else ''}{some}"
    if tokens := figures["glitch"]["tokens"]:
        yield f"{len(tokens):>9,}  glitch tokens that {figures['glitch']['source']} lists"


def _causes(causes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for one in causes:
        tried = f" No text found among {one['tried']:,} tries." if one["tried"] else ""
        found = ", reachable" if one["found"] else ""
        yield f"{one['count']:>9,}  {one['class']}{found}: {one['detail']}{tried}"


def _join_items(items: Sequence[object]) -> str:
    return ", ".join(map(str, items))


def _quote(token: str) -> str:
    """Return a token in quotes, with escapes for what a terminal would not show.

    >>> _quote(" the"), _quote("a\\n")
    ("' the'", "'a\\\\n'")
    """
    return repr(token if len(token) <= 40 else f"{token[:37]}…")
