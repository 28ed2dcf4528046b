"""detokenize: ids back to text."""

import argparse
from functools import partial

from ..errors import plural
from ..lab.canonical import ExaminedIds, IdsOptions, describe_ids, examine_ids
from ..lab.detokenize import detokenize
from ..lab.option_schema import from_mapping
from ..lab.steps.tiles import percent
from ..lab.vocabulary.search import RecentVocabularies
from ..registry import get_registry
from ..serialize.columns import serialize_detokenization
from ..serialize.ids import read_ids, serialize_ids
from ..settings import Settings
from . import inputs, tokenizer_options
from .output import write, write_json, write_problem


def options(parser: argparse.ArgumentParser) -> None:
    inputs.options(parser, what="list of ids")
    tokenizer_options.add_tokenizers(parser, one="ids are of one vocabulary")
    tokenizer_options.add_engine(parser)
    parser.add_argument(
        "--canonical",
        action="store_true",
        help="tell whether the tokenizer gives these ids for their text; the exit status is 1 if some are others",
    )


def run(args: argparse.Namespace) -> None:
    """Print the bytes of ids and nothing else; with --lines, a line feed after those of each line."""
    registry = get_registry(Settings.from_env())
    read = inputs.CommandInputs(args, texts=False)
    (id,) = tokenizer_options.resolve_tokenizers(registry, args)
    registry.get(id, args.engine)
    vocabularies = RecentVocabularies()
    differing = 0
    for one in read:
        with read.catch_errors(one, partial(write_problem, read) if args.json else None):
            ids = read_ids(one.text)
            if args.canonical:
                asked = from_mapping(IdsOptions, {"tokenizer": id, "ids": ids, "seed": 0})
                found = examine_ids(registry, vocabularies, asked)
                differing += found.canonical is False
                write_json(read, one, serialize_ids(found)) if args.json else _write_examined(found)
                continue
            detokenization = detokenize(registry, ids, tokenizer=id, engine=args.engine)
            if args.json:
                write_json(read, one, serialize_detokenization(detokenization))
            else:
                write(detokenization.raw + b"\n" * args.lines)
    read.finish()
    if differing:
        raise SystemExit(1)


def _write_examined(found: ExaminedIds) -> None:
    """Print whether ids are canonical, where not, and how else their text could be segmented."""
    print(describe_ids(found))
    if found.difference and found.canonical_ids is not None:
        print("The tokenizer gives:", *found.canonical_ids)
    if found.segmentations:
        print(f"Segmentations of this text: {found.segmentations.count:,}, the shortest of them:", end=" ")
        print(plural(len(found.segmentations.fewest), "token"))
    if found.canonical_ids is not None and (share := found.share(found.canonical_ids)) is not None:
        print(f"Of the probability of this text, the tokenizer's ids have {percent(share)}.")
    for note in found.notes:
        inputs.print_error(note)
