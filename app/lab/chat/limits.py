"""Step budget and size limits for rendering a chat template, and code generation that charges the steps.

A step corresponds to about one evaluated node of the template. Operations that run in C are charged in proportion to
what they read and write, before they run, so that the budget is a count that does not depend on the machine.

The generated code calls methods of the environment, see `sandbox.Sandbox`.
"""

import time
from collections.abc import ItemsView, Iterable, Iterator, KeysView, ValuesView
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from types import BuiltinMethodType, FunctionType, GeneratorType, MethodType, MethodWrapperType
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.exceptions import SecurityError
from jinja2.utils import Namespace

from ...errors import TemplateLimit

MAX_STEPS = 1_000_000
"""Steps of one rendering by a template from a request; they take about half a second and seldom more than one."""
MAX_SECONDS = 4.0
"""Processor time of such a rendering in seconds, a second limit for steps that cost more than expected."""
OWN_TEMPLATE_FACTOR = 8
"""Factor on both limits for a tokenizer's own template, which has to handle very long conversations."""
MAX_LENGTH = 4_000_000
"""Characters of a string that a template makes, and items of a list."""
MAX_BITS = 4096
"""Bits of an integer."""
MAX_TEMPLATE_TOKENS = 20_000
"""Tokens of a template's source code. The longest published templates have about 4,000."""
COPIED_PER_STEP = 2048
"""Characters copied in one step."""
SEARCHED_PER_STEP = 128
"""Characters searched or converted in one step."""
COMPARED_PER_STEP = 1024
"""Pairs of characters compared in one step."""
ITEMS_PER_STEP = 64
"""List items copied in one step."""
CALL_STEPS = 4
"""Steps of a call, a filter or a test, in addition to those of its arguments."""
MACRO_STEPS = 8
"""Further steps of a call of a macro or a caller: Jinja binds its arguments and joins its output in Python."""
CLOCK_INTERVAL = 1000
"""Steps between two readings of the clock."""
SCALAR_SIZE = 20
"""Characters that a value other than a string or a container counts as."""
WITH_ADDRESS: frozenset[Any] = frozenset(
    kind.__repr__ for kind in (object, BuiltinMethodType, FunctionType, GeneratorType, MethodType, MethodWrapperType)
)
"""What writes an object as its kind and its address in the memory of the server."""
SEQUENCES: Any = (list, tuple, set, range, KeysView, ValuesView, ItemsView)
BODIES = ("body", "else_")


@dataclass
class StepBudget:
    """The limits of one rendering and the steps that remain.

    `now` is the time that the template sees as the current one, `max_steps` and `max_seconds` are the limits, and
    `steps` is the number of remaining steps.
    """

    now: datetime
    max_steps: int
    max_seconds: float

    def __post_init__(self) -> None:
        self.steps = self._next_clock_check = self.max_steps
        # The time of this thread only: other requests of the same process must not use up this budget.
        self._deadline = time.thread_time() + self.max_seconds

    def charge(self, steps: int) -> None:
        """Subtract steps from the budget. Raises `TemplateLimit` if it is exceeded."""
        self.steps -= steps
        if self.steps < self._next_clock_check:
            self._check()

    def _check(self) -> None:
        if self.steps < 0:
            raise TemplateLimit(f"The template takes more than {self.max_steps:,} steps.", limit=self.max_steps)
        if time.thread_time() > self._deadline:
            limit = int(self.max_seconds)
            raise TemplateLimit(f"The template takes more than {self.max_seconds:g} seconds.", limit=limit)
        # Reading the clock is a system call, too slow for every step. At 0 every further step is checked.
        self._next_clock_check = max(0, self.steps - CLOCK_INTERVAL)


_budget: ContextVar[StepBudget] = ContextVar("budget")


@contextmanager
def step_budget(now: datetime, *, own: bool = False) -> Iterator[None]:
    """Limit the compilation and rendering of one template inside the `with` block.

    `own` is True for a tokenizer's own template, which has higher limits.
    """
    factor = OWN_TEMPLATE_FACTOR if own else 1
    token = _budget.set(StepBudget(now, factor * MAX_STEPS, factor * MAX_SECONDS))
    try:
        yield
    finally:
        _budget.reset(token)


def current_budget() -> StepBudget:
    """Return the budget of the current rendering. Raises `LookupError` outside of one."""
    return _budget.get()


def charge(steps: int) -> None:
    """Subtract steps from the budget of the current rendering, if any. Raises `TemplateLimit`."""
    # Attributed strings can also be made outside of a rendering, where there is no budget.
    current = _budget.get(None)
    if current is not None:
        current.charge(steps)


def check_size(size: int) -> None:
    """Raise `TemplateLimit` if a string or list of this length is too long."""
    if size > MAX_LENGTH:
        message = f"The template makes a string or a list longer than {MAX_LENGTH:,}."
        raise TemplateLimit(message, limit=MAX_LENGTH)


def check_bits(bits: int) -> None:
    """Raise `TemplateLimit` if an integer of this many bits is too large."""
    if bits > MAX_BITS:
        raise TemplateLimit(f"The template makes an integer of more than {MAX_BITS:,} bits.", limit=MAX_BITS)


def check_result(value: Any) -> Any:
    """Return the result of an operation. Raises `TemplateLimit` if it is too large."""
    if isinstance(value, str | bytes | list | tuple):
        check_size(len(value))
    elif isinstance(value, int):
        check_bits(value.bit_length())
    return value


def charge_items(items: Iterable[Any], steps: int = 1) -> Iterator[Any]:
    """Yield the items and charge `steps` for each."""
    for item in items:
        charge(steps)
        yield item


def charge_pieces(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a string and charge for copying them. Raises `TemplateLimit` if their sum is too long."""
    size = 0
    for piece in pieces:
        size += len(piece)
        check_size(size)
        yield piece
    charge(size // COPIED_PER_STEP)


def weigh(*values: Any) -> tuple[int, int]:
    """Charge for values and everything in them; return (characters, values), with characters about as `str` counts.

    Raises `SecurityError` for an object whose string has its address, since all that is written is weighed before.

    A value that occurs twice counts twice, as it does for `str`, `==` and `hash`, so that a small nested structure
    which repeats its parts, such as `b = [a, a]; c = [b, b]; …`, soon exceeds the budget.

    >>> weigh(["ab", {"cd": 5}])
    (24, 5)
    """
    charge(len(values))
    # A stack instead of recursion: a template can nest values deeper than Python recurses, or in a cycle.
    stack = list(values)
    size = 0
    count = 0
    while stack:
        value = stack.pop()
        count += 1
        if isinstance(value, str | bytes):
            size += len(value)
            charge(len(getattr(value, "_runs", ())))
        elif isinstance(value, dict):
            charge(2 * len(value) + 1)
            stack += value.keys()
            stack += value.values()
        elif isinstance(value, SEQUENCES) and not isinstance(value, range):
            charge(len(value) + 1)
            stack += value
        elif isinstance(value, Namespace):
            stack.append(value._Namespace__attrs)  # a name-mangled attribute: Jinja has no public one
            charge(1)
        else:
            if type(value).__repr__ in WITH_ADDRESS:
                raise SecurityError("A template cannot write a function, a method or an iterator.")
            size += SCALAR_SIZE
    charge(size // SEARCHED_PER_STEP)
    return size, count


def node_count(node: nodes.Node) -> int:
    """Return the number of nodes that are evaluated with this one, itself included.

    Bodies and the condition of a loop are left out: they run any number of times and are charged each time.
    """
    exclude = (*BODIES, "test") if isinstance(node, nodes.For) else BODIES
    return 1 + sum(map(node_count, node.iter_child_nodes(exclude=exclude)))


class ChargingCodeGenerator(CodeGenerator):
    """A code generator that charges each body for its nodes on entry, and calls the sandbox for operators."""

    # Nodes in the default arguments of the macro that is being compiled. Jinja evaluates them inside of the macro,
    # so that its body charges for them.
    _defaults = 0

    def blockvisit(self, body: Iterable[nodes.Node], frame: Frame) -> None:
        body = list(body)
        self.writeline(f"environment.charge({self._defaults + sum(map(node_count, body))})")
        self._defaults = 0
        super().blockvisit(body, frame)

    def macro_body(self, node: nodes.Macro | nodes.CallBlock, frame: Frame) -> tuple[Frame, MacroRef]:
        self._defaults = sum(map(node_count, node.defaults))
        return super().macro_body(node, frame)

    def visit_For(self, node: nodes.For, frame: Frame) -> None:
        node.iter = self._call("pace", node.iter, node.lineno)
        if node.test:
            # `environment.charge` returns True, so that `and` evaluates the condition after charging for it.
            charged = self._call("charge", nodes.Const(node_count(node.test)), node.lineno)
            node.test = nodes.And(charged, node.test, lineno=node.lineno)
        super().visit_For(node, frame)

    @staticmethod
    def _call(name: str, argument: nodes.Node, line: int) -> nodes.Expr:
        return nodes.Call(nodes.EnvironmentAttribute(name, lineno=line), [argument], [], None, None, lineno=line)

    def _write(self, before: str, parts: Iterable[nodes.Node | str | None], frame: Frame, after: str = ")") -> None:
        """Write `before`, the parts with a comma after each, and `after`; a part that is a node is compiled."""
        self.write(before)
        for part in parts:
            if isinstance(part, nodes.Node):
                self.visit(part, frame)
            else:
                self.write(str(part))
            self.write(", ")
        self.write(after)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self._write("environment.concat(map(environment.text, (", node.nodes, frame, ")))")

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:
        first, *others = node.ops
        self._write("environment.compare(", (repr(first.op), node.expr, first.expr), frame, "")
        for other in others:
            self.write(f"{other.op!r}, ")
            # A chain such as `a < b < c` must not evaluate `c` if `a < b` is false.
            self._write("lambda: ", (other.expr,), frame, "")
        self.write(")")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        if isinstance(node.arg, nodes.Slice):
            self._write("environment.cut_slice(", (node.node, node.arg.start, node.arg.stop, node.arg.step), frame)
        else:
            super().visit_Getitem(node, frame)

    def visit_Pair(self, node: nodes.Pair, frame: Frame) -> None:
        self._write("environment.key(", (node.key,), frame, "): ")
        self.visit(node.value, frame)

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:
        self._write("{", node.items, frame, "}")

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> str:
        # Jinja computes constant expressions while it compiles a template, where no budget limits them. Only literals
        # may be written as constants.
        if not isinstance(node, nodes.Const | nodes.TemplateData):
            raise nodes.Impossible
        return super()._output_child_to_const(node, frame, finalize)


class SourcedCodeGenerator(ChargingCodeGenerator):
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
