"""The sandbox in which chat templates run: Jinja as transformers sets it up, with limits on time and memory.

A template can still be slow or large in ways that are not listed here. Templates from requests therefore run in
worker processes with limits of their own; the limits of this module keep most of them from reaching those.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, update_wrapper
from typing import Any

from jinja2 import Environment, Template, TemplateError, nodes
from jinja2.compiler import CodeGenerator
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.lexer import Token, TokenStream
from jinja2.parser import Parser
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace
from markupsafe import Markup

from ...errors import TemplateLimit
from .attribution import TEMPLATE, Sourced, concatenate, serialize_sourced, tojson
from .limits import (
    COPIED_PER_STEP,
    ITEMS_PER_STEP,
    MAX_TEMPLATE_TOKENS,
    SEARCHED_PER_STEP,
    ChargingCodeGenerator,
    SourcedCodeGenerator,
    charge,
    charge_items,
    charge_pieces,
    check_result,
    check_size,
    current_budget,
    weigh,
)
from .operations import (
    REMOVED_FILTERS,
    ChargedEscapeFormatter,
    ChargedFormatter,
    charge_call,
    charge_operator,
    check_key,
    compare,
    is_scalar,
    wrap_filter,
    wrap_test,
)

GENERATION_MARKS = ("\U0010fffe", "\U0010ffff")
"""Noncharacters, which no text is meant to contain."""


class ConversationRefused(TemplateError):
    """A template called `raise_exception`."""


class Generation(Extension):
    """The tag `generation` of transformers, which marks the text of the assistant; its body is rendered as usual.

    A `MarkedSandbox` puts a character in front of the body and one behind it.
    """

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        if isinstance(self.environment, MarkedSandbox):
            begin, end = (nodes.Output([nodes.TemplateData(mark)], lineno=line) for mark in GENERATION_MARKS)
            body = [begin, *body, end]
        return nodes.Scope(body, lineno=line)


class FreshDict:
    """The function `dict` with only the attribute `fromkeys`."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args)


class PublicNamespace(Namespace):
    """A `namespace` whose attributes cannot begin with an underscore. Raises `SecurityError`."""

    # No `self`, so that a template can name an attribute so; Jinja's own class does the same.
    def __init__(*args: Any, **kwargs: Any) -> None:
        attributes = dict(*args[1:], **kwargs)
        for name in attributes:
            _check_public(name)
        Namespace.__init__(args[0], attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_public(name)
        Namespace.__setitem__(self, name, value)


def _check_public(name: Any) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError("An attribute of a namespace must not begin with an underscore.")


def raise_exception(message: str) -> None:
    """Raise `ConversationRefused` with the message of the template."""
    raise ConversationRefused(message)


def strftime_now(format: str) -> str:
    """Return the current time of the rendering in this format."""
    check_size(len(format) * 1000)  # a field such as `%999d` pads to its width
    return Sourced.of(current_budget().now.strftime(format), TEMPLATE)


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox with the extensions, filters and globals of transformers, except those in `REMOVED_FILTERS`.

    Every operation charges the step budget of the rendering and raises `TemplateLimit` when it is exceeded. Generated
    code (see `limits`) calls `charge`, `pace`, `key`, `compare`, `cut_slice`, `text`, `concat` and `literal`.
    """

    code_generator_class: type[CodeGenerator] = ChargingCodeGenerator
    intercepted_binops = frozenset(ImmutableSandboxedEnvironment.default_binop_table)

    def __init__(self) -> None:
        extensions = [Generation, loopcontrols]
        # Not optimized: the optimizer would compute constant expressions outside of any budget.
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, extensions=extensions, optimized=False, finalize=self.weigh_output
        )
        self.filters = {
            name: wrap_filter(name, function) for name, function in self.filters.items() if name not in REMOVED_FILTERS
        }
        self.filters["tojson"] = tojson
        self.tests: dict[str, Any] = {name: wrap_test(name, function) for name, function in self.tests.items()}
        del self.globals["lipsum"]
        self.globals.update(
            raise_exception=raise_exception, strftime_now=strftime_now, dict=FreshDict(), namespace=PublicNamespace
        )

    def _tokenize(self, source: str, name: str | None, filename: str | None = None, state: str | None = None) -> Any:
        stream = super()._tokenize(source, name, filename, state)
        return TokenStream(_limit_tokens(stream), name, filename)

    def charge(self, steps: int) -> bool:
        """Charge for steps; always True, so that generated code can use it in a condition."""
        charge(steps)
        return True

    def pace(self, items: Iterable[Any]) -> Iterator[Any]:
        return charge_items(items)

    key = staticmethod(check_key)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(__obj, "__self__", None) is __self:  # a method that generated code calls
            return __obj(*args)
        if isinstance(__obj, LoopContext):
            args = tuple(map(charge_items, args))
        # Jinja's own arguments, not the template's: they cost nothing.
        hidden = {name: kwargs.pop(name) for name in ("_loop_vars", "_block_vars") if name in kwargs}
        args = charge_call(__obj, args, kwargs)
        result = check_result(super().call(__context, __obj, *args, **kwargs, **hidden))
        charge(len(result) if isinstance(result, list) else 0)
        return result

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        charge_operator(operator, left, right)
        return check_result(super().call_binop(context, operator, left, right))

    def compare(self, name: str, left: Any, right: Any, *others: Any) -> Any:
        """Return the result of a comparison or a chain of them.

        `others` alternates between further operators and functions that return the next operand.
        """
        result = compare(name, left, right)
        for next_name, next_operand in zip(others[::2], others[1::2], strict=True):
            if not result:
                break
            left = right
            right = next_operand()
            result = compare(next_name, left, right)
        return result

    def getitem(self, obj: Any, argument: Any) -> Any:
        charge(1)
        return super().getitem(obj, check_key(argument))

    def cut_slice(self, obj: Any, start: Any, stop: Any, step: Any) -> Any:
        """Charge for `obj[start:stop:step]` and return it."""
        part = slice(start, stop, step)
        if isinstance(obj, str | bytes | list | tuple):
            size = len(range(*part.indices(len(obj))))
            characters = COPIED_PER_STEP if part.step in (None, 1) else SEARCHED_PER_STEP
            charge(size // (characters if isinstance(obj, str | bytes) else ITEMS_PER_STEP))
        return obj[part]

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return a function that charges for `str.format` and `format_map`, or None if the value is neither."""
        if super().wrap_str_format(value) is None:
            return None
        text: str = value.__self__

        def format(*args: Any, **kwargs: Any) -> str:
            if value.__name__ == "format_map":
                (kwargs,) = args
                args = ()
            charge(len(text) // SEARCHED_PER_STEP)
            if isinstance(text, Markup):
                return type(text)(ChargedEscapeFormatter(self, escape=text.escape).vformat(text, args, kwargs))
            return type(text)(ChargedFormatter(self).vformat(text, args, kwargs))

        return update_wrapper(format, value)

    @staticmethod
    def weigh_output(value: Any) -> Any:
        """Charge for writing a value to the output and return it."""
        if not is_scalar(value):
            weigh(value)
        return value

    @classmethod
    def text(cls, value: Any) -> str:
        """Charge for converting a value to a string and return it."""
        return str(cls.weigh_output(value))

    @staticmethod
    def concat(pieces: Iterable[str]) -> str:
        return "".join(charge_pieces(pieces))


def _limit_tokens(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield the tokens of a template's source code. Raises `TemplateLimit` if there are too many."""
    for number, token in enumerate(tokens):
        if number == MAX_TEMPLATE_TOKENS:
            raise TemplateLimit(
                f"A chat template can have at most {MAX_TEMPLATE_TOKENS:,} syntax tokens.", limit=MAX_TEMPLATE_TOKENS
            )
        yield token


class SourcedSandbox(Sandbox):
    """A sandbox whose strings record the origins of their characters."""

    code_generator_class = SourcedCodeGenerator

    def __init__(self) -> None:
        super().__init__()
        self.filters["tojson"] = serialize_sourced

    @staticmethod
    def literal(text: str) -> Sourced:
        """Return a string from the template's source code, attributed to the template."""
        return Sourced.of(text, TEMPLATE)

    @staticmethod
    def concat(pieces: Iterable[str]) -> Sourced:
        return concatenate(charge_pieces(pieces))


class MarkedSandbox(Sandbox):
    """A sandbox whose output has the first of `GENERATION_MARKS` where the text of the assistant begins, and the other
    where it ends.
    """


@lru_cache(maxsize=16)
def compile_template(template: str, *, sourced: bool, marked: bool = False) -> Template:
    """Return a compiled template; `sourced` selects the sandbox that records origins, `marked` the one with marks."""
    sandbox: Environment = SourcedSandbox() if sourced else MarkedSandbox() if marked else Sandbox()
    return sandbox.from_string(template)
