"""corpus tokenize: write the ids of all documents to shards, with a manifest by which a killed run goes on."""

import argparse
import sys
from dataclasses import replace
from importlib import import_module
from typing import Any

from ...corpus.chat.conversations import set_format
from ...corpus.shard_work import group_shards, make_job
from ...corpus.shards import FORMATS
from ...corpus.sources import Unread
from ...corpus.tokenizing import tokenize
from ...errors import Invalid, naming_extra, plural
from ..output import print_notes, write_value
from ..tokenizer_options import add_special, add_tokenizers, split_names
from . import arguments
from .chat import add_chat_options, make_chat_plan_of


def options(parser: argparse.ArgumentParser) -> None:
    arguments.add_sources(parser, format=False)
    add_tokenizers(parser, one="shards have the ids of one vocabulary")
    add_special(parser)
    parser.add_argument(
        "-o", "--out", required=True, metavar="DIR", help="an empty folder, or an address such as s3://…"
    )
    formats = "parquet by default; megatron: .bin and .idx"
    parser.add_argument("--format", dest="shards", choices=FORMATS, default="parquet", help=formats)
    parser.add_argument(
        "--end",
        default="none",
        metavar="none|eos|ID",
        help="behind each document: nothing (the default), the token that ends a text, or an id",
    )
    parser.add_argument(
        "--keep", type=split_names, action="extend", default=[], metavar="COLUMNS", help="columns that go along: id,url"
    )
    parser.add_argument("--chat", action="store_true", help="rows are conversations; write ids and masks of loss")
    parser.add_argument("--context", type=int, metavar="N", help="of --chat: truncate to so many tokens")
    parser.add_argument("--pack", action="store_true", help="of --chat: several conversations a sequence, by best fit")
    add_chat_options(parser)
    parser.add_argument("--shard-bytes", type=int, default=1 << 26, help="bytes of text in a shard, about")
    arguments.add_running(parser)


def run(args: argparse.Namespace) -> None:
    """Tokenize, print what was written, and exit with 1 if anything could not be read."""
    if args.shards == "parquet":
        with naming_extra():  # before anything is written
            import_module("pyarrow")
    unread = Unread()
    plan = arguments.make_plan(args)
    plan = replace(plan, keep=tuple(dict.fromkeys(args.keep)))
    found = arguments.find_sources(args)
    notes: list[str] = []
    chat = None
    if args.chat:
        chat = make_chat_plan_of(args, plan, [args.context] if args.context is not None else [])
        if args.pack and args.context is None:
            raise Invalid("--pack fills sequences of --context tokens; give that, too.")
        chat = replace(chat, packed=args.pack)
        found = [set_format(source) for source in found]
        notes += [] if chat.marked else ["The template has no {% generation %}: the masks are found by prefixes."]
    elif args.context is not None or args.template or args.columns or args.pack:
        raise Invalid("--context, --pack, --template and --columns are for conversations; add --chat.")
    else:
        plan, notes = arguments.with_faster(args, plan, found)
    job = make_job(plan, args.out, args.shards, args.end, max(1, args.shard_bytes), chat)
    todo = arguments.list_parts(found, unread)
    shards = sum(1 for _ in group_shards(todo, job.size))  # one process does each
    with arguments.executor(args, plan, shards) as (pool, workers), arguments.progress(todo) as moved:
        done = tokenize(job, found, todo, pool, unread=unread, workers=workers, progress=moved, again=args.again)
    notes += done["notes"]
    if args.json:
        write_value({**{name: done[name] for name in SUMMARY}, "out": args.out, "notes": notes})
    else:
        _print(args, done)
        print_notes(notes)
    arguments.report_unread(Unread(**done["unread"]), plan.invalid)


SUMMARY = ("rows", "documents", "tokens", "bytes", "format", "dtype", "tokenizer", "end", "unread")


def _print(args: argparse.Namespace, done: dict[str, Any]) -> None:
    end = f"each ends with {done['end']['token']} ({done['end']['id']})" if done["end"]["id"] is not None else "no end"
    documents, tokens, shards = (
        plural(count, noun)
        for count, noun in ((done["documents"], "document"), (done["tokens"], "token"), (len(done["shards"]), "shard"))
    )
    empty = done["rows"] - done["documents"] - done["unread"]["documents"]
    if not args.chat and empty:
        print(f"{plural(empty, 'row')} of {done['rows']:,} without a text", file=sys.stderr)
    print(f"{documents}, {tokens} of {done['tokenizer']['id']} ({done['dtype']}, {end}) in {shards} in {args.out}")
