"""Which tokenizer of the store a model uses. Only mappings with a published source are listed."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from ..errors import UnknownTokenizer, listed
from ..registry import Registry, nearest
from .model_rows import models

DEFAULT = "o200k_base"
"""The tokenizer of a request that names no model."""

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
        *("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"),
    ),
}
"""Names of models by tokenizer, with `*` and `[…]` as in file names. OpenAI's are those of `tiktoken.model`."""


NOT_HERE = "The tokenizer of {} is not part of this server, because of its licence. Add its file to use it."


def resolve_model(registry: Registry, model: str | None, *, pointer: str | None = "/model") -> str:
    """Return the id of the tokenizer of a model.

    The model is the id of a tokenizer, a name in `NAMES` or in `models.toml`, or a model that a tokenizer of the store
    lists, in any case. None is `DEFAULT`. Raises `UnknownTokenizer`, which says what to do or suggests the nearest
    names; `pointer` names the field of the request.
    """
    if model is None:
        return DEFAULT
    if model in registry:
        return model
    if (id := tokenizer_of(model)) is not None:
        return registry.info(id).id
    infos = registry.infos()
    # Last, because a tokenizer's list of models is prose for readers: names with capitals and spaces.
    title = model.casefold()
    for info in infos:
        if any(title == listed_model.casefold() for listed_model in info.models):
            return info.id
    for one in models():
        if one.names(model):
            if one.tokenizer in registry:
                return one.tokenizer
            if one.unpublished or one.add:
                raise UnknownTokenizer(one.unpublished or NOT_HERE.format(one.name), pointer=pointer)
    candidates = [info.id for info in infos] + [name for names in NAMES.values() for name in names if "*" not in name]
    # If nothing is similar, name what most people look for.
    near = nearest(model, candidates) or [DEFAULT, "gpt-4o"]
    what = "for this model" if pointer == "/model" else "of this name"
    raise UnknownTokenizer(f"There is no tokenizer {what}. Nearest: {listed(near)}.", pointer=pointer)


def canonical(registry: Registry, name: str) -> str:
    """Return the id of the tokenizer of a model, or the name itself where there is none."""
    try:
        return resolve_model(registry, name)
    except UnknownTokenizer:
        return name


def tokenizer_of(model: str) -> str | None:
    """Return the tokenizer of a model according to `NAMES`, or None.

    >>> [tokenizer_of(model) for model in ("gpt-4o-mini", "gpt-4-0613", "gpt-oss-20b", "claude-opus-4-5")]
    ['o200k_base', 'cl100k_base', 'o200k_harmony', None]
    """
    return next((id for id, names in NAMES.items() if any(fnmatchcase(model, name) for name in names)), None)
