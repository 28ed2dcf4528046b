"""A `tokenizer.json` built from the older files of `transformers`: `vocab.json` with `merges.txt`, and `vocab.txt`.

Which normalizer, pre-tokenizer and post-processor belong to them is known from the tokenizer class of the config, or
else guessed from the spelling of the vocabulary.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...errors import BadFile, plural
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET
from ..conversion import NAMES, Conversion, Metadata
from ..json_objects import read_json
from ..tiktoken.ranks import QWEN2
from ..tokenizer_json.components import (
    Component,
    bpe,
    byte_level,
    document,
    make_template_processor,
    make_token_component,
    sequence,
    sort_by_id,
)
from ..tokenizer_json.convert import from_tokenizer_json

END = "</w>"
CLIP = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"

ENDS = "<|endoftext|>"
GPT2_TOKENS = {"bos_token": ENDS, "eos_token": ENDS, "unk_token": ENDS}
ROBERTA_TOKENS = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "unk_token": "<unk>",
    "sep_token": "</s>",
    "pad_token": "<pad>",
    "cls_token": "<s>",
    "mask_token": "<mask>",
}
DEBERTA_TOKENS = {
    "bos_token": "[CLS]",
    "eos_token": "[SEP]",
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}
CLIP_TOKENS = {**GPT2_TOKENS, "bos_token": "<|startoftext|>", "pad_token": ENDS}
CLASS_TOKENS: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(("GPT2", "CodeGen"), GPT2_TOKENS),
    **dict.fromkeys(("Roberta", "Longformer", "Bart", "LED", "MVP", "Mvp"), ROBERTA_TOKENS),
    "Deberta": DEBERTA_TOKENS,
    "CLIP": CLIP_TOKENS,
    "Qwen2": {"eos_token": ENDS, "unk_token": ENDS, "pad_token": ENDS},
    "GPTNeoX": {**GPT2_TOKENS, "pad_token": "<|padding|>"},
}
"""The special tokens of the tokenizer classes of `transformers`, where the files name no others."""
BETWEEN = ("Roberta", "Longformer", "Bart", "LED", "MVP", "Mvp", "Deberta")
"""Classes that put their `cls_token` and `sep_token` around a text."""


def from_vocab_merges(data: bytes, metadata: Metadata) -> Conversion:
    """Build a BPE tokenizer from the mapping of tokens to ids and the list of merges."""
    vocabulary = {token: id for token, id in read_json(data).items() if type(id) is int}
    metadata = replace(metadata, variables=_name_tokens(metadata))
    merges = read_merges(metadata.merges)
    byte_level = all(char in vocabulary for char in ALPHABET) or any(token.startswith("Ġ") for token in vocabulary)
    ended = any(token.endswith(END) for token in vocabulary)
    tokens = list_added_tokens(vocabulary, metadata)
    ids = vocabulary | {token["content"]: token["id"] for token in tokens}
    if ended and byte_level:
        stages = _clip(ids, metadata)
        why = "a byte-level vocabulary with </w>, as CLIP's"
    elif ended:
        stages = _gpt1(vocabulary, metadata)
        why = "a vocabulary with </w>, as that of the first GPT"
    elif byte_level:
        stages = _gpt2(ids, metadata)
        why = "a byte-level vocabulary, as GPT-2's"
    else:
        raise BadFile("The vocabulary spells neither bytes, as GPT-2's, nor the ends of words with </w>.")
    top = document(bpe(vocabulary, merges, **stages.pop("model")), tokens, **stages)
    note = f"The pre-tokenizer is chosen by the spelling: {why}." if not metadata.class_name else ""
    return make_conversion(top, metadata, *([note] if note else []))


def make_conversion(top: Mapping[str, Any], metadata: Metadata, *notes: str) -> Conversion:
    """Return the conversion of a file that was built, with the notes on how."""
    conversion = from_tokenizer_json(json.dumps(top, ensure_ascii=False).encode(), metadata)
    return replace(conversion, notes=(*notes, *conversion.notes))


def read_merges(data: bytes) -> list[tuple[str, str]]:
    """Return the pairs of a `merges.txt`; its first line may be a comment. Raises `BadFile` with the line."""
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise BadFile(f"The merges are not UTF-8 at byte {error.start}.") from None
    pairs = []
    for number, line in enumerate(lines, 1):
        if not (line := line.rstrip("\r")) or (number == 1 and line.startswith("#version")):
            continue
        left, _, right = line.partition(" ")
        if not left or not right or " " in right:
            raise BadFile(f"Line {number} of the merges is not two tokens with a space between them.")
        pairs.append((left, right))
    return pairs


def _name_tokens(metadata: Metadata) -> dict[str, str]:
    """Return the special tokens by name: those of the files, and for others those of the tokenizer class."""
    names = metadata.class_name.removesuffix("Tokenizer")
    missing = {name: token for name, token in CLASS_TOKENS.get(names, {}).items() if name not in metadata.config}
    return {name: token for name in NAMES if (token := ({**missing, **metadata.variables}).get(name))}


def list_added_tokens(vocabulary: Mapping[str, int], metadata: Metadata) -> list[Component]:
    """Return the added tokens: those of the metadata, and the special ones; those without an id get the next ones."""
    ids = dict(metadata.added)
    named = dict.fromkeys(metadata.variables.values())
    ids |= {token: vocabulary[token] for token in [*named, *sorted(metadata.special)] if token in vocabulary}
    missing = [token for token in named if token not in ids]
    ids |= {token: id for id, token in enumerate(missing, len({**vocabulary, **ids}))}
    return [
        make_token_component(content, id, special=content in metadata.special or content in named)
        | dict(metadata.rules.get(content, {}))
        for content, id in sort_by_id(ids)
    ]


def _gpt2(ids: Mapping[str, int], metadata: Metadata) -> Component:
    """Return the stages of byte-level BPE; `ids` has the added tokens too."""
    name = metadata.class_name
    prefix_space = metadata.flag("add_prefix_space", name.startswith("Blenderbot"))
    spelled = {"type": "ByteLevel", "add_prefix_space": prefix_space, "trim_offsets": True, "use_regex": True}
    stages: Component = {"decoder": spelled, "model": {}}
    stages["pre_tokenizer"] = byte_level(prefix_space=prefix_space, pattern=QWEN2 if name.startswith("Qwen2") else None)
    if name.startswith(("Qwen2", "GPTNeoX")):
        stages["normalizer"] = {"type": "NFC"}
    stages["post_processor"] = _surround(ids, metadata, prefix_space=prefix_space)
    return stages


def _surround(ids: Mapping[str, int], metadata: Metadata, *, prefix_space: bool) -> Component | None:
    """Return the post-processor that puts special tokens around a text; None if there are none."""
    names = metadata.variables
    edges = [names.get(f"{role}_token", default) for role, default in (("cls", "<s>"), ("sep", "</s>"))]
    known = metadata.class_name.startswith(BETWEEN)
    if known or (not metadata.class_name and {"<s>", "</s>", "<mask>"} <= ids.keys()):
        if not all(edge in ids for edge in edges):
            return None
        cls, sep = ([edge, ids[edge]] for edge in edges)
        options = {"trim_offsets": True, "add_prefix_space": prefix_space}
        return {"type": "RobertaProcessing", "sep": sep, "cls": cls, **options}
    before, after = (
        [names[name]] if name in names and metadata.flag(f"add_{name}", default=False) else []
        for name in ("bos_token", "eos_token")
    )
    return make_template_processor(before, after, ids)


def _clip(ids: Mapping[str, int], metadata: Metadata) -> Component:
    begin, end, unknown = (
        metadata.variables.get(f"{role}_token", CLIP_TOKENS[f"{role}_token"]) for role in ("bos", "eos", "unk")
    )
    spaces = {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}
    words = {"type": "Split", "pattern": {"Regex": CLIP}, "behavior": "Removed", "invert": True}
    ends = {"type": "Replace", "pattern": {"String": END}, "content": ALPHABET[ord(" ")]}
    spelled = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    stripped = {"type": "Replace", "pattern": {"Regex": r"\A\s+|\s+\z"}, "content": ""}
    stages: Component = {
        "normalizer": sequence("normalizers", [{"type": "NFC"}, spaces, {"type": "Lowercase"}]),
        "pre_tokenizer": sequence("pretokenizers", [words, byte_level()]),
        "decoder": sequence("decoders", [ends, spelled, stripped]),
        "model": {"end_of_word_suffix": END, "unk_token": unknown},
    }
    if begin in ids and end in ids:
        options = {"trim_offsets": False, "add_prefix_space": False}
        cls, sep = ([token, ids[token]] for token in (begin, end))
        stages["post_processor"] = {"type": "RobertaProcessing", "sep": sep, "cls": cls, **options}
    return stages


def _gpt1(vocabulary: Mapping[str, int], metadata: Metadata) -> Component:
    lower = metadata.flag("do_lower_case", not any(token.lower() != token for token in vocabulary))
    bert = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": lower}
    return {
        "normalizer": {"type": "BertNormalizer", **bert},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "BPEDecoder", "suffix": END},
        "model": {"end_of_word_suffix": END, "unk_token": metadata.variables.get("unk_token", "<unk>")},
    }


def from_wordpiece(data: bytes, metadata: Metadata) -> Conversion:
    """Build BERT's tokenizer from a `vocab.txt`, in which the number of a line is the id of its token."""
    try:
        lines = data.decode("utf-8-sig").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise BadFile(f"The vocabulary is not UTF-8 at byte {error.start}.") from None
    vocabulary = {line.rstrip("\r"): id for id, line in enumerate(lines)}
    notes = []
    if repeated := len(lines) - len(vocabulary):
        lines_are = plural(repeated, "line of the vocabulary is", "lines of the vocabulary are")
        notes.append(f"{lines_are} repeated; of equal ones, the last gives the id.")
    return make_conversion(bert(vocabulary, metadata, notes), metadata, *notes)


def bert(vocabulary: dict[str, int], metadata: Metadata, notes: list[str]) -> Component:
    """Return the `tokenizer.json` of BERT's tokenizer over a vocabulary."""
    bracketed = [token for token in vocabulary if token[:1] == "[" and token[-1:] == "]"]
    cased = any(token.lower() != token for token in vocabulary.keys() - bracketed)
    lower = metadata.flag("do_lower_case", not cased)
    if "do_lower_case" not in metadata.config:
        notes.append(f"Text is {'lowercased' if lower else 'not lowercased'}, as the vocabulary suggests.")
    accents = metadata.config.get("strip_accents")
    options = {"strip_accents": accents if isinstance(accents, bool) else None, "lowercase": lower}
    names = [
        metadata.variables.get(f"{role}_token", f"[{role.upper()}]") for role in ("unk", "sep", "pad", "cls", "mask")
    ]
    ids = {name: vocabulary[name] for name in names if name in vocabulary}
    unknown, sep, _, cls, _ = names
    around_text = make_template_processor([cls], [sep], ids) if {cls, sep} <= ids.keys() else None
    others = {token: id for token, id in metadata.added.items() if token not in ids}
    chinese = metadata.flag("tokenize_chinese_chars", True)
    model = {
        "type": "WordPiece",
        "unk_token": unknown,
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
    }
    return document(
        {**model, "vocab": vocabulary},
        [
            make_token_component(token, id, special=token in ids or token in metadata.special)
            for token, id in sort_by_id(ids | others)
        ],
        normalizer={"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": chinese, **options},
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor=around_text,
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    )
