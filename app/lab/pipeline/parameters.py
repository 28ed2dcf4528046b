"""The parameters of every component that a `tokenizer.json` knows: kinds, choices, defaults, and what they mean."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import Field as DataclassField
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ...scratch.compat.oniguruma.search import OnigPattern
from ...scratch.compat.pipeline.component import Char, Length
from ...scratch.compat.pipeline.components import COMPONENTS as CLASSES
from ...scratch.compat.pipeline.post_processors import PairTemplate, SpecialToken, SpecialTokens, Template
from ...scratch.compat.sentencepiece.charsmap import CharsMap
from ...settings import ROOT

Kind = Literal["flag", "maybe", "text", "number", "choice", "pattern", "token", "template", "map", ""]
"""true or false · true, false or null · a text · a whole number · one of a few · a text or a regular expression · a
token with its id · a template of texts and special tokens · the character map of the tokenizer · what a form has no
field for."""
FILE = ROOT / "templates/pipeline/components.toml"


@dataclass(frozen=True, slots=True)
class ComponentParameter:
    """A parameter of a component; `default` is its value in a component that is added."""

    name: str
    kind: Kind
    default: Any
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComponentDocs:
    """What a component does; its parameters with their meanings; a text and what the component makes of it, or none."""

    about: str
    parameters: Mapping[str, str]
    example: tuple[str, Sequence[str]] | None


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


@cache
def _read_texts() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def component_docs(stage: str, type: str, names: Sequence[str]) -> ComponentDocs:
    """Return the documentation of a component of a stage, with those of its parameters that have these names.

    >>> component_docs("decoder", "Strip", ["content", "start"]).parameters
    {'content': 'The character to remove.', 'start': 'At most so many at the beginning.'}

    Of a component without a text, it is empty.
    """
    texts = _read_texts()
    one = texts[stage].get(type, {})
    known = {**texts["parameters"], **one.get("parameters", {})}
    example = one.get("example")
    return ComponentDocs(
        about=one.get("about", ""),
        parameters={name: known[name] for name in names if name in known},
        example=(example[0], example[1:]) if example else None,
    )


def example_parameters(stage: str, type: str) -> Mapping[str, Any]:
    """Return the parameters of an example that are not those of a component that a form adds."""
    parameters: Mapping[str, Any] = _read_texts()[stage].get(type, {}).get("with", {})
    return parameters
