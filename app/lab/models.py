"""Which tokenizer of the store a model uses. Only mappings with a published source are listed."""

from collections.abc import Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase

from ..errors import UnknownTokenizer, listed
from ..registry import Registry

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


def resolve_model(registry: Registry, model: str) -> str:
    """Return the id of the tokenizer of a model.

    The model is the id of a tokenizer, a name in `NAMES`, or a model that a tokenizer of the store lists, in any case.
    Raises `UnknownTokenizer`, which suggests the nearest names.
    """
    infos = registry.infos()
    if any(info.id == model for info in infos):
        return model
    if (id := tokenizer_of(model)) is not None:
        return registry.info(id).id
    # Last, because a tokenizer's list of models is prose for readers: names with capitals and spaces.
    title = model.casefold()
    for info in infos:
        if any(title == listed_model.casefold() for listed_model in info.models):
            return info.id
    candidates = [info.id for info in infos] + [name for names in NAMES.values() for name in names if "*" not in name]
    # If nothing is similar, name what most people look for.
    near = get_close_matches(model, candidates, n=3, cutoff=0.4) or ["o200k_base", "gpt-4o"]
    raise UnknownTokenizer(f"There is no tokenizer for this model. Nearest: {listed(near)}.", pointer="/model")


def tokenizer_of(model: str) -> str | None:
    """Return the tokenizer of a model according to `NAMES`, or None.

    >>> [tokenizer_of(model) for model in ("gpt-4o-mini", "gpt-4-0613", "gpt-oss-20b", "claude-opus-4-5")]
    ['o200k_base', 'cl100k_base', 'o200k_harmony', None]
    """
    return next((id for id, names in NAMES.items() if any(fnmatchcase(model, name) for name in names)), None)
