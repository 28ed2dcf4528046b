"""corpus train: count the words of a corpus in parts, and learn BPE or WordPiece from the counts."""

import argparse
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...corpus.external_sort import WordCounts, read_counts, save_counts
from ...corpus.results import find_training_cache
from ...corpus.sources import Unread
from ...corpus.training import CountSummary, Split, count_words, differences
from ...errors import Invalid, plural
from ...lab.train.exports import export
from ...lab.train.learning import learn
from ...lab.train.options import TrainingOptions
from ...lab.train.training import remarks
from ...types import TrainedVocab
from ..option_arguments import add_options, options_from
from ..output import print_notes, write_value
from ..train import FORMATS, TrainingProgressBar, write_export
from . import arguments

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}
WITHOUT = ("engine", "byte_fallback", "as_sentencepiece", "held_out", "baseline")
"""Options of a training that reads its texts more than once."""


def options(parser: argparse.ArgumentParser) -> None:
    arguments.add_sources(parser, nargs="*")
    parser.add_argument("-o", "--out", type=Path, help="the file to write: .json or .tiktoken")
    parser.add_argument("--max-memory", default="1GB", metavar="SIZE", help="of the counts; more is on disk, as 500MB")
    parser.add_argument("--keep-counts", metavar="FILE", help="write the counted words, for trainings of another size")
    parser.add_argument("--counts", metavar="FILE", help="learn from counts that were kept, in place of PATH")
    add_options(parser, TrainingOptions, without=WITHOUT)
    arguments.add_running(parser, reference=False)


def run(args: argparse.Namespace) -> None:
    """Count and learn, say what was read and learned, and exit with 1 if anything could not be read."""
    chosen = options_from(args, TrainingOptions)
    split = Split.of(chosen, args.column, arguments.make_plan(args).invalid)
    format = _check_options(args)
    limit = parse_size(args.max_memory)
    with TemporaryDirectory(prefix="tokenarium-") as folder:
        counts: Mapping[str, int]
        if args.counts:
            counts, about = read_counts(args.counts)
            if different := [*differences(split, about)]:
                raise Invalid(f"The words of {args.counts} were split otherwise: {'; '.join(different)}.")
            counted = CountSummary(about["documents"], about["bytes"])
        else:
            sum = WordCounts(Path(folder), limit)
            counted = _count_words(args, split, sum)
            counts = sum.total()
        if not counts:
            raise Invalid("The corpus has no words in it; at least one is needed.", pointer="/paths")
        if args.keep_counts:
            about = {"documents": counted.documents, "bytes": counted.bytes, **split.words()}
            save_counts(args.keep_counts, counts, about)
        answer: dict[str, Any] = {"documents": counted.documents, "bytes": counted.bytes, "words": len(counts)}
        notes = _learn(args, counts, chosen, format, answer) if args.out else []
    if args.json:
        answer |= arguments.unread_fields(counted.unread)
        write_value({**answer, "notes": notes})
    else:
        _print(args, answer, notes)
    arguments.report_unread(counted.unread, args.invalid)


def parse_size(text: str) -> int:
    """Return a number of bytes.

    >>> parse_size("500MB"), parse_size("1.5 GiB"), parse_size("4096")
    (500000000, 1610612736, 4096)

    Raises `Invalid`.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?i?)b?", text.strip().lower())
    if not match or match[2] not in UNITS or not float(match[1]):
        raise Invalid(f"--max-memory is a size such as 500MB or 2GB, not {text[:40]!r}.")
    return int(float(match[1]) * UNITS[match[2]])


def _check_options(args: argparse.Namespace) -> str:
    """Return the format of the file to write. Raises `Invalid` for options that do not go together."""
    if bool(args.paths) == bool(args.counts):
        raise Invalid("Give what to train on: files, or --counts with counts that were kept.")
    if not args.out and not args.keep_counts:
        raise Invalid("Give -o to write a tokenizer, or --keep-counts to keep the counted words.")
    if args.out and args.out.suffix not in FORMATS:
        raise Invalid(f"-o is a file that ends with {', '.join(FORMATS)}, not {args.out.suffix or args.out.name!r}.")
    return FORMATS[args.out.suffix] if args.out else ""


def _count_words(args: argparse.Namespace, split: "Split", sum: "WordCounts") -> "CountSummary":
    """Count every part; what an interrupted run has counted is kept until it is done."""
    plan = arguments.make_plan(args)
    unread = Unread()
    todo = arguments.list_parts(arguments.find_sources(args), unread)
    results = find_training_cache(hashlib.sha256(repr((split, todo)).encode()).hexdigest()[:32])
    if args.again:
        results.clear()
    saved = None if args.no_cache else results
    with arguments.executor(args, plan, len(todo)) as (pool, workers), arguments.progress(todo) as moved:
        counted = count_words(split, todo, pool, sum, saved=saved, workers=workers, progress=moved)
    results.clear()
    counted.unread += unread
    return counted


def _learn(
    args: argparse.Namespace,
    counts: "Mapping[str, int]",
    options: "TrainingOptions",
    format: str,
    answer: dict[str, Any],
) -> list[str]:
    """Learn from counts and write the file. Return remarks on what was learned."""
    learned: TrainedVocab | None = None
    with TrainingProgressBar() as bar:
        for event in learn(counts, [], options):
            if isinstance(event, TrainedVocab):
                learned = event
            else:
                bar.show(event)
    assert learned is not None
    write_export(export(learned), args.out, format)
    answer |= {"size": len(learned.pieces), "merges": len(learned.merges), "out": str(args.out)}
    return [*remarks(learned, options)]


def _print(args: argparse.Namespace, answer: dict[str, Any], notes: list[str]) -> None:
    print(
        f"{plural(answer['documents'], 'document')}, "
        f"{plural(answer['bytes'], 'byte')}, "
        f"{plural(answer['words'], 'different word')}"
    )
    if args.keep_counts:
        print(f"counts kept in {args.keep_counts}")
    if args.out:
        print(f"{answer['size']:,} tokens written to {args.out}")
    print_notes(notes)
