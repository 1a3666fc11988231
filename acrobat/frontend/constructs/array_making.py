"""Which expressions make a new array, as far as the syntax tells, and which functions of numpy copy
what they get."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array_flow import Flow
from ..context import MISSING
from .operations import operation_name

# They return a view, or what they get: `dropout` does so outside of a step of training.
VIEWS = ("reshape", "transpose", "split", "dropout")
MAKES = ("sum", "mean", "max", "min", "clip", "dot", "cumsum", "item", "copy", "var", "std")
METHOD_COPIES = ("astype", "flatten", "repeat")
# A mean or a sum of ints is a number, which nothing changes.
_COPIES = (
    *(np.empty, np.zeros, np.ones, np.empty_like, np.zeros_like, np.ones_like, np.copy),
    *(np.dot, np.outer, np.linalg.norm),
    *(np.concatenate, np.stack, np.clip, np.sum, np.mean, np.max, np.min, np.var, np.std),
    *(np.array, np.full, np.full_like, np.eye, np.identity, np.linspace, np.hstack, np.vstack),
    *(np.column_stack, np.append, np.tile, np.repeat, np.roll, np.pad, np.sort, np.cumsum),
    *(np.triu, np.tril, np.median, np.average, np.prod, np.inner, np.vdot, np.where, np.arange),
)
# An array of ints keeps them, whatever is stored in it.
_MAY_BE_INTS = (np.array, np.full, np.full_like, np.cumsum, np.where, np.prod, np.arange)
FLOATS = (np.float32, np.float64, float)


def is_one(value: object, of: tuple[Any, ...]) -> bool:
    """Whether `value` is one of these objects; it may have an `==` of its own."""
    return any(value is other for other in of)


def copies(function: object) -> bool:
    """Whether a function of numpy returns a new array of floats, and only reads its arguments."""
    return isinstance(function, np.ufunc) or is_one(function, _COPIES)


def keeps(node: ast.AST) -> bool:
    """Whether `x.astype(t, copy=False)`, which may be `x` itself."""
    return isinstance(node, ast.Call) and any(k.arg in (None, "copy") for k in node.keywords)


@dataclass(slots=True)
class Making:
    """Finds expressions that make arrays in a function, whose syntax `flow` has. `static` is what a
    dotted name stands for outside of it; `is_vector` and `is_array` say what a local name stands
    for, `methods` whether a class of the author's has a method of a name, `makes` whether a
    function of the author's makes what it returns, and `floats` whether an expression is an array
    of floats."""

    flow: Flow
    static: Callable[[ast.expr], Any]
    is_vector: Callable[[str], bool] = lambda name: False
    is_array: Callable[[str], bool] = lambda name: False
    methods: Callable[[str], bool] = lambda name: False
    makes: Callable[[Any], bool] = lambda function: False
    floats: Callable[[ast.expr], bool] = lambda node: False

    def fresh(self, node: ast.expr) -> bool:
        """Whether an expression makes a new array, or a number."""
        match node:
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Constant():
                return True
            case ast.IfExp(_, body, orelse):
                return self.fresh(body) and self.fresh(orelse)
            case ast.Call(func):
                function = self.static(func)
                operation = operation_name(function)
                if operation is not None:
                    first = node.args[0] if node.args else None
                    return operation not in VIEWS or (first is not None and self.fresh(first))
                if copies(function):
                    known = not any(
                        k.arg in (None, "out", "where", "copy", "casting")
                        or (k.arg == "dtype" and not is_one(self.static(k.value), FLOATS))
                        for k in node.keywords
                    )
                    return known and (not is_one(function, _MAY_BE_INTS) or self.floats(node))
                if function is not MISSING:
                    return self.makes(function)
                if isinstance(func, ast.Attribute) and func.attr in (*MAKES, *METHOD_COPIES):
                    return not self.methods(func.attr) and not keeps(node)
        return False

    def fresh_items(self, node: ast.expr) -> bool:
        """Whether an expression makes a list or a dict, and each of the arrays in it."""
        match node:
            case ast.List(elements) | ast.Dict(_, elements):
                spread = isinstance(node, ast.Dict) and None in node.keys
                return not spread and all(map(self.fresh, elements))
            case ast.ListComp(element) | ast.DictComp(_, element):
                return self.fresh(element)
            case ast.IfExp(_, body, orelse):
                return self.fresh_items(body) and self.fresh_items(orelse)
            case ast.BinOp(left, ast.Add(), right):
                return self.fresh_items(left) and self.fresh_items(right)
            case ast.BinOp(ast.List(elements), ast.Mult()):
                # The same object again and again: a number, which nothing changes.
                return all(isinstance(e, ast.Constant) for e in elements)
            case ast.Call(func, [], []):
                return is_one(self.static(func), (list, dict))
        return False
