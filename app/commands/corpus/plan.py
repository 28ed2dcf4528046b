"""corpus plan: how many cores and hours a number of tokens would take, and the bytes of its shards."""

import argparse
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from ...corpus.counting import count_part, totals
from ...corpus.plan import Plan
from ...corpus.planning import HOURS, Forecast, Speed, number
from ...corpus.sources import SourcePart, source
from ...errors import Invalid
from ...lab.languages.declarations import declarations
from ...registry import get_registry
from ...settings import Settings
from ..output import write_value
from ..tokenizer_options import add_tokenizers, resolve_tokenizers
from . import arguments

MEASURED = 1 << 25
"""Bytes of text that are tokenized to measure the speed of this machine."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tokens", required=True, metavar="NUMBER", help="such as 15T, 2.5B, 300M")
    add_tokenizers(parser, one="a plan is for one vocabulary")
    parser.add_argument("--rate", type=float, metavar="MB", help="MB a second and core, instead of measuring here")
    parser.add_argument("--bytes-per-token", type=float, metavar="NUMBER", help="as `corpus count` gives it")
    parser.add_argument("--reference", action="store_true", help="measure the reference library")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> None:
    """Measure unless a rate is given, and print the arithmetic."""
    settings = Settings.from_env()
    tokens = number(args.tokens)
    registry = get_registry(settings)
    (id,) = resolve_tokenizers(registry, args)
    for name in ("rate", "bytes_per_token"):
        if (value := getattr(args, name)) is not None and not value > 0:
            raise Invalid(f"--{name.replace('_', '-')} is a positive number, not {value}.")
    if args.rate and args.bytes_per_token:
        speed = Speed(args.rate * 1e6, args.bytes_per_token, "given")
    else:
        measured = _measure_speed(args, id)
        rate = args.rate * 1e6 if args.rate else measured.bytes_per_second
        source = "given" if args.rate else measured.source
        sample = "given" if args.bytes_per_token else "of Python sources and 532 languages"
        speed = Speed(rate, args.bytes_per_token or measured.bytes_per_token, source, sample)
    forecast = Forecast(tokens, speed, 2 if (registry.info(id).vocab_size or 1 << 32) <= 1 << 16 else 4)
    if args.json:
        times = {str(hours): forecast.cores(hours) for hours in HOURS}
        answer = {
            "tokenizer": id,
            "tokens": tokens,
            "bytes_per_token": speed.bytes_per_token,
            "bytes_per_second": speed.bytes_per_second,
            "source": speed.source,
            "text_bytes": forecast.text_bytes,
            "core_hours": forecast.core_hours,
            "cores_by_hours": times,
            "shard_bytes": forecast.shard_bytes,
        }
        write_value(answer)
    else:
        print(f"{id}:", *forecast.lines(), sep="\n  ")


def _measure_speed(args: argparse.Namespace, id: str) -> "Speed":
    """Count the declaration in all languages, and the standard library, by one process."""
    settings = Settings.from_env()
    sources = [path.read_bytes() for path in sorted(Path(os.__file__).parent.glob("*.py"))]
    text = b"\n".join([*sources, *(one.text.encode() for one in declarations(settings.store).values())])
    with TemporaryDirectory(prefix="tokenarium-") as folder:
        path = Path(folder) / "text"
        size = MEASURED if not args.reference else MEASURED >> 3
        path.write_bytes((text * (size // len(text) + 1))[:size].rpartition(b"\n")[0])
        found = source(str(path))
        plan, _ = arguments.with_faster(args, Plan(settings, (id,), invalid="skip"), [found])
        half = found.bytes // 2
        count_part(plan, SourcePart(found, 0, half))  # loads the vocabulary, and fills the caches
        start = process_time()
        tally = totals(count_part(plan, SourcePart(found, half, found.bytes)))[id]
        seconds = process_time() - start
    engine = "faster engine" if plan.fast else "reference library"
    return Speed(tally.bytes / seconds, tally.bytes_per_token, f"measured here, {engine}")
