"""Assignments to parts of tensors, `x[k] = 0.0`, `m[i, :] = row`, `x[a:b] += y`, `x[mask] = 0.0`:
the name stands for a new tensor afterwards (constructs/stored_parts.py).

`in_place` decides whether that is the same as in numpy, which changes the array.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, TensorType
from ..context import FunctionContext
from ..decisions import is_mask
from ..operators import symbol
from ..places import item_type
from ..scope import COLLECTIONS, Env
from ..syntax import has_effect
from ..targets import assign
from ..written import copied, placed
from .changes import store_item
from .in_place import check_shape, has_floats, has_own_items, is_alone
from .stored_parts import Storing

# Names that no model can use.
_INDEX, _TENSOR, _VALUE = "an index of a tensor", "the tensor that changes", "what is stored"


@dataclass(frozen=True, slots=True)
class _Part:
    """The part `index` of a tensor that the local `name` stands for, or that is the item `item` of
    the list or dict of this name."""

    name: str
    tensor: T.Var
    index: list[ast.expr]
    item: ast.Subscript | None


def store_part(
    ctx: FunctionContext, target: ast.Subscript, source: ast.expr, value: T.Atom, env: Env
) -> bool:
    """`x[i] = value`, where `source` is the expression of `value`; False if `x` is no tensor."""
    before = dict(env.names)
    try:
        part = _part(ctx, target, env)
        if part is None:
            return False
        _check(ctx, target, part, env)
        if not _is_whole(value):
            _check_floats(ctx, target, part, env)
        new = Storing(ctx, target, env).stored(part.tensor, part.index, value)
        _put(ctx, target, part, source, new, env)
    finally:
        _forget(env, before)
    return True


def add_to_part(ctx: FunctionContext, node: ast.AugAssign, target: ast.Subscript, env: Env) -> bool:
    """`x[i] += value`; False if `x` is no tensor."""
    before = dict(env.names)
    try:
        part = _part(ctx, target, env)
        if part is None:
            return False
        _check(ctx, target, part, env)
        storing = Storing(ctx, target, env)
        whole = storing.chooses_elements(part.tensor, part.index)
        env.names[_TENSOR] = part.tensor
        tensor: ast.expr = placed(ast.Name(_TENSOR, ast.Load()), target)
        if not whole:
            one = part.index[0] if len(part.index) == 1 else ast.Tuple(part.index, ast.Load())
            tensor = placed(ast.Subscript(tensor, one, ast.Load()), target)
        old = ctx.expression(tensor, env)
        env.names[_TENSOR] = old
        value = ctx.expression(node.value, env)
        env.names[_VALUE] = value
        if not _is_whole(value) or not isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            _check_floats(ctx, target, part, env)
        names = [placed(ast.Name(n, ast.Load()), node.value) for n in (_TENSOR, _VALUE)]
        joined = ctx.expression(placed(ast.BinOp(names[0], node.op, names[1]), node), env)
        if whole:
            storing.check_number(value)
            new = storing.stored(part.tensor, part.index, joined, of_whole=True)
        else:
            text = ast.unparse(target)
            instead = f"`{text} = {text} {symbol(node.op)} {ast.unparse(node.value)}`"
            if isinstance(old.type, TensorType):
                check_shape(ctx, node, old, joined, instead)
            new = storing.stored(part.tensor, part.index, joined)
        _put(ctx, target, part, node.value, new, env)
    finally:
        _forget(env, before)
    return True


def _forget(env: Env, before: Mapping[str, object]) -> None:
    """Remove names that no model can use."""
    for name in set(env.names) - set(before):
        if not name.replace(".", "").isidentifier():
            del env.names[name]


def _part(ctx: FunctionContext, target: ast.Subscript, env: Env) -> _Part | None:
    chain: list[ast.Subscript] = []
    node: ast.expr = target
    while isinstance(node, ast.Subscript):
        chain.insert(0, node)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    value, item = env.names.get(node.id), None
    if not isinstance(value, T.Var):
        return None
    if isinstance(value.type, COLLECTIONS) and isinstance(item_type(value.type), TensorType):
        if len(chain) == 1:
            return None
        if isinstance(chain[0].slice, ast.Slice):
            return None
        key = _once(ctx, chain[0].slice, env, 0)
        item = placed(ast.Subscript(node, key, ast.Load()), target)
        found = ctx.expression(item, env)
        chain = chain[1:]
    elif isinstance(value.type, TensorType):
        found = value
    else:
        return None
    assert isinstance(found, T.Var)
    index: list[ast.expr] = []
    for at, subscript in enumerate(chain):
        parts = subscript.slice
        several = list(parts.elts) if isinstance(parts, ast.Tuple) else [parts]
        if at < len(chain) - 1 and any(isinstance(p, ast.Slice) for p in several):
            return None
        index += several
    if any(isinstance(p, ast.Slice) and has_effect(p) for p in index):
        return None
    index = [_once(ctx, p, env, 1 + i) for i, p in enumerate(index)]
    # `m[i]` of an int is a view, in which numpy stores; of a list of ints it is a copy.
    if any(ctx.peek(p, env).type != INT for p in index[: len(chain) - 1]):
        return None
    return _Part(node.id, found, index, item)


def _once(ctx: FunctionContext, part: ast.expr, env: Env, at: int) -> ast.expr:
    """An index that computes nothing again."""
    if isinstance(part, (ast.Slice, ast.Constant)):
        return part
    if isinstance(part, ast.UnaryOp) and isinstance(part.operand, ast.Constant):
        return part
    if isinstance(part, (ast.List, ast.Tuple)):
        return part
    name = f"{_INDEX} {at}"
    env.names[name] = ctx.expression(part, env)
    return placed(ast.Name(name, ast.Load()), part)


def _check(ctx: FunctionContext, target: ast.Subscript, part: _Part, env: Env) -> None:
    if part.item is None:
        alone = is_alone(ctx, part.name, target, env)
        instead = f"`{part.name} = {part.name}.copy()` before: an array of its own"
    else:
        alone = has_own_items(ctx, part.name, target, env)
        copies = (
            f"{{k: x.copy() for k, x in {part.name}.items()}}"
            if env.is_dict(part.name)
            else f"[x.copy() for x in {part.name}]"
        )
        instead = f"`{part.name} = {copies}` before: arrays of its own"
    if not alone:
        ctx.fail(
            "AC015",
            target,
            f"{'an array in ' if part.item else ''}{part.name} may be known by another name, under "
            "which it would change too",
            instead,
        )
    if is_mask(part.tensor):
        ctx.fail(
            "AC015",
            target,
            f"{part.name} is a mask, whose elements are truth values",
            "`ops.where(mask, 1.0, 0.0)`, and elements of that",
        )


def _is_whole(value: T.Atom) -> bool:
    """Whether an array of ints would hold `value` as well."""
    if isinstance(value, T.Const) and value.type == FLOAT:
        return float(value.value).is_integer()
    return value.type in (INT, BOOL)


def _check_floats(ctx: FunctionContext, target: ast.Subscript, part: _Part, env: Env) -> None:
    if not has_floats(ctx, part.name, target, env, items=part.item is not None):
        of = "arrays in " if part.item else ""
        ctx.fail(
            "AC015",
            target,
            f"{of}{part.name} may have ints in plain Python, and would keep ints",
            f"`{part.name} = 1.0 * {part.name}` before"
            if part.item is None
            else "floats where its arrays are made: `np.zeros(n)`",
        )


def _put(
    ctx: FunctionContext,
    target: ast.Subscript,
    part: _Part,
    source: ast.expr,
    new: T.Atom,
    env: Env,
) -> None:
    if part.item is None:
        assign(ctx, placed(ast.Name(part.name, ast.Store()), target), new, env)
        return
    place = placed(copied(part.item), target)
    place.ctx = ast.Store()
    store_item(ctx, place, placed(ast.Name(_VALUE, ast.Load()), source), new, env)
