"""Parameters of pages: options in a dataclass, read from a form or an address, and written into links."""

from collections.abc import Collection
from typing import Any, TypeVar
from urllib.parse import urlencode

from ..lab.option_schema import Options, get_option_fields, validate
from .forms import Form
from .option_models import read_options

Params = TypeVar("Params", bound=Options)
MAX_LINK = 6_000
"""Characters of the longest link that carries the state of a page."""


def read_params(form: Form, schema: type[Params], *, posted: bool = True, **others: Any) -> Params:
    """Return the parameters in a form or an address as `read_options` does, within their bounds. Raises `Invalid`."""
    params = read_options(form, schema, posted=posted, **others)
    validate(params)
    return params


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
