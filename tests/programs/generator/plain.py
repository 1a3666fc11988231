"""What plain Python makes of a program, with the integers of the language.

The program's text is changed so that arithmetic goes through functions that see errors: an int
that 64 bits do not hold, a division by zero, an index out of range. They are raised, or, to find
out whether anything depends on them, replaced by a number. Arrays can be nudged, to find out
whether a decision or a result hangs on rounding.
"""

from __future__ import annotations

import ast
import math
import operator
import sys
from collections.abc import Callable
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
}
_FAILING = (ArithmeticError, ValueError, IndexError)
# What of Python's own may fail, or give an int that is too large.
_BUILTINS: dict[str, Callable[..., Any]] = {
    "sum": sum,
    "max": max,
    "min": min,
    "round": round,
    "pow": pow,
}


class _Instrument(ast.NodeTransformer):
    """Sends numbers through `_plain`."""

    def _call(self, node: ast.AST, name: str, args: list[ast.expr]) -> ast.expr:
        function = ast.Attribute(ast.Name("_plain", ast.Load()), name, ast.Load())
        return ast.copy_location(ast.Call(function, args, []), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        return self._call(node, name, [node.left, node.right]) if name else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
            return self._call(node, "neg", [node.operand])
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        if not name or not isinstance(node.target, ast.Name):
            return node
        old = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
        if name == "add":  # also of a list, which grows
            name = "iadd"
        value = self._call(node, name, [old, node.value])
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(ast.Expr(self._call(node, "holds", [node.test])), node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        test = self._call(node, "holds", [ast.Constant(False)])
        return ast.copy_location(ast.Expr(test), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [self.visit(stmt) for stmt in node.body]  # not the hints
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.value = self.visit(node.value) if node.value else None
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or isinstance(node.slice, (ast.Slice, ast.Tuple)):
            return node
        return self._call(node, "item", [node.value, node.slice])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Name("int" | "abs" as name):
                return self._call(node, name, node.args)
            case ast.Name("normal"):
                return self._call(node, "array", [node])
            case ast.Attribute(of, "argmax") if not node.args:
                return self._call(node, "argmax", [of])
            case ast.Attribute(of, "pop" | "index" as name):
                return self._call(node, name, [of, *node.args])
        return node


def instrumented(source: str, path: str) -> CodeType:
    """A program's text, whose arithmetic goes through `_plain`."""
    tree = ast.fix_missing_locations(_Instrument().visit(ast.parse(source)))
    return compile(tree, path, "exec")


def _pop(xs: Any, *place: int) -> Any:
    """`xs.pop()` of a list or a queue."""
    return xs.pop(*place)


class Plain:
    """The arithmetic of one run. `fill` takes the place of what cannot be computed (None: it is
    raised); `nudge` is by how much arrays are off, relatively. `closest` is by how much the closest
    `argmax` was decided."""

    def __init__(self, fill: int | None = None, nudge: float = 0.0) -> None:
        self.fill, self.nudge = fill, nudge
        self.closest = np.inf
        self._random = np.random.default_rng(0)
        self.floordiv, self.mod = self._checked(operator.floordiv), self._checked(operator.mod)
        for name in ("add", "sub", "mul", "truediv", "neg", "iadd", "abs", "pow"):
            setattr(self, name, self._checked(getattr(operator, name)))
        self.int, self.item = self._checked(int), self._checked(operator.getitem)
        self.pop, self.index = self._checked(_pop), self._checked(list.index)
        self._matmul = self._checked(operator.matmul)

    def _checked(self, compute: Callable[..., Any]) -> Callable[..., Any]:
        def checked(*args: Any, **named: Any) -> Any:
            try:
                result = compute(*args, **named)
                if type(result) is int and not -(2**63) <= result < 2**63:
                    raise OverflowError("an int that 64 bits do not hold")
            except (*_FAILING, TypeError):
                # What takes the place of a list or a tuple has no items: they are that number, too.
                if self.fill is None:
                    raise
                return float(self.fill) if compute is operator.truediv else self.fill
            return result

        return checked

    def matmul(self, a: Any, b: Any) -> Any:
        """`a @ b`; of matrices whose sizes do not fit, one of the product's shape is filled in."""
        made = self._matmul(a, b)
        if np.ndim(made) == 0 and np.ndim(a) + np.ndim(b) > 2:
            return np.full((*np.shape(a)[:-1], *np.shape(b)[1:]), made, np.float32)
        return made

    def array(self, x: np.ndarray) -> np.ndarray:
        """`x`, nudged."""
        if not self.nudge:
            return x
        off = self._random.choice((-self.nudge, self.nudge), x.shape)
        return (x * (1 + off)).astype(np.float32)

    def divmod(self, a: Any, b: Any) -> tuple[Any, Any]:
        """`divmod`, whose parts can be filled in."""
        return self.floordiv(a, b), self.mod(a, b)

    def holds(self, test: object) -> None:
        """`assert` and `raise`, which nothing depends on if results are filled in."""
        if not test and self.fill is None:
            raise ValueError("the instance is at fault")

    def argmax(self, x: np.ndarray | list[float]) -> int:
        """`ops.argmax`, which is watched; its operand may be a list of numbers."""
        if isinstance(x, list):
            return self._first_of_largest(x)
        if len(x) > 1 and not np.isnan(x).any():
            below, largest = np.sort(x)[-2:]
            if largest > below or largest != 0:  # zeros are equal however they are computed
                self.closest = min(self.closest, float(largest - below))
        return int(np.argmax(np.asarray(x)))

    def _first_of_largest(self, xs: list[float]) -> int:
        return int(self._checked(np.argmax)(np.array(xs))) if xs else int(self.item(xs, 0))

    def load(self, code: CodeType) -> ModuleType:
        """The module of a program (`instrumented`), as this arithmetic has it."""
        module = ModuleType(f"plain_{id(self)}")
        module._plain = self  # type: ignore[attr-defined]
        for name, function in _BUILTINS.items():
            setattr(module, name, self._checked(function))
        module.divmod = self.divmod  # type: ignore[attr-defined]
        sys.modules[module.__name__] = module  # dataclasses look for it there
        try:
            exec(code, vars(module))
        finally:
            del sys.modules[module.__name__]
        space = vars(module)
        space["ops"] = SimpleNamespace(**{**vars(space["ops"]), "argmax": self.argmax})
        checked = {n: self._checked(f) if callable(f) else f for n, f in vars(math).items()}
        space["math"] = SimpleNamespace(**checked)
        return module
