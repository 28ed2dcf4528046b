"""Random files of `tokenizers`: every component, model and option with every other, over few characters.

The texts are of the same characters, so that tokens, spaces and what is unknown meet in every order.
"""

import json
import random
from collections.abc import Iterator
from itertools import product
from typing import Any

from tokenizers import Tokenizer

LETTERS = "abde1!é"
SPACES = " ▁"
UNKNOWN = "ら你x"
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
Json = dict[str, Any]


def replacing(pattern: str, content: str, kind: str = "String") -> Json:
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def splitting(pattern: str, behavior: str, kind: str = "Regex", *, invert: bool = False) -> Json:
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


def byte_level(**options: bool) -> Json:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True, **options}


def metaspace(scheme: str = "always", *, split: bool = True, replacement: str = "▁") -> Json:
    return {"type": "Metaspace", "replacement": replacement, "prepend_scheme": scheme, "split": split}


def sequence(parts: list[Json], name: str) -> Json | None:
    return None if not parts else parts[0] if len(parts) == 1 else {"type": "Sequence", name: parts}


BERT = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None}
NORMALIZERS: list[Json] = [
    replacing(" ", "▁"),
    replacing(" ", "▁"),
    replacing("▁", " "),
    replacing(" {2,}", " ", "Regex"),
    replacing("a", " "),
    replacing("b", "b "),
    replacing("▁+", "▁", "Regex"),
    replacing(r"\s+", "▁", "Regex"),
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Strip", "strip_left": False, "strip_right": True},
    {**BERT, "lowercase": True},
    *({"type": kind} for kind in ("NFC", "NFD", "NFKC", "Lowercase", "StripAccents", "Nmt", "ByteLevel")),
]
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
SPLITTERS: list[Json] = [
    *({"type": kind} for kind in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts")),
    *(metaspace(scheme, split=split) for scheme, split in product(("always", "first", "never"), (True, False))),
    metaspace(replacement="_"),
    *(byte_level(add_prefix_space=one, use_regex=two) for one, two in product((True, False), repeat=2)),
    *({"type": "Punctuation", "behavior": behavior} for behavior in BEHAVIORS),
    *({"type": "Digits", "individual_digits": one} for one in (True, False)),
    *({"type": "CharDelimiterSplit", "delimiter": char} for char in " ▁a"),
    {"type": "FixedLength", "length": 2},
    *(splitting(char, behavior, "String") for char, behavior in product(" ▁!", BEHAVIORS)),
    *(splitting(r"\s+", behavior) for behavior in BEHAVIORS),
    *(splitting(r" ?\w+| ?[^\s\w]+|\s+(?!\S)|\s+", behavior) for behavior in ("Isolated", "Removed")),
    splitting(r" ?\w+| ?[^\s\w]+|\s+", "Removed", invert=True),
    splitting(r"\w+|[^\w\s]+", "Removed", invert=True),
    splitting(r"▁?\w+|▁+", "Isolated"),
]
PROCESSORS: list[Json | None] = [
    *(None, None, byte_level(trim_offsets=True), byte_level(trim_offsets=True, add_prefix_space=True))
]
DECODERS: list[Json] = [
    byte_level(),
    metaspace(),
    metaspace("never"),
    replacing("▁", " "),
    {"type": "ByteFallback"},
    {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    {"type": "WordPiece", "prefix": "##", "cleanup": True},
    {"type": "BPEDecoder", "suffix": "</w>"},
]


def random_file(source: random.Random) -> Json:
    """Return a file; equal sources give equal files."""
    normalizers = source.choices(NORMALIZERS, k=source.choice((0, 0, 1, 1, 2)))
    splitters = source.choices(SPLITTERS, k=source.choice((0, 1, 1, 2)))
    decoders = source.choices(DECODERS, k=source.choice((0, 1, 1, 2)))
    stripped = any(part["type"] == "Strip" for part in normalizers)
    spelled = any(part["type"] == "ByteLevel" for part in [*normalizers, *splitters])
    model = random_model(source, "Ġ" if spelled else SPACES)
    added = random_added_tokens(source, len(model["vocab"]), stripped=stripped) if source.random() < 0.4 else []
    top = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": sequence(normalizers, "normalizers"),
        "pre_tokenizer": sequence(splitters, "pretokenizers"),
        "post_processor": source.choice(PROCESSORS),
        "decoder": sequence(decoders, "decoders"),
        "model": model,
    }
    return {**top, "added_tokens": without_twins(added, Tokenizer.from_buffer(dump(top)).normalizer)}


def without_twins(added: list[Json], normalizer: Any) -> list[Json]:
    """Return added tokens of which those that are normalized to the same text as another are matched as they are.

    Of two with the same normalized text, the library takes one at random.
    """
    seen, tokens = set[str](), list[Json]()
    for token in added:
        spelled = normalizer.normalize_str(token["content"]) if normalizer else token["content"]
        tokens.append(token | {"normalized": token["normalized"] and spelled not in seen})
        if tokens[-1]["normalized"]:
            seen.add(spelled)
    return tokens


def random_model(source: random.Random, spaces: str) -> Json:
    """Return a model of any type over letters and spaces."""
    letters = source.sample(LETTERS, k=source.randint(3, len(LETTERS)))
    units = [*letters, *[space for space in spaces if source.random() < 0.9]]
    kind = source.choice(("BPE", "BPE", "BPE", "Unigram", "WordPiece", "WordLevel"))
    if kind == "BPE":
        return random_bpe(source, units)
    words = [*dict.fromkeys("".join(source.choices(units, k=source.randint(2, 3))) for _ in range(10))]
    if kind == "Unigram":
        pieces = [*units, *words] + BYTES * (source.random() < 0.3)
        vocab = [["<unk>", 0.0], *([piece, -round(source.uniform(1, 9), 2)] for piece in pieces)]
        return {"type": kind, "unk_id": 0, "vocab": vocab, "byte_fallback": source.random() < 0.5}
    starts = [f"##{word}" for word in [*units, *words]] if kind == "WordPiece" else []
    vocab = {piece: id for id, piece in enumerate(["<unk>", *units, *words, *starts])}
    limit = {"continuing_subword_prefix": "##", "max_input_chars_per_word": source.choice((4, 100))}
    return {"type": kind, "vocab": vocab, "unk_token": "<unk>", **(limit if kind == "WordPiece" else {})}


def random_bpe(source: random.Random, units: list[str]) -> Json:
    """Return a BPE model with random merges and options."""
    prefix, suffix = source.choice((("", ""), ("", ""), ("", ""), ("", "</w>"), ("##", "")))
    fallback = source.random() < 0.4
    pieces = ["<unk>", *units]
    pieces += BYTES * (fallback and source.random() < 0.8)
    pieces += [f"{prefix}{unit}{suffix}" for unit in units if (prefix or suffix) and source.random() < 0.8]
    starts = [piece for piece in dict.fromkeys(pieces) if not piece.startswith("<")]
    ids = {piece: id for id, piece in enumerate(dict.fromkeys(pieces))}
    merges: list[tuple[str, str]] = []
    for _ in range(source.randint(2, 14)):
        a, b = source.choices(starts, k=2)
        if a.endswith("</w>") or (prefix and not b.startswith(prefix)):
            continue
        made = a + b.removeprefix(prefix)
        if (a, b) not in merges:
            merges.append((a, b))
            ids.setdefault(made, len(ids))
            starts.append(made)
    for word in ("".join(source.choices(units, k=source.randint(2, 4))) for _ in range(3)):
        ids.setdefault(word, len(ids))
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": "<unk>" if source.random() < 0.5 else None,
        "continuing_subword_prefix": prefix or None,
        "end_of_word_suffix": suffix or None,
        "fuse_unk": source.random() < 0.5,
        "byte_fallback": fallback,
        "ignore_merges": source.random() < 0.3,
        "vocab": ids,
        "merges": [[a, b] for a, b in merges],
    }


def random_added_tokens(source: random.Random, first: int, stripped: bool) -> list[Json]:
    """Return added tokens with random flags, some of spaces.

    No two are alike but for white space and case; and none may be normalized to nothing, with which the library may go
    on until there is no memory left (`stripped`: white space is).
    """
    contents = ["<s>", "ab", " a", "a ", "▁", "\n", "  ", "b d", "!", "Ab", "é", "a▁b", "d"]
    chosen = {content.strip("\n ▁").lower(): content for content in source.sample(contents, k=source.randint(1, 5))}
    tokens: list[Json] = []
    for key, content in chosen.items():
        flags = {flag: source.random() < 0.3 for flag in ("single_word", "lstrip", "rstrip", "normalized", "special")}
        flags["normalized"] &= bool(key) or not stripped
        tokens.append({"id": first + len(tokens), "content": content, **flags})
    return tokens


def random_texts(source: random.Random, count: int) -> Iterator[str]:
    """Yield texts of what the vocabularies have and have not."""
    parts = [*LETTERS, *"ab", *UNKNOWN, " ", " ", " ", "  ", "▁", "\n", "<s>", "A", "ab", "é", " a", "a b", "\u0301"]
    for _ in range(count):
        yield "".join(source.choices(parts, k=source.randint(1, 14)))


def dump(top: Json) -> bytes:
    return json.dumps(top, ensure_ascii=False).encode()
