"""Items of weights: `p["w"]` of a dict, `p[0]` of a list, and what the methods `__getitem__` and
`__iter__` of the author's class make of `p[i]` and `for w in p`."""

from __future__ import annotations

import ast
import copy
from typing import Any

from ...ir import typed as T
from ...ir.types import BOOL, ParamsRef
from ...lang.made_weights import COLLECTIONS
from ..context import MISSING, FunctionContext
from ..iteration_space import IterationSpace
from ..registry import SUBSCRIPTS, iterated, subscript, truth_of
from ..scope import Env
from ..suggestions import suggest
from ..weight_parts import form_of_type, in_parts, members_of, weight
from ..written import placed
from .arguments import temporary
from .closures import undecorated
from .constants import outside_value
from .iteration import iteration_space
from .key_patterns import possible_keys
from .methods import classes_of
from .special_methods import call_special, has_special, truth_by_method
from .weight_fields import known_text


@subscript(ParamsRef)
def item_of_weights(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Atom:
    """`p["w"]` of weights in a dict, `p[0]` of weights in a list."""
    assert isinstance(obj.type, ParamsRef)
    declarations = ctx.builder.declarations
    form, members = form_of_type(declarations, obj.type), members_of(declarations, obj.type.name)
    key = known_text(ctx, node.slice, env) if form is dict else None
    if key is not None:
        if key not in members:
            ctx.fail(
                "AC014",
                node.slice,
                f"{ast.unparse(node.value)} has no key {key!r}",
                suggest(key, members) or f"its keys are {', '.join(map(repr, members))}",
            )
        item = ast.Subscript(node.value, ast.Constant(key), ast.Load())
        known = ctx.static(ast.copy_location(item, node), env)
        if known is not MISSING:
            return outside_value(ctx, node, known, ast.unparse(node))
        return weight(ctx, node, obj, key)
    if form in COLLECTIONS:
        named = possible_keys(ctx, node.slice, members, env) if form is dict else None
        parts = in_parts(ctx, node, obj, named)
        return SUBSCRIPTS[type(parts.type)](ctx, node, parts, env)
    if has_special(ctx, obj.type, "__getitem__") and not isinstance(node.slice, ast.Slice):
        return call_special(ctx, node, obj, "__getitem__", ctx.expression(node.slice, env))
    ctx.fail(
        "AC027",
        node,
        f"{ast.unparse(node.value)} are weights of a class, and have no items",
        f"a field of them, `{ast.unparse(node.value)}.{next(iter(members), 'w')}`",
    )


@truth_of(ParamsRef)
def truth_of_weights(ctx: FunctionContext, node: ast.expr, value: T.Atom) -> T.Atom | None:
    """`if layer.shortcut` of weights that are there; of a class, by its `__bool__` or `__len__`."""
    assert isinstance(value.type, ParamsRef)
    declarations = ctx.builder.declarations
    if form_of_type(declarations, value.type) in COLLECTIONS:
        return T.Const(bool(members_of(declarations, value.type.name)), BOOL)
    return truth_by_method(ctx, node, value) or T.Const(True, BOOL)


@iterated(ParamsRef)
def over_weights(ctx: FunctionContext, node: ast.expr, value: T.Atom) -> IterationSpace:
    """`for w in p` of weights of a class whose `__iter__` returns `iter(self.layers)` or the
    like."""
    env = Env()
    owner = temporary(env, ast.unparse(node), value, node)
    over = _iterated_by(ctx, value, owner)
    if over is None:
        ctx.fail(
            "AC017",
            node,
            f"a loop runs over a list or a range, this is {value.type}",
            "a `list[...]`, `range(n)`, or `enumerate`, `zip`, `reversed` of lists",
        )
    return iteration_space(ctx, placed(over, node), env)


def _iterated_by(ctx: FunctionContext, value: T.Atom, owner: ast.Name) -> ast.expr | None:
    """What `__iter__` iterates over, with `owner` in place of `self`; None if it is a generator, or
    does more."""
    (cls,) = classes_of(ctx, value.type) or [object]
    method: Any = getattr(cls, "__iter__", None)
    function = undecorated(ctx, method) if has_special(ctx, value.type, "__iter__") else None
    match None if function is None else function.tree:
        case ast.FunctionDef(
            args=ast.arguments(args=[ast.arg(own)]),
            body=[ast.Return(ast.Call(func, [items], []))],
        ) if ctx.static(func, Env()) in (iter, list):  # which the compiler writes for it
            renamed: ast.expr = _Renamed(own, owner).visit(copy.deepcopy(items))
            return renamed
    return None


class _Renamed(ast.NodeTransformer):
    """Puts another name in place of `self`."""

    def __init__(self, name: str, by: ast.Name) -> None:
        self.name, self.by = name, by

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return self.by if node.id == self.name else node
