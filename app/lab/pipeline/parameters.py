"""The parameters of every component that a `tokenizer.json` knows: their kinds, choices and defaults."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_type_hints

from ...formats.json_options import BEHAVIORS
from ...scratch.compat.oniguruma.search import OnigPattern
from ...scratch.compat.pipeline.components import COMPONENTS as CLASSES
from ...scratch.compat.pipeline.components import ComponentClass
from ...scratch.compat.sentencepiece.charsmap import CharsMap

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


BEHAVIOR = ComponentParameter("behavior", "choice", "Isolated", tuple(BEHAVIORS))
SCHEME = ComponentParameter("prepend_scheme", "choice", "always", ("always", "first", "never"))
METASPACE = (text("replacement", "▁"), SCHEME, flag("split"))
BYTE_LEVEL = (flag("add_prefix_space"), flag("trim_offsets"), flag("use_regex"))
EDGES = (ComponentParameter("cls", "token", ""), ComponentParameter("sep", "token", ""))
Table = Mapping[str, tuple[ComponentParameter, ...]]
KINDS: Mapping[Any, Kind] = {
    bool: "flag",
    bool | None: "maybe",
    str: "text",
    OnigPattern: "pattern",
    CharsMap: "map",
}
"""The kind of a parameter, by the type of the field of its component."""


def _parameters(component: ComponentClass, stage: str) -> Iterator[ComponentParameter]:
    """Yield the parameters of a component in a stage."""
    hints = get_type_hints(component, include_extras=True)
    for one in fields(component):
        default = one.metadata.get(stage, one.metadata.get("initial", one.default))
        yield ComponentParameter(one.name, KINDS[hints[one.name]], default)


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
    "normalizer": {
        kind: tuple(_parameters(component, "normalizer")) for kind, component in CLASSES["normalizer"].items()
    },
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
