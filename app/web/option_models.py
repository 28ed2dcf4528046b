"""Options from requests: fields of a JSON model, and values of a form, generated from an option schema."""

from collections.abc import Callable, Collection, Iterator
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel, Field, create_model
from pydantic.fields import FieldInfo

from ..errors import join_names
from ..lab.option_schema import Items, Option, from_mapping, get_option_fields, parse_field
from .forms import Form, fold

Model = TypeVar("Model", bound=BaseModel)
Schema = TypeVar("Schema")
CUSTOM = "own"
CUSTOM_FIELD = "expression"
"""In a form, the choice that stands for a text of the user's, and the field that holds the text."""


def with_options(schema: type, *, required: Collection[str] = ()) -> Callable[[type[Model]], type[Model]]:
    """A class decorator: add a field for each option of a schema to a JSON model, former names as deprecated ones.

    Bounds are only described here. `option_schema.validate` checks them, so that its messages are the same everywhere.
    """

    def decorate(model: type[Model]) -> type[Model]:
        hints = get_type_hints(schema)
        definitions: dict[str, Any] = {}
        for one in get_option_fields(schema).values():
            # JSON has no tuples: in strict mode, a list is accepted only where the model says list.
            kind = Items[str] if one.kind == "list" else hints[one.name]
            definitions[one.name] = (kind, _field(one, required=one.name in required))
            definitions |= {alias: (kind, _make_deprecated(one, alias)) for alias in one.aliases}
        return create_model(
            model.__name__, __base__=model, __doc__=model.__doc__, __module__=model.__module__, **definitions
        )

    return decorate


def _field(option: Option, *, required: bool) -> FieldInfo:
    sentences = [option.label, option.help]
    if option.custom:
        sentences.append(f"One of {join_names(option.choices or ())}, or a {option.custom}")
    described: FieldInfo = Field(
        ... if required else _default(option),
        description=" ".join(f"{sentence.rstrip('.')}." for sentence in sentences if sentence),
        json_schema_extra=dict(_bounds(option)),
    )
    return described


def _make_deprecated(option: Option, alias: str) -> FieldInfo:
    former: FieldInfo = Field(
        # A factory keeps the default out of the description: clients that send defaults would contradict the new name.
        default_factory=lambda: _default(option),
        description=f"The former name of `{option.name}`.",
        # `deprecated=True` would warn at each access; programs that read the description need only the keyword.
        json_schema_extra={"deprecated": True, **dict(_bounds(option))},
    )
    return former


def _default(option: Option) -> Any:
    return [*option.default] if option.kind == "list" else option.default


def _bounds(option: Option) -> Iterator[tuple[str, Any]]:
    """The bounds of an option as JSON Schema keywords."""
    if option.kind == "list":
        yield from {"maxItems": option.max, "uniqueItems": True}.items()
        yield "items", {"type": "string", "minLength": 1, "maxLength": option.item_length}
        return
    keywords = {"minimum": option.min, "maximum": option.max, "exclusiveMinimum": option.above}
    yield from ((keyword, bound) for keyword, bound in keywords.items() if bound is not None)


def get_options(body: BaseModel, schema: type[Schema], **others: Any) -> Schema:
    """The options in a JSON body; `others` are fields of the schema that are no options.

    Raises `Invalid` if an option is given under two names with different values.
    """
    names = {name for one in get_option_fields(schema).values() for name in (one.name, *one.aliases)}
    return from_mapping(schema, {**body.model_dump(include=names, exclude_unset=True), **others})


def read_options(form: Form, schema: type[Schema], *, posted: bool = False, **others: Any) -> Schema:
    """Return the options in a form or an address, with `others` in place of those that the caller finds itself.

    What is not sent has its default; but a `posted` form sends no check box that is not ticked, and beside a text, a
    list of check boxes that is not sent is empty. Bounds are left to `option_schema.validate`, which comes after hidden
    options are dropped. Raises `Invalid` with a pointer to the field.
    """
    values: dict[str, Any] = {}
    for one in get_option_fields(schema).values():
        if one.name in others:
            continue
        name = one.field or one.name
        if name in form.fields or (name == "text" and form.file_name):
            values[one.name] = _read(form, one, name)
        elif one.kind == "switch" and posted:
            values[one.name] = False
        values |= {alias: _read(form, one, alias) for alias in one.aliases if alias in form.fields}
        if one.has_boxes and not values.get(one.name):
            values[one.name] = () if "text" in form.fields else one.default
    return from_mapping(schema, {**values, **others})


def _read(form: Form, option: Option, name: str) -> Any:
    text = form.get(name)
    if option.kind == "text":
        return form.text if name == "text" else fold(text)
    if option.has_boxes:
        return tuple(dict.fromkeys(value for value in form.getall(name) if value))
    if option.custom and text == CUSTOM:
        return form.get(CUSTOM_FIELD)
    if option.choices is not None and not option.custom and text not in option.choices:
        raise option.error
    return parse_field(option, text)
