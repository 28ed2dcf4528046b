"""Step costs of the filters, tests, methods and operators of a chat template, charged before they run.

By default an operation costs what its arguments weigh (`limits.weigh`). This module says which operations cost less,
which cost more, and which return more than their arguments. Templates have everything that transformers offers
except `lipsum` and four filters, which are for HTML and debugging, are used by no published chat template, and take
time that grows with the square of a string's length: `pprint`, `striptags`, `urlize` and `wordwrap`.
"""

import operator
import re
from collections.abc import Callable, Iterator, KeysView, Mapping
from functools import wraps
from types import FunctionType
from typing import Any

from jinja2.exceptions import SecurityError
from jinja2.runtime import LoopContext, Macro
from jinja2.sandbox import SandboxedFormatter
from jinja2.utils import _PassArg
from markupsafe import EscapeFormatter

from ...errors import TemplateLimit
from .limits import (
    CALL_STEPS,
    COMPARED_PER_STEP,
    COPIED_PER_STEP,
    ITEMS_PER_STEP,
    MACRO_STEPS,
    MAX_LENGTH,
    SEARCHED_PER_STEP,
    SEQUENCES,
    charge,
    charge_items,
    check_bits,
    check_result,
    check_size,
    weigh,
)

REMOVED_FILTERS = ("pprint", "striptags", "urlize", "wordwrap")
CONSTANT_FILTERS = frozenset({"abs", "attr", "count", "d", "default", "first", "items", "last", "length", "random"})
"""Filters that read at most one item."""
SHALLOW_FILTERS = frozenset(
    {"batch", "list", "map", "reject", "rejectattr", "reverse", "select", "selectattr", "slice"}
)
"""Filters that read the items but not their contents."""
SORTING_FILTERS = frozenset({"dictsort", "groupby", "sort"})
ITERATING_FILTERS = SORTING_FILTERS | {"join", "max", "min", "sum", "unique"}
"""Filters that read the characters of a string one by one."""
INTERPRETED_FILTERS = frozenset({"float", "int", "title", "urlencode", "wordcount", "xmlattr"})
"""Filters that run Python code, or a regular expression, for every few characters."""
SEARCHING_METHODS = frozenset({"count", "find", "index", "partition", "split"})
"""Methods whose time grows with the sum of both lengths, or for shorter strings with their product."""
REVERSE_SEARCHING_METHODS = frozenset({"lstrip", "rfind", "rindex", "rpartition", "rsplit", "rstrip", "strip"})
"""Methods whose time can grow with the product of both lengths."""
CODECS = frozenset({"ascii", "latin-1", "utf-16", "utf-32", "utf-8", "utf8"})
SPECIFIER = re.compile(r"%(?:\([^()]*\))?[-+ #0]*(\*|[0-9]+)?(?:\.(\*|[0-9]+))?")
# A key with parentheses, which `SPECIFIER` does not match: the width after it would go unnoticed.
NESTED_KEY = re.compile(r"%\([^)]*\(")
MAX_DECIMALS = 300
"""Decimal places to round to; 10 to a power above 308 exceeds the range of a float."""

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "lteq": operator.le,
    "gt": operator.gt,
    "gteq": operator.ge,
    "in": lambda left, right: contains(right, left),
    "notin": lambda left, right: not contains(right, left),
}
COMPARISON_TESTS = {
    alias: name
    for name, aliases in {
        "eq": ("==", "eq", "equalto"),
        "ne": ("!=", "ne"),
        "gt": (">", "gt", "greaterthan"),
        "gteq": (">=", "ge"),
        "lt": ("<", "lt", "lessthan"),
        "lteq": ("<=", "le"),
        "in": ("in",),
    }.items()
    for alias in aliases
}


def compare(name: str, left: Any, right: Any) -> Any:
    """Charge for a comparison and return its result; `name` is one of Jinja's operators in `COMPARISONS`."""
    if isinstance(left, str) and isinstance(right, str):
        charge(min(len(left), len(right)) // COPIED_PER_STEP)
    elif name not in ("in", "notin") and not is_scalar(left) and not is_scalar(right) and not _differ(left, right):
        weigh(left)
    return COMPARISONS[name](left, right)


def _differ(left: Any, right: Any) -> bool:
    """True if two lists, tuples or dicts have different lengths, so that Python does not compare their items."""
    containers = (list, tuple, dict)
    return isinstance(left, containers) and isinstance(right, containers) and len(left) != len(right)


def contains(items: Any, value: Any) -> bool:
    """Charge for `value in items` and return its result."""
    per_item = 0 if is_scalar(value) else sum(weigh(value))
    per_item += len(value) // COPIED_PER_STEP if isinstance(value, str) else 0
    if isinstance(items, str) and isinstance(value, str):
        charge(_search_steps(len(items), len(value)))
    elif isinstance(items, SEQUENCES):
        charge(0 if isinstance(items, set | KeysView) else len(items) // 8 + len(items) * per_item)
    elif isinstance(items, Iterator):
        items = charge_items(items, 1 + per_item)  # its length is unknown before it is read
    return value in items


def _search_steps(length: int, pattern_length: int) -> int:
    """Return the steps of searching a string of this length for another."""
    # CPython's search is quadratic for short strings and switches to a linear algorithm for longer ones.
    return length // SEARCHED_PER_STEP + min(length, 30_000) * min(pattern_length, 100) // COMPARED_PER_STEP


def is_scalar(value: Any) -> bool:
    """True for a string, a number and None, which contain no other values."""
    return value is None or isinstance(value, str | int | float)


def check_key(value: Any) -> Any:
    """Charge for hashing the key of a dict and return it."""
    if not is_scalar(value):
        weigh(value)
    return value


def charge_operator(name: str, left: Any, right: Any) -> None:
    """Charge for a binary operator. Raises `TemplateLimit` if its result would be too large."""
    if isinstance(left, str | bytes) and name == "%":
        check_percent(left, right)
    elif name == "*" and isinstance(left, int) != isinstance(right, int):
        sized, times = (right, left) if isinstance(left, int) else (left, right)
        if isinstance(sized, str | bytes | list | tuple):
            check_size(size := len(sized) * max(0, times))
            runs = len(getattr(sized, "_runs", ())) * max(0, times)
            charge(runs + (size // COPIED_PER_STEP if isinstance(sized, str | bytes) else size // ITEMS_PER_STEP))
    elif name == "**" and isinstance(left, int) and isinstance(right, int):
        check_bits(left.bit_length() * max(0, right))
    elif isinstance(left, str) and isinstance(right, str):
        charge((len(left) + len(right)) // COPIED_PER_STEP)
    elif isinstance(left, list | tuple) and isinstance(right, list | tuple):
        charge((len(left) + len(right)) // ITEMS_PER_STEP)
    elif not is_scalar(left) or not is_scalar(right):
        weigh(left, right)


def check_percent(text: str | bytes, args: Any) -> None:
    """Charge for `text % args`.

    Raises `TemplateLimit` if the result can become too long, `SecurityError` for a key with parentheses.
    """
    pattern = text if isinstance(text, str) else text.decode("latin-1")
    if NESTED_KEY.search(pattern):
        raise SecurityError("A key in a format string must not contain parentheses.")
    fields = [
        field for match in SPECIFIER.finditer(pattern) for field in match.groups()
    ]  # a width and a precision each
    width = sum(_width(field) for field in fields if field and field != "*")
    if "*" in fields:
        # Any of the arguments may be a width.
        width += sum(abs(arg) for arg in (args if isinstance(args, tuple) else (args,)) if isinstance(arg, int))
    size, _ = weigh(args)
    # A mapping may be written once for each specifier, a tuple's items only once.
    max_size = len(text) + width + size * (1 if isinstance(args, tuple) else len(fields) // 2)
    check_size(max_size)
    charge(len(fields) + max_size // SEARCHED_PER_STEP)


def _width(digits: str) -> int:
    """Return the number that the digits spell, or one beyond the limit if there are ten or more."""
    # Python refuses to parse thousands of digits, with an error that is not `TemplateLimit`.
    return int(digits) if len(digits) < 10 else MAX_LENGTH + 1


class ChargedFormatter(SandboxedFormatter):
    """`str.format` that charges for each field, including its width, which may come from another field."""

    size = 0

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion:
            weigh(value)
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> Any:
        field_size = weigh(value)[0] + len(format_spec) + sum(map(_width, re.findall(r"\d+", format_spec)))
        self.size += field_size
        check_size(self.size)
        charge(1 + field_size // SEARCHED_PER_STEP)
        return super().format_field(value, format_spec)


class ChargedEscapeFormatter(ChargedFormatter, EscapeFormatter):
    """`ChargedFormatter` for `Markup`, which escapes the fields."""


def wrap_filter(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the filter wrapped so that it charges for its arguments and its result."""
    # Jinja passes its context or environment as a first argument to some filters.
    skipped = 0 if _PassArg.from_obj(function) is None else 1

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        charge(CALL_STEPS)
        params = args[skipped:]
        if name not in CONSTANT_FILTERS:
            if isinstance(params[0], Iterator) and name not in SHALLOW_FILTERS:
                params = (list(params[0]), *params[1:])  # an iterator cannot be weighed without using it up
            _charge_filter(name, params, kwargs)
        result = function(*args[:skipped], *params, **kwargs)
        return charge_items(result) if isinstance(result, Iterator) else check_result(result)

    return wrapper


def _charge_filter(name: str, params: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Charge for a filter whose first parameter is the filtered value."""
    value = params[0]
    options = (*params[1:], *kwargs.values())
    # A number may be a width or a count, so that the result may be as long as their sum.
    number_sum = sum(abs(option) for option in options if isinstance(option, int))
    check_size(number_sum)
    charge(number_sum // SEARCHED_PER_STEP)
    if name in SHALLOW_FILTERS:
        charge(number_sum + (len(value) if isinstance(value, (SEQUENCES, str, dict)) else 0))
        return
    (size, count) = weigh(value)
    (options_size, _) = weigh(*options)
    if name in ITERATING_FILTERS:
        count += len(value) if isinstance(value, str | range) else 0
        comparisons = count.bit_length() if name in SORTING_FILTERS else 1
        charge((size // SEARCHED_PER_STEP + count) * comparisons)
    elif name in INTERPRETED_FILTERS:
        charge(size // 8)
    _check_expansion(name, params=params, kwargs=kwargs, size=size, count=count, options_size=options_size + number_sum)


def _check_expansion(
    name: str, params: tuple[Any, ...], kwargs: dict[str, Any], size: int, count: int, options_size: int
) -> None:
    """Check the filters whose result can be larger than their arguments, or which take longer to run.

    The filtered value weighs `size` characters in `count` values, the options weigh `options_size` characters.
    """
    value = params[0]
    options = (*params[1:], *kwargs.values())
    match name:
        case "format":
            check_percent(str(value), kwargs or params[1:])
        case "indent":
            check_size(size + options_size * (str(value).count("\n") + 1))
        case "join":
            check_size(size + options_size * count)
        case "replace":
            old, new = (*params[1:3], *(kwargs[key] for key in ("old", "new") if key in kwargs))[:2]
            _charge_replace(str(value), str(old), str(new))
        case "round":
            _check_round(value, options)
        case "sum" if not all(map(is_scalar, options)):
            charge(len(value) * count // ITEMS_PER_STEP)  # a sum of lists copies its start again for each of them
        case "trim":
            charge(size * options_size // COMPARED_PER_STEP)


def _check_round(value: Any, options: tuple[Any, ...]) -> None:
    """Raise `TypeError` if the value is not a number, `TemplateLimit` for too many decimal places."""
    # The filter multiplies the value by a power of 10, which would repeat a string or list.
    if isinstance(value, str | bytes | list | tuple):
        raise TypeError("Only a number can be rounded.")
    if any(abs(option) > MAX_DECIMALS for option in options if isinstance(option, int)):
        raise TemplateLimit(f"A number can be rounded to at most {MAX_DECIMALS} decimal places.", limit=MAX_DECIMALS)


def _charge_replace(text: Any, old: Any, new: Any) -> None:
    """Charge for `text.replace(old, new)`. Raises `TemplateLimit` if the result would be too long."""
    charge(_search_steps(len(text), len(old)))
    count = text.count(old)
    check_size(len(text) + count * max(0, len(new) - len(old)))
    charge(count // ITEMS_PER_STEP)


def wrap_test(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the test wrapped so that it charges for its arguments."""
    skipped = 0 if _PassArg.from_obj(function) is None else 1

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        charge(CALL_STEPS)
        params = args[skipped:]
        if name in COMPARISON_TESTS and len(params) == 2 and not kwargs:
            return compare(COMPARISON_TESTS[name], *params)
        if name in COMPARISON_TESTS or name in ("lower", "upper"):
            weigh(*params, *kwargs.values())
        elif name in ("odd", "even", "divisibleby") and isinstance(params[0], str | bytes):
            check_percent(params[0], (*params[1:], *kwargs.values()))  # these tests use `%`, which formats a string
        return function(*args, **kwargs)

    return wrapper


def charge_call(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """Charge for a call and return the arguments for it, with iterators as lists, so that their items are counted.

    Raises `TemplateLimit`, and `SecurityError` for a text encoding that is not allowed.
    """
    charge(CALL_STEPS + MACRO_STEPS * isinstance(function, Macro))
    # Macros, and the functions of this package, charge for their own work.
    if isinstance(function, Macro | FunctionType | LoopContext):
        return args
    args = tuple(list(arg) if isinstance(arg, Iterator) else arg for arg in args)
    params = (*args, *kwargs.values())
    size, count = weigh(*params)
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if isinstance(owner, str | bytes | int):
        number_sum = sum(abs(param) for param in params if isinstance(param, int))
        check_size(number_sum)
        charge(number_sum // SEARCHED_PER_STEP)
    if isinstance(owner, str | bytes):
        # Other codecs, such as IDNA and punycode, run Python code whose time is quadratic.
        if name in ("encode", "decode") and str((*args, kwargs.get("encoding", "utf-8"))[0]).lower() not in CODECS:
            raise SecurityError("A template can use only the encodings UTF-8, UTF-16, UTF-32, Latin-1 and ASCII.")
        _charge_string_method(owner, name, params, size, count)
    elif isinstance(owner, list | tuple | range):
        charge(len(owner) * (1 + count + size // COPIED_PER_STEP if params else 1))
    elif isinstance(owner, type) or name in ("copy", "fromkeys"):
        charge(size + (len(owner) if isinstance(owner, dict) else 0))
    return args


def _charge_string_method(text: Any, name: str, params: tuple[Any, ...], size: int, count: int) -> None:
    """Charge for a method of `str` or `bytes`; the parameters weigh `size` characters in `count` values."""
    if name in ("startswith", "endswith"):
        return
    charge(len(text) // SEARCHED_PER_STEP)
    match name:
        case "expandtabs":
            tab_size = next((param for param in params if isinstance(param, int)), 8)
            check_size(len(text) + text.count("\t" if isinstance(text, str) else b"\t") * max(0, tab_size))
        case "join":
            check_size(size + len(text) * count)
            charge((size + len(text) * count) // SEARCHED_PER_STEP)
        case "replace" if len(params) > 1:
            _charge_replace(text, *params[:2])
        case "striptags":
            charge(len(text) ** 2 // SEARCHED_PER_STEP)
        case "translate":
            values = params[0].values() if isinstance(params[0], dict) else params
            max_replacement = max((len(value) for value in values if isinstance(value, str)), default=0)
            check_size(len(text) * max_replacement)
            charge(len(text) // 8)
        case _ if name in SEARCHING_METHODS:
            charge(_search_steps(len(text), size))
        case _ if name in REVERSE_SEARCHING_METHODS:
            charge(len(text) * size // COMPARED_PER_STEP)
