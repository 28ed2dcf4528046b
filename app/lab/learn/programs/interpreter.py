"""An interpreter of a small Python, for programs of learners: it walks the syntax tree and counts its steps.

What it does not name cannot be done: there is no import beyond two names, no attribute beyond a few methods, no class,
no exception to catch and no `eval`. A program has `MAX_STEPS` steps; each operation costs as many as the values that it
goes through. Nothing is compiled or executed as Python.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .values import BUILTINS, MODULES, QUICK, SIZED, BoundMethod, ProgramFault, check_length, check_size, weigh

MAX_PROGRAM = 4000
"""Characters of the longest program."""
MAX_STEPS = 100_000
MAX_DEPTH = 40
"""Calls within calls."""
OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
COMPARISONS: Mapping[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
UNARY: Mapping[type, Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class Scope:
    """Names and their values, within the scope around it."""

    def __init__(self, around: Scope | None = None, names: Mapping[str, Any] | None = None) -> None:
        self.around = around
        self.names = dict(names or {})

    def find(self, name: str) -> Any:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.around
        raise ProgramFault(f"There is no name {name} here.")


def parse(source: str) -> ast.Module:
    """Return what a program says, not yet run. Raises `ProgramFault` for what is too long, or no Python."""
    if len(source) > MAX_PROGRAM:
        raise ProgramFault(f"A program has at most {MAX_PROGRAM:,} characters here.")
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise ProgramFault(f"Python cannot read this: {error.msg}.", error.lineno or 0) from None
    except (ValueError, RecursionError, MemoryError):
        raise ProgramFault("Python cannot read this.") from None


class Program:
    """A program, run once: its functions can then be called, which takes further steps of the same budget.

    >>> program = Program("def double(tokens):\\n    return [token + token for token in tokens]")
    >>> program.call("double", [["a", "b"]])
    ['aa', 'bb']
    >>> Program("import os")
    Traceback (most recent call last):
    tokenarium.lab.learn.programs.values.ProgramFault: A program can import only Counter and pairwise here.

    Raises `ProgramFault`, also for what Python raises.
    """

    def __init__(self, source: str) -> None:
        self.steps = 0
        self.depth = 0
        self.line = 0
        self.globals = Scope(Scope(names=BUILTINS))
        tree = parse(source)
        self._guard(lambda: self._run(tree.body, self.globals))

    def call(self, name: str, values: Sequence[Any] = ()) -> Any:
        """Return what a function of the program returns. Raises `ProgramFault`."""
        function = self.globals.names.get(name)
        if not isinstance(function, Function):
            raise ProgramFault(f"The program has no function {name}.")
        return self._guard(lambda: function(*values))

    def _guard(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except ProgramFault as fault:
            raise ProgramFault(fault.message, fault.line or self.line) from None
        except (_Return, _Break, _Continue):
            raise ProgramFault("This word stands where it cannot.", self.line) from None
        except RecursionError:
            raise ProgramFault("The program calls itself too deeply.", self.line) from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ProgramFault(f"{type(error).__name__}: {str(error)[:200]}", self.line) from None

    def spend(self, steps: int) -> None:
        """Count steps. Raises `ProgramFault` if there are no more."""
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise ProgramFault(f"The program takes more than {MAX_STEPS:,} steps.")

    def _weigh(self, *values: Any) -> None:
        for value in values:
            self.spend(weigh(value, MAX_STEPS - self.steps))

    def _weigh_receiver(self, method: BoundMethod) -> None:
        """Count what a method goes through of its own value."""
        if method.name in ("count", "index"):
            self._weigh(method.value)
        elif method.name not in QUICK:
            self.spend(len(method.value) // 16)

    def _made(self, value: Any) -> Any:
        """Return a new value, whose memory costs steps too."""
        if isinstance(value, SIZED):
            self.spend(len(value) // 8)
        return check_size(value)

    def _run(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        for statement in body:
            self.line = statement.lineno
            self.spend(1)
            run = getattr(self, f"_run_{type(statement).__name__}", None)
            if run is None:
                raise ProgramFault(f"{type(statement).__name__} is not part of this small Python.")
            run(statement, scope)

    def _run_Pass(self, node: ast.Pass, scope: Scope) -> None:
        pass

    def _run_Expr(self, node: ast.Expr, scope: Scope) -> None:
        self.evaluate(node.value, scope)

    def _run_ImportFrom(self, node: ast.ImportFrom, scope: Scope) -> None:
        known = MODULES.get(node.module or "", set())
        if node.level or any(alias.name not in known or alias.asname for alias in node.names):
            raise ProgramFault("A program can import only Counter and pairwise here.")

    def _run_Import(self, node: ast.Import, scope: Scope) -> None:
        raise ProgramFault("A program can import only Counter and pairwise here.")

    def _run_FunctionDef(self, node: ast.FunctionDef, scope: Scope) -> None:
        if node.decorator_list:
            raise ProgramFault("A function has no decorator here.")
        scope.names[node.name] = Function(self, node.args, node.body, scope)

    def _run_Return(self, node: ast.Return, scope: Scope) -> None:
        raise _Return(None if node.value is None else self.evaluate(node.value, scope))

    def _run_Break(self, node: ast.Break, scope: Scope) -> None:
        raise _Break

    def _run_Continue(self, node: ast.Continue, scope: Scope) -> None:
        raise _Continue

    def _run_Assign(self, node: ast.Assign, scope: Scope) -> None:
        value = self.evaluate(node.value, scope)
        for target in node.targets:
            self._assign(target, value, scope)

    def _run_AnnAssign(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self._assign(node.target, self.evaluate(node.value, scope), scope)

    def _run_AugAssign(self, node: ast.AugAssign, scope: Scope) -> None:
        read = ast.copy_location(ast.BinOp(_as_read(node.target), node.op, node.value), node)
        self._assign(node.target, self.evaluate(read, scope), scope)

    def _run_If(self, node: ast.If, scope: Scope) -> None:
        self._run(node.body if self.evaluate(node.test, scope) else node.orelse, scope)

    def _run_For(self, node: ast.For, scope: Scope) -> None:
        for value in self._iterate(node.iter, scope):
            self._assign(node.target, value, scope)
            if self._run_round(node.body, scope):
                return
        self._run(node.orelse, scope)

    def _run_While(self, node: ast.While, scope: Scope) -> None:
        while self.evaluate(node.test, scope):
            if self._run_round(node.body, scope):
                return
        self._run(node.orelse, scope)

    def _run_round(self, body: Sequence[ast.stmt], scope: Scope) -> bool:
        """Run the body of a loop once; True if it has ended the loop."""
        self.spend(1)
        try:
            self._run(body, scope)
        except _Break:
            return True
        except _Continue:
            pass
        return False

    def _assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            values = [*value]
            if len(values) != len(target.elts):
                raise ProgramFault(f"{len(target.elts)} names cannot take {len(values)} values.")
            for one, part in zip(target.elts, values, strict=True):
                self._assign(one, part, scope)
        elif isinstance(target, ast.Subscript):
            base, key = self.evaluate(target.value, scope), self.evaluate(target.slice, scope)
            if not isinstance(base, list | dict):
                raise ProgramFault(f"An item of a {type(base).__name__} cannot be set.")
            self._weigh(key, value if isinstance(key, slice) else None)
            base[key] = value
            check_size(base)
        else:
            raise ProgramFault("This cannot be assigned to here.")

    def _iterate(self, node: ast.expr, scope: Scope) -> Iterator[Any]:
        values = self.evaluate(node, scope)
        if not isinstance(values, list | tuple | dict | set | str | range):
            raise ProgramFault(f"A {type(values).__name__} has no items.")
        yield from values

    def evaluate(self, node: ast.expr, scope: Scope) -> Any:
        """Return the value of an expression. Raises `ProgramFault`."""
        self.spend(1)
        find = getattr(self, f"_find_{type(node).__name__}", None)
        if find is None:
            raise ProgramFault(f"{type(node).__name__} is not part of this small Python.", node.lineno)
        return find(node, scope)

    def _find_Constant(self, node: ast.Constant, scope: Scope) -> Any:
        if not isinstance(node.value, str | int | float | None) and node.value is not ...:
            raise ProgramFault(f"A {type(node.value).__name__} is not part of this small Python.")
        return check_size(node.value)

    def _find_Name(self, node: ast.Name, scope: Scope) -> Any:
        return scope.find(node.id)

    def _find_Tuple(self, node: ast.Tuple, scope: Scope) -> Any:
        return tuple(self._items(node.elts, scope))

    def _find_List(self, node: ast.List, scope: Scope) -> Any:
        return [*self._items(node.elts, scope)]

    def _find_Set(self, node: ast.Set, scope: Scope) -> Any:
        return {*self._items(node.elts, scope)}

    def _items(self, nodes: Sequence[ast.expr], scope: Scope) -> list[Any]:
        items: list[Any] = []
        for node in nodes:
            items += self._iterate(node.value, scope) if isinstance(node, ast.Starred) else [self.evaluate(node, scope)]
        self._weigh(items)
        return [*check_size(items)]

    def _find_Dict(self, node: ast.Dict, scope: Scope) -> Any:
        if None in node.keys:
            raise ProgramFault("** is not part of this small Python.")
        keys = self._items([key for key in node.keys if key is not None], scope)
        return dict(zip(keys, self._items(node.values, scope), strict=True))

    def _find_BinOp(self, node: ast.BinOp, scope: Scope) -> Any:
        left, right = self.evaluate(node.left, scope), self.evaluate(node.right, scope)
        apply = OPERATORS.get(type(node.op))
        if apply is None:
            raise ProgramFault(f"{type(node.op).__name__} is not part of this small Python.")
        for value, times in ((left, right), (right, left)):
            if isinstance(value, str | list | tuple) and isinstance(times, int):
                if apply is not operator.mul:
                    raise ProgramFault("A number and a sequence can only be multiplied.")
                check_length(len(value) * times)
        self._weigh(left, right)
        if isinstance(left, str) and apply is operator.mod:
            raise ProgramFault("% takes numbers here.")
        return self._made(apply(left, right))

    def _find_UnaryOp(self, node: ast.UnaryOp, scope: Scope) -> Any:
        apply = UNARY.get(type(node.op))
        if apply is None:
            raise ProgramFault(f"{type(node.op).__name__} is not part of this small Python.")
        return apply(self.evaluate(node.operand, scope))

    def _find_BoolOp(self, node: ast.BoolOp, scope: Scope) -> Any:
        value: Any = None
        for one in node.values:
            value = self.evaluate(one, scope)
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _find_Compare(self, node: ast.Compare, scope: Scope) -> Any:
        left = self.evaluate(node.left, scope)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(comparator, scope)
            self._weigh(left, right)
            if not COMPARISONS[type(op)](left, right):
                return False
            left = right
        return True

    def _find_IfExp(self, node: ast.IfExp, scope: Scope) -> Any:
        return self.evaluate(node.body if self.evaluate(node.test, scope) else node.orelse, scope)

    def _find_Lambda(self, node: ast.Lambda, scope: Scope) -> Any:
        return Function(self, node.args, node.body, scope)

    def _find_Attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        return BoundMethod(self.evaluate(node.value, scope), node.attr)

    def _find_Subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        base, key = self.evaluate(node.value, scope), self.evaluate(node.slice, scope)
        if not isinstance(base, list | tuple | str | dict | range):
            raise ProgramFault(f"A {type(base).__name__} has no items.")
        self._weigh(key)
        found = base[key]
        if isinstance(key, slice):
            self.spend(len(found))
        return found

    def _find_Slice(self, node: ast.Slice, scope: Scope) -> Any:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self.evaluate(part, scope) for part in parts))

    def _find_ListComp(self, node: ast.ListComp, scope: Scope) -> Any:
        return [self.evaluate(node.elt, inner) for inner in self._rounds(node.generators, scope)]

    _find_GeneratorExp = _find_ListComp

    def _find_SetComp(self, node: ast.SetComp, scope: Scope) -> Any:
        return {*self._find_ListComp(ast.ListComp(node.elt, node.generators), scope)}

    def _find_DictComp(self, node: ast.DictComp, scope: Scope) -> Any:
        rounds = self._rounds(node.generators, scope)
        return {self.evaluate(node.key, inner): self.evaluate(node.value, inner) for inner in rounds}

    def _rounds(self, generators: Sequence[ast.comprehension], scope: Scope) -> Iterator[Scope]:
        """Yield the scope of each round of a comprehension."""
        first, *rest = generators
        inner = Scope(scope)
        for value in self._iterate(first.iter, scope):
            self.spend(1)
            self._assign(first.target, value, inner)
            if all(self.evaluate(test, inner) for test in first.ifs):
                yield from self._rounds(rest, inner) if rest else [inner]

    def _find_Call(self, node: ast.Call, scope: Scope) -> Any:
        function = self.evaluate(node.func, scope)
        values = self._items(node.args, scope)
        named = {word.arg: self.evaluate(word.value, scope) for word in node.keywords if word.arg}
        if len(named) != len(node.keywords):
            raise ProgramFault("** is not part of this small Python.")
        self.line = node.lineno
        if isinstance(function, BoundMethod):
            self._weigh_receiver(function)
        elif not isinstance(function, Function) and function not in BUILTINS.values():
            raise ProgramFault("This is no function.")
        self._weigh(*named.values())
        return self._made(function(*values, **named))


class Function:
    """A function that a program defines: called, it runs its body, or evaluates its expression."""

    def __init__(
        self, program: Program, args: ast.arguments, body: Sequence[ast.stmt] | ast.expr, scope: Scope
    ) -> None:
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults:
            raise ProgramFault("A function has plain parameters here.")
        self.program = program
        self.names = [arg.arg for arg in args.args]
        self.body = body
        self.scope = scope

    def __call__(self, *values: Any) -> Any:
        program = self.program
        program.spend(1)
        if len(values) != len(self.names):
            raise ProgramFault(f"The function takes {len(self.names)} values, not {len(values)}.")
        if program.depth >= MAX_DEPTH:
            raise ProgramFault("The program calls itself too deeply.")
        inner = Scope(self.scope, dict(zip(self.names, values, strict=True)))
        program.depth += 1
        try:
            if isinstance(self.body, ast.expr):
                return program.evaluate(self.body, inner)
            program._run(self.body, inner)
        except _Return as returned:
            return returned.value
        except (_Break, _Continue):
            raise ProgramFault("This word stands where it cannot.") from None
        finally:
            program.depth -= 1
        return None


def _as_read(target: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    """Return the target of `+=` as an expression that reads it."""
    if isinstance(target, ast.Subscript):
        return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    raise ProgramFault("This cannot be assigned to here.")
