"""The sandbox in which chat templates run: Jinja with what transformers gives them, and limits on what they may take.

Whoever sends a template can still make it slow or fat in ways not listed here, so that those run in a process of
their own; the limits spare that process most of it.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from jinja2 import Environment, Template, TemplateError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from app.lab.chat.json_text import sourced_json, tojson
from app.lab.chat.limits import budget, check_numbers, check_size, check_widths, modest, within
from app.lab.chat.provenance import TEMPLATE, Sourced, joined


class Refused(TemplateError):
    """A template refused a conversation: it called `raise_exception`."""


class Generation(Extension):
    """The tag `generation`, which marks what an assistant said; its body is rendered."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


class FreshDict:
    """`dict` without its attributes."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args)


class PublicNamespace(Namespace):
    """`namespace` that keeps no names which begin with an underscore."""

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
        raise SecurityError("A namespace keeps no name that begins with an underscore.")


def raise_exception(message: str) -> None:
    raise Refused(message)


def strftime_now(format: str) -> str:
    return Sourced.of(budget().now.strftime(format), TEMPLATE)


class Paced(CodeGenerator):
    """Code in which every loop takes a step a round, and no text grows unseen."""

    def visit_For(self, node: nodes.For, frame: Frame) -> None:
        paced = nodes.EnvironmentAttribute("paced", lineno=node.lineno)
        node.iter = nodes.Call(paced, [node.iter], [], None, None, lineno=node.lineno)
        super().visit_For(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self.write("environment.concat(map(str, (")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write(")))")


class Sandbox(ImmutableSandboxedEnvironment):
    """What transformers gives chat templates, and nothing more. Raises `OverLimit` where one takes too much."""

    code_generator_class: type[CodeGenerator] = Paced
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
        self.filters.update({name: modest(filter) for name, filter in self.filters.items()}, tojson=tojson)
        self.globals.update(
            raise_exception=raise_exception, strftime_now=strftime_now, dict=FreshDict(), namespace=PublicNamespace
        )

    def paced(self, items: Iterable[Any]) -> Iterator[Any]:
        """The items, a step for each."""
        for item in items:
            budget().step()
            yield item

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        budget().step()
        check_numbers(*args, *kwargs.values())
        return super().call(__context, __obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "*":
            sized, times = (right, left) if isinstance(left, int) else (left, right)
            if isinstance(sized, str | list | tuple) and isinstance(times, int):
                check_size(len(sized) * times)
        elif operator == "**":
            check_numbers(left, right)
            check_size(abs(right) * 64 if isinstance(right, int) else 0)
        elif operator == "%" and isinstance(left, str):
            check_widths(left)
        made = super().call_binop(context, operator, left, right)
        if isinstance(made, str | list | tuple):
            check_size(len(made))
        return made

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        wrapped = super().wrap_str_format(value)
        if wrapped is not None:
            check_widths(value.__self__)
        return wrapped

    @staticmethod
    def concat(pieces: Iterable[str]) -> str:
        return "".join(within(pieces))


class Literal(Paced):
    """Code whose literals say that the template wrote them."""

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


class SourcedSandbox(Sandbox):
    """The same with texts that know where they come from."""

    code_generator_class = Literal

    def __init__(self) -> None:
        super().__init__()
        self.filters["tojson"] = sourced_json

    @staticmethod
    def literal(text: str) -> Sourced:
        """A text that the template spells out."""
        return Sourced.of(text, TEMPLATE)

    @staticmethod
    def concat(pieces: Iterable[str]) -> Sourced:
        return joined(within(pieces))


@lru_cache(maxsize=16)
def compiled(template: str, *, sourced: bool) -> Template:
    """A template ready to be rendered, plain or so that it says where its text comes from."""
    sandbox: Environment = SourcedSandbox() if sourced else Sandbox()
    return sandbox.from_string(template)
