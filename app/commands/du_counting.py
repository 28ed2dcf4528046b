"""The part of `du` that counts files, which it imports if it knows not all of them already."""

import argparse
from collections.abc import Sequence

from ..corpus.folder.counting import count_parts, divide, make_plan
from ..corpus.folder.listing import FolderFile
from ..corpus.folder.usage import Counted
from ..corpus.results import ResultCache
from ..settings import Settings
from .corpus.arguments import executor, progress
from .output import print_notes

FEW_BYTES = 1 << 20
"""Bytes for which no processes are started."""


def count(
    args: argparse.Namespace,
    tokenizers: Sequence[str],
    files: Sequence[FolderFile],
    keys: Sequence[bytes],
    cache: ResultCache,
) -> Counted:
    """Yield files with their results, counted in processes unless they are few. Says which engine cannot be used."""
    plan, notes = make_plan(Settings.from_env(), tokenizers, files, fast=not args.reference, special=args.special)
    print_notes(notes)
    parts = [*divide(files)]
    if sum(part.bytes for part in parts) < FEW_BYTES:
        yield from count_parts(plan, parts, None, keys=keys, cache=cache)
        return
    with executor(args, plan, len(parts)) as (pool, workers), progress(parts) as moved:
        yield from count_parts(plan, parts, pool, keys=keys, cache=cache, progress=moved, workers=workers)
