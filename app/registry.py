"""The registry: descriptions at once, a tokenizer's files on first use, the least used forgotten by bytes."""

import hashlib
import lzma
import tomllib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from app.errors import BadFile, UnknownEngine, UnknownTokenizer, listed
from app.settings import Settings
from app.types import ChatTemplate, Engine, Source, Tokenizer, TokenizerInfo

Loader = Callable[["Record"], Tokenizer]
hurried = ContextVar("hurried", default=False)
"""Whether who asks for a tokenizer cannot wait until it is loaded: the event loop cannot."""


class NotLoaded(Exception):
    """A tokenizer is not in memory yet."""


@dataclass(frozen=True, slots=True)
class Record:
    """One folder of the store: what its `tokenizer.toml` says."""

    info: TokenizerInfo
    folder: Path
    spec: dict[str, Any]

    def file(self, name: str) -> bytes:
        """A file of this tokenizer, uncompressed and checked against its hash. Raises `BadFile`."""
        return self._checked(name, self.spec["files"][name])

    def _checked(self, name: str, stated: Mapping[str, str]) -> bytes:
        path = self.folder.parent / stated.get("store", self.folder.name) / name
        try:
            data = path.read_bytes() if path.exists() else lzma.decompress(Path(f"{path}.xz").read_bytes())
        except (OSError, lzma.LZMAError) as error:
            raise BadFile(f"{name} of {self.info.id} cannot be read.") from error
        if hashlib.sha256(data).hexdigest() != stated["sha256"]:
            raise BadFile(f"{name} of {self.info.id} is damaged: its hash differs.")
        return data

    def only_file(self) -> bytes:
        """The file of a tokenizer that has one."""
        (name,) = self.spec["files"]
        return self.file(name)

    def chat_template(self) -> ChatTemplate | None:
        """How its models want a conversation written out, where that is published. Raises `BadFile`."""
        stated = self.spec.get("chat_template")
        if stated is None:
            return None
        text = self._checked(stated["file"], stated).decode()
        return ChatTemplate(text, stated["variables"], tuple(stated.get("marks", ())), stated["source"])

    def ranks(self) -> dict[bytes, int]:
        from app.formats.tiktoken_ranks import load_ranks

        return load_ranks(self.file(self.spec["ranks"]))


def _tiktoken(record: Record) -> Tokenizer:
    from app.adapters.from_tiktoken import load

    return load(record.info, ranks=record.ranks(), pattern=record.spec["pattern"])


def _sentencepiece(record: Record) -> Tokenizer:
    from app.adapters.from_sentencepiece import load

    return load(record.info, model=record.only_file())


def _tokenizers(record: Record) -> Tokenizer:
    from app.adapters.from_transformers import load_bert, load_json

    if "tokenizer.json" in record.spec["files"]:
        return load_json(record.info, file=record.only_file())
    return load_bert(record.info, vocab=record.only_file())


def _transformers(record: Record) -> Tokenizer:
    from app.adapters.from_transformers import load_auto

    return load_auto(record.info)


def _scratch(record: Record) -> Tokenizer:
    from app.adapters import from_scratch, from_scratch_pieces, from_tokenizer_json
    from app.formats.sentencepiece_model import load_model
    from app.formats.tokenizer_json import load_tokenizer_json
    from app.formats.wordpiece_vocab import load_vocab

    match record.info.family:
        case _ if "tokenizer.json" in record.spec.get("files", ()):
            return from_tokenizer_json.load(record.info, file=load_tokenizer_json(record.only_file()))
        case "character":
            return from_scratch.character_tokenizer(record.info)
        case "byte":
            return from_scratch.byte_tokenizer(record.info)
        case "word":
            return from_scratch.WordTokenizer(record.info, record.spec["pattern"])
        case "wordpiece":
            return from_scratch_pieces.bert(record.info, vocabulary=load_vocab(record.only_file()))
        case _ if "ranks" not in record.spec:
            return from_scratch_pieces.sentencepiece(record.info, model=load_model(record.only_file()))
        case _:
            return from_scratch.byte_level_bpe(record.info, ranks=record.ranks(), pattern=record.spec["pattern"])


LOADERS: dict[Engine, Loader] = {
    "tiktoken": _tiktoken,
    "sentencepiece": _sentencepiece,
    "tokenizers": _tokenizers,
    "transformers": _transformers,
    "scratch": _scratch,
}


def read_store(store: Path) -> Iterator[Record]:
    """The descriptions in a store, in the order of their ids. Raises `BadFile` for one that lacks what it must say."""
    for path in sorted(store.glob("*/tokenizer.toml")):
        spec = tomllib.loads(path.read_text())
        try:
            yield Record(_info(spec), path.parent, spec)
        except KeyError as missing:
            raise BadFile(f"{path.parent.name}/tokenizer.toml does not say {missing}.") from missing


def _info(spec: dict[str, Any]) -> TokenizerInfo:
    return TokenizerInfo(
        id=spec["id"],
        title=spec["title"],
        family=spec["family"],
        engines=tuple(spec["engines"]),
        vocab_size=spec.get("vocab_size"),
        lossless=spec["lossless"],
        grows="vocab_size" not in spec,
        normalization=spec.get("normalization", ""),
        models=tuple(spec.get("models", ())),
        special_tokens=spec.get("special_tokens", {}),
        prefix=tuple(spec.get("prefix", ())),
        suffix=tuple(spec.get("suffix", ())),
        source=Source(**spec["source"]),
    )


def configured(name: str) -> Record:
    """The record of a local directory or hub id that the settings name; what it holds is known once it is loaded."""
    info = TokenizerInfo(
        name, name, "other", ("transformers",), None, lossless=False, normalization="As its own files say."
    )
    return Record(info, Path(name), {})


class Registry:
    """All tokenizers by id. Listing loads none; each is loaded once, also when many ask at the same time."""

    def __init__(self, settings: Settings) -> None:
        records = [*read_store(settings.store), *map(configured, settings.hub)]
        self._records = {record.info.id: record for record in records}
        self._loaded: OrderedDict[tuple[str, Engine], Tokenizer] = OrderedDict()
        self._locks: dict[tuple[str, Engine], Lock] = {}
        self._guard = Lock()
        self._max_loaded = settings.max_loaded
        self.loads = self.evictions = 0

    def infos(self) -> list[TokenizerInfo]:
        """What is known of every tokenizer without loading it."""
        return [record.info for record in self._records.values()]

    def info(self, id: str) -> TokenizerInfo:
        return self._record(id).info

    def sha256(self, id: str) -> str:
        """The hash of a tokenizer's file, or nothing where it has none."""
        return ", ".join(file["sha256"] for file in self._record(id).spec.get("files", {}).values())

    def chat_template(self, id: str) -> ChatTemplate | None:
        """The chat template of a tokenizer, or None where it has none. Raises `UnknownTokenizer`, `BadFile`."""
        return self._record(id).chat_template()

    def _record(self, id: str) -> Record:
        if id not in self._records:
            near = get_close_matches(id, self._records, n=3, cutoff=0.4) or list(self._records)
            raise UnknownTokenizer(f"There is no tokenizer of this name. Nearest: {listed(near)}.")
        return self._records[id]

    def get(self, id: str, engine: str | None = None) -> Tokenizer:
        """The tokenizer on its reference engine, or on the one named. `reference` names the first.

        Raises `UnknownTokenizer`, `UnknownEngine`, `BadFile`, `Unavailable`; to who is hurried, `NotLoaded`.
        """
        record = self._record(id)
        known = {name: name for name in record.info.engines}
        chosen = record.info.engines[0] if engine in (None, "", "reference") else known.get(engine)  # type: ignore[call-overload]
        if chosen is None:
            raise UnknownEngine(f"{id} runs on {listed(known)}.", pointer="/engine")
        with self._guard:
            if (id, chosen) in self._loaded:
                self._loaded.move_to_end((id, chosen))
                return self._loaded[id, chosen]
            lock = self._locks.setdefault((id, chosen), Lock())
        if hurried.get():
            raise NotLoaded
        with lock:
            return self._touched((id, chosen), partial(LOADERS[chosen], record))

    def _touched(self, key: tuple[str, Engine], load: Callable[[], Tokenizer]) -> Tokenizer:
        known = self._loaded.get(key)
        tokenizer = known or load()
        with self._guard:
            self.loads += not known
            self._loaded[key] = tokenizer
            self._loaded.move_to_end(key)
            while len(self._loaded) > 1 and self._nbytes() > self._max_loaded:
                self._loaded.popitem(last=False)
                self.evictions += 1
        return tokenizer

    def _nbytes(self) -> int:
        return sum(tokenizer.nbytes for tokenizer in self._loaded.values())

    @property
    def nbytes(self) -> int:
        """Memory that what is loaded holds, in bytes, estimated."""
        with self._guard:
            return self._nbytes()

    def loaded(self) -> list[tuple[str, Engine]]:
        """What is in memory now, the least recently used first."""
        with self._guard:
            return list(self._loaded)
