"""job: the process of a job that a server started; it is not for people."""

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

from ..jobs.process import run_job

PROCESSES = {
    "train": "train.job_process.run_training",
    "fetch": "tokenizers.fetch_process.run_fetch",
    "analysis": "vocabulary.analysis_process.run_analysis",
    "surgery": "surgery.job_process.run_surgery",
}
"""The function of `lab` that does the work of each kind of job, as its spec says."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=PROCESSES)
    parser.add_argument("folder", type=Path)


def run(args: argparse.Namespace) -> None:
    """Do what the spec on standard input says, and write events and the result to the folder of the job."""
    module, _, name = PROCESSES[args.kind].rpartition(".")
    work = getattr(import_module(f"..lab.{module}", __package__), name)
    run_job(args.folder, sys.stdin.buffer, get_type_hints(work)["spec"], work)
