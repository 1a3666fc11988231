"""The table of numpy's functions that are rewritten, and what its entries have in common."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...ir import typed as T
from ...ir.types import FLOAT, INT, ListType, RowsType, TensorType
from ...lang import ops
from ..context import FunctionContext
from ..scope import Env
from ..sizes import constant
from ..written import call
from .arguments import temporary

# What a call becomes, given its first argument as an expression and as a value; None if the
# language has no counterpart.
Rewriting = Callable[[FunctionContext, ast.Call, ast.expr, T.Atom, Env], ast.expr | None]

REWRITINGS: dict[int, Rewriting] = {}  # by the identity of the function


def rewriting(*functions: object) -> Callable[[Rewriting], Rewriting]:
    """Registers what rewrites calls of `functions`."""

    def register(rewrite: Rewriting) -> Rewriting:
        REWRITINGS.update((id(f), rewrite) for f in functions)
        return rewrite

    return register


def once(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.expr:
    """An argument, as an expression that computes nothing again."""
    return temporary(env, ast.unparse(node), ctx.peek(node, env), node)


def is_number(value: T.Atom) -> bool:
    """Whether `value` is a number."""
    return value.type in (INT, FLOAT)


def are_numbers(value: T.Atom) -> bool:
    """Whether `value` is a list of numbers."""
    return isinstance(value.type, ListType) and value.type.item in (INT, FLOAT)


def are_tensors(value: T.Atom) -> bool:
    """Whether `value` is a list of tensors."""
    return isinstance(value.type, ListType) and isinstance(value.type.item, TensorType)


def rank(value: T.Atom) -> int | None:
    """The rank of a tensor; None of anything else."""
    return len(value.type.dims) if isinstance(value.type, TensorType) else None


def operation(name: str, *args: ast.expr, **words: ast.expr) -> ast.Call:
    """`ops.<name>(...)`."""
    return call(vars(ops)[name], *args, **words)


def as_method(node: ast.Call, x: ast.expr, name: str) -> ast.Call:
    """The method of `x` with the other arguments of a call."""
    return ast.Call(ast.Attribute(x, name, ast.Load()), node.args[1:], node.keywords)


def arguments(node: ast.Call, *names: str) -> dict[str, ast.expr] | None:
    """The arguments after the first, by name; None if there are others."""
    given = dict(zip(names, node.args[1:], strict=False))
    words = {k.arg: k.value for k in node.keywords}
    if len(node.args) - 1 > len(names) or not set(words) <= set(names) - set(given):
        return None
    return given | {n: v for n, v in words.items() if n is not None}


def is_plain(value: T.Atom, *ranks: int) -> bool:
    """Whether `value` is a tensor of one of these ranks, of known sizes."""
    return rank(value) in ranks and not isinstance(value.type, RowsType)


def known_sizes(ctx: FunctionContext, value: T.Atom) -> list[int | None]:
    """The sizes of a tensor as numbers, as far as the weights tell."""
    assert isinstance(value.type, TensorType)
    return [d.bind(ctx.builder.sizes).known for d in value.type.dims]


def axis_of(ctx: FunctionContext, node: ast.expr | None, axes: int, env: Env) -> int | None:
    """The axis that `node` gives, counted from 0; None if it is none of so many axes."""
    number = None if node is None else constant(ctx, node, env)
    return number % axes if number is not None and -axes <= number < axes else None
