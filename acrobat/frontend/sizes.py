"""Sizes that are known when a model is compiled: `x.shape[0]`, `2 * n + 1`, literal numbers."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.types import ANY, INT, KeyedType, StackType, TensorType, TupleType
from .context import MISSING, FunctionContext
from .emit import ONE, int_op, make_tuple
from .looking import looked_at
from .rows import size_along
from .scope import Env, Size
from .stacks import size_of_stack
from .syntax import has_effect
from .weight_numbers import weight_number


def literal(ctx: FunctionContext, node: ast.expr) -> int | None:
    """The value of a literal int, or of one that the module names, else None."""
    match node:
        case ast.Constant(int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)):
            return -value
        case ast.Name() | ast.Attribute():
            found = ctx.static(node, Env())
            return found if isinstance(found, int) and not isinstance(found, bool) else None
    return None


def constant(ctx: FunctionContext, node: ast.expr, env: Env) -> int | None:
    """The value of an int that is known when the model is compiled, else None."""
    found = dimension(ctx, node, env)
    number = None if found is None else ctx.builder.number(Size(found))
    return int(number.value) if isinstance(number, T.Const) else None


def dimension(ctx: FunctionContext, node: ast.expr, env: Env) -> Dim | None:
    """A size that is known when the model is compiled: a number, `x.shape[i]`, `len(x)`, and sums,
    products and quotients of these; None if `node` is not one."""
    number = literal(ctx, node)
    if number is not None:
        return Dim.of(number)
    match node:
        case ast.Name(name):
            match env.names.get(name):
                case Size(dim):
                    return dim
                case T.Const(int() as value) as const if const.type == INT:
                    return Dim.of(value)
            return None
        case ast.Attribute() | ast.Subscript(_, ast.Constant(str())):
            held = weight_number(ctx, node, env)
            if held is not None and held.type == INT:
                return Dim.of(int(held.value))
            known = ctx.static(node, env)
            if known is MISSING and isinstance(node, ast.Subscript):
                known = constant_item(ctx, node, env)
            if isinstance(known, int) and not isinstance(known, bool):
                return Dim.of(known)
            owner = node.value if isinstance(node, ast.Subscript) else None
            if not isinstance(owner, ast.Attribute):
                return None
            with ctx.region():
                inner = env.copy()
                of_key = isinstance(ctx.peek(owner, inner).type, KeyedType)
                chosen = ctx.expression(node, inner) if of_key else None
            if not isinstance(chosen, T.Const) or chosen.type != INT:
                return None
            return Dim.of(int(chosen.value))
        case ast.Call(
            func,
            [ast.Name() | ast.Attribute() | ast.Subscript() as value],
            [],
        ) if _is_len(ctx, func, env) and not has_effect(value):
            items = looked_at(ctx, value, env)
            if items is None:
                return None
            if type(items.type) is TupleType:
                return Dim.of(len(items.type.items))
            if not isinstance(items.type, TensorType) or items.type.dims[:1] in ((), (ANY,)):
                return None
            return items.type.dims[0]
        case ast.Subscript(ast.Attribute(value, "shape"), ast.Constant(int(at))) if isinstance(
            array := ctx.static(value, env), np.ndarray
        ):
            return Dim.of(array.shape[at]) if -array.ndim <= at < array.ndim else None
        case ast.Subscript(ast.Attribute(value, "shape"), index):
            axis, x = literal(ctx, index), ctx.expression(value, env)
            if axis is None or not isinstance(x.type, TensorType):
                return None
            if not -len(x.type.dims) <= axis < len(x.type.dims):
                axes = f"its axes are 0 to {len(x.type.dims) - 1}" if x.type.dims else "a number"
                ctx.fail("AC010", node, f"{x.type} has no axis {axis}", axes)
            return None if x.type.dims[axis] == ANY else x.type.dims[axis]
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            a, b = dimension(ctx, left, env), dimension(ctx, right, env)
            if a is None or b is None:
                return None
            return a + b if isinstance(op, ast.Add) else a - b
        case ast.BinOp(left, ast.Mult(), right):
            a, b = dimension(ctx, left, env), dimension(ctx, right, env)
            if a is None or b is None:
                return None
            return a.times(b)
        case ast.BinOp(left, ast.FloorDiv() | ast.Mod() as op, right):
            a, b = dimension(ctx, left, env), dimension(ctx, right, env)
            return None if a is None or b is None else _divided(ctx, a, b, op)
    return None


def constant_item(ctx: FunctionContext, node: ast.Subscript, env: Env) -> object:
    """A value that a dict of the module or of the weights has under a key that is written out,
    `CONFIG["layers"]`; None if `node` is no such value."""
    table = ctx.static(node.value, env)
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return table.get(key) if type(table) is dict else None


def _divided(ctx: FunctionContext, a: Dim, b: Dim, op: ast.operator) -> Dim | None:
    """`a // b` or `a % b`: symbolically where the quotient is a dimension, else by the numbers."""
    if isinstance(op, ast.FloorDiv) and b.known is not None:
        named = a.divide(b.known)
        if named is not None:
            return named
    over, by = a.bind(ctx.builder.sizes).known, b.bind(ctx.builder.sizes).known
    if over is None or not by:
        return None
    return Dim.of(over // by if isinstance(op, ast.FloorDiv) else over % by)


@dataclass(frozen=True, slots=True)
class Affine:
    """An int as a sum: a size, and multiples of expressions (by their text) that only the instance
    knows."""

    size: Dim
    terms: Mapping[str, Dim]

    def plus(self, other: Affine, sign: int = 1) -> Affine:
        """The sum of both, or with sign -1 their difference."""
        zero = Dim.of(0)
        names = [*self.terms, *(n for n in other.terms if n not in self.terms)]
        terms = {n: self.terms.get(n, zero) + other.terms.get(n, zero).scale(sign) for n in names}
        terms = {n: d for n, d in terms.items() if d != zero}
        return Affine(self.size + other.size.scale(sign), terms)

    def minus(self, other: Affine) -> Dim | None:
        """The difference of both, if it is a size."""
        left = self.plus(other, -1)
        return None if left.terms else left.size


def affine(ctx: FunctionContext, node: ast.expr, env: Env) -> Affine:
    """`node`, an int, as a sum."""
    size = dimension(ctx, node, env)
    if size is not None:
        return Affine(size, {})
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            sign = 1 if isinstance(op, ast.Add) else -1
            return affine(ctx, left, env).plus(affine(ctx, right, env), sign)
        case ast.BinOp(left, ast.Mult(), right):
            a, b = affine(ctx, left, env), affine(ctx, right, env)
            for x, y in ((a, b), (b, a)):
                if not y.terms:
                    terms = {n: d.times(y.size) for n, d in x.terms.items()}
                    return Affine(x.size.times(y.size), terms)
    return Affine(Dim.of(0), {ast.unparse(node): Dim.of(1)})


def dimensions(ctx: FunctionContext, nodes: list[ast.expr], env: Env) -> tuple[Dim, ...]:
    """The sizes that `nodes` stand for; an error for one that is not known."""
    found: list[Dim] = []
    for node in nodes:
        dim = dimension(ctx, node, env)
        if dim is None:
            ctx.fail(
                "AC002",
                node,
                "a dimension is known when the model is compiled",
                "a number, or the size of a weight: `p.w.shape[0]`",
            )
        found.append(dim)
    return tuple(found)


def _is_len(ctx: FunctionContext, func: ast.expr, env: Env) -> bool:
    return ctx.static(func, env) is len


def named_size(ctx: FunctionContext, node: ast.expr, env: Env) -> Size | None:
    """What `n` stands for after `n = x.shape[0] + 1`, if `node` is such a size."""
    reads = [n for n in ast.walk(node) if isinstance(n, (ast.Attribute, ast.Name))]
    if not any(
        n.attr == "shape"
        if isinstance(n, ast.Attribute)
        else isinstance(env.names.get(n.id), Size) or _is_len(ctx, n, env)
        for n in reads
    ):
        return None
    dim = dimension(ctx, node, env)
    return None if dim is None or dim.known is not None else Size(dim)


def shape_names(ctx: FunctionContext, targets: list[ast.expr], owner: ast.expr, env: Env) -> bool:
    """Bind the names of `s, h = x.shape`; False if it is not such an assignment."""
    names = [t.id for t in targets if isinstance(t, ast.Name)]
    x = ctx.peek(owner, env)
    if not isinstance(x.type, TensorType) or len(names) != len(targets):
        return False
    if len(names) != len(x.type.dims):
        ctx.fail(
            "AC025",
            owner,
            f"{len(names)} targets for the {len(x.type.dims)} axes of {x.type}",
            f"name {len(x.type.dims)} targets",
        )
    for axis, (name, dim) in enumerate(zip(names, x.type.dims, strict=True)):
        if dim == ANY:
            env.names[name] = _of_instance(ctx, owner, x, axis)
            continue
        env.names[name] = Size(dim) if dim.known is None else T.Const(dim.known, INT)
    return True


def shape_item(ctx: FunctionContext, node: ast.Subscript, env: Env) -> T.Atom:
    """`x.shape[i]` as an int: a number only if the hint has one, or if the instance knows it."""
    axis = literal(ctx, node.slice)
    if isinstance(node.value, ast.Attribute) and axis is not None:
        x = ctx.peek(node.value.value, env)
        dims = x.type.dims if isinstance(x.type, TensorType) else ()
        if -len(dims) <= axis < len(dims) and dims[axis] == ANY:
            return _of_instance(ctx, node, x, axis % len(dims))
    dim = dimension(ctx, node, env)
    if dim is None:
        ctx.fail("AC002", node, f"{ast.unparse(node)} is no size", "`x.shape[0]` of a tensor")
    return size_as_number(ctx, node, dim)


def elements(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
    """The number of elements of a tensor."""
    assert isinstance(x.type, TensorType)
    known = Dim.of(1)
    total: T.Atom = ONE
    for axis, dim in enumerate(x.type.dims):
        if dim != ANY:
            known = known.times(dim)
            continue
        size = _of_instance(ctx, node, x, axis)
        total = size if total is ONE else int_op(ctx, "*", (total, size), node)
    number = size_as_number(ctx, node, known)
    if total is ONE or number == ONE:
        return number if total is ONE else total
    return int_op(ctx, "*", (total, number), node)


def shape_of(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
    """The sizes of a tensor as a tuple."""
    assert isinstance(x.type, TensorType)
    sizes = (
        _of_instance(ctx, node, x, axis) if dim == ANY else size_as_number(ctx, node, dim)
        for axis, dim in enumerate(x.type.dims)
    )
    return make_tuple(ctx, tuple(sizes), node, "shape")


def _of_instance(ctx: FunctionContext, node: ast.AST, x: T.Atom, axis: int) -> T.Atom:
    """The size along an axis of which only the instance knows it."""
    of_stack = isinstance(x.type, StackType)
    return (size_of_stack if of_stack else size_along)(ctx, node, x, axis)


def size_as_number(ctx: FunctionContext, node: ast.AST, dim: Dim) -> T.Const:
    """A size that a value is computed with, as a number."""
    number = ctx.builder.number(Size(dim))
    if isinstance(number, T.Const):
        return number
    ctx.fail(
        "AC002",
        node,
        f"{ast.unparse(node)} is {dim}, a size that only operations can use: `ops.zeros`, "
        f"`ops.reshape`, `ops.one_hot` and slices",
        "an int field of the instance",
    )
