"""The command line: serve, tokenize, list, conformance, atlas, vendor."""

import argparse
import dataclasses
import sys
from collections.abc import Sequence

from app.errors import BadEncoding, TokenariumError
from app.settings import Settings


def serve(args: argparse.Namespace) -> None:
    """Listen until interrupted; nothing that is sent is logged."""
    import uvicorn

    from app.main import create_app

    settings = Settings.from_env()
    changes = {name: value for name in ("host", "port") if (value := getattr(args, name)) is not None}
    settings = dataclasses.replace(settings, **changes)
    print(f"Tokenarium is at http://{settings.host}:{settings.port}", flush=True)
    uvicorn.run(create_app(settings), host=settings.host, port=settings.port, access_log=False, log_level="warning")


def tokenize(args: argparse.Namespace) -> None:
    """Print the answer of /tokenize for a text, or for standard input."""
    from app.lab.tokenize import tokenize as cut
    from app.registry import Registry
    from app.web.answer import JSONResponse
    from app.web.columns import columns

    text = args.text if args.text is not None else _standard_input()
    registry = Registry(Settings.from_env())
    done = cut(registry, text, tokenizer=args.tokenizer, engine=args.engine, special=args.special)
    sys.stdout.buffer.write(bytes(JSONResponse(columns(done)).body) + b"\n")


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise BadEncoding(f"Byte {error.start} of standard input is not UTF-8.") from None


def listing(args: argparse.Namespace) -> None:
    """Print the ids of the tokenizers, one a line."""
    from app.registry import Registry

    for info in Registry(Settings.from_env()).infos():
        print(f"{info.id:20} {info.family:10} {info.vocab_size or 'grows':>8}  {', '.join(info.engines)}")


def vendor(args: argparse.Namespace) -> None:
    """Rebuild the store and the front-end files from their packages."""
    from app.vendor import vendor as rebuild

    for line in rebuild(Settings.from_env().store, args.names):
        print(line, flush=True)


def conformance(args: argparse.Namespace) -> None:
    """Compare engines on generated texts, print a line a tokenizer and the differences; exit 1 if there are any."""
    from app.lab.conformance import conformance as compared
    from app.lab.record import save
    from app.registry import Registry

    settings, wrong = Settings.from_env(), 0
    for row in compared(Registry(settings), n=args.n, seed=args.seed, tokenizers=args.names):
        outcome = f"{row.mismatches:>6} differ {row.failures:>5} failed"
        print(f"{row.tokenizer:20} {row.engine:8} {row.count:>9} texts {outcome}  {row.versions}", flush=True)
        for found in row.differences:
            print(f"    {found.stage}: {found.text!a}", flush=True)
        wrong += row.mismatches
        if args.record:
            save(settings.store, [row])
    if wrong:
        raise SystemExit(1)


def atlas(args: argparse.Namespace) -> None:
    """Count the tokens of every language in every tokenizer, a line a tokenizer, and keep them for /languages."""
    from app.lab.languages.atlas import columns
    from app.lab.languages.record import save
    from app.registry import Registry

    settings, done = Settings.from_env(), []
    total = len(Registry(settings).infos())
    for column in columns(settings):
        done.append(column)
        versions = f"{column.engine} {column.version}"
        print(f"{len(done):>3} of {total}  {column.id:20} {sum(column.tokens):>10,} tokens  {versions}", flush=True)
    save(settings.store, done)
    print(f"{len(done[0].tokens)} languages, {len(done)} tokenizers, every cell counted.")


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = argparse.ArgumentParser(prog="tokenarium", description="The place to look at tokens.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("serve", help="open the playground and the API")
    one.add_argument("--host")
    one.add_argument("--port", type=int)
    one.set_defaults(run=serve)
    one = commands.add_parser("tokenize", help="cut a text and print JSON")
    one.add_argument("text", nargs="?", help="the text; without it, standard input is read")
    one.add_argument("--tokenizer", default="o200k_base")
    one.add_argument("--engine")
    one.add_argument("--special", default="text", choices=["text", "parse", "refuse"])
    one.set_defaults(run=tokenize)
    commands.add_parser("list", help="list the tokenizers").set_defaults(run=listing)
    one = commands.add_parser("conformance", help="compare the engines on generated texts")
    one.add_argument("names", nargs="*", help="only these tokenizers")
    one.add_argument("--n", type=int, default=20_000, help="texts a tokenizer")
    one.add_argument("--seed", type=int, default=0)
    one.add_argument("--record", action="store_true", help="keep the outcome for the page /conformance")
    one.set_defaults(run=conformance)
    one = commands.add_parser("atlas", help="count the tokens of every language for the page /languages")
    one.set_defaults(run=atlas)
    one = commands.add_parser("vendor", help="rebuild the store from its packages")
    one.add_argument("names", nargs="*", help="only these")
    one.set_defaults(run=vendor)
    return top


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command; an error is one line on standard error and exit status 1."""
    args = parser().parse_args(argv)
    try:
        args.run(args)
    except TokenariumError as error:
        raise SystemExit(f"{error.title}. {error.detail}") from None


if __name__ == "__main__":
    main()
