"""Files of small tokenizers of every kind that is imported."""

import json
from base64 import b64encode

from tokenarium.files.tiktoken.ranks import dump_ranks
from tokenarium.scratch.compat.pipeline.pre_tokenizers import byte_alphabet

from tests.support import sentencepiece_models, tokenizers_trained

BYTES = {bytes([value]): value for value in range(256)}
WORDS = (b"he", b"ll", b"hell", b"hello", b" w", b"or", b" wor", b"ld", b" world", b"th", b"the", b" t", b" the")
RANKS = BYTES | {word: id for id, word in enumerate(WORDS, 256)}
LETTERS = byte_alphabet()


def gpt2_files(**config):
    """vocab.json and merges.txt of a small byte-level vocabulary."""
    pairs = [("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"), ("Ġ", "t"), ("o", "r")]
    vocabulary = {char: id for id, char in enumerate(LETTERS)}
    vocabulary |= {a + b: 256 + id for id, (a, b) in enumerate(pairs)} | {"<s>": 300, "</s>": 301, "<|endoftext|>": 302}
    merges = "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in pairs)
    files = {"vocab.json": json.dumps(vocabulary).encode(), "merges.txt": merges.encode()}
    return files | ({"tokenizer_config.json": json.dumps(config).encode()} if config else {})


def clip_files():
    letters = [*LETTERS, *(f"{char}</w>" for char in LETTERS)]
    pairs = [("h", "e"), ("l", "o</w>"), ("l", "lo</w>"), ("he", "llo</w>")]
    vocabulary = {piece: id for id, piece in enumerate([*letters, *(a + b for a, b in pairs)])}
    vocabulary |= {"<|startoftext|>": len(vocabulary), "<|endoftext|>": len(vocabulary) + 1}
    merges = "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in pairs)
    return {"vocab.json": json.dumps(vocabulary).encode(), "merges.txt": merges.encode()}


def gpt1_files():
    pieces = ["<unk>", *"helowrd", *(f"{char}</w>" for char in "helowrd"), "he", "lo</w>", "hel", "hello</w>"]
    merges = "#version: 0.2\nh e\nl o</w>\nhe l\nhel lo</w>\n"
    return {"vocab.json": json.dumps({p: i for i, p in enumerate(pieces)}).encode(), "merges.txt": merges.encode()}


def tekken(count=3, *, listed=True):
    vocab = [{"rank": rank, "token_bytes": b64encode(raw).decode(), "token_str": None} for raw, rank in RANKS.items()]
    config = {"pattern": r"\s?\w+|\s+|[^\w\s]+", "default_vocab_size": len(RANKS) + count, "version": "v3"}
    config["default_num_special_tokens"] = count
    specials = [
        {"rank": rank, "token_str": token, "is_control": True} for rank, token in enumerate(["<unk>", "<s>", "</s>"])
    ]
    top = {"config": config, "vocab": vocab, "special_tokens": specials if listed else None}
    return {"tekken.json": json.dumps(top).encode()}


def claude():
    lines = "! 0 " + " ".join(b64encode(raw).decode() for raw in RANKS)
    top = {
        "explicit_n_vocab": 300,
        "pat_str": r"\s?\w+|\s+|[^\w\s]+",
        "special_tokens": {"<META>": 290},
        "bpe_ranks": lines,
    }
    return {"claude.json": json.dumps(top).encode()}


VOCAB = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\nworld\n##s\nthe\n!\n,\n"

RWKV = "".join(f"{id} {raw!r} {len(raw)}\n" for id, raw in enumerate([*BYTES, *WORDS, b"<|end|>"], 1))

CASED = VOCAB + b"Hello\n"

KINDS = {
    "tokenizer.json": lambda: {"a.json": tokenizers_trained.file("roberta")},
    "sentencepiece bpe": lambda: {"tokenizer.model": sentencepiece_models.trained("bpe bytes")},
    "sentencepiece unigram": lambda: {"spiece.model": sentencepiece_models.trained("unigram")},
    "ranks": lambda: {"tokenizer.model": dump_ranks(RANKS)},
    "ranks of qwen": lambda: {"q.tiktoken": dump_ranks(RANKS), "c": b'{"tokenizer_class": "Qwen2Tokenizer"}'},
    "tekken": tekken,
    "tekken, old": lambda: tekken(listed=False),
    "claude": claude,
    "gpt2": gpt2_files,
    "roberta": lambda: gpt2_files(tokenizer_class="RobertaTokenizer", mask_token="<mask>"),
    "qwen2": lambda: gpt2_files(tokenizer_class="Qwen2TokenizerFast"),
    "clip": clip_files,
    "gpt1": gpt1_files,
    "bert": lambda: {"vocab.txt": VOCAB},
    "bert cased": lambda: {"vocab.txt": CASED},
    "rwkv": lambda: {"rwkv_vocab.txt": RWKV.encode()},
    "minbpe": lambda: {"x.model": b"minbpe v1\n\n1\n<|end|> 258\n104 101\n256 108\n"},
}
