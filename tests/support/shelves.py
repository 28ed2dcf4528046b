"""A small trained tokenizer, how it is kept, and the folder of one, without what takes time."""

import hashlib
import json
import lzma
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import tomli_w
from tokenarium.lab.languages.atlas import STORED, read_atlas, save
from tokenarium.lab.languages.declarations import FILE, FOLDER, get_pinned_sha256
from tokenarium.lab.train.exports import export, load_trained, record
from tokenarium.lab.train.metadata import TrainingMetadata
from tokenarium.lab.train.saving import content_id
from tokenarium.lab.train.saving import save_vocabulary as keep_exports
from tokenarium.registry import Registry
from tokenarium.scratch.compat.pipeline.pre_tokenizers import byte_alphabet
from tokenarium.settings import Settings
from tokenarium.store import TOML, add_seal
from tokenarium.types import TrainedVocab

ALPHABET = tuple(byte_alphabet())
ACCOUNT = TrainingMetadata(
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


class OwnRegistry(Registry):
    """A registry over settings of a test, whose tokenizers of the store are those that another has loaded."""

    def __init__(self, settings, shared):
        super().__init__(settings)
        self.shared = shared
        self.stored = {info.id for info in shared.infos()}

    def get(self, id, engine=None):
        return (self.shared if id in self.stored else super()).get(id, engine)


def small(*pairs, special=()):
    """BPE over bytes with these merges."""
    pieces = [*ALPHABET]
    for a, b in pairs:
        pieces.append(pieces[a] + pieces[b])
    pieces += special
    return TrainedVocab(
        "bpe", "bytes", tuple(pieces), pairs, special_tokens={token: pieces.index(token) for token in special}
    )


def folder(title, *pairs):
    """The name and the files of a folder, as `atomic_store` puts it."""
    learned = small(*pairs)
    exports = export(learned)
    one = record(learned, exports, id=content_id(title, exports.files), title=title)
    return one.info.id, {**one.data, TOML: add_seal(tomli_w.dumps({**one.spec, "extras": {}}))}


LANGUAGES = ("cmn_hans", "deu_1996", "eng", "shn")
TEMPORARY = TemporaryDirectory()


@cache
def few_languages():
    """The store, with the declaration in four languages: to count all 532 takes seconds for each that is kept."""
    store, few = Settings().store, Path(TEMPORARY.name)
    for one in store.iterdir():
        if one.name not in (FOLDER, STORED):
            (few / one.name).symlink_to(one)
    declarations = json.loads(lzma.decompress((store / FOLDER / f"{FILE}.xz").read_bytes()))
    data = json.dumps([one for one in declarations if one["code"] in LANGUAGES]).encode()
    (few / FOLDER).mkdir()
    (few / FOLDER / f"{FILE}.xz").write_bytes(lzma.compress(data))
    told = (store / FOLDER / "texts.toml").read_text()
    told = told.replace(get_pinned_sha256(store), hashlib.sha256(data).hexdigest())
    (few / FOLDER / "texts.toml").write_text(told)
    atlas = read_atlas(store)
    rows = [row for row, language in enumerate(atlas.languages) if language.code in LANGUAGES]

    def cut(column):
        counted = ("tokens", "english", "unknown")
        return replace(column, **{name: [getattr(column, name)[row] for row in rows] for name in counted})

    save(few, [*map(cut, atlas.columns)])
    return few


def settings(path, **changes):
    """Settings that keep in a folder of a test, and have few languages."""
    return replace(Settings(max_loaded=10**12), **{"local": path / "local", "store": few_languages()} | changes)


def files(learned):
    """The files of a vocabulary by name."""
    return export(learned).files


def refusals(learned):
    """Why there are no files of the other formats."""
    return export(learned).refusals


def keep(chosen, learned, metadata):
    """Keep a vocabulary in all its files; returns its id."""
    return keep_exports(chosen, learned, export(learned), metadata)


def tokenizer(learned):
    """A vocabulary on the from-scratch engine."""
    return load_trained(learned, export(learned))
