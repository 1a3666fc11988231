"""Which arrays of numpy a function fills item by item, and where it mentions them
(local_arrays.py)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ..lang import ops
from .context import FunctionContext
from .scope import Env
from .syntax import parents_of

Kind = Literal["numbers", "table", "rows"]

_FILLS: dict[object, int] = {np.zeros: 0, np.ones: 1, np.empty: 0}
_TYPES: dict[object, type] = {
    t: number
    for number, names in (
        (float, (float, np.float64)),
        (int, (int, np.int64, np.int32, np.intp)),
        (bool, (bool, np.bool_)),
    )
    for t in names
}
METHODS = {
    "sum": np.sum,
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
    "argmax": np.argmax,
    "argmin": np.argmin,
}
# They read the numbers of an array one by one.
_READERS = (
    *(len, sum, max, min, sorted, list, any, all, enumerate, zip, reversed, ops.argmax),
    *METHODS.values(),
)
# They return the array itself, or a view of it.
_VIEWS = (np.reshape, np.transpose, np.asarray, ops.reshape, ops.transpose, ops.split)


@dataclass(frozen=True, slots=True)
class Made:
    """What makes an array: its sizes, the number that it is filled with, and the type of its
    numbers; None for float32, which only rows may have."""

    sizes: tuple[ast.expr, ...]
    fill: ast.expr
    number: type | None


@dataclass(slots=True)
class LocalArray:
    """The array `name` of a function. `made`: what makes it, by the identity of the statement."""

    ctx: FunctionContext
    tree: ast.FunctionDef
    name: str
    made: dict[int, Made] = field(default_factory=dict)
    kind: Kind = "numbers"
    parents: dict[int, ast.AST] = field(default_factory=dict)

    @property
    def first(self) -> Made:
        """What makes it first."""
        return next(iter(self.made.values()))

    def is_array(self, node: ast.AST | None) -> bool:
        """Whether `node` is the array."""
        return isinstance(node, ast.Name) and node.id == self.name

    def is_item(self, node: ast.AST) -> bool:
        """Whether `node` is an item, or a row."""
        return isinstance(node, ast.Subscript) and self.is_array(node.value)

    def is_stored(self, target: ast.AST) -> bool:
        """Whether `target` is an item: `a[i]`, `a[i, j]`, `a[i][j]`."""
        return self.is_item(target) or (
            isinstance(target, ast.Subscript) and self.is_item(target.value)
        )

    def reads_items(self, call: ast.Call) -> bool:
        """Whether what `call` calls reads numbers of the array one by one."""
        called = self.ctx.static(call.func, Env())
        return called is len or (self.kind == "numbers" and _is_one(called, _READERS))

    # -- finding ------------------------------------------------------------------------------

    def find(self) -> bool:
        """Whether the name stands for such an array, and nothing else has it."""
        self.parents = parents_of(self.tree)
        if any(isinstance(n, ast.arg) and n.arg == self.name for n in ast.walk(self.tree)):
            return False  # a parameter, or the name of something else in a function inside
        mentions = [n for n in ast.walk(self.tree) if isinstance(n, ast.Name) and self.is_array(n)]
        for node in mentions:
            if not isinstance(node.ctx, ast.Load):
                made = self._maker(self.parents[id(node)])
                if made is None:
                    return False
                self.made[id(self.parents[id(node)])] = made
        kinds = {self._stores(n) for n in ast.walk(self.tree)} - {None}
        if not self.made or len(kinds) != 1:
            return False
        (kind,) = kinds
        assert kind is not None
        self.kind = kind
        rank = 1 if kind == "numbers" else 2
        numbers = {m.number for m in self.made.values()}
        if len(numbers) > 1 or any(len(m.sizes) != rank for m in self.made.values()):
            return False
        if kind != "rows" and None in numbers:
            return False
        return all(self._allowed(n) for n in mentions if isinstance(n.ctx, ast.Load))

    def _maker(self, node: ast.AST) -> Made | None:
        match node:
            case ast.Assign([ast.Name()], ast.Call(func, [shape, *more], keywords)):
                called = self.ctx.static(func, Env())
            case _:
                return None
        words = {k.arg: k.value for k in keywords}
        if called is np.full and more:
            fill, *more = more
        elif _is_one(called, _FILLS):
            fill = ast.copy_location(ast.Constant(_FILLS[called]), shape)
        else:
            return None
        if set(words) - {"dtype"} or len(more) + len(words) > 1:
            return None
        if isinstance(shape, ast.Attribute) and shape.attr == "shape":
            return None  # of as many axes as that array has, which the syntax does not tell
        sizes = tuple(shape.elts) if isinstance(shape, (ast.Tuple, ast.List)) else (shape,)
        given = [*more, *words.values()]
        if given:
            dtype = self.ctx.static(given[0], Env())
            if dtype is np.float32:
                return Made(sizes, fill, None)
            return Made(sizes, fill, _TYPES[dtype]) if _is_one(dtype, _TYPES) else None
        number = _type_of(self.ctx, fill) if called is np.full else float
        return None if number is None else Made(sizes, fill, number)

    def _stores(self, node: ast.AST) -> Kind | None:
        """What storing to `node` says about the array."""
        if not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load):
            return None
        if self.is_item(node.value):
            return "table"
        if not self.is_array(node.value):
            return None
        if isinstance(node.slice, ast.Tuple):
            return "table"
        return "numbers" if len(self.first.sizes) == 1 else "rows"

    # -- mentions -----------------------------------------------------------------------------

    def _allowed(self, node: ast.AST) -> bool:
        parent = self.parents[id(node)]
        match parent:
            case ast.Subscript(value=owner, slice=index) if owner is node:
                return self._item_allowed(parent, index)
            case ast.Attribute(attr="shape"):
                return True
            case ast.Attribute(attr=method):
                called = self.parents[id(parent)]
                known = method == "tolist" or method in METHODS
                return known and self.kind == "numbers" and isinstance(called, ast.Call)
            case ast.Call() if self.reads_items(parent):
                return True
            case ast.For(iter=over) | ast.comprehension(iter=over) if over is node:
                return self.kind == "numbers"
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]) if right is node:
                return self.kind == "numbers"
        return self._is_operand(node)

    def _item_allowed(self, node: ast.Subscript, index: ast.expr) -> bool:
        if isinstance(node.ctx, ast.Del):
            return False
        if isinstance(index, ast.Tuple):
            slices = any(isinstance(part, ast.Slice) for part in index.elts)
            return self.kind != "numbers" and len(index.elts) == 2 and not slices
        if isinstance(index, ast.Slice):
            loads = isinstance(node.ctx, ast.Load)
            return self.kind != "table" and loads and self._is_operand(node)
        if self.kind == "numbers" or isinstance(node.ctx, ast.Store):
            return True
        inner = self.parents[id(node)]
        if isinstance(inner, ast.Subscript) and inner.value is node:
            return not isinstance(inner.slice, (ast.Slice, ast.Tuple))
        return self.kind == "rows" and self._is_operand(node)

    def _is_operand(self, node: ast.AST) -> bool:
        """Whether the array or the part `node` of it is read at once, and gets no other name."""
        if self.kind == "table" or self.first.number in (int, bool):
            return False
        parent = self.parents[id(node)]
        match parent:
            case ast.BinOp() | ast.UnaryOp(ast.USub()) | ast.Return():
                return True
            case ast.Tuple() | ast.List():
                return isinstance(self.parents[id(parent)], ast.Return)
            case ast.IfExp(test):
                return test is not node and self._is_operand(parent)
            case ast.Attribute(attr=method):
                return method in METHODS and isinstance(self.parents[id(parent)], ast.Call)
            case ast.Call(func, args) if any(a is node for a in args):
                called: Any = self.ctx.static(func, Env())
                ours = callable(called) and vars(ops).get(getattr(called, "__name__", "")) is called
                of_numpy = isinstance(called, np.ufunc) or _is_one(called, METHODS.values())
                return (ours or of_numpy) and not _is_one(called, _VIEWS)
        return False


def _is_one(value: object, of: Iterable[object]) -> bool:
    """Whether `value` is one of these objects; it may have an `==` of its own."""
    return any(value is other for other in of)


def _type_of(ctx: FunctionContext, fill: ast.expr) -> type | None:
    """The type of numbers that numpy finds in the fill value; None if it cannot be told."""
    number = fill.operand if isinstance(fill, ast.UnaryOp) else fill
    if isinstance(number, ast.Constant) and isinstance(number.value, (bool, int, float)):
        return type(number.value)
    if isinstance(number, ast.Call) and ctx.static(number.func, Env()) is float:
        return float
    return float if isinstance(ctx.static(number, Env()), float) else None


def makes_array(ctx: FunctionContext, node: ast.expr) -> bool:
    """Whether `node` is a call of `np.zeros` or the like."""
    if not isinstance(node, ast.Call):
        return False
    return _is_one(ctx.static(node.func, Env()), (*_FILLS, np.full))


def found_arrays(ctx: FunctionContext, tree: ast.FunctionDef) -> Iterator[LocalArray]:
    """The arrays that a function makes and fills item by item."""
    made = {
        node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and makes_array(ctx, node.value)
    }
    for name in sorted(made):
        array = LocalArray(ctx, tree, name)
        if array.find():
            yield array
