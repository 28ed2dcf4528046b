"""Code generation for chat templates: Jinja's compiler, extended so that steps and operations are charged.

The generated code calls methods of the environment, see `sandbox.Sandbox`.
"""

from collections.abc import Iterable
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef

BODIES = ("body", "else_")


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
