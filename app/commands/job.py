"""job: the process of a job that a server started; it is not for people."""

import argparse
import sys
from importlib import import_module
from pathlib import Path

PROCESSES = {
    "train": "train.job_process",
    "fetch": "tokenizers.fetch_process",
    "analysis": "vocabulary.analysis_process",
    "surgery": "surgery.job_process",
}
"""The module of `lab` that does the work of each kind of job."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=PROCESSES)
    parser.add_argument("folder", type=Path)


def run(args: argparse.Namespace) -> None:
    """Do what the spec on standard input says, and write events and the result to the folder of the job."""
    import_module(f"..lab.{PROCESSES[args.kind]}", __package__).run(args.folder, sys.stdin.buffer)
