"""doctor: say what is wrong with the files of a tokenizer."""

import argparse
import sys
from pathlib import Path

from ..errors import BadFile, Invalid, plural
from ..lab.doctor.conversion import TARGETS, ConversionResult, convert_files
from ..lab.doctor.findings import Severity
from ..lab.doctor.report import DoctorReport, examine
from ..serialize.diagnosis import serialize_report
from .add import read_files
from .output import write_made, write_value

FINE = 0
FINDINGS = 1
UNREADABLE = 2


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="files of one model, a folder or a zip")
    parser.add_argument("-e", "--text", default="", help="a text of your own beside the difficult ones")
    parser.add_argument("--pattern", help="the pre-tokenization pattern of tiktoken ranks")
    parser.add_argument("--to", choices=TARGETS, help="convert the first tokenizer to a format")
    add_conversion(parser)
    parser.add_argument("--json", action="store_true", help="the whole report as JSON")


def add_conversion(parser: argparse.ArgumentParser) -> None:
    """Add where converted files go, and how they are proven."""
    out = "the folder for converted files"
    parser.add_argument("-o", "--out", type=Path, default=Path(), metavar="FOLDER", help=out)
    parser.add_argument("--texts", type=int, default=10_000, metavar="N", help="texts on which it must agree")


def run(args: argparse.Namespace) -> None:
    """Print the findings; exit with status 1 if one is an error, 2 if no engine can read the files."""
    files = {name: data for path in args.files for name, data in read_files(path).items()}
    try:
        if args.to:
            converted = convert_files(files, args.to, pattern=args.pattern, count=args.texts)
            write_converted(converted, args.out, json=args.json)
            return
        report = examine(files, text=args.text, pattern=args.pattern)
    except (BadFile, Invalid) as error:
        print(f"tokenarium: {error.sentences}", file=sys.stderr)
        raise SystemExit(UNREADABLE) from None
    if args.json:
        write_value(serialize_report(report))
    else:
        _print(report)
    raise SystemExit(UNREADABLE if not report.readable else FINDINGS if report.count("error") else FINE)


def write_converted(converted: ConversionResult, out: Path, *, json: bool = False) -> None:
    """Write converted files to a folder, and say what they are. Raises `OSError` if one of them exists."""
    out.mkdir(parents=True, exist_ok=True)
    for file, data in converted.files.items():
        with (out / file).open("xb") as stream:
            stream.write(data)
    files = [out / file for file in converted.files]
    if json:
        write_made(files, source=converted.source, pattern=converted.pattern, proven=converted.proven)
        return
    print(*files, sep="\n")
    if converted.pattern is not None:
        print(f"The pattern, which ranks do not contain: {converted.pattern}")
    print(f"Proven on {converted.proven:,} texts: the same ids as {converted.source}.")


def _print(report: DoctorReport) -> None:
    for column in report.columns:
        print(f"read      {column.file}: {column.engine}")
    for one in report.findings:
        print(f"{one.severity:9} {one.file}: {one.detail}" if one.file else f"{one.severity:9} {one.detail}")
        if one.samples:
            print(f"          for example {', '.join(map(ascii, one.samples))}")
        if one.remedy:
            print(f"          {one.remedy}")
    for fit in report.fits:
        print(f"gguf      {fit.file}: {fit.sentence}")
    differing = sum(not row.agrees for row in report.rows)
    severities: tuple[Severity, ...] = ("error", "warning", "note")
    found = ", ".join(plural(report.count(severity), severity) for severity in severities)
    print(f"{plural(len(report.rows), 'text')}, {differing} of them read differently; {found}")
