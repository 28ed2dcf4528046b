"""A small tokenizer that is kept, and the folder of one, without what takes time."""

from dataclasses import replace

from app.formats.toml import dump_toml
from app.lab.train.account import Account
from app.lab.train.formats import files
from app.lab.train.keeping import named
from app.lab.train.tokenizer import record
from app.scratch.words import byte_alphabet
from app.settings import Settings
from app.store import TOML, sealed
from app.types import Learned

ALPHABET = tuple(byte_alphabet())
ACCOUNT = Account(
    "Shan, 300 pieces",
    corpus="UDHR in Shan",
    corpus_sha256="ab" * 32,
    corpus_bytes=12345,
    settings={"size": 300, "special_tokens": ["<|end|>"]},
    metrics={
        "characters": 4936,
        "bytes": 6170,
        "words": 617,
        "tokens": 1234,
        "unknown": 0,
        "baseline": "o200k_base",
        "baseline_tokens": 2468,
        "saved": 0.5,
    },
    date="2026-11-21",
)


def small(*pairs, special=()):
    """BPE over bytes with these merges."""
    pieces = [*ALPHABET]
    for a, b in pairs:
        pieces.append(pieces[a] + pieces[b])
    pieces += special
    return Learned(
        "bpe", "bytes", tuple(pieces), pairs, special_tokens={token: pieces.index(token) for token in special}
    )


def folder(title, *pairs):
    """The name and the files of a folder, as `shelf` puts it."""
    learned = small(*pairs)
    made = files(learned)
    one = record(learned, made, id=named(title, made), title=title)
    return one.info.id, {**one.data, TOML: sealed(dump_toml({**one.spec, "extras": {}}))}


def settings(path, **changes):
    """Settings that keep in a folder of a test."""
    return replace(Settings(max_loaded=10**12), local=path / "local", **changes)
