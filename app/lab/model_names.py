"""Which tokenizer of the store a model has, by its name as vendors, providers and runners spell it.

Only by a published source: what is not known to have a vocabulary of the store has no name here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache

from ..registry import find_nearest

NAMES_BY_TOKENIZER: Mapping[str, tuple[str, ...]] = {
    "o200k_harmony": ("gpt-oss[-:]*",),
    "o200k_base": (
        *("gpt-5", "gpt-5[-.]*", "gpt-4.5-*", "gpt-4.1", "gpt-4.1-*", "gpt-4o", "gpt-4o-*", "chatgpt-4o-*"),
        *("o1", "o1-*", "o3", "o3-*", "o4-*"),
    ),
    "cl100k_base": (
        *("gpt-4", "gpt-4-*", "gpt-3.5", "gpt-3.5-turbo", "gpt-3.5-turbo-*", "gpt-35-turbo", "gpt-35-turbo-*"),
        *("text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002", "davinci-002", "babbage-002"),
        # Only their special tokens are others. Phi-4-mini has another vocabulary.
        *("phi-4", "phi-4-reasoning*", "phi4", "phi4:*", "phi4-reasoning*", "olmo-2-*", "olmo2:*"),
    ),
    "p50k_edit": ("text-davinci-edit-001", "code-davinci-edit-001"),
    "p50k_base": ("text-davinci-003", "text-davinci-002", "code-davinci-00[12]", "code-cushman-00[12]"),
    "r50k_base": (
        *("davinci", "curie", "babbage", "ada"),
        *("text-davinci-001", "text-curie-001", "text-babbage-001", "text-ada-001"),
    ),
    "gpt2": ("gpt-2", "gpt2-medium", "gpt2-large", "gpt2-xl"),
    "mistral-v1": ("mistral-7b-v0.1", "mistral-7b-instruct-v0.1", "mixtral[-:]8x7b*", "open-mixtral-8x7b"),
    "mistral-v3": (
        *("mistral-7b-v0.3", "mistral-7b-instruct-v0.3", "mixtral-8x22b-instruct-v0.1", "codestral-22b-v0.1"),
        *("mistral-large-2407", "mistral-large-instruct-2407"),
    ),
    "tekken": (
        *("mistral-nemo", "mistral-nemo:*", "mistral-nemo-base-2407", "mistral-nemo-instruct-2407"),
        *("open-mistral-nemo*", "pixtral-12b-2409", "ministral-8b-instruct-2410"),
    ),
    "bert-base-uncased": (
        *("bert-large-uncased", "distilbert-base-uncased", "all-minilm", "all-minilm:*", "all-minilm-l6-v2"),
        *("all-minilm-l12-v2", "google/electra-*", "nomic-embed-text", "nomic-embed-text:*", "nomic-embed-text-v1*"),
        *("bge-*-en", "bge-*-en-v1.5", "e5-*-v2", "gte-small", "gte-base", "gte-large", "mxbai-embed-large*"),
    ),
    "qwen3": (
        *("qwen2*", "qwen-2.5*", "qwen3-*", "qwen3:*", "qwq*", "qvq-*", "deepseek-r1-distill-qwen-*"),
        # Ollama's, which are distilled into Qwen 2.5; 8b has been distilled into Llama, and into Qwen 3 later.
        *("deepseek-r1:1.5b*", "deepseek-r1:7b*", "deepseek-r1:14b*", "deepseek-r1:32b*"),
    ),
    "qwen3.5": ("qwen3.[56]", "qwen3.[56][-:]*"),
    "deepseek-v3": (
        *("deepseek-v[34]*", "deepseek-chat", "deepseek-chat-v3*", "deepseek-reasoner"),
        *("deepseek-r1", "deepseek-r1-zero", "deepseek-r1-0528", "deepseek-r1:671b*"),
    ),
    "deepseek-coder": ("deepseek-coder[-:]1.3b*", "deepseek-coder[-:]6.7b*", "deepseek-coder[-:]33b*"),
    "gemma4": ("gemma-4", "gemma-4-*", "gemma4:*", "gemini-3.[15]*"),
    "kimi-k2": ("kimi-k[23]*", "moonshotai/moonlight-*"),
    "glm-4": ("glm-4.[5-9]*", "glm-4-*"),
    "gpt-neox": ("gpt-neox-20b", "pythia-*", "mpt-7b*", "mpt-30b*", "olmo-1b*", "olmo-7b*", "dolly-v2-*"),
    "modernbert": ("modernbert-*",),
    "falcon": ("falcon[-:]7b*", "falcon[-:]40b*", "falcon[-:]180b*"),
    "whisper": (
        *("whisper-1", "whisper-tiny", "whisper-base", "whisper-small", "whisper-medium"),
        *("whisper-large", "whisper-large-v2"),
    ),
    "whisper-v3": ("whisper-large-v3*",),
    "clip": ("clip-vit-*", "vit-[bl]-[13]*"),
    "t5": ("t5-*", "flan-t5-*"),
    "umt5": ("umt5-*",),
    "xlm-roberta": (
        *("xlm-roberta-*", "bge-m3*", "multilingual-e5-*", "nomic-embed-text-v2-moe", "jina-embeddings-v3"),
    ),
    "phi-3": ("phi-3-mini-*", "phi-3-medium-*", "phi-3.5-mini-*", "phi3", "phi3:*", "phi3.5", "phi3.5:*"),
    "mistral-v7": ("mistral-large-instruct-2411", "mistral-large-2411"),
    "mistral-v2": ("mistral-small-2402", "mistral-large-2402"),
    "rwkv-world": ("rwkv-[4-7]-world*", "rwkv-[5-7]", "rwkv7-goose-*", "v5-eagle-*", "v6-finch-*"),
    "yi": ("yi-1.5*", "yi[-:]34b*", "yi[-:]9b*", "yi[-:]6b*"),
    "claude-2": ("claude-1*", "claude-2.*", "claude-v1*", "claude-v2*", "claude-instant*"),
}
"""Names of models by tokenizer as `fold_name` folds them, without an owner, and with `*` and `[…]` as in file names.

OpenAI's are those of `tiktoken.model`; `name:tag` is Ollama's.
"""
OWNER = re.compile(
    r"""(?x)(?:
    01-ai|accounts|allenai|answerdotai|anthropic|azure|azure_ai|baai|bedrock|blinkdl|cerebras|converse
    |databricks|deepinfra|deepseek|deepseek-ai|distilbert|eleutherai|facebookai|fireworks|fireworks_ai|gemini
    |github|google|google-bert|google-t5|groq|hf\.co|hosted_vllm|huggingface|huggingface\.co|intfloat|jinaai
    |laion|litellm_proxy|llama|lm_studio|meta|meta-llama|microsoft|mistral|mistralai|models|moonshot|moonshotai
    |mosaicml|nebius|nomic-ai|ollama|ollama_chat|openai|openai-community|openrouter|publishers|qwen|rwkv
    |sentence-transformers|thenlper|thudm|tiiuae|together|together_ai|vertex_ai|vertex_ai_beta|z-ai|zai|zai-org
    )/"""
)
"""What comes before a slash and says who serves or publishes a model, whose name alone then says which it is."""
PLACE = re.compile(r"projects/[^/]+/locations/[^/]+/")
BEDROCK = re.compile(
    r"(?:(?:us|eu|apac|au|jp|ca|global)\.)?(?:anthropic|cohere|google|meta|mistral|openai|qwen)\.(?=\D)"
)
VARIANT = re.compile(r"(?:-v\d+:\d+|:(?:free|nitro|floor|online|thinking|extended|exacto|beta))$")
DEPLOYED = re.compile(r"(?<![a-z0-9])(?:(?:chat)?gpt|o\d|text-embedding)")
MAX_NAME = 200
"""Characters of a name; a longer one is none."""
HINTS: Mapping[str, str] = {
    "gemma-3*": "gemma4 has the merges of Gemma 3, and other special tokens.",
    "gemma3*": "gemma4 has the merges of Gemma 3, and other special tokens.",
    "[bg][gt]e-*-zh*": "It has the vocabulary of bert-base-chinese, which is not included: add its file.",
    "grok-4*": "xAI publishes no tokenizer for Grok 4.",
}
"""What to say of models of which people ask and whose vocabulary is not here."""


def fold_name(name: str) -> str:
    """Return a name in lower case, with hyphens for spaces."""
    return name.strip().casefold().replace(" ", "-")


@lru_cache(maxsize=1000)
def list_spellings(model: str) -> tuple[str, ...]:
    """Return a name, and what is left of it without what providers and runners add, the longest first.

    >>> list_spellings("openrouter/OpenAI/gpt-4o:free")
    ('openrouter/openai/gpt-4o:free', 'openai/gpt-4o:free', 'gpt-4o:free', 'gpt-4o')
    >>> list_spellings("azure/eu-gpt4o-prod")[-1], list_spellings("bedrock/us.anthropic.claude-sonnet-4-v1:0")[-1]
    ('gpt-4o-prod', 'claude-sonnet-4')
    """
    return tuple(dict.fromkeys(_shorten(fold_name(model)))) if len(model) <= MAX_NAME else ()


def _shorten(name: str) -> Iterator[str]:
    yield name
    deployed = name.startswith("azure")
    name = PLACE.sub("", name)
    while owner := OWNER.match(name):
        name = name[owner.end() :]
        yield name
    if name.startswith("ft:"):
        name = name.split(":")[1]  # ft:gpt-4o-mini:org::id
    yield (name := BEDROCK.sub("", name))
    yield (name := VARIANT.sub("", name))
    if deployed and (match := DEPLOYED.search(name)):
        yield re.sub(r"^gpt(?=\d)", "gpt-", name[match.start() :].replace("_", "-"))


@lru_cache(maxsize=1000)
def find_tokenizer(model: str) -> str | None:
    """Return the tokenizer of a model according to `NAMES_BY_TOKENIZER`, or None.

    >>> [find_tokenizer(model) for model in ("gpt-4o-mini", "gpt-4-0613", "gpt-oss-20b", "claude-opus-4-5")]
    ['o200k_base', 'cl100k_base', 'o200k_harmony', None]
    """
    for spelling in list_spellings(model):
        for id, names in NAMES_BY_TOKENIZER.items():
            if spelling == id or any(fnmatchcase(spelling, name) for name in names):
                return id
    return None


def suggest(model: str, ids: Iterable[str]) -> str:
    """Return a sentence with what comes nearest to a name without a tokenizer: similar names, or those of its family.

    >>> suggest("google/gemma-3-27b-it", ["gemma4"]), suggest("qwen4", ["qwen3", "gpt2"])
    ('gemma4 has the merges of Gemma 3, and other special tokens.', 'Nearest: qwen3.')
    """
    *_, name = list_spellings(model) or ("",)
    if hint := next((text for pattern, text in HINTS.items() if fnmatchcase(name, pattern)), ""):
        return hint
    candidates = [one for names in NAMES_BY_TOKENIZER.values() for one in names if not {*"*["} & {*one}] + [*ids]
    family = re.match(r"[a-z]{3,}", name)
    near = find_nearest(name, candidates) or [one for one in candidates if family and one.startswith(family[0])][:3]
    return f"Nearest: {', '.join(near)}." if near else "See the list at /tokenizers, or tokenarium list."
