"""What mentions of arrays do, and which functions of the author's make the arrays that they return,
so that nothing else refers to them."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Iterator
from typing import Any

from ...lang.hints import UnknownName, function_scope
from ...lang.model import Model
from ..array_flow import Flow
from ..class_methods import interned
from ..context import MISSING, FunctionContext
from ..function_values import Closure
from ..syntax import named_values, names_assigned, parameters
from .array_uses import READS, Uses
from .changed_parameters import closure_by
from .changed_results import changed_arrays, changed_by
from .fields_call import FieldsCall


def mention(uses: Uses, node: ast.AST, items: bool) -> ast.For | str | None:
    """What a mention of a name does: "made" for an assignment that gives it a new array, READS, a
    loop over it, or None if it may give the array another name."""
    if not isinstance(node, ast.Name):
        return None
    if isinstance(node.ctx, ast.Del):
        return READS
    if isinstance(node.ctx, ast.Load):
        return uses.use_of_items(node) if items else uses.use(node)
    parent = assignment_to(uses.flow, node)
    match parent:
        case ast.Assign(_, ast.Call() as call) if node.id in changed_arrays(call):
            return None if items else READS  # the same array, which the call has changed
        case ast.AugAssign(value=value):
            return READS if not items or uses.fresh_items(value) else None
        case FieldsCall():
            return None if items else READS
    fresh = uses.fresh_items if items else uses.fresh
    values = [v for _, v in named_values(parent)]
    return "made" if values and fresh(values[0]) else None


def assignment_to(flow: Flow, node: ast.Name) -> ast.AST:
    """The assignment to a name; `x, y = a, b` is two."""
    parent = flow.parents[id(node)]
    if isinstance(parent, ast.Tuple):
        match flow.parents[id(parent)]:
            case ast.Assign([target], ast.Tuple(values)) if target is parent:
                if len(values) == len(parent.elts):
                    return ast.Assign([node], values[parent.elts.index(node)])
        match flow.parents[id(parent)]:
            case ast.Assign(value=ast.Call() as call) as whole if node.id in changed_arrays(call):
                return whole
    return parent


def makes_result(ctx: FunctionContext, found: Any, active: frozenset[int] = frozenset()) -> bool:
    """Whether a function of the author's returns an array that it makes, and keeps no other name of
    it. `active` are functions that are being looked at: what they return is made if everything
    else is."""
    if not isinstance(found, (Model, types.FunctionType)):
        return False
    if id(found) in active:
        return True
    known = ctx.builder.new_results.get(id(found))
    if known is None:
        closure = closure_by(ctx, found)
        known = closure is not None and _returns_new(ctx, closure, active | {id(found)})
        if not active or not known:
            ctx.builder.new_results[id(found)] = known
    return known


def _returns_new(ctx: FunctionContext, closure: Closure, active: frozenset[int]) -> bool:
    tree = closure.tree
    if changed_by(tree):
        return False
    uses = Uses(
        Flow.of(tree),
        outside(ctx, closure),
        methods=lambda name: is_method(ctx, name),
        makes=lambda function: makes_result(ctx, function, active),
    )
    values = list(_returned(tree.body))
    return bool(values) and all(v is not None and _is_new(uses, v) for v in values)


def _is_new(uses: Uses, value: ast.expr) -> bool:
    if not isinstance(value, ast.Name):
        return uses.fresh(value)
    found = [mention(uses, n, items=False) for n in uses.flow.names.get(value.id, ())]
    return "made" in found and all(f in ("made", READS) for f in found)


def _returned(body: list[ast.stmt]) -> Iterator[ast.expr | None]:
    work: list[ast.AST] = list(body)
    while work:
        node = work.pop()
        if isinstance(node, ast.Return):
            yield node.value
        elif not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            work += ast.iter_child_nodes(node)


def outside(ctx: FunctionContext, closure: Closure) -> Any:
    """What dotted names stand for outside of a function."""
    scope = function_scope(closure.model.function, closure.model.around())
    tree = closure.tree
    local = names_assigned(tree.body) | {p.arg for p in parameters(tree)}

    def static(node: ast.expr) -> Any:
        match node:
            case ast.Name(name) if name not in local:
                try:
                    return scope[name]
                except UnknownName:
                    return MISSING
            case ast.Attribute(value, attr):
                owner = static(value)
                if owner is MISSING:
                    return MISSING
                return interned(ctx.builder, getattr(owner, attr, MISSING))
            case ast.Constant(value) if callable(value):
                return value
        return MISSING

    return static


def is_method(ctx: FunctionContext, name: str) -> bool:
    """Whether a class of the author's has a method of this name, which may return anything."""
    declarations = ctx.builder.declarations
    classes: Iterable[type] = (*declarations.names, *declarations.records.values())
    found = (vars(base).get(name) for cls in classes for base in cls.__mro__[:-1])
    return any(isinstance(f, types.FunctionType) for f in found)
