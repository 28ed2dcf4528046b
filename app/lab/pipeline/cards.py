"""The components of a pipeline as cards of a form: read from its fields, changed by its buttons, written back.

A card that is switched off keeps its parameters: its component then has the key `off`, which only forms and links have.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import Invalid, join_names
from ...files.tokenizer_json.staged import JsonPart, PipelineVocabulary
from .changes import OWN, Changes
from .parameters import COMPONENTS, MODELS, ComponentParameter, list_parameters
from .sources import STAGES, PipelineSource

OFF = "off"
ACTION = re.compile(r"(?P<what>remove|up|down|move) (?P<at>[0-9]{1,2})(?: (?P<to>[0-9]{1,2}))?")
"""What a button or a drag does to the component at an index: remove it, or move it by one or to another index."""
Parts = Mapping[str, Sequence[JsonPart]]
Get = Callable[[str], str | None]
"""Returns a field of a form, None if it was not sent."""


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter with its value as a form has it, and the name of its field."""

    name: str
    parameter: ComponentParameter
    value: Any
    regex: bool = False


@dataclass(frozen=True, slots=True)
class ComponentCard:
    """A component as a form shows it; `first` and `last` cannot be moved further."""

    name: str
    type: str
    on: bool
    fields: tuple[Field, ...]
    first: bool
    last: bool


def cards(parts: Sequence[JsonPart], stage: str) -> list[ComponentCard]:
    """Return the cards of a stage."""
    return [
        ComponentCard(
            name=f"{stage}-{number}",
            type=str(part.get("type")),
            on=not part.get(OFF),
            fields=tuple(_fields(f"{stage}-{number}", part, COMPONENTS[stage].get(str(part.get("type")), ()))),
            first=number == 0,
            last=number == len(parts) - 1,
        )
        for number, part in enumerate(parts)
    ]


def model_fields(source: PipelineSource, options: Mapping[str, Any]) -> list[Field]:
    """Return the fields of the options of a model; none for ranks."""
    return [*_fields("model", options, MODELS[source.kind])] if source.vocabulary.spec else []


def _fields(card: str, part: Mapping[str, Any], parameters: Sequence[ComponentParameter]) -> list[Field]:
    fields = []
    for one in parameters:
        value = part.get(one.name, one.default)
        regex = False
        if one.kind == "pattern" and isinstance(value, dict):
            regex = "Regex" in value
            value = next(iter(value.values()), "")
        elif one.kind == "token" and isinstance(value, list | tuple):
            value = value[0] if value else ""
        elif one.kind == "template" and isinstance(value, list):
            value = format_template(value)
        fields.append(Field(f"{card}-{one.name}", one, value, regex))
    return fields


def format_template(steps: Sequence[Any]) -> str:
    """Return a template as the library writes it in Python.

    >>> format_template([{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}])
    '<s> $B:1'
    """
    words = []
    for step in steps:
        ((kind, value),) = step.items() if isinstance(step, dict) and len(step) == 1 else [("", None)]
        if not isinstance(value, dict) or "id" not in value:
            continue
        type_id = f":{value['type_id']}" if value.get("type_id") else ""
        words.append(f"{'$' if kind == 'Sequence' else ''}{value['id']}{type_id}")
    return " ".join(words)


def read_template(text: str) -> list[JsonPart]:
    """Return the steps of a template.

    >>> read_template("<s> $B:1")
    [{'SpecialToken': {'id': '<s>', 'type_id': 0}}, {'Sequence': {'id': 'B', 'type_id': 1}}]
    """
    steps: list[JsonPart] = []
    for word in text.split():
        name, colon, number = word.rpartition(":")
        if not (colon and name and number.isascii() and number.isdecimal() and len(number) < 4):
            name = word
            number = "0"
        sequence = name in ("$A", "$B")
        steps.append(
            {"Sequence" if sequence else "SpecialToken": {"id": name[1:] if sequence else name, "type_id": int(number)}}
        )
    return steps


def read_cards(
    get: Get, vocabulary: PipelineVocabulary, own: Mapping[str, Sequence[JsonPart] | None]
) -> dict[str, list[JsonPart]]:
    """Return the components that the cards of a form describe, after the button that was pressed. Raises `Invalid`."""
    parts = {stage: [*_read_stage(get, stage, vocabulary, own.get(stage) or ())] for stage in STAGES}
    press = get("do") or ""
    stage, _, action = press.partition(" ")
    if stage in parts:
        parts[stage] = _apply_action(parts[stage], stage, action, get(f"{stage}-new") or "")
    return parts


def _apply_action(parts: list[JsonPart], stage: str, action: str, kind: str) -> list[JsonPart]:
    """Return the components of a stage after one was added, removed or moved."""
    if action == "add":
        if kind not in COMPONENTS[stage]:
            raise Invalid(f"{stage} is one of {join_names(COMPONENTS[stage])}.", pointer=f"/{stage}")
        return [*parts, default_component(stage, kind)]
    pressed = ACTION.fullmatch(action)
    if pressed is None or int(pressed["at"]) >= len(parts):
        return parts
    at = int(pressed["at"])
    if pressed["what"] == "remove":
        return [*parts[:at], *parts[at + 1 :]]
    to = {"up": at - 1, "down": at + 1}.get(pressed["what"], int(pressed["to"] or at))
    return move_part(parts, at, to)


def move_part(parts: Sequence[JsonPart], at: int, to: int) -> list[JsonPart]:
    """Return components with the one at an index at another; as they are if there is no such index.

    >>> [part["type"] for part in move_part([{"type": "A"}, {"type": "B"}, {"type": "C"}], 0, 2)]
    ['B', 'C', 'A']
    """
    if not 0 <= to < len(parts):
        return [*parts]
    others = [*parts[:at], *parts[at + 1 :]]
    return [*others[:to], parts[at], *others[to:]]


def default_component(stage: str, kind: str) -> JsonPart:
    """Return a component with the default of each parameter."""
    return {"type": kind} | {one.name: one.default for one in list_parameters(stage, kind)}


def _read_stage(get: Get, stage: str, vocabulary: PipelineVocabulary, own: Sequence[JsonPart]) -> list[JsonPart]:
    parts: list[JsonPart] = []
    while (kind := get(f"{stage}-{len(parts)}-type")) is not None and len(parts) < 100:
        card = f"{stage}-{len(parts)}"
        table = COMPONENTS[stage]
        if kind not in table:
            raise Invalid(f"{stage} is one of {join_names(table)}.", pointer=f"/{stage}")
        part = default_component(stage, kind)
        if get(f"{card}-was") == kind:
            part = {**part, **_read_fields(get, card, table[kind], vocabulary)}
            part = _with_tokens(part, vocabulary, own) if kind == "TemplateProcessing" else part
        parts.append(part if get(f"{card}-on") is not None or get(f"{card}-was") is None else {**part, OFF: True})
    return parts


def read_options(get: Get, source: PipelineSource) -> dict[str, Any]:
    """Return the options of the model that a form has; none for ranks. Raises `Invalid`."""
    if source.vocabulary.spec is None or get("model-was") != source.kind:
        return {}
    read = _read_fields(get, "model", MODELS[source.kind], source.vocabulary)
    nullable = {"unk_token", "continuing_subword_prefix", "end_of_word_suffix"}
    values = {name: None if value == "" and name in nullable else value for name, value in read.items()}
    defaults = {one.name: None if one.default == "" else one.default for one in MODELS[source.kind]}
    return {name: value for name, value in values.items() if value != source.options.get(name, defaults[name])}


def _read_fields(
    get: Get, card: str, parameters: Sequence[ComponentParameter], vocabulary: PipelineVocabulary
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for one in parameters:
        text = get(f"{card}-{one.name}")
        match one.kind:
            case "flag":
                values[one.name] = text is not None
            case "maybe":
                values[one.name] = {"true": True, "false": False}.get(text or "")
            case "number":
                values[one.name] = _number(text, one)
            case "pattern":
                values[one.name] = {"Regex" if get(f"{card}-{one.name}-regex") is not None else "String": text or ""}
            case "token":
                values[one.name] = [text or "", vocabulary.id_of(text or "")]
            case "template":
                values[one.name] = read_template(text or "")
            case "map":
                values[one.name] = OWN
            case _:
                values[one.name] = text or ""
    return values


def _number(text: str | None, one: ComponentParameter) -> int | str | None:
    """Return a number; a text that is none is returned as it is, and refused with the component."""
    if not text and one.default is None:
        return None
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 8 else text or ""


def check_tokens(parts: Parts) -> None:
    """Raise `Invalid` for a token of a post-processor that the vocabulary does not have."""
    for part in parts.get("post_processor", ()):
        pairs = [value for value in (part.get("cls"), part.get("sep")) if isinstance(value, list) and len(value) == 2]
        tokens = part.get("special_tokens")
        known = [token for token in tokens.values() if isinstance(token, dict)] if isinstance(tokens, dict) else []
        pairs += [[token.get("id"), None] for token in known if token.get("ids") == [None]]
        for token, id in pairs:
            if id is None and not part.get(OFF):
                raise Invalid(f"{str(token)[:40]!r} is no token of this vocabulary.", pointer="/post_processor")


def _with_tokens(part: JsonPart, vocabulary: PipelineVocabulary, own: Sequence[JsonPart]) -> JsonPart:
    """Return a template with the special tokens that it names: those of the tokenizer's own, or the vocabulary's."""
    known = {name: token for one in own for name, token in (one.get("special_tokens") or {}).items()}
    steps = [step["SpecialToken"]["id"] for side in ("single", "pair") for step in part[side] if "SpecialToken" in step]
    tokens = {
        name: known.get(name) or {"id": name, "ids": [vocabulary.id_of(name)], "tokens": [name]}
        for name in dict.fromkeys(steps)
    }
    return {**part, "special_tokens": tokens}


def with_own_map(part: JsonPart) -> JsonPart:
    """Return a component with a short name in place of the tokenizer's character map."""
    return {**part, "precompiled_charsmap": OWN} if part.get("type") == "Precompiled" else part


def active(parts: Sequence[JsonPart]) -> list[JsonPart]:
    """Return the components that are switched on, without the key `off`."""
    return [{name: value for name, value in part.items() if name != OFF} for part in parts if not part.get(OFF)]


def canonical(stage: str, part: JsonPart) -> JsonPart:
    """Return a component with every parameter that has an effect, so that equal ones compare equal.

    >>> canonical("pre_tokenizer", {"type": "Digits"})
    {'type': 'Digits', 'individual_digits': False, 'off': False}
    """
    parameters = COMPONENTS[stage].get(str(part.get("type")), ())
    values = {one.name: part.get(one.name, one.default) for one in parameters}
    for one in parameters:
        if one.kind == "template" and isinstance(values[one.name], list):
            values[one.name] = format_template(values[one.name])
        elif one.kind == "map":
            values[one.name] = OWN
        elif isinstance(values[one.name], tuple):
            values[one.name] = [*values[one.name]]
    return {"type": part.get("type"), **values, OFF: bool(part.get(OFF))}


def collect_changes(source: PipelineSource, parts: Parts, options: Mapping[str, Any]) -> Changes:
    """Return the changes that the components of a form make; stages that are the tokenizer's own are left out."""
    stages: dict[str, Any] = {}
    for stage, changed in parts.items():
        own = [canonical(stage, part) for part in source.parts[stage] or ()]
        if [canonical(stage, part) for part in changed] != own:
            stages[stage] = active(changed) or None
    return Changes(stages, options)
