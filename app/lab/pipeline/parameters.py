"""The parameters of every component that a `tokenizer.json` knows: their kinds, choices and defaults."""

from collections.abc import Mapping
from dataclasses import Field as DataclassField
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ...scratch.compat.oniguruma.search import OnigPattern
from ...scratch.compat.pipeline.component import Char, Length
from ...scratch.compat.pipeline.components import COMPONENTS as CLASSES
from ...scratch.compat.pipeline.post_processors import PairTemplate, SpecialToken, SpecialTokens, Template
from ...scratch.compat.sentencepiece.charsmap import CharsMap

Kind = Literal["flag", "maybe", "text", "number", "choice", "pattern", "token", "template", "map", ""]
"""true or false · true, false or null · a text · a whole number · one of a few · a text or a regular expression · a
token with its id · a template of texts and special tokens · the character map of the tokenizer · what a form has no
field for."""


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


Table = Mapping[str, tuple[ComponentParameter, ...]]
KINDS: Mapping[Any, Kind] = {
    bool: "flag",
    bool | None: "maybe",
    str: "text",
    Char: "text",
    int: "number",
    Length: "number",
    OnigPattern: "pattern",
    CharsMap: "map",
    SpecialToken: "token",
    Template: "template",
    PairTemplate: "template",
    SpecialTokens: "",
}
"""The kind of a parameter, by the type of the field of its component."""


def list_parameters(stage: str, kind: str) -> tuple[ComponentParameter, ...]:
    """Return the parameters of a component in a stage."""
    component = CLASSES[stage][kind]
    hints = get_type_hints(component, include_extras=True)
    ordered = sorted(fields(component), key=lambda one: not one.metadata.get("first"))
    return tuple(_parameter(one, hints[one.name], stage) for one in ordered)


def _parameter(one: "DataclassField[Any]", hint: Any, stage: str) -> ComponentParameter:
    default = one.metadata.get(stage, one.metadata.get("initial", one.default))
    if get_origin(hint) is Literal:
        return ComponentParameter(one.name, "choice", default, get_args(hint))
    # An option that is switched on where it is null has no third value.
    return ComponentParameter(one.name, "flag" if default is True else KINDS[hint], default)


COMPONENTS: Mapping[str, Table] = {
    stage: {
        kind: tuple(one for one in list_parameters(stage, kind) if stage not in component.without_form and one.kind)
        for kind, component in classes.items()
    }
    for stage, classes in CLASSES.items()
}
"""The parameters that a form has, by stage and component."""
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
