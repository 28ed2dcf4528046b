"""compare: the tokens of texts in several tokenizers."""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any, get_args

from ..lab.compare.comparison import MeasuredTokenization, compare
from ..lab.compare.options import CompareOptions, ComparisonPart
from ..lab.models import resolve_here
from ..registry import get_registry
from ..serialize.comparison import comparison_columns
from ..settings import Settings
from . import inputs, tokenizer_options
from .option_arguments import add_options, options_from
from .output import write_columns, write_heading, write_json, write_problem

COMPARED_TOKENIZERS = ("o200k_base", "cl100k_base", "mistral-v3", "bert-base-uncased")
HEADER = ("tokens", "difference", "bytes/token", "tokens/word", "tokenizer")


def options(parser: argparse.ArgumentParser) -> None:
    inputs.options(parser)
    tokenizer_options.add_tokenizers(parser, COMPARED_TOKENIZERS)
    add_options(parser, CompareOptions)
    parser.add_argument(
        "--include", action="append", choices=get_args(ComparisonPart), help="with --json: a part; may be repeated"
    )


def run(args: argparse.Namespace) -> None:
    """Print a row a tokenizer, the fewest tokens first; of --lines, their sums."""
    registry = get_registry(Settings.from_env())
    read = inputs.CommandInputs(args, silent=not args.json)
    ids = tokenizer_options.resolve_tokenizers(registry, args)
    chosen = options_from(args, CompareOptions)
    baseline = resolve_here(registry, chosen.baseline or ids[0])
    comparison_options: dict[str, Any] = chosen.model_dump() | {"limit": sys.maxsize, "baseline": baseline}
    sums: list[dict[str, Counter[str]]] = [{id: Counter() for id in ids} for _ in read.names]
    for one in read:
        with read.catch_errors(one, partial(write_problem, read) if args.json else None):
            comparison = compare(registry, one.text, ids, **comparison_options)
            if args.json:
                write_json(read, one, comparison_columns(comparison, args.include or ["agreement"]))
            for column in comparison.columns:
                if isinstance(column, MeasuredTokenization):
                    measures = column.measures
                    counted = {"texts": 1, "tokens": measures.tokens, "bytes": measures.bytes, "words": measures.words}
                    sums[one.index][column.id].update(counted)
                else:
                    read.fail(one, f"{column.id}: {column.error.detail}")
    for index, by_id in enumerate(() if args.json else sums):
        if any(one["texts"] for one in by_id.values()):
            write_heading(read, index)
            write_columns([HEADER, *_rows(by_id, baseline)])
    read.finish()


def _rows(sums: Mapping[str, Counter[str]], baseline: str) -> list[tuple[object, ...]]:
    """A row a tokenizer that failed on none of the texts."""
    texts = max(one["texts"] for one in sums.values())
    complete = {id: one for id, one in sums.items() if one["texts"] == texts}
    base = complete.get(baseline, Counter())["tokens"]
    figures = [(id, one["tokens"], one["bytes"], one["words"]) for id, one in complete.items()]
    return [
        (tokens, _share(tokens - base, base), _ratio(size, tokens), _ratio(tokens, words), id)
        for id, tokens, size, words in sorted(figures, key=lambda row: row[1])
    ]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:+.1%}" if whole else ""


def _ratio(value: int, by: int) -> str:
    return f"{value / by:.2f}" if by else ""
