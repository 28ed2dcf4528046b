"""Which tokenizer of the store a model uses, by a published source only, and the rows of the picker of models."""

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

from ..errors import UnknownTokenizer, join_names
from ..registry import Registry, find_nearest
from ..types import TokenizerInfo
from .prices import TokenRange, load_token_ranges

NAMES: Mapping[str, tuple[str, ...]] = {
    "o200k_harmony": ("gpt-oss-*", "openai/gpt-oss-*"),
    "o200k_base": (
        *("gpt-5", "gpt-5[-.]*", "gpt-4.5-*", "gpt-4.1", "gpt-4.1-*", "gpt-4o", "gpt-4o-*", "chatgpt-4o-*"),
        *("o1", "o1-*", "o3", "o3-*", "o4-*", "ft:gpt-4o*", "ft:gpt-4.1*"),
    ),
    "cl100k_base": (
        *("gpt-4", "gpt-4-*", "gpt-3.5", "gpt-3.5-turbo", "gpt-3.5-turbo-*", "gpt-35-turbo", "gpt-35-turbo-*"),
        *("text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002", "davinci-002", "babbage-002"),
        *("ft:gpt-4:*", "ft:gpt-4-*", "ft:gpt-3.5-turbo*", "ft:davinci-002*", "ft:babbage-002*"),
        # Only their special tokens are others.
        *("microsoft/phi-4*", "phi-4*", "allenai/OLMo-2-*", "OLMo-2-*"),
    ),
    "p50k_edit": ("text-davinci-edit-001", "code-davinci-edit-001"),
    "p50k_base": ("text-davinci-003", "text-davinci-002", "code-davinci-00[12]", "code-cushman-00[12]"),
    "r50k_base": (
        *("davinci", "curie", "babbage", "ada"),
        *("text-davinci-001", "text-curie-001", "text-babbage-001", "text-ada-001"),
    ),
    "gpt2": ("gpt-2", "gpt2-medium", "gpt2-large", "gpt2-xl", "openai-community/gpt2", "openai-community/gpt2-*"),
    "mistral-v1": (
        *("mistralai/Mistral-7B-v0.1", "mistralai/Mistral-7B-Instruct-v0.1"),
        *("mistralai/Mixtral-8x7B-v0.1", "mistralai/Mixtral-8x7B-Instruct-v0.1"),
    ),
    "mistral-v3": (
        *("mistralai/Mistral-7B-v0.3", "mistralai/Mistral-7B-Instruct-v0.3"),
        *("mistralai/Mixtral-8x22B-Instruct-v0.1", "mistralai/Codestral-22B-v0.1"),
    ),
    "tekken": (
        *("mistralai/Mistral-Nemo-Base-2407", "mistralai/Mistral-Nemo-Instruct-2407"),
        *("mistralai/Pixtral-12B-2409", "mistralai/Ministral-8B-Instruct-2410"),
    ),
    "bert-base-uncased": (
        *("google-bert/bert-base-uncased", "bert-large-uncased", "google-bert/bert-large-uncased"),
        *("distilbert-base-uncased", "distilbert/distilbert-base-uncased"),
        *("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", "all-MiniLM-L12-v2"),
        *("sentence-transformers/all-MiniLM-L12-v2", "google/electra-*", "nomic-embed-text", "nomic-embed-text-v1*"),
        *("nomic-ai/nomic-embed-text-v1*", "bge-*-en-v1.5", "BAAI/bge-*-en-v1.5", "intfloat/e5-*-v2", "thenlper/gte-*"),
        "mxbai-embed-large*",
    ),
    "qwen3": (
        *("Qwen/Qwen2-*", "Qwen/Qwen2.5-*", "Qwen/Qwen3-*", "Qwen/QwQ-32B*", "Qwen/QVQ-*", "qwen2*", "qwen-2.5*"),
        *("Qwen2-*", "Qwen2.5-*", "Qwen3-*", "qwen3-*", "QwQ-32B*", "qwq*"),
        *("deepseek-ai/DeepSeek-R1-Distill-Qwen-*", "DeepSeek-R1-Distill-Qwen-*"),
    ),
    "qwen3.5": ("Qwen/Qwen3.[56]-*", "Qwen3.[56]-*", "qwen3.[56]-*", "qwen3.6"),
    "deepseek-v3": (
        *("deepseek-ai/DeepSeek-V[34]*", "DeepSeek-V[34]*", "deepseek-v4*", "deepseek-v3.*", "deepseek-v3-*"),
        *("deepseek-ai/DeepSeek-R1", "deepseek-ai/DeepSeek-R1-Zero", "deepseek-ai/DeepSeek-R1-0528", "DeepSeek-R1"),
        *("deepseek-r1", "deepseek-chat", "deepseek-reasoner"),
    ),
    "deepseek-coder": ("deepseek-ai/deepseek-coder-*b-*", "deepseek-coder-*b-*"),
    "gemma4": ("google/gemma-4-*", "gemma-4-*", "gemma-4", "gemini-3.[15]*"),
    "kimi-k2": (
        "moonshotai/Kimi-K[23]*",
        "Kimi-K[23]*",
        "kimi-k2-*",
        "kimi-k2.*",
        "kimi-k3*",
        "moonshotai/Moonlight-*",
    ),
    "glm-4": ("zai-org/GLM-4*", "THUDM/GLM-4-*-0414", "GLM-4.[5-9]*", "glm-4.[5-9]*", "glm-4-*"),
    "gpt-neox": (
        *("EleutherAI/gpt-neox-20b", "gpt-neox-20b", "EleutherAI/pythia-*", "pythia-*", "mosaicml/mpt-*", "mpt-7b*"),
        *("mpt-30b*", "allenai/OLMo-1B*", "allenai/OLMo-7B*", "OLMo-1B*", "OLMo-7B*", "databricks/dolly-v2-*"),
    ),
    "modernbert": ("answerdotai/ModernBERT-*", "ModernBERT-*", "nomic-ai/modernbert-embed-*"),
    "falcon": ("tiiuae/falcon-7b*", "tiiuae/falcon-40b*", "tiiuae/falcon-180[bB]*", "falcon-7b*", "falcon-40b*"),
    "whisper": (
        *("openai/whisper-tiny", "openai/whisper-base", "openai/whisper-small", "openai/whisper-medium"),
        *("openai/whisper-large", "openai/whisper-large-v2", "whisper-1", "whisper-tiny", "whisper-base"),
        *("whisper-small", "whisper-medium", "whisper-large", "whisper-large-v2"),
    ),
    "whisper-v3": ("openai/whisper-large-v3*", "whisper-large-v3*"),
    "clip": ("openai/clip-vit-*", "CLIP-ViT-*", "clip-vit-*", "laion/CLIP-ViT-*", "ViT-[BL]-[13]*"),
    "t5": ("google-t5/t5-*", "t5-*", "google/t5-v1_1-*", "google/flan-t5-*", "flan-t5-*"),
    "umt5": ("google/umt5-*", "umt5-*"),
    "xlm-roberta": (
        *("FacebookAI/xlm-roberta-*", "xlm-roberta-*", "BAAI/bge-m3*", "intfloat/multilingual-e5-*"),
        *("multilingual-e5-*", "nomic-ai/nomic-embed-text-v2-moe", "jinaai/jina-embeddings-v3"),
    ),
    "phi-3": ("microsoft/Phi-3-mini-*", "microsoft/Phi-3.5-mini-*", "microsoft/Phi-3-medium-*", "Phi-3*-*", "phi-3-*"),
    "mistral-v7": ("mistralai/Mistral-Large-Instruct-2411", "mistral-large-2411"),
    "mistral-v2": ("mistral-small-2402", "mistral-large-2402"),
    "rwkv-world": (
        *("BlinkDL/rwkv-[4-7]-world*", "RWKV/v5-Eagle-*", "RWKV/v6-Finch-*", "RWKV/rwkv-[456]-world-*"),
        *("RWKV/RWKV7-Goose-*", "rwkv-[4-7]-world*", "RWKV-[4-7]-World*", "rwkv-[5-7]", "RWKV-[5-7]"),
    ),
    "yi": (
        *("01-ai/Yi-1.5-*", "01-ai/Yi-34B*", "01-ai/Yi-9B*", "01-ai/Yi-6B*", "Yi-1.5*", "yi-1.5*"),
        *("Yi-34B*", "yi-34b*", "Yi-9B*", "yi-9b*", "Yi-6B*", "yi-6b*"),
    ),
    "claude-2": ("claude-1*", "claude-2.*", "claude-v1*", "claude-v2*", "claude-instant*"),
}
"""Names of models by tokenizer, with `*` and `[…]` as in file names. OpenAI's are those of `tiktoken.model`."""

NOT_HERE = "The tokenizer of {} is not part of this server, because of its licence. Add its file to use it."
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
        """True if this is a name of the model, in any case and with spaces for hyphens."""
        folded = _fold_name(name)
        return any(fnmatchcase(folded, _fold_name(one)) for one in (self.name, *self.also))


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
        same = _fold_name(self.name) == _fold_name(self.info.id)
        return self.name if same else f"{self.name} · {self.info.id}"


def find_model(registry: Registry, model: str) -> str | None:
    """Return the id of the tokenizer of a model, as `resolve_model` does, or None."""
    if model in registry:
        return model
    if (id := find_tokenizer(model)) is not None:
        return registry.info(id).id
    # Last, because a tokenizer's list of models is prose for readers: names with capitals and spaces.
    title = model.casefold()
    for info in registry.infos():
        if any(title == listed_model.casefold() for listed_model in info.models):
            return info.id
    return next((one.tokenizer for one in models() if one.names(model) and one.tokenizer in registry), None)


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

    The model is the id of a tokenizer, a name in `NAMES` or in `models.toml`, or a model that a tokenizer of the store
    lists, in any case. Raises `UnknownTokenizer`, which says what to do or suggests the nearest names; `pointer` names
    the field of the request.
    """
    if (id := find_model(registry, model)) is not None:
        return id
    for one in models():
        if one.names(model) and (one.unpublished or one.add):
            raise UnknownTokenizer(one.unpublished or NOT_HERE.format(one.name), pointer=pointer)
    candidates = [info.id for info in registry.infos()] + [
        name for names in NAMES.values() for name in names if "*" not in name
    ]
    # If nothing is similar, name what most people look for.
    near = find_nearest(model, candidates) or ["o200k_base", "gpt-4o"]
    what = "for this model" if pointer == "/model" else "of this name"
    raise UnknownTokenizer(f"There is no tokenizer {what}. Nearest: {join_names(near)}.", pointer=pointer)


def canonical(registry: Registry, name: str) -> str:
    """Return the id of the tokenizer of a model, or the name itself where there is none."""
    return find_model(registry, name) or name


def find_tokenizer(model: str) -> str | None:
    """Return the tokenizer of a model according to `NAMES`, or None.

    >>> [find_tokenizer(model) for model in ("gpt-4o-mini", "gpt-4-0613", "gpt-oss-20b", "claude-opus-4-5")]
    ['o200k_base', 'cl100k_base', 'o200k_harmony', None]
    """
    return next((id for id, names in NAMES.items() if any(fnmatchcase(model, name) for name in names)), None)


def _fold_name(name: str) -> str:
    return name.casefold().replace(" ", "-")


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
        info = infos.get(model.tokenizer)
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
