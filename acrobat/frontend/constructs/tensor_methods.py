"""Methods and fields of tensors: `x.sum(axis=0)`, `x.T`, `x.shape`, `x.size`.

A method is the operation of the same name, with the tensor as its first operand; numpy arrays have
the same methods, with the same arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from ...ir import typed as T
from ...ir.dims import Dim
from ...ir.types import INT, TensorType
from ..context import FunctionContext
from ..decisions import is_mask
from ..emit import tensor_op
from ..registry import Arity, field, method
from ..scope import Env
from ..sizes import elements, shape_of
from ..written import placed
from .argmax_along import argmax_along
from .numpy_makers import of_floats
from .operations import lower_operation

# Method -> its operation.
_METHODS = {
    "sum": "sum",
    "mean": "mean",
    "max": "max",
    "min": "min",
    "argmax": "argmax",
    "reshape": "reshape",
    "cumsum": "cumsum",
    "dot": "matmul",
}


@contextmanager
def _named(node: ast.expr, value: T.Atom, env: Env) -> Iterator[ast.expr]:
    """`node`, whose value was already computed, as an expression that does not compute it again;
    errors show it as it is in the source."""
    text = ast.unparse(node)
    if isinstance(node, ast.Name):
        if env.names.get(node.id) == value:
            yield node
            return
        text = f"{text} before its arguments"  # which have given the name another value
    env.names[text] = value
    try:
        yield ast.copy_location(ast.Name(text, ast.Load()), node)
    finally:
        del env.names[text]


def _of_operation(name: str) -> None:
    @method(TensorType, name)
    def lower(ctx: FunctionContext, node: ast.Call, x: T.Atom, env: Env) -> T.Atom:
        assert isinstance(node.func, ast.Attribute)
        with _named(node.func.value, x, env) as receiver:
            if name == "argmax" and isinstance(x.type, TensorType):
                along = argmax_along(ctx, node, receiver, x.type, env)
                if along is not None:
                    return along
            if name == "dot" and is_mask(x) and len(node.args) == 1 and not node.keywords:
                product = ast.BinOp(receiver, ast.MatMult(), node.args[0])
                return ctx.expression(placed(product, node), env)
            words = [k for k in node.keywords if k.arg != "dtype" or not of_floats(k.value)]
            call = ast.Call(node.func, [receiver, *node.args], words)
            return lower_operation(ctx, ast.copy_location(call, node), _METHODS[name], env)


for _name in _METHODS:
    _of_operation(_name)


@method(TensorType, "any", Arity(0, 0))
def any_(ctx: FunctionContext, node: ast.Call, x: T.Atom, env: Env) -> T.Atom:
    """`mask.any()`."""
    return _quantified(ctx, node, x, "max")


@method(TensorType, "all", Arity(0, 0))
def all_(ctx: FunctionContext, node: ast.Call, x: T.Atom, env: Env) -> T.Atom:
    """`mask.all()`."""
    return _quantified(ctx, node, x, "min")


def _quantified(ctx: FunctionContext, node: ast.Call, x: T.Atom, name: str) -> T.Atom:
    assert isinstance(node.func, ast.Attribute)
    source = node.func.value
    if not is_mask(x):
        text = ast.unparse(source)
        ctx.fail("AC017", source, f"{node.func.attr} of a {x.type}", f"`({text} != 0)`")
    if name == "max":
        return tensor_op(ctx, "max", node, [(source, x)], (), mask=True)
    one = (node, T.Const(1, INT))
    none = tensor_op(ctx, "sub", node, [one, (source, x)])
    some = tensor_op(ctx, "max", node, [(node, none)])
    return tensor_op(ctx, "sub", node, [one, (node, some)], mask=True)


@field(TensorType, "T")
def turned(ctx: FunctionContext, node: ast.Attribute, obj: T.Atom, env: Env) -> T.Atom:
    """`x.T`."""
    return _turned(ctx, node, node.value, obj)


def _turned(ctx: FunctionContext, node: ast.AST, source: ast.expr, x: T.Atom) -> T.Atom:
    assert isinstance(x.type, TensorType)
    if len(x.type.dims) < 2:
        return x  # as in numpy
    return tensor_op(ctx, "transpose", node, [(source, x)], mask=is_mask(x))


def _flat(name: str) -> None:
    @method(TensorType, name, Arity(0, 0))
    def lower(ctx: FunctionContext, node: ast.Call, x: T.Atom, env: Env) -> T.Atom:
        assert isinstance(node.func, ast.Attribute) and isinstance(x.type, TensorType)
        shape = (("shape", (_elements(x.type),)),)
        return tensor_op(ctx, "reshape", node, [(node.func.value, x)], shape, is_mask(x))


for _name in ("flatten", "ravel"):
    _flat(_name)


def _elements(t: TensorType) -> Dim:
    total = Dim.of(1)
    for dim in t.dims:
        total = total.times(dim)
    return total


@field(TensorType, "size")
def size(ctx: FunctionContext, node: ast.Attribute, obj: T.Atom, env: Env) -> T.Atom:
    """`x.size`."""
    return elements(ctx, node, obj)


@field(TensorType, "ndim")
def rank(ctx: FunctionContext, node: ast.Attribute, obj: T.Atom, env: Env) -> T.Atom:
    """`x.ndim`."""
    assert isinstance(obj.type, TensorType)
    return T.Const(len(obj.type.dims), INT)


@field(TensorType, "shape")
def shape(ctx: FunctionContext, node: ast.Attribute, obj: T.Atom, env: Env) -> T.Atom:
    """`x.shape` without an index."""
    return shape_of(ctx, node, obj)
