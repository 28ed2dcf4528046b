"""Recipes that put a `tokenizer.json` or a SentencePiece model together again from another form of the same tokenizer.

A GGUF file holds vocabulary and merges, and names the pre-tokenizer instead of describing it: here stands what the
models' own files say. Whether it is right is tested with the ids that llama.cpp's authors recorded from these files.
"""

import gzip
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import BadFile
from ..files.conversion import Metadata
from ..files.gguf.convert import GEMMA, convert_to_sentencepiece
from ..files.gguf.read import GgufTokenizer, load_gguf
from ..files.sentencepiece.model import Kind, ScoredPiece, SentencePieceModel, dump_model
from ..files.tokenizer_json.packed import pack_json
from ..files.tokenizer_json.read import load_tokenizer_json
from ..files.transformers.vocab_files import from_wordpiece
from ..scratch.compat.pipeline.pre_tokenizers import byte_alphabet
from ..scratch.compat.sentencepiece.charsmap import Precompiled

Recipe = Callable[[Sequence[bytes]], bytes]
Component = dict[str, Any]
PADDING = re.compile(r"\[PAD\d+\]")
"""Tokens that converters to GGUF add where an embedding has no token."""
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
BYTES_ONLY = {**BYTE_LEVEL, "use_regex": False}
NFC = {"type": "NFC"}


def regex_split(pattern: str, behavior: str = "Isolated", *, invert: bool = False) -> Component:
    """Return the pre-tokenizer that splits at a regular expression."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def _sequence(part: str, steps: Sequence[Component]) -> Component:
    return {"type": "Sequence", part: [*steps]}


def make_added_component(content: str, id: int, *, special: bool, **options: bool) -> Component:
    """Return an added token; those that are not special are matched in the normalized text."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
    return {"id": id, "content": content, **flags, "normalized": not special, "special": special, **options}


FALCON = _sequence(
    "pretokenizers",
    [
        {"type": "Punctuation", "behavior": "Contiguous"},
        BYTE_LEVEL,
        {"type": "Digits", "individual_digits": False},
        regex_split("[0-9][0-9][0-9]"),
    ],
)
CODER = _sequence(
    "pretokenizers",
    [
        regex_split("[\r\n]"),
        regex_split(r"\s?\p{L}+"),
        regex_split(r"\s?\p{P}+"),
        regex_split("[一-龥ࠀ-一가-퟿]+"),
        {"type": "Digits", "individual_digits": True},
        BYTES_ONLY,
    ],
)
CLIP: Component = {
    "normalizer": _sequence(
        "normalizers",
        [NFC, {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}, {"type": "Lowercase"}],
    ),
    "pre_tokenizer": _sequence(
        "pretokenizers",
        [
            regex_split(
                r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
                "Removed",
                invert=True,
            ),
            BYTE_LEVEL,
        ],
    ),
    "decoder": BYTE_LEVEL,
}


def pack_columns(files: Sequence[bytes]) -> bytes:
    """Return a `tokenizer.json` in columns."""
    (data,) = files
    return pack_json(data)


def yi(files: Sequence[bytes]) -> bytes:
    """Return Yi, of whose vocabulary the chat models, unlike the base model's file, also parse the tokens of ChatML."""
    (data,) = files
    top = json.loads(data)
    vocabulary = top["model"]["vocab"]
    names = ("<|im_start|>", "<|im_end|>", "<|im_sep|>")
    top["added_tokens"] += [make_added_component(name, vocabulary[name], special=True) for name in names]
    return pack_json(json.dumps(top).encode())


def from_gguf(
    *, pre_tokenizer: Component = BYTE_LEVEL, normalizer: Component | None = None, **changes: Mapping[str, Any]
) -> Recipe:
    """Return a recipe for the byte-level BPE of a GGUF file; `changes` by key of the file."""

    def recipe(files: Sequence[bytes]) -> bytes:
        (data,) = files
        gguf = load_gguf(data)
        top = {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "decoder": BYTE_LEVEL, **changes}
        return _pack_gguf(gguf, _list_added_tokens(gguf), top, {})

    return recipe


def gemma(files: Sequence[bytes]) -> bytes:
    """Return Gemma 4: BPE over characters, with spaces as ▁ and bytes for what it lacks."""
    (data,) = files
    gguf = load_gguf(data)
    options = {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True}
    return _pack_gguf(gguf, [{**token, "normalized": False} for token in _list_added_tokens(gguf)], GEMMA, options)


def modernbert(files: Sequence[bytes]) -> bytes:
    """Return ModernBERT: the merges of GPT-NeoX with tokens of its own around them."""
    (data,) = files
    gguf = load_gguf(data)
    spaces = [token for token in _list_added_tokens(gguf) if not token["special"]]
    named = ["|||EMAIL_ADDRESS|||", "|||PHONE_NUMBER|||", "<|endoftext|>", "[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    special = {"<|endoftext|>", *named[3:]}
    tokens = [
        make_added_component("|||IP_ADDRESS|||", 0, special=False),
        make_added_component("<|padding|>", 1, special=True),
        *spaces,
        *(
            make_added_component(name, 50277 + i, special=name in special, lstrip=name == "[MASK]")
            for i, name in enumerate(named)
        ),
        *(make_added_component(f"[unused{i}]", 50285 + i, special=False) for i in range(83)),
    ]
    top = {"normalizer": NFC, "pre_tokenizer": BYTE_LEVEL, "decoder": BYTE_LEVEL}
    return _pack_gguf(gguf, tokens, top, {})


def clip(files: Sequence[bytes]) -> bytes:
    """Return CLIP from its list of merges: letters, letters that end a word, merges, and two special tokens."""
    (data,) = files
    lines = gzip.decompress(data).decode().split("\n")[1 : 49_152 - 256 - 2 + 1]
    first = [chr(code) for code in [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]]
    letters = [*first, *(char for char in byte_alphabet() if char not in first)]
    merges = [tuple(line.split()) for line in lines]
    specials = ["<|startoftext|>", "<|endoftext|>"]
    tokens = [*letters, *(f"{letter}</w>" for letter in letters), *("".join(pair) for pair in merges), *specials]
    vocabulary = {token: id for id, token in enumerate(tokens)}
    model = {"type": "BPE", "unk_token": specials[1], "end_of_word_suffix": "</w>", "vocab": vocabulary}
    ends = [make_added_component(token, vocabulary[token], special=True, normalized=True) for token in specials]
    return pack_json(json.dumps({**CLIP, "added_tokens": ends, "model": {**model, "merges": merges}}).encode())


def phi_3(files: Sequence[bytes]) -> bytes:
    """Return Phi-3 as a SentencePiece model: the tokens from 32000 on are special."""
    (data,) = files
    model = convert_to_sentencepiece(load_gguf(data))
    kinds: dict[str, Kind] = {"</s>": "control"}
    pieces = [
        ScoredPiece(piece.text, 0.0 if piece.kind != "normal" else piece.score, kinds.get(piece.text, piece.kind))
        for piece in model.pieces
        if not PADDING.fullmatch(piece.text)
    ]
    return dump_model(SentencePieceModel(tuple(pieces), "bpe", byte_fallback=True, remove_extra_whitespaces=False))


def bert_uncased(files: Sequence[bytes]) -> bytes:
    """Return the `tokenizer.json` of a `vocab.txt` whose texts are lowercased.

    >>> json.loads(bert_uncased([b"[UNK]\\nplay\\n##ing"]))["model"]["vocab"]
    {'[UNK]': 0, 'play': 1, '##ing': 2}
    """
    (data,) = files
    return from_wordpiece(data, Metadata(config={"do_lower_case": True})).files["tokenizer.json"]


def xlm_roberta(files: Sequence[bytes]) -> bytes:
    """Return XLM-R as a SentencePiece model, with the ids of the model and not those of its original file."""
    (data,) = files
    model = convert_to_sentencepiece(load_gguf(data))
    pieces = tuple(piece for piece in model.pieces if not PADDING.fullmatch(piece.text))
    return dump_model(SentencePieceModel(pieces, "unigram", charsmap=model.charsmap))


def unigram_from_array(name: str) -> Recipe:
    """Return a recipe for the SentencePiece model of a `tokenizer.json` that stands as a C array in a source file."""

    def recipe(files: Sequence[bytes]) -> bytes:
        (source,) = files
        start = source.index(f"{name}[] = {{".encode())
        numbers = source[source.index(b"{", start) + 1 : source.index(b"}", start)]
        top = json.loads(bytes(int(number, 16) for number in numbers.split(b",") if number.strip()))
        needed = {name: top[name] for name in ("added_tokens", "normalizer", "model")}
        for id, entry in enumerate(top["model"]["vocab"]):
            entry[0] = entry[0] or f"<unused_{id}>"  # UMT5 has an empty piece, which no text contains
        file = load_tokenizer_json(json.dumps({**needed, "model": {**needed["model"], "type": "Unigram"}}).encode())
        maps = [part.precompiled_charsmap for part in file.normalizers if isinstance(part, Precompiled)]
        kinds: dict[str, Kind] = {token.content: "control" for token in file.added if token.special}
        kinds[file.model.unknown or ""] = "unknown"
        entries = {**dict(zip(file.model.vocabulary, file.model.scores, strict=True))}
        for token in sorted(file.added, key=lambda token: token.id):
            if entries.setdefault(token.content, 0.0) == 0.0 and [*entries].index(token.content) != token.id:
                raise BadFile(f"The added token {token.content} has the id {token.id}, which leaves a gap.")
        kinds |= {text: "unused" for text in entries if text.startswith("<unused_")}
        pieces = tuple(
            ScoredPiece(text, 0.0 if text in kinds else score, kinds.get(text, "normal"))
            for text, score in entries.items()
        )
        return dump_model(SentencePieceModel(pieces, "unigram", charsmap=maps[0] if maps else None))

    return recipe


def _list_added_tokens(gguf: GgufTokenizer) -> list[Component]:
    """Return the special and user-defined tokens of a file, without those that fill gaps."""
    return [
        make_added_component(token, id, special=kind == "control")
        for id, (token, kind) in enumerate(zip(gguf.tokens, gguf.kinds, strict=True))
        if kind in ("control", "user_defined") and not PADDING.fullmatch(token)
    ]


def _pack_gguf(gguf: GgufTokenizer, tokens: list[Component], top: Component, options: Component) -> bytes:
    """Pack a file with the merges of a GGUF; added tokens at the end of the vocabulary are no part of the model."""
    size = len(gguf.tokens)
    outside = {token["id"] for token in tokens} | {
        id for id, token in enumerate(gguf.tokens) if PADDING.fullmatch(token)
    }
    while size - 1 in outside:
        size -= 1
    named = {token["id"]: token["content"] for token in tokens}
    vocabulary = {named.get(id, token): id for id, token in enumerate(gguf.tokens[:size])}
    model = {"type": "BPE", **options, "vocab": vocabulary, "merges": gguf.merges}
    return pack_json(json.dumps({**top, "added_tokens": tokens, "model": model}).encode())
