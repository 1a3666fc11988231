"""Assignments: `x = ...`, `x: int = ...`, `x += ...`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.subtypes import is_subtype
from ...ir.type_maps import substitute
from ...ir.type_queries import has_nothing
from ...ir.types import DictType, IntArrayType, ListType, QueueType, TensorType, Type
from ..context import FunctionContext
from ..inferred_hints import is_left_open
from ..open_hints import contradicts, leaves_open
from ..operators import symbol
from ..optional import coerced
from ..optional_items import Wanted, wanted, wanted_type, with_items
from ..read_hint import read_hint
from ..registry import expression, statement
from ..scope import ITEMS, Env, Unsettled
from ..sizes import named_size, shape_names
from ..syntax import makes_items, makes_list, moved_name, root_name
from ..targets import assign, refuse_mutation
from ..unsettled import given, keep
from ..written import placed
from .changes import extended, repeated_in_place, store_item
from .chosen_weights import chosen_weights
from .closures import function_value
from .dict_changes import default_place, own_dict
from .in_place import check_alone, check_in_place, has_own_items
from .int_arrays import check_extends, refuse_in_place
from .named_functions import named_function
from .sequences import as_list, copied
from .set_changes import changed_by_operator, changes_set
from .tensor_stores import add_to_part, store_part


@statement(ast.Assign)
def assignment(ctx: FunctionContext, node: ast.Assign, env: Env) -> None:
    """`x = value`, `a, b = value`, `x = y = value`."""
    node = _with_wanted(ctx, node)
    match node.targets, node.value:
        case [ast.Tuple(elements)], ast.Tuple(values) if _pairwise(elements, values):
            # No tuple is built, so each target keeps what is known about its own value.
            values_of = [function_value(ctx, v, env) or ctx.expression(v, env) for v in values]
            for target, value, one in zip(elements, values, values_of, strict=True):
                if isinstance(one, (T.Var, T.Const)):
                    _assign(ctx, target, value, one, env)
                elif isinstance(target, ast.Name):
                    env.names[target.id] = one
                else:
                    ctx.fail("AC025", target, "cannot unpack a function", "a name for it")
            return
        case [ast.Tuple(elements)], ast.Attribute(owner, "shape") if shape_names(
            ctx, elements, owner, env
        ):
            return
        case [ast.Name(name)], value if size := named_size(ctx, value, env):
            env.names[name] = size
            return
        case [ast.Name(name)], value if found := named_function(ctx, value, env):
            env.names[name] = found
            env.escape(name)
            return
        case [ast.Name(name)], value if choice := chosen_weights(ctx, value, env):
            env.names[name] = choice
            return
    kept, unsettled = _kept(node.value, env), None
    unpacked = all(isinstance(t, (ast.Tuple, ast.List)) for t in node.targets)
    if unpacked:
        atom = copied(ctx, as_list(ctx, node.value, env), env)
    else:
        atom, unsettled = given(ctx, node.targets, node.value, env)
    if isinstance(node.value, ast.List) and (t := wanted_type(ctx, node.targets[0])):
        atom = _of_declared_items(ctx, atom, t)
    match node.value:
        case ast.Call(ast.Attribute(ast.Name(name), "keys" | "values" | "items"), []) if (
            env.is_dict(name)
        ):
            env.escape(name)  # in plain Python it is a view, which changes with the dict
    for target in node.targets:
        _assign(ctx, target, node.value, atom, env, shared=len(node.targets) > 1)
    keep(node.targets, unsettled, env)
    if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        env.owned |= {node.targets[0].id + own for own in kept}


@expression(Wanted)
def wanted_item(ctx: FunctionContext, node: Wanted, env: Env) -> T.Atom:
    """An item of a list whose items may be None."""
    return coerced(ctx, ctx.expression(node.value, env), node.type, node)


def _with_wanted(ctx: FunctionContext, node: ast.Assign) -> ast.Assign:
    """The assignment with values of the types that its targets are to have."""
    match node:
        case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if _pairwise(targets, values):
            pairs = zip(targets, values, strict=True)
            new: ast.expr = ast.Tuple([wanted(ctx, t, v, False) for t, v in pairs], ast.Load())
            new = ast.copy_location(new, node.value)
        case ast.Assign([target], value):
            new = wanted(ctx, target, value, inside=False)
        case _:
            return node
    return ast.copy_location(ast.Assign(node.targets, new), node)


def _assign(
    ctx: FunctionContext,
    target: ast.expr,
    source: ast.expr,
    atom: T.Atom,
    env: Env,
    shared: bool = False,
) -> None:
    """`target = atom`, where `source` is the expression of `atom`; `shared`: another target gets
    the same value."""
    if isinstance(target, ast.Subscript):
        if not store_part(ctx, target, source, atom, env):
            store_item(ctx, target, source, atom, env)
        if shared:
            env.owned.discard(f"{root_name(target)}{ITEMS}")
        return
    made = makes_list(source) and not shared
    assign(ctx, target, atom, env, made)
    if made and isinstance(target, ast.Name) and makes_items(source, atom.type):
        env.owned.add(target.id + ITEMS)


def _kept(value: ast.expr, env: Env) -> set[str]:
    """What nothing else refers to of a list that a name which is not read again passes on: the list
    itself, and those in it, unless a loop gave one of them a name."""
    moved = moved_name(value)
    if moved is None:
        return set()
    lent = any(moved + ITEMS in items for items in env.lent.values())
    return {own for own in ("",) + (ITEMS,) * (not lent) if moved + own in env.owned}


def _pairwise(targets: list[ast.expr], values: list[ast.expr]) -> bool:
    starred = any(isinstance(e, ast.Starred) for e in (*targets, *values))
    return len(targets) == len(values) and not starred


def _is_open(ctx: FunctionContext, node: ast.expr) -> bool:
    """Whether a hint leaves a type open, to be taken from the value."""
    if leaves_open(ast.unparse(node), ctx.builder.declarations.floats_open):
        return True
    try:
        return is_left_open(ctx.builder.declarations, ctx.hint(node))
    except Exception:  # the author's expression may raise anything; reading the hint reports it
        return False


@statement(ast.AnnAssign)
def annotated(ctx: FunctionContext, node: ast.AnnAssign, env: Env) -> None:
    """`x: hint = value`."""
    target, value = node.target, node.value
    if not isinstance(target, ast.Name):
        refuse_mutation(ctx, target)
    if value is None:
        ctx.fail("AC001", node, "a declaration without a value", "assign a value")
    declared = None
    if not _is_open(ctx, node.annotation):
        declared = read_hint(
            f"the hint of {target.id!r}",
            lambda: ctx.hint(node.annotation),
            ctx.builder.declarations,
            ctx.span(node.annotation),
        )
    value = wanted(ctx, target, value, False) if declared is None else with_items(value, declared)
    kept = _kept(value, env)
    atom = ctx.expression(value, env)
    if declared is None and contradicts(node.annotation, atom.type):
        ctx.fail(
            "AC017",
            value,
            f"{target.id} is declared {ast.unparse(node.annotation)}, but this is {atom.type}",
            "change the value or the hint",
        )
    if declared is not None:
        declared = substitute(declared, ctx.signature.dims)
        declared = ctx.builder.declarations.numbered(declared, ctx.outside) or declared
        atom = coerced(ctx, atom, declared, value)
        if not is_subtype(atom.type, declared):
            ctx.fail(
                "AC017",
                value,
                f"{target.id} is declared {declared}, but this is {atom.type}",
                "change the value or the hint",
            )
        atom = _of_declared_items(ctx, atom, declared)
        ctx.declared[target.id] = declared
        ctx.builder.hints.append((ctx.span(node.annotation), target.id, declared))
    _assign(ctx, target, value, atom, env)
    env.owned |= {target.id + own for own in kept}


def _of_declared_items(ctx: FunctionContext, atom: T.Atom, declared: Type) -> T.Atom:
    """Give the declared type to a literal of empty lists, which has no items to take one from."""
    last = ctx.stmts[-1] if ctx.stmts else None
    match last:
        case T.Let((out,), T.ListOp("make", items) as rhs, span) if out is atom and has_nothing(
            out.type
        ):
            typed = T.Var(out.name, declared)
            ctx.origins[typed.number] = ctx.origins[out.number]
            ctx.items[typed.number] = items
            ctx.stmts[-1] = T.Let((typed,), rhs, span)
            return typed
    return atom


@statement(ast.AugAssign)
def augmented(ctx: FunctionContext, node: ast.AugAssign, env: Env) -> None:
    """`x += value`, and the same with other operators."""
    refuse_in_place(ctx, node, env)
    target = node.target
    if isinstance(target, ast.Subscript):
        if not add_to_part(ctx, node, target, env):
            _augmented_item(ctx, node, target, env)
        return
    if not isinstance(target, ast.Name):
        refuse_mutation(ctx, target)
    if isinstance(node.op, ast.Add) and env.changes(target.id):
        extended(ctx, node, env)
        return
    if isinstance(node.op, ast.Mult) and env.changes(target.id):
        repeated_in_place(ctx, node, env)
        return
    before = env.names.get(target.id)
    is_queue = isinstance(before, T.Var) and isinstance(before.type, QueueType)
    if is_queue and isinstance(node.op, ast.Add):
        check_extends(ctx, node, env)
        func = ast.Attribute(ast.Name(target.id, ast.Load()), "extend", ast.Load())
        ctx.statement(placed(ast.Expr(ast.Call(func, [node.value], [])), node), env)
        return
    if isinstance(before, T.Var) and changes_set(node.op, before.type):
        changed_by_operator(ctx, node, env)
        return
    left = ast.copy_location(ast.Name(target.id, ast.Load()), target)
    joined = ast.copy_location(ast.BinOp(left, node.op, node.value), node)
    is_dict = isinstance(before, T.Var) and type(before.type) is DictType
    merges = isinstance(node.op, ast.BitOr) and is_dict
    if merges:
        own_dict(ctx, left, env)
    result, unsettled = given(ctx, [target], joined, env)
    before = before.value if isinstance(before, Unsettled) else before
    if isinstance(before, (T.Var, T.Const)) and isinstance(before.type, TensorType):
        check_in_place(ctx, node, target.id, before, result, env)
    assign(ctx, target, result, env, merges)
    keep([target], unsettled, env)


def _augmented_item(
    ctx: FunctionContext, node: ast.AugAssign, target: ast.Subscript, env: Env
) -> None:
    """`xs[i] += value`: `i` is computed once."""
    inner = default_place(ctx, target.value, env)
    if inner is not None:
        target = ast.copy_location(ast.Subscript(inner, target.slice, ast.Store()), target)
    if not isinstance(target.slice, (ast.Constant, ast.UnaryOp, ast.Slice)):
        env.names[_INDEX] = ctx.expression(target.slice, env)
        at = ast.copy_location(ast.Name(_INDEX, ast.Load()), target.slice)
        target = ast.copy_location(ast.Subscript(target.value, at, ast.Store()), target)
    try:
        _change_item(ctx, node, target, env)
    finally:
        env.names.pop(_INDEX, None)


def _change_item(
    ctx: FunctionContext, node: ast.AugAssign, target: ast.Subscript, env: Env
) -> None:
    left = ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    t = ctx.peek(left, env).type
    if changes_set(node.op, t):
        changed_by_operator(
            ctx, ast.copy_location(ast.AugAssign(target, node.op, node.value), node), env
        )
        return
    if isinstance(t, ListType) and not isinstance(t, IntArrayType):
        changed = ast.copy_location(ast.AugAssign(target, node.op, node.value), node)
        extended(ctx, changed, env)
        return
    joined = ast.copy_location(ast.BinOp(left, node.op, node.value), node)
    before = ctx.peek(left, env)
    result = ctx.expression(joined, env)
    if isinstance(before.type, TensorType):
        written = ast.unparse(node.target)
        text = f"`{written} = {written} {symbol(node.op)} {ast.unparse(node.value)}`"
        owner = target.value
        alone = isinstance(owner, ast.Name) and has_own_items(ctx, owner.id, node, env)
        check_alone(ctx, node, alone, before, result, text)
    store_item(ctx, target, node.value, result, env)


# The name of an item's index while the item is assigned to; no model can use this name.
_INDEX = "an index"
