"""compare: texts through several tokenizers."""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from app.commands import cutting, inputs
from app.settings import Settings

if TYPE_CHECKING:
    from app.lab.metrics import Measures

DEFAULT = ("o200k_base", "cl100k_base", "mistral-v3", "bert-base-uncased")
HEADER = ("tokens", "difference", "bytes/token", "tokens/word", "tokenizer")
PARTS = ("agreement", "places", "ids")


def options(parser: argparse.ArgumentParser) -> None:
    inputs.options(parser)
    each = f"an id of list, or the name of a model; one to eight times; else {', '.join(DEFAULT)}"
    parser.add_argument("-t", "--tokenizer", metavar="ID", action="append", help=each)
    parser.add_argument("--baseline", metavar="ID", help="what the others are measured against; else the first")
    parser.add_argument("--spaces", action="store_true", help="white space at the edges of tokens counts, with --json")
    parser.add_argument("--include", action="append", choices=PARTS, help="with --json: a part; may be repeated")
    cutting.special(parser)


@dataclass(slots=True)
class Sums:
    """What one tokenizer made of one input, or of its lines."""

    texts: int = 0
    tokens: int = 0
    bytes: int = 0
    words: int = 0

    def add(self, measures: "Measures") -> None:
        self.texts += 1
        self.tokens += measures.tokens
        self.bytes += measures.bytes
        self.words += measures.words


def run(args: argparse.Namespace) -> None:
    """Print a row a tokenizer, the fewest tokens first; of --lines, their sums."""
    from app.commands.output import write_json, write_problem
    from app.lab.compare.comparison import Cut, compare
    from app.lab.models import resolved
    from app.registry import Registry
    from app.web.api.compare import answer

    registry, read = Registry(Settings.from_env()), inputs.Inputs(args, silent=not args.json)
    ids = [resolved(registry, name) for name in args.tokenizer or DEFAULT]
    baseline = resolved(registry, args.baseline or ids[0])
    how = {"limit": sys.maxsize, "baseline": baseline, "special": args.special, "spaces": args.spaces}
    sums: list[dict[str, Sums]] = [{id: Sums() for id in ids} for _ in read.names]
    for one in read:
        with read.trying(one, partial(write_problem, read) if args.json else None):
            found = compare(registry, one.text, ids, **how)
            if args.json:
                write_json(read, one, answer(found, args.include or ["agreement"]))
            for column in found.columns:
                if isinstance(column, Cut):
                    sums[one.index][column.id].add(column.measures)
                else:
                    read.fail(one, f"{column.id}: {column.error.detail}")
    if not args.json:
        _write(read, sums, baseline)
    read.finish()


def _write(read: inputs.Inputs, sums: list[dict[str, Sums]], baseline: str) -> None:
    """Print a table an input."""
    from app.commands.output import write_columns, write_heading

    for index, by_id in enumerate(sums):
        if any(one.texts for one in by_id.values()):
            write_heading(read, index)
            write_columns([HEADER, *_rows(by_id, baseline)])


def _rows(sums: Mapping[str, Sums], baseline: str) -> list[tuple[object, ...]]:
    """A row a tokenizer that failed on none of the texts."""
    texts = max(one.texts for one in sums.values())
    done = {id: one for id, one in sums.items() if one.texts == texts}
    base = done.get(baseline, Sums()).tokens
    return [
        (one.tokens, _share(one.tokens - base, base), _ratio(one.bytes, one.tokens), _ratio(one.tokens, one.words), id)
        for id, one in sorted(done.items(), key=lambda item: item[1].tokens)
    ]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:+.1%}" if whole else ""


def _ratio(value: int, by: int) -> str:
    return f"{value / by:.2f}" if by else ""
