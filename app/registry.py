"""The registry: descriptions at once, a tokenizer's files on first use, the least used forgotten by bytes."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from threading import Lock

from app.errors import BadFile, UnknownEngine, UnknownTokenizer, listed
from app.settings import Settings
from app.store import Record, Trained, read_store
from app.types import ChatTemplate, Engine, Tokenizer, TokenizerInfo

Loader = Callable[[Record], Tokenizer]
hurried = ContextVar("hurried", default=False)
"""Whether who asks for a tokenizer cannot wait until it is loaded: the event loop cannot."""


class NotLoaded(Exception):
    """A tokenizer is not in memory yet."""


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


def configured(name: str) -> Record:
    """The record of a local directory or hub id that the settings name; what it holds is known once it is loaded."""
    info = TokenizerInfo(
        name, name, "other", ("transformers",), None, lossless=False, normalization="As its own files say."
    )
    return Record(info, Path(name), {})


class Registry:
    """All tokenizers by id. Listing loads none; each is loaded once, also when many ask at the same time.

    Those trained here come last, and come and go while the server runs, whichever process keeps or deletes them.
    """

    def __init__(self, settings: Settings) -> None:
        records = [*read_store(settings.store), *map(configured, settings.hub)]
        self._records = {record.info.id: record for record in records}
        self._trained = Trained(settings.local)
        self._loaded: OrderedDict[tuple[str, Engine], Tokenizer] = OrderedDict()
        self._locks: dict[tuple[str, Engine], Lock] = {}
        self._guard = Lock()
        self._max_loaded = settings.max_loaded
        self.loads = self.evictions = 0

    def infos(self) -> list[TokenizerInfo]:
        """What is known of every tokenizer without loading it."""
        return [*(record.info for record in self._records.values()), *self.trained()]

    def trained(self) -> list[TokenizerInfo]:
        """What is known of those that were trained here."""
        found = self._trained.records()
        self._drop({id for id, _ in self.loaded()} - {*self._records, *found})
        return [record.info for id, record in found.items() if id not in self._records]

    def damaged(self) -> list[str]:
        """The names of what is kept among the trained ones and cannot be served."""
        return self._trained.damaged()

    def info(self, id: str) -> TokenizerInfo:
        return self._record(id).info

    def file(self, id: str, name: str) -> bytes:
        """A file of a tokenizer, checked. Raises `UnknownTokenizer`, `BadFile`, and `KeyError` for one it has not."""
        return self._record(id).file(name)

    def files(self, id: str) -> Mapping[str, int]:
        """The files of a trained tokenizer, and how many bytes each has."""
        spec = self._record(id).spec
        return {name: file.get("bytes", 0) for name, file in {**spec["files"], **spec.get("extras", {})}.items()}

    def sha256(self, id: str) -> str:
        """The hash of a tokenizer's file, or nothing where it has none."""
        return self._record(id).sha256()

    def chat_template(self, id: str) -> ChatTemplate | None:
        """The chat template of a tokenizer, or None where it has none. Raises `UnknownTokenizer`, `BadFile`."""
        return self._record(id).chat_template()

    def chat_templates(self) -> list[str]:
        """The ids of the tokenizers that have a chat template."""
        return [id for id, record in self._records.items() if "chat_template" in record.spec]

    def _record(self, id: str) -> Record:
        record = self._records.get(id) or self._trained.record(id)
        if record is None:
            self._drop({id})
            known = [info.id for info in self.infos()]
            near = get_close_matches(id, known, n=3, cutoff=0.4) or known
            raise UnknownTokenizer(f"There is no tokenizer of this name. Nearest: {listed(near)}.")
        return record

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
        try:
            with lock:
                return self._touched((id, chosen), partial(LOADERS[chosen], record))
        except BadFile:
            self._trained.forget(id)
            self._record(id)  # which it is no longer, if it was deleted or damaged in between
            raise

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

    def _drop(self, ids: Collection[str]) -> None:
        """Let go of what is loaded of tokenizers that are gone."""
        with self._guard:
            for key in [key for key in self._loaded if key[0] in ids]:
                del self._loaded[key]

    def loaded(self) -> list[tuple[str, Engine]]:
        """What is in memory now, the least recently used first."""
        with self._guard:
            return list(self._loaded)
