"""Option schemas: a model declares the options of a capability once, each as a field.

From the same declaration come the form (`templates/macros/options.html`), the JSON and its description, the arguments
of a command (`app/commands/option_arguments.py`), and the messages of the checks below.
"""

import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite
from numbers import Integral
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, FailFast, Field, GetJsonSchemaHandler, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema

from ..errors import Invalid, join_names

Kind = Literal["switch", "choice", "integer", "decimal", "list", "text"]
Condition = Mapping[str, Container[Any]]
"""Values of other options; all of them must hold."""
Schema = TypeVar("Schema", bound="Options")
DECIMAL = re.compile(r"[0-9]*\.?[0-9]+")
MAX_DIGITS = {"integer": 10, "decimal": 15}
"""Characters of a number in a form; a longer one is out of every range."""
MAX_INTEGER = 1_000_000_000
"""The largest whole number a form takes, also where an option has no bound of its own."""


class AnyValue:
    """In a condition, every value but None: the other option is given."""

    def __contains__(self, value: object) -> bool:
        return value is not None


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its label and help, the values it takes, and under which conditions it has an effect.

    `choices` maps values to their labels; with a `custom` label, any other text is a value too. `min` and `max` bound
    a number, or the length of a list whose items have at most `item_length` characters; `above` is a bound that is not
    itself a value. A form offers the `presets`, and shows a `percent` option as 0 to 100. The option has an effect
    where one of the conditions `used_by` holds, or always if there are none. A form hides it, and leaves its value
    out, where none of them can hold for the values of the options `hidden_by`. `aliases` are former names. `field` is
    what the parameter of a page is called in its form and its address, where that is not its name.
    """

    label: str
    help: str = ""
    choices: Mapping[str, str] | None = None
    custom: str = ""
    min: float | None = None
    max: float | None = None
    above: float | None = None
    item_length: int | None = None
    presets: tuple[Any, ...] = ()
    percent: bool = False
    placeholder: str = ""
    used_by: tuple[Condition, ...] = ()
    hidden_by: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    field: str = ""
    name: str = ""
    default: Any = None
    kind: Kind = "text"
    nullable: bool = False

    def is_used(self, options: object, *, only: Collection[str] | None = None) -> bool:
        """True if the option has an effect beside these values of the others, as far as those named in `only` tell."""
        return not self.used_by or any(
            all(getattr(options, name) in values for name, values in condition.items() if only is None or name in only)
            for condition in self.used_by
        )

    def accepts(self, value: Any) -> bool:
        """True if the value is one of the choices, or within the bounds."""
        if value is None:
            return self.nullable
        if self.choices is not None:
            return value in self.choices or bool(self.custom)
        if self.kind == "list":
            return (
                self._in_range(len(value))
                and len({*value}) == len(value)
                and all(self.item_length is None or 1 <= len(item) <= self.item_length for item in value)
            )
        if self.kind == "integer":
            return isinstance(value, Integral) and self._in_range(int(value))
        return self.kind != "decimal" or (isfinite(value) and self._in_range(value))

    def _in_range(self, number: float) -> bool:
        above = self.above is None or number > self.above
        return above and (self.min is None or number >= self.min) and (self.max is None or number <= self.max)

    @property
    def has_boxes(self) -> bool:
        """True for a list that a form sends as a field for each item; a list of texts is typed into one field."""
        return self.kind == "list" and self.item_length is None

    @property
    def rule(self) -> str:
        """The error message: which values the option takes."""
        name = self.field or self.name
        if self.choices is not None:
            return f"{name} must be one of {join_names(filter(None, self.choices))}."
        if self.kind == "list":
            what = "names" if self.item_length is None else f"texts of 1 to {self.item_length:,} characters"
            return f"{name} must be at most {self.max:,} different {what}."
        number = "a whole number" if self.kind == "integer" else "a number"
        least = f" above {self.above:g}" if self.above is not None else f" from {self.min:,}" if self.min else " from 0"
        return f"{name} must be {number}{least}{'' if self.max is None else f' to {self.max:,}'}."

    @property
    def error(self) -> Invalid:
        """The error for a value that is not accepted."""
        limit = int(self.max) if self.max is not None and self.kind in ("integer", "list") else None
        return Invalid(self.rule, pointer=f"/{self.field or self.name}", limit=limit)


class FirstError(FailFast):
    """Validation ends at the first error, also in a member of a union, which must be hashable."""

    def __hash__(self) -> int:
        return hash(FirstError)


Item = TypeVar("Item")
Items = Annotated[list[Item], FirstError()]
"""A list of a body; with its first wrong item it is refused. A million of them would else have a million errors."""


class Options(BaseModel):
    """Options of a capability as one model: of its JSON, its form, its address, its command and its agent tool.

    JSON is read strictly. A form is not, whose values are texts: `from_mapping` makes options of them, and `validate`
    checks these. A list is one of `Items`, since JSON has no tuples.

    >>> class Brew(Options):
    ...     cups: int = declare("Cups", 2, ge=1, le=8, aliases=("amount",))
    ...     tea: Literal["green", "black"] = declare("Tea", "green", help="Black takes longer.")
    ...     milk: bool = declare("With milk", False, used_by=({"tea": ("black",)},))
    >>> list_ignored_options(from_mapping(Brew, {"amount": 3, "milk": True}))
    ['milk']
    >>> validate(from_mapping(Brew, {"cups": 9}))
    Traceback (most recent call last):
    tokenarium.errors.Invalid: cups must be a whole number from 1 to 8.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _rename(cls, values: Any) -> Any:
        return rename(cls, values) if isinstance(values, dict) else values

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe each former name as deprecated, behind the present one."""
        reference = handler(core)
        schema = handler.resolve_ref_schema(reference)
        options = get_option_fields(cls)
        described = {}
        for name, field in schema["properties"].items():
            described[name] = field
            for alias in options[name].aliases if name in options else ():
                # Without the default: clients that send defaults would contradict the new name.
                kept = {keyword: value for keyword, value in field.items() if keyword not in ("default", "title")}
                described[alias] = {**kept, "description": f"The former name of `{name}`.", "deprecated": True}
        schema["properties"] = described
        return reference


OPTION_FIELDS = frozenset(
    {"custom", "item_length", "presets", "percent", "placeholder", "used_by", "hidden_by", "aliases", "field"}
)
"""What of an `Option` pydantic does not know, beside the labels of choices."""
BOUNDS = {"ge": "min", "gt": "above", "le": "max", "max_length": "max"}
"""Bounds as pydantic and `Option` call them."""


def declare(label: str, default: Any = ..., *, help: str = "", **declared: Any) -> Any:
    """Declare a field of `Options`.

    `declared` are fields of `Option` that are among `OPTION_FIELDS`, `choices` with a label for each value, and what
    pydantic's `Field` has.
    """
    labels = declared.pop("choices", None)
    shown = {name: declared.pop(name) for name in OPTION_FIELDS & declared.keys()}
    sentences = [help] if help.removeprefix("The ").lower().startswith(label.lower()) else [label, help]
    if "custom" in shown:
        sentences.append(f"One of {join_names(labels or ())}, or a {shown['custom']}")
    declared.setdefault("description", " ".join(f"{sentence.rstrip('.')}." for sentence in sentences if sentence))
    if "item_length" in shown:
        items = {"type": "string", "minLength": 1, "maxLength": shown["item_length"]}
        declared["json_schema_extra"] = {"uniqueItems": True, "items": items}
    made: FieldInfo = Field(default, title=label, **declared)
    made.metadata.append(Option(label, help, choices=labels, **shown))
    return made


def declare_tokenizers(label: str, default: Sequence[str] = (), *, max_length: int) -> Any:
    """Declare a list of tokenizers, which a form sends as fields that are called `tokenizer`."""
    description = "Ids from /api/tokenizers, or names of models, whose tokens are counted, too."
    return declare(label, [*default], max_length=max_length, field="tokenizer", description=description)


def _read_field(name: str, made: FieldInfo) -> Iterator[Option]:
    """Yield the option that a field of a model declares, with what the field itself says."""
    for option in (one for one in made.metadata if isinstance(one, Option)):
        values = get_args(made.annotation) if get_origin(made.annotation) is Literal else ()
        choices = option.choices or {value: value for value in values} or None
        default = None if made.is_required() else made.default
        complete = _complete_option(replace(option, choices=choices), name, default, made.annotation)
        yield replace(complete, **_read_bounds(made))


def _read_bounds(made: FieldInfo) -> dict[str, Any]:
    pairs = ((BOUNDS[name], getattr(one, name, None)) for one in made.metadata for name in BOUNDS)
    return {name: bound for name, bound in pairs if bound is not None}


def get_option_fields(schema: "type[Options]") -> Mapping[str, Option]:
    """The options of a model by name. Fields that are not declared as options are left out.

    >>> class Brew(Options):
    ...     cups: int | None = declare("Cups", None)
    >>> get_option_fields(Brew)["cups"].kind, get_option_fields(Brew)["cups"].nullable
    ('integer', True)
    """
    return _collect_option_fields(schema)


@cache
def _collect_option_fields(schema: type[Options]) -> Mapping[str, Option]:
    return {one.name: one for name, made in schema.model_fields.items() for one in _read_field(name, made)}


def _complete_option(option: Option, name: str, default: Any, hint: Any) -> Option:
    """The option with what the field itself says: its name, its default and its type."""
    types = [one for one in get_args(hint) if one is not NoneType] if NoneType in get_args(hint) else [hint]
    kinds: dict[Any, Kind] = {bool: "switch", int: "integer", float: "decimal", list: "list"}
    kind = "choice" if option.choices is not None else kinds.get(get_origin(types[0]) or types[0], "text")
    return replace(option, name=name, default=default, kind=kind, nullable=types[0] is not hint)


def validate(options: Options) -> None:
    """Raise `Invalid`, with a pointer to the option, for a value that is no choice or out of bounds."""
    for one in get_option_fields(type(options)).values():
        if not one.accepts(getattr(options, one.name)):
            raise one.error


def list_ignored_options(options: Options) -> list[str]:
    """The names of options that differ from their defaults but have no effect beside the others."""
    every = get_option_fields(type(options)).values()
    return [one.name for one in every if not one.is_used(options) and getattr(options, one.name) != one.default]


def drop_hidden(options: Schema) -> Schema:
    """The options with defaults in place of those that a form hides: a form sends its hidden fields too."""
    hidden = [
        one
        for one in get_option_fields(type(options)).values()
        if one.hidden_by and not one.is_used(options, only=one.hidden_by)
    ]
    return with_values(options, **{one.name: one.default for one in hidden})


def with_values(options: Schema, **values: Any) -> Schema:
    """Return options with other values, which are not checked."""
    return options.model_copy(update=_as_lists(values))


def from_mapping(schema: type[Schema], values: Mapping[str, Any]) -> Schema:
    """Return options from plain data, which is not checked, and in which an option may have a former name.

    Raises `Invalid` if an option is given under two names with different values.
    """
    return schema.model_construct(**_as_lists(rename(schema, values)))


def _as_lists(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with lists in place of tuples, which a model does not have."""
    return {name: [*value] if isinstance(value, tuple) else value for name, value in values.items()}


def rename(schema: type[Options], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the present names of options. Raises `Invalid` for two different values of an option."""
    by_name = dict(values)
    for one in get_option_fields(schema).values():
        for alias in one.aliases:
            if alias in by_name:
                value = by_name.pop(alias)
                if by_name.setdefault(one.name, value) != value:
                    detail = f"{alias} is the former name of {one.name}; give only one of them."
                    raise Invalid(detail, pointer=f"/{alias}")
    return by_name


def with_aliases(values: Mapping[str, Any], schema: type[Options]) -> dict[str, Any]:
    """Options as plain data, each also under its former names, for programs that read those."""
    pairs = [(alias, one.name) for one in get_option_fields(schema).values() for alias in one.aliases]
    return {**values, **{alias: values[name] for alias, name in pairs if name in values}}


def parse_field(option: Option, text: str) -> Any:
    """Return the value of a form field. Raises `Invalid` if it is not a number although one is expected.

    >>> cups = Option("Cups")
    >>> parse_field(replace(cups, kind="integer"), "12"), parse_field(replace(cups, kind="list"), "a b a")
    (12, ('a', 'b'))
    """
    if option.kind == "switch":
        return text not in ("", "0")
    if option.kind == "list":
        return tuple(dict.fromkeys(text.split()))
    if option.kind not in ("integer", "decimal"):
        return text
    number = text.strip()
    if not number:
        return option.default
    readable = DECIMAL.fullmatch(number) if option.kind == "decimal" else number.isascii() and number.isdecimal()
    if not readable or len(number) > MAX_DIGITS[option.kind]:
        raise option.error
    if option.kind == "integer":
        if (value := int(number)) > MAX_INTEGER:
            raise option.error
        return value
    return float(number) / 100 if option.percent else float(number)
