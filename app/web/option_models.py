"""Options from requests: those in a JSON body, and values of a form, as an option schema declares them."""

from typing import Any, TypeVar

from ..lab.option_schema import Option, Options, from_mapping, get_option_fields, parse_field
from .forms import Form, fold

Schema = TypeVar("Schema", bound=Options)
CUSTOM = "own"
CUSTOM_FIELD = "expression"
"""In a form, the choice that stands for a text of the user's, and the field that holds the text."""


def get_options(body: Options, schema: type[Schema]) -> Schema:
    """Return the options in a JSON body that has other fields, too."""
    return schema.model_construct(**body.model_dump(include={*schema.model_fields}))


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
