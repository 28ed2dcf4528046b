"""corpus plan: how many cores and hours a number of tokens would take, and the bytes of its shards."""

import argparse
import os
from pathlib import Path
from pydoc_data.topics import topics
from statistics import harmonic_mean
from tempfile import TemporaryDirectory
from time import process_time

from ...corpus.counting import count_part, totals
from ...corpus.plan import Plan
from ...corpus.planning import HOURS, Forecast, Speed, number
from ...corpus.sources import SourcePart, source
from ...errors import Invalid
from ...lab.languages.declarations import declaration, declarations
from ...registry import get_registry
from ...settings import Settings
from ...types import Tokenizer
from ..output import write_value
from ..tokenizer_options import add_tokenizers, resolve_tokenizers
from . import arguments

MEASURED = 1 << 25
"""Bytes of text that are tokenized to measure the speed of this machine."""
SAMPLE = "English, half prose and half documentation of Python; --bytes-per-token for another text"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tokens", required=True, metavar="NUMBER", help="such as 15T, 2.5B, 300M")
    add_tokenizers(parser, one="a plan is for one vocabulary")
    parser.add_argument("--rate", type=float, metavar="MB", help="MB a second and core, instead of measuring here")
    density = "as `corpus count` gives it, instead of that of English"
    parser.add_argument("--bytes-per-token", type=float, metavar="NUMBER", help=density)
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
    density = args.bytes_per_token or _measure_density(registry.get(id), declaration(settings.store, "eng").text)
    rate, source = (args.rate * 1e6, "given") if args.rate else _measure_speed(args, id)
    speed = Speed(rate, density, source, "given" if args.bytes_per_token else SAMPLE)
    forecast = Forecast(tokens, speed, 2 if (registry.info(id).vocab_size or 1 << 32) <= 1 << 16 else 4)
    if args.json:
        times = {str(hours): forecast.cores(hours) for hours in HOURS}
        answer = {
            "tokenizer": id,
            "tokens": tokens,
            "bytes_per_token": speed.bytes_per_token,
            "bytes_per_second": speed.bytes_per_second,
            "source": speed.source,
            "sample": speed.sample,
            "text_bytes": forecast.text_bytes,
            "core_hours": forecast.core_hours,
            "cores_by_hours": times,
            "shard_bytes": forecast.shard_bytes,
        }
        write_value(answer)
    else:
        print(f"{id}:", *forecast.lines(), sep="\n  ")


def _measure_density(tokenizer: Tokenizer, prose: str) -> float:
    """Return the bytes of a token in English: prose, and as many bytes of documentation with examples of code."""
    densities = (len(text.encode()) / len(tokenizer.encode(text)) for text in (prose, "\n".join(topics.values())))
    return harmonic_mean(densities)


def _measure_speed(args: argparse.Namespace, id: str) -> tuple[float, str]:
    """Count the declaration in all languages, and the standard library, by one process.

    Return the bytes that it counts in a second, and how they were measured.
    """
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
    return tally.bytes / seconds, f"measured here, {engine}"
