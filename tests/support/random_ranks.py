"""Random ranks of byte-level BPE, and the files of every format that can say them."""

import json
import random
from base64 import b64encode
from collections.abc import Iterator
from struct import pack

from tokenarium.files.records import record_from_files
from tokenarium.files.targets import build_tokenizer_json, parents
from tokenarium.files.tiktoken.ranks import CL100K, GPT2, O200K, QWEN2, dump_ranks

from tests.support.gguf_files import gguf, numbers, text, texts

LETTERS = ["a", "b", "B", "'", "s", " ", " ", "\n", "1", "2", "é", "e\u0301", "你", ".", "🌍"]
SPECIAL = ("<|a|>", "<|b|>", " <c>")
GGUF_NAMES = {GPT2: "gpt-2", CL100K: "glm4", QWEN2: "qwen2"}
PATTERNS = (*GGUF_NAMES, O200K, r" ?\p{L}+|\p{N}|[^\s\p{L}\p{N}]|\s+", r"[\s\S]+")
Ranks = dict[bytes, int]


def random_ranks(source: random.Random) -> Ranks:
    """Return bytes in any order, and tokens that join two others; in half of them merges reach each token."""
    tokens = [bytes([byte]) for byte in range(256)]
    source.shuffle(tokens)
    starts = [bytes([byte]) for letter in LETTERS for byte in letter.encode()]
    ranks = {token: rank for rank, token in enumerate(tokens)}
    reached = source.random() < 0.5
    for _ in range(source.randint(0, 40)):
        token = source.choice(starts) + source.choice(starts)
        rank = len(ranks)
        if token not in ranks and not (reached and parents(token, {**ranks, token: rank}) is None):
            ranks[token] = rank
            starts += [token] * 3
    return ranks


def list_files(ranks: Ranks, pattern: str) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield the name of each format that can say these ranks with this pattern, and the files."""
    special = {token: id for id, token in enumerate(SPECIAL, len(ranks))}
    decoder = {str(id): {"content": token, "special": True} for token, id in special.items()}
    config = {"pat_str": pattern, "added_tokens_decoder": decoder}
    as_ranks = {"r.tiktoken": dump_ranks(ranks), "tokenizer_config.json": json.dumps(config).encode()}
    yield "ranks", as_ranks
    yield "tekken", {"tekken.json": dump_tekken(ranks, pattern)}
    document = build_tokenizer_json(record_from_files("x", as_ranks))
    yield "tokenizer.json", {"tokenizer.json": document}
    model = json.loads(document)["model"]
    reached = len(model["merges"]) == len(ranks) - 256
    if pattern in GGUF_NAMES and (reached or pattern == CL100K):
        yield "gguf", {"x.gguf": dump_gguf(model, pattern)}
    if reached and pattern == GPT2:
        merges = "#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in model["merges"])
        own = {"tokenizer_class": "GPT2Tokenizer", "added_tokens_decoder": decoder}
        names = {"bos_token": SPECIAL[0], "eos_token": SPECIAL[0], "unk_token": SPECIAL[0]}
        files = {"vocab.json": model["vocab"], "tokenizer_config.json": {**own, **names}}
        dumped = {name: json.dumps(part).encode() for name, part in files.items()}
        yield "vocab.json", {**dumped, "merges.txt": merges.encode()}


def dump_tekken(ranks: Ranks, pattern: str) -> bytes:
    count = len(SPECIAL)
    config = {"pattern": pattern, "default_vocab_size": len(ranks) + count, "default_num_special_tokens": count}
    vocab = [{"rank": rank, "token_bytes": b64encode(raw).decode()} for raw, rank in ranks.items()]
    special = [{"rank": rank, "token_str": token, "is_control": True} for rank, token in enumerate(SPECIAL)]
    return json.dumps({"config": config, "vocab": vocab, "special_tokens": special}).encode()


def dump_gguf(model: dict[str, dict[str, int]], pattern: str) -> bytes:
    """A model of the kind gpt2, with the name that llama.cpp has for its pattern."""
    pieces = [*sorted(model["vocab"], key=model["vocab"].__getitem__), *SPECIAL]
    return gguf(
        model=pack("<I", 8) + text("gpt2"),
        pre=pack("<I", 8) + text(GGUF_NAMES[pattern]),
        tokens=texts(*pieces),
        token_type=numbers(5, "i", *[1] * (len(pieces) - len(SPECIAL)), *[3] * len(SPECIAL)),
        merges=texts(*(f"{left} {right}" for left, right in model["merges"])),
    )


def random_texts(source: random.Random, count: int) -> Iterator[str]:
    """Yield texts of what the tokens are made of, and of other characters."""
    parts = [*LETTERS, *LETTERS, *SPECIAL, "'s", "  ", "\r\n", "\t", "ß", "한", "\u3000", "123", "aB"]
    for _ in range(count):
        yield "".join(source.choices(parts, k=source.randint(1, 14)))
