"""Tables of ints that the module or the weights have, `NEIGHBOURS[i, k]`, `NEIGHBOURS[i]` and
`for row in NEIGHBOURS`: constants of the program."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ...ir import typed as T
from ...limits import MAX_CONSTANTS
from ..context import FunctionContext
from ..frozen_lists import as_int_array
from ..iteration_space import IterationSpace
from ..registry import ITERATED
from ..scope import Env
from ..written import placed
from .arguments import temporary
from .constants import has_numbers, outside_value


def item_of_table(ctx: FunctionContext, node: ast.Subscript, env: Env) -> T.Atom | None:
    """`t[i]`, `t[i, j]` of a matrix of ints; None for anything else."""
    rows = _rows(ctx, node.value, env)
    if rows is None:
        return None
    name = temporary(env, ast.unparse(node.value), rows, node.value)
    axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if any(isinstance(a, ast.Slice) for a in axes) or len(axes) > 2:
        ctx.fail(
            "AC002",
            node,
            f"a part of the table {ast.unparse(node.value)}",
            f"its items one by one, `[row[0] for row in {ast.unparse(node.value)}]`",
        )
    item: ast.expr = name
    for axis in axes:
        item = placed(ast.Subscript(item, axis, ast.Load()), node)
    found = ctx.expression(item, env)
    return as_int_array(found) if len(axes) == 1 else found


def rows_of_table(ctx: FunctionContext, node: ast.expr, env: Env) -> IterationSpace | None:
    """`for row in t` of a matrix of ints; None for anything else."""
    rows = _rows(ctx, node, env)
    if rows is None:
        return None
    space = ITERATED[type(rows.type)](ctx, node, rows)
    return replace(space, item=lambda i: as_int_array(space.item(i)))


def _rows(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Atom | None:
    """The rows of the matrix of ints that `node` stands for; None if it is none, or large."""
    table = ctx.static(node, env)
    if not isinstance(table, np.ndarray) or table.ndim != 2 or table.dtype.kind != "i":
        return None
    if not has_numbers(table) or not 0 < table.size <= MAX_CONSTANTS:
        return None
    return outside_value(ctx, node, table.tolist(), ast.unparse(node))
