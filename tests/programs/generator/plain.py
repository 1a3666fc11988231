"""What plain Python makes of a program, with the integers of the language.

The program's text is changed so that arithmetic goes through functions that see errors: an int
that 64 bits do not hold, a division by zero, an index out of range. They are raised, or, to find
out whether anything depends on them, replaced by a number. Arrays can be nudged, to find out
whether a decision or a result hangs on rounding.
"""

from __future__ import annotations

import ast
import operator
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
}
_FAILING = (ArithmeticError, ValueError, IndexError)


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
        if isinstance(node.ctx, ast.Store) or isinstance(node.slice, (ast.Slice, ast.Tuple)):
            return node
        return self._call(node, "item", [node.value, node.slice])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Name("int" | "abs" as name):
                return self._call(node, name, node.args)
            case ast.Name("normal"):
                return self._call(node, "array", [node])
        return node


class Plain:
    """The arithmetic of one run. `fill` takes the place of what cannot be computed (None: it is
    raised); `nudge` is by how much arrays are off, relatively. `closest` is by how much the closest
    `argmax` was decided."""

    def __init__(self, fill: int | None = None, nudge: float = 0.0) -> None:
        self.fill, self.nudge = fill, nudge
        self.closest = np.inf
        self._random = np.random.default_rng(0)
        for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "neg", "iadd", "abs"):
            setattr(self, name, self._checked(getattr(operator, name)))
        self.int, self.item = self._checked(int), self._checked(operator.getitem)

    def _checked(self, compute: Callable[..., Any]) -> Callable[..., Any]:
        def checked(*args: Any) -> Any:
            try:
                result = compute(*args)
                if type(result) is int and not -(2**63) <= result < 2**63:
                    raise OverflowError("an int that 64 bits do not hold")
            except _FAILING:
                if self.fill is None:
                    raise
                return float(self.fill) if compute is operator.truediv else self.fill
            return result

        return checked

    def array(self, x: np.ndarray) -> np.ndarray:
        """`x`, nudged."""
        if not self.nudge:
            return x
        off = self._random.choice((-self.nudge, self.nudge), x.shape)
        return (x * (1 + off)).astype(np.float32)

    def argmax(self, x: np.ndarray) -> int:
        """`ops.argmax`, which is watched."""
        if len(x) > 1 and not np.isnan(x).any():
            below, largest = np.sort(x)[-2:]
            if largest > below or largest != 0:  # zeros are equal however they are computed
                self.closest = min(self.closest, float(largest - below))
        return int(np.argmax(np.asarray(x)))

    def load(self, source: str, path: str) -> ModuleType:
        """The module of a program's text, as this arithmetic has it."""
        tree = ast.fix_missing_locations(_Instrument().visit(ast.parse(source)))
        module = ModuleType(f"plain_{id(self)}")
        module._plain = self  # type: ignore[attr-defined]
        sys.modules[module.__name__] = module  # dataclasses look for it there
        try:
            exec(compile(tree, path, "exec"), vars(module))
        finally:
            del sys.modules[module.__name__]
        module.ops = SimpleNamespace(**{**vars(module.ops), "argmax": self.argmax})
        return module
