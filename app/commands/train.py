"""train: learn a vocabulary from files, and write it as other tools read it."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args

from app.errors import BadEncoding, Invalid, Unavailable
from app.scratch.ties import TieRule
from app.settings import Settings
from app.types import Algorithm, Unit


def options(parser: argparse.ArgumentParser) -> None:
    from app.lab.train.options import DIGITS, PATTERNS, TRAINERS, WEIGHINGS, Options

    default = {field.name: field.default for field in fields(Options) if field.default is not MISSING}
    parser.add_argument("corpus", nargs="*", help="files to learn from; - is standard input")
    parser.add_argument("--corpora", nargs="*", default=[], metavar="NAME", help="built-in ones: udhr:eng, source")
    parser.add_argument("--out", type=Path, help="the file to write: .json, .model, .tiktoken")
    parser.add_argument("--format", help="tokenizer.json, sentencepiece.model, ranks.tiktoken or minbpe.model")
    parser.add_argument("--keep", metavar="NAME", help="keep it in the store under this name")
    parser.add_argument("--algorithm", choices=get_args(Algorithm), default=default["algorithm"])
    parser.add_argument("--engine", choices=TRAINERS, default=default["engine"])
    parser.add_argument("--size", type=int, default=default["size"], help="pieces of the vocabulary")
    parser.add_argument("--unit", choices=get_args(Unit), default=default["unit"])
    parser.add_argument("--pattern", default=default["pattern"], help=f"{', '.join(PATTERNS)}, or an expression")
    parser.add_argument("--special-tokens", nargs="*", default=[], metavar="TOKEN")
    parser.add_argument("--at-least", type=int, default=default["at_least"], help="times that a pair must come")
    parser.add_argument("--longest", type=int, help="symbols of the longest piece")
    parser.add_argument("--digits", choices=DIGITS, default=default["digits"])
    parser.add_argument("--lowercase", action="store_true")
    parser.add_argument("--ties", choices=get_args(TieRule), default=default["ties"])
    parser.add_argument("--weighing", choices=WEIGHINGS, default=default["weighing"], help="of pairs, for WordPiece")
    parser.add_argument("--bytes-too", action="store_true", help="fall back to bytes")
    parser.add_argument("--held-out", type=float, default=default["held_out"], help="share that is measured on")
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
