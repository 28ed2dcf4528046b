"""The parameters of every component that a `tokenizer.json` knows: their kinds, choices and defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...formats.json_options import BEHAVIORS

Kind = Literal["flag", "maybe", "text", "number", "choice", "pattern", "token", "template", "map"]
"""true or false · true, false or null · a text · a whole number · one of a few · a text or a regular expression · a
token with its id · a template of texts and special tokens · the character map of the tokenizer."""


@dataclass(frozen=True, slots=True)
class ComponentParameter:
    """A parameter of a component; `default` is its value in a component that is added."""

    name: str
    kind: Kind
    default: Any
    choices: tuple[str, ...] = ()


def flag(name: str, default: bool = True) -> ComponentParameter:
    return ComponentParameter(name, "flag", default)


def text(name: str, default: str) -> ComponentParameter:
    return ComponentParameter(name, "text", default)


PATTERN = ComponentParameter("pattern", "pattern", {"String": " "})
BEHAVIOR = ComponentParameter("behavior", "choice", "Isolated", tuple(BEHAVIORS))
SCHEME = ComponentParameter("prepend_scheme", "choice", "always", ("always", "first", "never"))
METASPACE = (text("replacement", "▁"), SCHEME, flag("split"))
BYTE_LEVEL = (flag("add_prefix_space"), flag("trim_offsets"), flag("use_regex"))
EDGES = (ComponentParameter("cls", "token", ""), ComponentParameter("sep", "token", ""))
REPLACE = (PATTERN, text("content", "▁"))
Table = Mapping[str, tuple[ComponentParameter, ...]]
NORMALIZERS: Table = {
    **dict.fromkeys(("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel"), ()),
    "Strip": (flag("strip_left"), flag("strip_right")),
    "Replace": REPLACE,
    "Prepend": (text("prepend", "▁"),),
    "BertNormalizer": (
        flag("clean_text"),
        flag("handle_chinese_chars"),
        ComponentParameter("strip_accents", "maybe", None),
        flag("lowercase"),
    ),
    "Precompiled": (ComponentParameter("precompiled_charsmap", "map", "own"),),
}
SPLITTERS: Table = {
    **dict.fromkeys(("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts"), ()),
    "ByteLevel": BYTE_LEVEL,
    "Metaspace": METASPACE,
    "Split": (ComponentParameter("pattern", "pattern", {"Regex": r"\s+"}), BEHAVIOR, flag("invert", False)),
    "Punctuation": (BEHAVIOR,),
    "Digits": (flag("individual_digits", False),),
    "CharDelimiterSplit": (text("delimiter", "-"),),
    "FixedLength": (ComponentParameter("length", "number", 5),),
}
PROCESSORS: Table = {
    "TemplateProcessing": (
        ComponentParameter("single", "template", "$A"),
        ComponentParameter("pair", "template", "$A $B:1"),
    ),
    "BertProcessing": EDGES,
    "RobertaProcessing": (*EDGES, flag("trim_offsets"), flag("add_prefix_space")),
    "ByteLevel": BYTE_LEVEL,
}
DECODERS: Table = {
    **dict.fromkeys(("ByteLevel", "ByteFallback", "Fuse"), ()),
    "Metaspace": METASPACE,
    "WordPiece": (text("prefix", "##"), flag("cleanup")),
    "BPEDecoder": (text("suffix", "</w>"),),
    "Replace": (ComponentParameter("pattern", "pattern", {"String": "▁"}), text("content", " ")),
    "Strip": (text("content", " "), ComponentParameter("start", "number", 1), ComponentParameter("stop", "number", 0)),
    "CTC": (text("pad_token", "<pad>"), text("word_delimiter_token", "|"), flag("cleanup")),
}
COMPONENTS: Mapping[str, Table] = {
    "normalizer": NORMALIZERS,
    "pre_tokenizer": SPLITTERS,
    "post_processor": PROCESSORS,
    "decoder": DECODERS,
}
MODELS: Table = {
    "BPE": (
        text("unk_token", ""),
        flag("fuse_unk", False),
        flag("byte_fallback", False),
        flag("ignore_merges", False),
        text("continuing_subword_prefix", ""),
        text("end_of_word_suffix", ""),
    ),
    "WordPiece": (
        text("unk_token", "[UNK]"),
        text("continuing_subword_prefix", "##"),
        ComponentParameter("max_input_chars_per_word", "number", 100),
    ),
    "WordLevel": (text("unk_token", "[UNK]"),),
    "Unigram": (ComponentParameter("unk_id", "number", None), flag("byte_fallback", False)),
}
