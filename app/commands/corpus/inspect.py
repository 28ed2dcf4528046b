"""corpus inspect: what a folder of shards has, and any document of it as text and as coloured tokens."""

import argparse
import os
import sys
from typing import Any

from ...corpus.shards import Shards
from ...corpus.shards import open as open_shards
from ...errors import Invalid, plural
from ...registry import get_registry
from ...serialize.terminal import colour_pieces, make_visible
from ...settings import Settings
from ...types import Token
from ..output import write, write_columns, write_value


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="a folder or an address that corpus tokenize wrote")
    parser.add_argument("--document", type=int, metavar="N", help="show this document; the first is 0")
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")


def run(args: argparse.Namespace) -> None:
    """Print the summary of a manifest, or a document."""
    shards = open_shards(args.folder)
    if args.document is not None:
        _document(shards, args.document, json=args.json)
    elif args.json:
        write_value(shards.manifest)
    else:
        _summary(shards)


def _summary(shards: "Shards") -> None:
    manifest = shards.manifest
    names = shards.names()
    tokenizer = manifest["tokenizer"]
    end = manifest["end"]
    unread = manifest["unread"]
    rows: list[list[Any]] = [
        ["documents", f"{manifest['documents']:,}"],
        ["tokens", f"{manifest['tokens']:,}"],
        ["bytes of text", f"{manifest['bytes']:,}"],
        ["format", f"{manifest['format']}, ids as {manifest['dtype']}"],
        ["tokenizer", f"{tokenizer['id']}, sha256 {tokenizer['sha256'][:16] or 'none'}"],
        ["engine", ", ".join(filter(None, [tokenizer["engine"], tokenizer["faster"]]))],
        ["end of a document", f"{end['token']} ({end['id']})" if end["id"] is not None else "none"],
        ["special tokens in text", manifest["special_tokens_in_text"]],
        ["files", f"{len(names):,}, {plural(sum(entry['bytes'] for entry in names.values()), 'byte')}"],
        ["sources", f"{len(manifest['sources']):,}"],
        ["not read", f"{plural(unread['documents'], 'document')}, {plural(len(unread['failed']), 'part')}"],
    ]
    write_columns(rows)


def _document(shards: "Shards", number: int, *, json: bool) -> None:
    try:
        ids = shards[number].tolist()
    except IndexError as error:
        raise Invalid(str(error)) from None
    place = shards.place(number)
    end = shards.manifest["end"]["id"]
    tokenizer = get_registry(Settings.from_env()).get(shards.manifest["tokenizer"]["id"])
    text = tokenizer.decode(ids[:-1] if end is not None else ids).decode(errors="replace")
    tokens = [
        make_visible(Token(index=index, entry=tokenizer.entry(id), byte_start=0, byte_end=0, char_start=0, char_end=0))
        for index, id in enumerate(ids)
    ]
    where = {"source": place.source["path"], "start": place.start, "end": place.end, "position": place.position}
    if json:
        write_value({"document": number, **where, "text": text, "ids": ids, "tokens": tokens})
        return
    colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    print(f"{text}\n", flush=True)
    write(f"{colour_pieces(tokens, colours=colours)}\n\n".encode())
    part = f"document {place.position:,} of the part from {place.start:,} to {place.end:,}"
    print(f"Document {number:,}: {plural(len(ids), 'token')}. It is {part} of {place.source['path']}.")
