"""Parameters of pages: options in a dataclass, read from a form or an address, and written into links."""

from collections.abc import Collection
from typing import Any, TypeVar
from urllib.parse import urlencode

from ..errors import Invalid
from ..lab.option_schema import Option, get_option_fields
from .forms import Form, fold

Params = TypeVar("Params")
MAX_LINK = 6_000
"""Characters of the longest link that carries the state of a page."""


def read_params(form: Form, schema: type[Params], *, posted: bool = True, **others: Any) -> Params:
    """Return the parameters in a form or an address, with `others` in place of those that the page finds itself.

    What is not sent has its default; but a posted form sends no check box that is not ticked, and beside a text, a list
    that is not sent is empty. Raises `Invalid` with a pointer to the field.
    """
    options = get_option_fields(schema).values()
    read = {one.name: _read(form, one, posted=posted) for one in options if one.name not in others}
    return schema(**read, **others)


def _read(form: Form, option: Option, *, posted: bool) -> Any:
    name = option.field or option.name
    if option.kind == "switch":
        return form.get(name, "1") != "0" if option.default and not posted else bool(form.get(name))
    if option.kind == "choice":
        return form.get_choice(name, option.choices or (), option.default)
    if option.kind == "list":
        sent = tuple(dict.fromkeys(value for value in form.getall(name) if value))
        return sent if sent or "text" in form.fields else option.default
    if option.kind == "text":
        if name == "text" and ("text" in form.fields or form.file_name):
            return form.text
        return fold(form.get(name, option.default))
    number = form.number(name) if option.kind == "integer" else form.amount(name)
    if number is not None and not option.accepts(number):
        limit = int(option.max or 0)
        raise Invalid(f"{name} is a whole number from {option.min} to {limit:,}.", pointer=f"/{name}", limit=limit)
    return option.default if number is None else number


def write_address(path: str, params: Any, *, always: Collection[str] = (), safe: str = "", **others: str) -> str:
    """Return the address of a page with its parameters and `others`, in which characters of `safe` are not quoted.

    Parameters that have their default are left out unless they are among `always`, and those without an effect.
    """
    pairs: list[tuple[str, Any]] = []
    for one in get_option_fields(type(params)).values():
        value = getattr(params, one.name)
        if value is not None and one.is_used(params) and (one.name in always or value != one.default):
            values = value if one.kind == "list" else [int(value) if one.kind == "switch" else value]
            pairs += [(one.field or one.name, each) for each in values]
    return f"{path}?{urlencode([*pairs, *others.items()], safe=safe)}"


def drop_long_address(address: str) -> str:
    """Return an address that a link can carry, "" if it is too long."""
    return address if len(address) <= MAX_LINK else ""
