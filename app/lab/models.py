"""Which tokenizer a model has in a registry, what to say of one without, and the rows of the picker of models."""

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

from ..errors import UnknownTokenizer, join_names
from ..registry import Registry
from ..types import TokenizerInfo
from .model_names import find_tokenizer, fold_name, list_spellings, suggest
from .prices import TokenRange, load_token_ranges

NOT_HERE = (
    "The tokenizer of {0} is not part of this server, because of its licence: accept that, and download it at "
    "/tokenizers/fetch?name={1} or with tokenarium add {1}."
)
TABLE = Path(__file__).with_name("models.toml")
Group = Literal["popular", "open", "classic", "yours"]
GROUPS: Mapping[Group, str] = {"popular": "Popular", "open": "Open", "classic": "Classic", "yours": "Yours"}


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """An entry of `models.toml`, which explains the fields."""

    name: str
    maker: str
    released: date
    group: Group
    tokenizer: str = ""
    also: tuple[str, ...] = ()
    add: str = ""
    unpublished: str = ""

    def names(self, name: str) -> bool:
        """True if this is a name of the model, as anyone spells it."""
        own = [fold_name(one) for one in (self.name, *self.also)]
        return any(fnmatchcase(spelling, one) for spelling in list_spellings(name) for one in own)

    def find_own(self, infos: Iterable[TokenizerInfo]) -> str | None:
        """Return the id of a tokenizer that stands for one that is not included: of a folder or a repository of its
        name, which the settings name or from which it was fetched."""
        mine = (one for one in infos if self.add and one.origin in ("configured", "fetched"))
        return next((one.id for one in mine if any(map(self.names, (one.id, *one.models)))), None)


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A row of the picker. `info` is None for a model whose tokenizer is not here; `todo` then says what to do."""

    name: str
    group: Group
    maker: str = ""
    released: date | None = None
    also: tuple[str, ...] = ()
    info: TokenizerInfo | None = None
    todo: str = ""
    add: str = ""
    unpublished: bool = False

    @property
    def label(self) -> str:
        """The name of the model and the id of the vocabulary, without repeating one that both have."""
        if self.info is None:
            return f"{self.name}: {self.todo}"
        same = fold_name(self.name) == fold_name(self.info.id)
        return self.name if same else f"{self.name} · {self.info.id}"


def find_model(registry: Registry, model: str) -> str | None:
    """Return the id of the tokenizer of a model, as `resolve_model` does, or None."""
    if model in registry:
        return model
    if (id := find_tokenizer(model)) is not None and id in registry:
        return id
    # Last, because a tokenizer's list of models is prose for readers: names with capitals and spaces.
    title = model.casefold()
    for info in registry.infos():
        if any(title == listed_model.casefold() for listed_model in info.models):
            return info.id
    rows = [row for row in models() if row.names(model) or row.tokenizer == model]
    if bundled := next((row.tokenizer for row in rows if row.tokenizer in registry), None):
        return bundled
    if fetched := next((id for row in rows if (id := row.find_own(registry.infos()))), None):
        return fetched
    written = ((info.id, registry.further_templates(info.id)) for info in registry.infos())
    return next((id for id, entries in written if model in [entry["model"] for entry in entries]), None)


def resolve_here(registry: Registry, name: str) -> str:
    """Return the id of a model, or of the one tokenizer that is kept on this machine under a name.

    It is for whoever keeps them: of a server, another visitor may have chosen the name. Raises `UnknownTokenizer`.
    """
    kept = [info.id for info in registry.local() if info.title.casefold() == name.casefold()]
    if not kept or find_model(registry, name) is not None:
        return resolve_model(registry, name)
    if len(kept) > 1:
        raise UnknownTokenizer(f"Several have this name; choose one by its id: {join_names(kept)}.")
    return kept[0]


def resolve_models(registry: Registry, names: Sequence[str]) -> list[str]:
    """Return the id of each model in the field `tokenizers` of a request, each once. Raises as `resolve_model`."""
    ids = (resolve_model(registry, name, pointer=f"/tokenizers/{at}") for at, name in enumerate(names))
    return [*dict.fromkeys(ids)]


def resolve_model(registry: Registry, model: str, *, pointer: str | None = "/model") -> str:
    """Return the id of the tokenizer of a model.

    The model is the id of a tokenizer, a name in `NAMES_BY_TOKENIZER` or in `models.toml`, or a model that a tokenizer
    of the store lists, in any of its spellings, or one of `templates.toml` as it is there. Raises `UnknownTokenizer`,
    which says what to do or what comes nearest; `pointer` names the field of the request.
    """
    if (id := find_model(registry, model)) is not None:
        return id
    for one in models():
        if one.names(model) and (one.unpublished or one.add):
            detail = one.unpublished or NOT_HERE.format(one.name, one.add)
            raise UnknownTokenizer(detail, pointer=pointer, fetch=one.add or None)
    what = "for this model" if pointer == "/model" else "of this name"
    near = suggest(model, [info.id for info in registry.infos()])
    raise UnknownTokenizer(f"There is no tokenizer {what}. {near}", pointer=pointer)


def canonical(registry: Registry, name: str) -> str:
    """Return the id of the tokenizer of a model, or the name itself where there is none."""
    return find_model(registry, name) or name


@lru_cache(maxsize=1)
def models() -> tuple[ModelEntry, ...]:
    """Return the entries of `models.toml`."""
    entries = tomllib.loads(TABLE.read_text())["model"]
    return tuple(ModelEntry(**{**entry, "also": tuple(entry.get("also", ()))}) for entry in entries)


@dataclass(frozen=True)
class ModelList:
    """The rows of a picker under the titles of their groups."""

    groups: Sequence[tuple[str, Sequence[ModelRow]]]

    @cached_property
    def newest(self) -> Mapping[str, ModelRow]:
        """The row that stands for a tokenizer: that of its newest model."""
        rows = [row for _, members in self.groups for row in members]
        return {row.info.id: row for row in reversed(rows) if row.info}

    @property
    def ranges(self) -> Iterable[TokenRange]:
        """How many tokens a model without a public tokenizer takes, where it is a row."""
        unpublished = any(row.unpublished for _, members in self.groups for row in members)
        return load_token_ranges().values() if unpublished else ()

    def label(self, id: str) -> str:
        """Return the label of the newest model of a tokenizer, or the id of one that is not here."""
        return self.newest[id].label if id in self.newest else id

    def only(self, ids: Collection[str]) -> "ModelList":
        """Return the rows of these tokenizers and no other."""
        groups = [(title, [row for row in rows if row.info and row.info.id in ids]) for title, rows in self.groups]
        return ModelList([(title, rows) for title, rows in groups if rows])


def model_list(infos: Iterable[TokenizerInfo]) -> ModelList:
    """Return the rows of a picker, newest first; in each group, what is not here comes last.

    A tokenizer without an entry in `models.toml` has a row of its own. No group is empty.
    """
    rows = [*_rows({info.id: info for info in infos})]
    rows.sort(key=lambda row: (row.info is not None, row.released or date.min), reverse=True)
    grouped = [(title, [row for row in rows if row.group == group]) for group, title in GROUPS.items()]
    return ModelList([(title, members) for title, members in grouped if members])


def _rows(infos: Mapping[str, TokenizerInfo]) -> Iterator[ModelRow]:
    listed = set()
    for model in models():
        info = infos.get(model.tokenizer) or infos.get(model.find_own(infos.values()) or "")
        about = (model.name, model.group, model.maker, model.released, model.also)
        if info is not None:
            # A vocabulary is also found by the models that its own description names and that have no entry.
            also = () if info.id in listed else tuple(name for name in info.models if not _has_entry(name))
            listed.add(info.id)
            yield ModelRow(*about[:4], model.also + also, info)
        elif model.unpublished:
            yield ModelRow(*about, todo="no public tokenizer", unpublished=True)
        elif model.add:
            yield ModelRow(*about, todo="not included: download", add=model.add)
    for info in infos.values():
        if info.id not in listed:
            yield _own_row(info)


@lru_cache(maxsize=1000)
def _has_entry(name: str) -> bool:
    return any(model.names(name) for model in models())


def _own_row(info: TokenizerInfo) -> ModelRow:
    """Return the row of a tokenizer that no entry names."""
    if info.local or info.family == "other":
        return ModelRow(info.title, "yours", info=info)
    return ModelRow(info.title, "open" if info.models else "classic", also=info.models, info=info)
