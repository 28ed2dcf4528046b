"""All tokenizers by id: listed without loading, loaded on first use, the least recently used evicted by size."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from threading import Lock

from .errors import BadFile, UnknownEngine, UnknownTokenizer, listed
from .formats.patterns import check_pattern_complexity
from .settings import Settings
from .store import Record, Trained, read_store
from .types import ChatTemplate, Engine, Tokenizer, TokenizerInfo

Loader = Callable[[Record], Tokenizer]
nonblocking = ContextVar("nonblocking", default=False)
"""True on the event loop: raise `NotLoaded` instead of blocking on a load."""


class NotLoaded(Exception):
    """The tokenizer is not in memory, and loading it would block the event loop."""


class NeedsWorker(Exception):
    """The request must run in a worker process: it may take long, or its tokenizer may contain a user's pattern."""


# Adapters and readers are imported inside the functions below: adapters import numpy and tokenizer libraries, and the
# server starts and lists its tokenizers without them.


def _pattern(record: Record) -> str:
    """Return the pattern of a record with ranks. Raises `BadFile` if a user wrote it and it is too complex."""
    pattern: str = record.spec["pattern"]
    if not record.trusted:
        check_pattern_complexity(pattern)
    return pattern


def _tiktoken(record: Record) -> Tokenizer:
    from .adapters.from_tiktoken import load

    return load(record.info, ranks=record.ranks(), pattern=_pattern(record))


def _sentencepiece(record: Record) -> Tokenizer:
    from .adapters.from_sentencepiece import load

    return load(record.info, model=record.only_file())


def _tokenizers(record: Record) -> Tokenizer:
    from .adapters.from_transformers import load_bert, load_json

    if "tokenizer.json" in record.spec["files"]:
        return load_json(record.info, file=record.only_file(), trusted=record.trusted)
    return load_bert(record.info, vocab=record.only_file())


def _transformers(record: Record) -> Tokenizer:
    from .adapters.from_transformers import load_auto

    return load_auto(record.info)


def _scratch(record: Record) -> Tokenizer:
    from .adapters import from_scratch, from_scratch_pieces, from_tokenizer_json
    from .formats.sentencepiece_model import load_model
    from .formats.tokenizer_json import load_tokenizer_json
    from .formats.wordpiece_vocab import load_vocab

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
            pattern, trusted = _pattern(record), record.trusted
            return from_scratch.byte_level_bpe(record.info, ranks=record.ranks(), pattern=pattern, trusted=trusted)


LOADERS: dict[Engine, Loader] = {
    "tiktoken": _tiktoken,
    "sentencepiece": _sentencepiece,
    "tokenizers": _tokenizers,
    "transformers": _transformers,
    "scratch": _scratch,
}


def configured(name: str) -> Record:
    """Return the record of a local directory or hub id; what it contains is unknown until it is loaded."""
    info = TokenizerInfo(
        name, name, "other", ("transformers",), None, lossless=False, normalization="As its own files define."
    )
    return Record(info, Path(name), {})


class Registry:
    """All tokenizers by id: those of the store, those the settings name, and those trained on this server.

    Thread-safe; each tokenizer is loaded once, even if many threads request it at the same time. Trained tokenizers are
    read from disk at each call, because any process may save or delete one while the server runs.
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
        self.only_store = False
        """Raise `NeedsWorker` for tokenizers that are not part of the store."""

    def infos(self) -> list[TokenizerInfo]:
        """Return the metadata of every tokenizer, without loading any."""
        return [*(record.info for record in self._records.values()), *self.trained()]

    def trained(self) -> list[TokenizerInfo]:
        """Return the metadata of the tokenizers trained on this server."""
        records = self._trained.records()
        self._unload({id for id, _ in self.loaded()} - {*self._records, *records})
        return [record.info for id, record in records.items() if id not in self._records]

    def damaged(self) -> list[str]:
        """Return the names of folders of trained tokenizers that cannot be read."""
        return self._trained.damaged()

    def info(self, id: str) -> TokenizerInfo:
        """Return the metadata of a tokenizer. Raises `UnknownTokenizer`."""
        return self._record(id).info

    def file(self, id: str, name: str) -> bytes:
        """Return a file of a tokenizer, verified by its hash. Raises `UnknownTokenizer`, `BadFile`, `KeyError`."""
        return self._record(id).file(name)

    def files(self, id: str) -> Mapping[str, int]:
        """Return the files of a trained tokenizer, with their sizes in bytes. Raises `UnknownTokenizer`."""
        spec = self._record(id).spec
        return {name: file.get("bytes", 0) for name, file in {**spec["files"], **spec.get("extras", {})}.items()}

    def sha256(self, id: str) -> str:
        """Return the SHA-256 of a tokenizer's file, or "" if it has none."""
        return self._record(id).sha256()

    def chat_template(self, id: str) -> ChatTemplate | None:
        """Return the chat template of a tokenizer, or None. Raises `UnknownTokenizer`, `BadFile`."""
        return self._record(id).chat_template()

    def chat_templates(self) -> list[str]:
        """Return the ids of the tokenizers that have a chat template."""
        return [id for id, record in self._records.items() if "chat_template" in record.spec]

    def _record(self, id: str) -> Record:
        record = self._records.get(id) or self._trained.record(id)
        if record is None:
            self._unload({id})
            ids = [info.id for info in self.infos()]
            near = get_close_matches(id, ids, n=3, cutoff=0.4) or ids
            raise UnknownTokenizer(f"There is no tokenizer of this name. Nearest: {listed(near)}.")
        return record

    def get(self, id: str, engine: str | None = None) -> Tokenizer:
        """Return a tokenizer on one of its engines; None, "" or "reference" select its reference library.

        Raises `UnknownTokenizer`, `UnknownEngine`, `BadFile`, `Unavailable`. If `nonblocking`, raises `NotLoaded` for a
        tokenizer that is not in memory. If `nonblocking` or `only_store`, raises `NeedsWorker` for one that is not part
        of the store, since its pattern may take unlimited time.
        """
        record = self._record(id)
        engines = {name: name for name in record.info.engines}  # typed: maps the str of a request to an Engine
        chosen = record.info.engines[0] if engine in (None, "", "reference") else engines.get(engine)  # type: ignore[call-overload]
        if chosen is None:
            raise UnknownEngine(f"{id} runs on {listed(engines)}.", pointer="/engine")
        if (self.only_store or nonblocking.get()) and (record.info.trained or not record.spec):
            raise NeedsWorker
        with self._guard:
            if (id, chosen) in self._loaded:
                self._loaded.move_to_end((id, chosen))
                return self._loaded[id, chosen]
            lock = self._locks.setdefault((id, chosen), Lock())
        if nonblocking.get():
            raise NotLoaded
        try:
            with lock:
                return self._load((id, chosen), partial(LOADERS[chosen], record))
        except BadFile:
            self._trained.forget(id)
            self._record(id)  # raises UnknownTokenizer if it was deleted or damaged in the meantime
            raise

    def _load(self, key: tuple[str, Engine], load: Callable[[], Tokenizer]) -> Tokenizer:
        """Return the tokenizer, loaded if no other thread has; then evict others until all fit into `max_loaded`."""
        cached = self._loaded.get(key)
        tokenizer = cached or load()
        with self._guard:
            self.loads += not cached
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
        """Estimated memory use of all loaded tokenizers, in bytes."""
        with self._guard:
            return self._nbytes()

    def _unload(self, ids: Collection[str]) -> None:
        """Free the memory of tokenizers that no longer exist."""
        with self._guard:
            for key in [key for key in self._loaded if key[0] in ids]:
                del self._loaded[key]

    def loaded(self) -> list[tuple[str, Engine]]:
        """Return the tokenizers in memory, as (id, engine), the least recently used first."""
        with self._guard:
            return list(self._loaded)
