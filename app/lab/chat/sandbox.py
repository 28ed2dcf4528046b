"""The sandbox in which chat templates run: Jinja's own, as transformers sets it up, with limits on sizes.

Templates of users run in worker processes, whose limits on time and memory hold for all that is not limited here.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import lru_cache, wraps
from typing import Any

from jinja2 import Environment, Template, TemplateError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from .attribution import TEMPLATE, Sourced, concatenate, serialize_sourced, tojson
from .limits import check_operation, check_pieces, check_size

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


def raise_exception(message: str) -> None:
    """Raise `ConversationRefused` with the message of the template."""
    raise ConversationRefused(message)


def make_clock(now: datetime) -> Callable[[str], str]:
    """Return the function `strftime_now` of a rendering, which formats the time that the template sees."""
    return lambda format: Sourced.of(now.strftime(format), TEMPLATE)


def limit_result(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a filter whose result is limited in size."""

    @wraps(function)
    def limited(*args: Any, **kwargs: Any) -> Any:
        return check_size(function(*args, **kwargs))

    return limited


class ConcatenatingCodeGenerator(CodeGenerator):
    """A code generator that has the environment join strings: those of the operator `~`, and with it all output."""

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self.write("environment.concat(map(str, (")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write(")))")


class SourcedCodeGenerator(ConcatenatingCodeGenerator):
    """A code generator that attributes literals to the template."""

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:
        value = node.as_const(frame.eval_ctx)
        if isinstance(value, str):
            self.write(f"environment.literal({str(value)!r})")
        else:
            super().visit_Const(node, frame)

    def visit_TemplateData(self, node: nodes.TemplateData, frame: Frame) -> None:
        self.write(f"environment.literal({node.data!r})")

    def _output_const_repr(self, group: Iterable[Any]) -> str:
        return f"environment.literal({''.join(map(str.__str__, map(str, group)))!r})"


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox with the extensions, filters and globals of transformers, but for its clock (`make_clock`).

    What operators, calls, filters and the output make is limited in size, which raises `TemplateLimit`.
    """

    code_generator_class: type[CodeGenerator] = ConcatenatingCodeGenerator
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
        self.filters = {name: limit_result(function) for name, function in {**self.filters, "tojson": tojson}.items()}
        self.globals["raise_exception"] = raise_exception

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        return check_size(super().call(__context, __obj, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        check_operation(operator, left, right)
        return check_size(super().call_binop(context, operator, left, right))

    @staticmethod
    def concat(pieces: Iterable[str]) -> str:
        return "".join(check_pieces(pieces))


class SourcedSandbox(Sandbox):
    """A sandbox whose strings record the origins of their characters."""

    code_generator_class = SourcedCodeGenerator

    def __init__(self) -> None:
        super().__init__()
        self.filters["tojson"] = limit_result(serialize_sourced)

    @staticmethod
    def literal(text: str) -> Sourced:
        """Return a string from the template's source code, attributed to the template."""
        return Sourced.of(text, TEMPLATE)

    @staticmethod
    def concat(pieces: Iterable[str]) -> Sourced:
        return concatenate(check_pieces(pieces))


class MarkedSandbox(Sandbox):
    """A sandbox whose output has the first of `GENERATION_MARKS` where the text of the assistant begins, and the other
    where it ends.
    """


@lru_cache(maxsize=16)
def compile_template(template: str, *, sourced: bool, marked: bool = False) -> Template:
    """Return a compiled template; `sourced` selects the sandbox that records origins, `marked` the one with marks."""
    sandbox: Environment = SourcedSandbox() if sourced else MarkedSandbox() if marked else Sandbox()
    return sandbox.from_string(template)
