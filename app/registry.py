"""All tokenizers by id: listed without loading, loaded on first use, the least recently used evicted by size."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from difflib import get_close_matches
from functools import cache, lru_cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakSet

from .errors import BadFile, TokenariumError, UnknownEngine, UnknownTokenizer, join_names, reason
from .files.patterns import check_pattern_complexity
from .memory import collect_garbage, release_memory, without_collection
from .settings import Settings
from .store import (
    PRIVATE,
    PRIVATE_FOLDER,
    PRIVATE_SECONDS,
    LocalFolder,
    Record,
    Store,
    read_store,
    read_templates,
    read_unpublished_templates,
)
from .types import ChatTemplate, Engine, Tokenizer, TokenizerInfo

if TYPE_CHECKING:
    from .configured import Configured

Loader = Callable[[Record], Tokenizer]
MOST_AN_ID = 240
"""Bytes that an id of a library's vocabulary takes, nearly at most."""

# What reads files is imported inside the functions below: it imports numpy and tokenizer libraries, and the
# server starts and lists its tokenizers without them.


def _list_configured(names: Sequence[str], *, taken: Sequence[str]) -> "Configured":
    from .configured import Configured

    return Configured(names, taken=taken)


def _pattern(record: Record) -> str:
    """Return the pattern of a record with ranks. Raises `BadFile` if a user wrote it and it is too complex."""
    pattern: str = record.spec["pattern"]
    if not record.trusted:
        check_pattern_complexity(pattern)
    return pattern


def _is_trusted(record: Record, pattern: str) -> bool:
    """True if the search with a pattern needs no time limit: no user wrote it, or it is also one of the store."""
    return record.trusted or pattern in _list_store_patterns()


@cache
def _list_store_patterns() -> frozenset[str | None]:
    return frozenset(record.pattern for record in read_store(Settings().store))


def _tiktoken(record: Record) -> Tokenizer:
    from .files.tiktoken.library import load
    from .files.tiktoken.ranks import read_ranks

    normalized = None
    if form := record.spec.get("normalizer"):
        from .files.unicode_normalizer import UnicodeNormalizer

        normalized = UnicodeNormalizer(form)
    return load(record.info, ranks=read_ranks(record), pattern=_pattern(record), normalized=normalized)


def _sentencepiece(record: Record) -> Tokenizer:
    from .files.sentencepiece.library import load

    return load(record.info, model=record.only_file())


def _tokenizers(record: Record) -> Tokenizer:
    from .files.tokenizer_json.library import load_json, load_packed_json
    from .files.tokenizer_json.packed import NAME, load_packed

    if NAME in record.spec["files"]:
        return load_packed_json(record.info, file=load_packed(record.only_file()))
    return load_json(record.info, file=record.only_file(), trusted=record.trusted)


def _transformers(record: Record) -> Tokenizer:
    from .files.transformers.library import load_auto

    return load_auto(record.info, name=str(record.folder))


def _scratch(record: Record) -> Tokenizer:
    from .files import from_scratch
    from .files.minbpe import load_minbpe
    from .files.rwkv import load_rwkv_vocab
    from .files.sentencepiece import scratch as sentencepiece
    from .files.sentencepiece.model import load_model
    from .files.tiktoken.ranks import read_ranks
    from .files.tokenizer_json import scratch as json_pipeline
    from .files.tokenizer_json.packed import NAME, load_packed
    from .files.tokenizer_json.read import read_once

    match record.info.family:
        case _ if "minbpe" in record.spec:
            return from_scratch.minbpe(record.info, model=load_minbpe(record.only_file()))
        case _ if NAME in record.spec.get("files", ()):
            return json_pipeline.load(record.info, file=load_packed(record.only_file()).unpack())
        case _ if "tokenizer.json" in record.spec.get("files", ()):
            try:
                return json_pipeline.load(record.info, file=read_once(record.only_file()))
            finally:
                read_once.cache_clear()
        case "character":
            return from_scratch.character_tokenizer(record.info)
        case "byte":
            return from_scratch.byte_tokenizer(record.info)
        case "word":
            return from_scratch.word_tokenizer(record.info, record.spec["pattern"])
        case "longest-match":
            return from_scratch.longest_match(record.info, vocabulary=load_rwkv_vocab(record.only_file()))
        case _ if "ranks" not in record.spec:
            return sentencepiece.load(record.info, model=load_model(record.only_file()))
        case _:
            ranks = read_ranks(record)
            form = record.spec.get("normalizer")
            pattern = record.spec.get("portable_pattern") or _pattern(record)  # sets that intersect are tiktoken's
            return from_scratch.byte_level_bpe(
                record.info, ranks=ranks, pattern=pattern, trusted=_is_trusted(record, pattern), form=form
            )


LOADERS: dict[Engine, Loader] = {
    "tiktoken": _tiktoken,
    "sentencepiece": _sentencepiece,
    "tokenizers": _tokenizers,
    "transformers": _transformers,
    "scratch": _scratch,
}


def load(record: Record, engine: Engine) -> Tokenizer:
    """Load a tokenizer on an engine. Whatever a library raises for a bad file becomes `BadFile`, with its message."""
    try:
        with without_collection():
            return LOADERS[engine](record)
    except (TokenariumError, MemoryError):
        raise
    except BaseException as error:
        # pyo3's PanicException is no Exception and cannot be imported
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        name = "The from-scratch engine" if engine == "scratch" else engine
        raise BadFile(f"{name} cannot load {record.info.id}: {reason(error)}.") from error


def find_nearest(name: str, candidates: Iterable[str]) -> list[str]:
    """Return up to three candidates that are spelled like a name or begin with it, the most similar first.

    >>> find_nearest("gpt4", ["ada", "gpt-4", "gpt2"]), find_nearest("llama3", ["ada", "gpt-4"])
    (['gpt-4', 'gpt2'], [])
    """
    folded = {candidate.casefold(): candidate for candidate in candidates}
    wanted = name.casefold()
    longer = [one for one in folded if len(wanted) > 2 and one.startswith(wanted)]
    # Below this cutoff, names that only share a few letters would be suggested: ada for llama3.
    similar = get_close_matches(wanted, folded, n=3, cutoff=0.65)
    return [folded[one] for one in dict.fromkeys([*similar, *longer])][:3]


class TokenizerCache(Protocol):
    """A cache whose values refer to tokenizers."""

    def forget(self, tokenizer: str) -> None:
        """Drop the values that refer to the tokenizer of this id."""


class Registry:
    """All tokenizers by id: those of the store, those the settings name, and those that are kept on this server.

    Thread-safe; each tokenizer is loaded once, even if many threads request it at the same time. Kept tokenizers are
    read from disk at each call, because any process may save or delete one while the server runs. Private ones are
    never listed: only who knows the id of one finds it.
    """

    def __init__(self, settings: Settings) -> None:
        self._store = settings.store
        self._stored = Store(settings.store)
        self._configured = _list_configured(settings.hub, taken=[*self._stored]) if settings.hub else None
        self._ids = [*dict.fromkeys([*self._stored, *(self._configured or ())])]
        self._local = LocalFolder(settings.local)
        private = settings.local / PRIVATE_FOLDER
        self._private = LocalFolder(private, names=PRIVATE, seconds=PRIVATE_SECONDS)
        self._loaded: OrderedDict[tuple[str, Engine], Tokenizer] = OrderedDict()
        self._in_use: set[tuple[str, Engine]] | None = None
        self._locks: dict[tuple[str, Engine], Lock] = {}
        self._guard = Lock()
        self._sizes: dict[str, int] = {}
        self._max_own = settings.max_loaded
        self._max_loaded = settings.max_loaded
        self.preloaded: Mapping[tuple[str, Engine], Tokenizer] = {}
        """Tokenizers of the store that were loaded before this process was forked."""
        self.reconstruction = settings.reconstruction
        """The package that counts beside a range for a model without a public tokenizer, or ""."""
        self.loads = self.evictions = 0
        self._only_bundled = False
        self.reads_files = True
        """False in a server with workers: they alone read the files that the settings name."""
        self.loading: Callable[[], AbstractContextManager[None]] = nullcontext
        """Surrounds each load, which may take longer than what it is for."""
        self.caches: WeakSet[TokenizerCache] = WeakSet()
        """Caches whose values refer to tokenizers; they drop those of a tokenizer that is unloaded."""

    def add_cache(self, cache: TokenizerCache) -> None:
        """Have a cache drop the values of tokenizers that are unloaded. The set is replaced, as threads iterate it."""
        with self._guard:
            self.caches = WeakSet([*self.caches, cache])

    def infos(self) -> list[TokenizerInfo]:
        """Return the metadata of every tokenizer but the private ones, without loading any."""
        return [record.info for id in self._ids if (record := self._find_listed(id))] + self.local()

    def local(self) -> list[TokenizerInfo]:
        """Return the metadata of the tokenizers that are kept on this server."""
        if self._only_bundled:
            return []
        self._unload_deleted()
        return [record.info for id, record in self._local.records().items() if id not in self._ids]

    def _unload_deleted(self) -> bool:
        """Free the memory of tokenizers that are kept no longer, and return whether there are any."""
        own = {id for id, _ in self.list_loaded()} - {*self._ids}
        gone = {id for id in own - {*(self._local.records() if own else ())} if self._private.record(id) is None}
        self._unload(gone)
        return bool(gone)

    def list_trained(self) -> list[TokenizerInfo]:
        """Return the metadata of the tokenizers trained on this server."""
        return [info for info in self.local() if info.trained]

    def list_damaged(self) -> list[str]:
        """Return the names of folders of kept tokenizers that cannot be read."""
        return [] if self._only_bundled else self._local.list_damaged()

    def info(self, id: str) -> TokenizerInfo:
        """Return the metadata of a tokenizer. Raises `UnknownTokenizer`."""
        return self._record(id).info

    def record(self, id: str) -> Record:
        """Return what describes a tokenizer, with its files. Raises `UnknownTokenizer`, `BadFile`."""
        return self._record(id)

    def file(self, id: str, name: str) -> bytes:
        """Return a file of a tokenizer, verified by its hash. Raises `UnknownTokenizer`, `BadFile`, `KeyError`."""
        return self._record(id).file(name)

    def files(self, id: str) -> Mapping[str, int]:
        """Return the files of a kept tokenizer, with their sizes in bytes. Raises `UnknownTokenizer`."""
        spec = self._record(id).spec
        return {name: file.get("bytes", 0) for name, file in {**spec["files"], **spec.get("extras", {})}.items()}

    def size(self, id: str) -> int | None:
        """Return the size of a tokenizer's files on the disk in bytes, or None if it has none here."""
        record = self._record(id)
        if not record.spec:
            return None
        if id not in self._sizes:
            self._sizes[id] = record.stored_size()
        return self._sizes[id] or None

    def sha256(self, id: str) -> str:
        """Return the SHA-256 of a tokenizer's file, or "" if it has none."""
        return self._record(id).sha256()

    def chat_template(self, id: str, further: Mapping[str, Any] | None = None) -> ChatTemplate | None:
        """Return the chat template of a tokenizer, or that of an entry of its `further_templates`; None if it has none.

        Raises `UnknownTokenizer`, `BadFile`.
        """
        return self._record(id).chat_template(further)

    def further_templates(self, id: str) -> Sequence[Mapping[str, Any]]:
        """Return the entries of the templates of models that have the vocabulary of a tokenizer, beside its own."""
        return [entry for entry in read_templates(self._store) if id in entry["tokenizers"]]

    def training_template(self, id: str, template: ChatTemplate) -> ChatTemplate | None:
        """Return the template that replaces one in training, which keeps each turn as it was; None if there is none."""
        entries = (entry for entry in self.further_templates(id) if entry.get("trains", "") == template.sha256 != "")
        entry = next(entries, None)
        return None if entry is None else self.chat_template(id, entry)

    def unpublished_templates(self) -> Mapping[str, str]:
        """Return what to say of models whose chat template nobody has published, by a pattern of their names."""
        return read_unpublished_templates(self._store)

    def chat_templates(self, ids: Iterable[str]) -> list[str]:
        """Return those of the ids whose tokenizers have a chat template. Raises `UnknownTokenizer`."""
        return [id for id in ids if "chat_template" in self._record(id).spec]

    def __contains__(self, id: str) -> bool:
        return self._find(id) is not None

    def _find_listed(self, id: str) -> Record | None:
        """Return the record of a tokenizer of the store, or of one that the settings name."""
        if self._configured and id in self._configured:
            return None if self._only_bundled else self._configured[id]
        return self._stored.get(id)

    def _find(self, id: str) -> Record | None:
        """Return the record of a tokenizer, or None. Those of the store come first: they need no look at the disk."""
        record = self._find_listed(id)
        if record is None and not self._only_bundled:
            record = self._local.record(id) or self._private.record(id)
        return record

    def _record(self, id: str) -> Record:
        record = self._find(id)
        if record is not None and self._configured and id in self._configured and self.reads_files:
            return self._configured.read(id, changed=lambda: self._unload({id}))
        if record is None:
            if not self._only_bundled:
                self._unload({id})
            ids = [info.id for info in self.infos()]
            near = find_nearest(id, ids) or ids
            raise UnknownTokenizer(f"There is no tokenizer of this name. Nearest: {join_names(near)}.")
        return record

    def get(self, id: str, engine: str | None = None) -> Tokenizer:
        """Return a tokenizer on one of its engines; None, "" or "reference" select its reference library.

        Raises `UnknownTokenizer`, `UnknownEngine`, `BadFile`, `Unavailable`.
        """
        record = self._record(id)
        engines = {name: name for name in record.info.engines}  # typed: maps the str of a request to an Engine
        chosen = record.info.engines[0] if engine in (None, "", "reference") else engines.get(engine)  # type: ignore[call-overload]
        if chosen is None:
            raise UnknownEngine(f"{id} runs on {join_names(engines)}.", pointer="/engine")
        if (id, chosen) in self.preloaded:
            return self.preloaded[id, chosen]
        with self._guard:
            if self._in_use is not None:
                self._in_use.add((id, chosen))
            if (id, chosen) in self._loaded:
                self._loaded.move_to_end((id, chosen))
                return self._loaded[id, chosen]
            lock = self._locks.setdefault((id, chosen), Lock())
        try:
            with lock:
                return self._load((id, chosen), partial(load, record, chosen))
        except BadFile:
            self._local.forget(id)
            self._private.forget(id)
            self._record(id)  # raises UnknownTokenizer if it was deleted or damaged in the meantime
            raise

    def limit_own(self, limit: int) -> None:
        """Keep only so many bytes of tokenizers that this process loads for itself, beside the shared ones."""
        self._max_loaded = min(self._max_own, limit)

    def prepare(self, id: str) -> bool:
        """Load a tokenizer of the store on its first engine if there is room for it; return whether it is in memory.

        There is room beside those that are loaded, or if none is; as estimated before it is loaded.
        """
        record = self._record(id)
        if record.info.local or not record.spec:  # a worker alone reads what a user wrote
            return False
        if self.is_loaded(id):
            return True
        expected = MOST_AN_ID * (record.info.vocab_size or 0)
        if self._loaded and self.nbytes + expected > self._max_loaded:
            return False
        self.get(id)
        return True

    def is_loaded(self, id: str) -> bool:
        """True if a tokenizer is in memory, on its first engine."""
        return (id, self._record(id).info.engines[0]) in self._loaded

    def is_untrusted(self, id: str) -> bool:
        """True if this is the id of a tokenizer that a user wrote, whose pattern may take unlimited time."""
        return (record := self._find(id)) is not None and not record.trusted

    def bundled_only(self) -> "Registry":
        """Return a registry with the tokenizers of the store alone, and the same in memory."""
        registry = copy(self)
        registry._only_bundled = True
        return registry

    def get_once(self, id: str) -> Tokenizer:
        """Like `get`, without keeping a tokenizer that is not in memory: for one pass over its vocabulary."""
        record = self._record(id)
        key = id, record.info.engines[0]
        with self._guard:
            tokenizer = self.preloaded.get(key) or self._loaded.get(key)
        if tokenizer is None:
            with self.loading():
                tokenizer = load(record, record.info.engines[0])
        return tokenizer

    @contextmanager
    def one_request(self) -> Iterator[None]:
        """Keep what is used in here, up to twice `max_loaded`, and evict others; for one request at a time.

        To compare the same large vocabularies again and again then loads none of them again.
        """
        with self._guard:
            self._in_use = set()
        yield
        if self._evict() | self._unload_deleted():
            release_memory()

    def adopt(self, tokenizers: Iterable[Tokenizer]) -> None:
        """Keep tokenizers in memory that were loaded elsewhere; the first is the last to be evicted."""
        for tokenizer in reversed([*tokenizers]):
            with self._guard:
                self._loaded[tokenizer.info.id, tokenizer.engine] = tokenizer
            self._load((tokenizer.info.id, tokenizer.engine), lambda: tokenizer)  # noqa: B023, which is called here

    def _load(self, key: tuple[str, Engine], load: Callable[[], Tokenizer]) -> Tokenizer:
        """Return the tokenizer, loaded if no other thread has; then evict others until all fit into `max_loaded`."""
        cached = self._loaded.get(key)
        if cached is None:
            with self.loading():
                tokenizer = load()
        else:
            tokenizer = cached
        with self._guard:
            self.loads += not cached
            self._loaded[key] = tokenizer
            self._loaded.move_to_end(key)
        self._evict()
        if not cached:
            release_memory()
        return tokenizer

    def _evict(self) -> bool:
        """Evict the least recently used beyond `max_loaded`, those in use beyond twice as much; return if any was."""
        ids = []
        with self._guard:
            total = self._nbytes()
            in_use = self._in_use or ()
            for key in [*self._loaded][:-1]:
                if total > self._max_loaded * (2 if key in in_use else 1):
                    total -= self._loaded.pop(key).nbytes
                    ids.append(key[0])
        self.evictions += len(ids)
        self._forget_cached(ids)
        if ids:
            collect_garbage()
        return bool(ids)

    def _forget_cached(self, ids: Iterable[str]) -> None:
        """Have the caches drop what refers to tokenizers that are no longer loaded, which it would keep in memory."""
        for id in ids:
            for one in [*self.caches]:
                one.forget(id)

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
            keys = [key for key in self._loaded if key[0] in ids]
            for key in keys:
                del self._loaded[key]
        self._forget_cached(id for id, _ in keys)

    def list_loaded(self) -> list[tuple[str, Engine]]:
        """Return the tokenizers in memory, as (id, engine), the least recently used first."""
        with self._guard:
            return list(self._loaded)


@lru_cache(maxsize=1)
def get_registry(settings: Settings) -> Registry:
    """Return the registry of a process, so that what it loads for one task is there for the next."""
    return Registry(settings)
