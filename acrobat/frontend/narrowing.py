"""Type narrowing: what a test for None or a class implies, where it holds and where it fails."""

from __future__ import annotations

import ast
import typing

from ..ir import typed as T
from ..ir.types import NONE, OptionalType, ParamsRef, Type, UnionType
from ..lang.hints import is_union
from .context import FunctionContext
from .lazily import bound_where_true
from .optional import content
from .pattern_tree import members, of_members
from .raw_values import may_be_raw, unwrapped, wrapper_of
from .scope import Env
from .syntax import names_in


def has_none(t: Type) -> bool:
    """Whether None is a value of `t`."""
    if isinstance(t, OptionalType):
        return True
    return t == NONE or (isinstance(t, UnionType) and "None" in t.members)


def tells_type(node: ast.AST) -> bool:
    """Whether there is a test in `node` that may narrow a type, or a name that `:=` binds."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.NamedExpr):
            return True
        if isinstance(inner, ast.Constant) and inner.value is None:
            return True
        if isinstance(inner, ast.Name) and inner.id in ("isinstance", "hasattr", "len"):
            return True
    return False


def may_tell_truth(node: ast.expr) -> bool:
    """Whether `node` is a name or a field whose truth may say that it is not None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return may_tell_truth(node.operand)
    return isinstance(node, (ast.Name, ast.Attribute))


def narrow(
    ctx: FunctionContext, test: ast.expr, holds: bool, env: Env, among: set[str] | None = None
) -> tuple[T.Stmt, ...]:
    """What is known where `test` holds (or does not): a test for None or for a class, or the truth
    of what may be None, binds a name, or a field of a name, to the same value at a narrower type.
    `among`: only for these names."""
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            return narrow(ctx, operand, not holds, env, among)
        case ast.BoolOp(op, values) if isinstance(op, ast.And) == holds:
            with ctx.region() as stmts:
                for name, var in bound_where_true(ctx, test).items() if holds else ():
                    env.names[name] = var
            return (*stmts, *(s for v in values for s in narrow(ctx, v, holds, env, among)))
        case ast.Compare(
            ast.Name() | ast.Attribute() as left,
            [ast.Is() | ast.IsNot() as op],
            [ast.Constant(None)],
        ) if among is None or names_in(left) & among:
            return _narrowed(ctx, test, left, {"None"}, isinstance(op, ast.Is) == holds, env)
        case ast.Call(func, [ast.Name() | ast.Attribute() as left, classes], []) if (
            among is None or names_in(left) & among
        ) and ctx.static(func, env) is isinstance:
            tested = classes_named(ctx, classes, env)
            if tested is not None:
                return _narrowed(ctx, test, left, tested, holds, env)
        case ast.Call(
            func, [ast.Name() | ast.Attribute() as left, ast.Constant(str(field))], []
        ) if (among is None or names_in(left) & among) and ctx.static(func, env) is hasattr:
            return _narrowed(ctx, test, left, members_with(ctx, field), holds, env)
        case ast.Compare(
            ast.Call(func, [ast.Name() | ast.Attribute() as left], []),
            [ast.Eq() | ast.NotEq() as op],
            [ast.Constant(int() as count)],
        ) if (among is None or names_in(left) & among) and ctx.static(func, env) is len:
            same = isinstance(op, ast.Eq) == holds
            return _narrowed(ctx, test, left, _of_length(ctx, count, same), same, env)
        case ast.Name() | ast.Attribute() if among is None or names_in(test) & among:
            with ctx.region():
                t = _type_of(ctx, test, env)
            # A number that is not None may be 0.
            if t is not None and has_none(t) and (holds or not isinstance(t, OptionalType)):
                return _narrowed(ctx, test, test, {"None"}, not holds, env)
    return ()


def _type_of(ctx: FunctionContext, node: ast.Name | ast.Attribute, env: Env) -> Type | None:
    """The type of a value that may be None; None for weights, functions and the like."""
    owner: ast.expr = node
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    known = env.names.get(owner.id) if isinstance(owner, ast.Name) else None
    if not isinstance(known, T.Var) or isinstance(known.type, ParamsRef):
        return None
    return ctx.peek(node, env).type


def classes_named(ctx: FunctionContext, node: ast.expr, env: Env) -> set[str] | None:
    """The data types that the second argument of `isinstance` names: a class, a tuple or a union of
    classes. None if one of them is no class of data, nor of other members of unions."""
    classes = classes_tested(ctx, node, env)
    declarations = ctx.builder.declarations
    if classes is None or not all(
        declarations.is_data(c) or may_be_raw(c) or c is type(None) for c in classes
    ):
        return None
    # A subclass counts as its base, too.
    return {d.name for d in declarations.datas.values() if issubclass(d.cls, classes)}


def classes_tested(ctx: FunctionContext, node: ast.expr, env: Env) -> tuple[type, ...] | None:
    """The classes that the second argument of `isinstance` names; None if it names anything
    else."""
    match node:
        case ast.Tuple(elements):
            found = [classes_tested(ctx, e, env) for e in elements]
            return None if None in found else tuple(c for f in found for c in f or ())
        case ast.BinOp(left, ast.BitOr(), right):
            return classes_tested(ctx, ast.Tuple([left, right], ast.Load()), env)
        case ast.Constant(None):
            return (type(None),)
    return _classes_of(ctx.static(node, env))


def _classes_of(found: object) -> tuple[type, ...] | None:
    if is_union(found) or isinstance(found, tuple):
        parts = found if isinstance(found, tuple) else typing.get_args(found)
        classes = [_classes_of(part) for part in parts]
        return None if None in classes else tuple(c for cs in classes for c in cs or ())
    return (found,) if isinstance(found, type) else None


def members_with(ctx: FunctionContext, name: str) -> set[str]:
    """The members of unions that have such a field, or whose class defines it."""
    datas = ctx.builder.declarations.datas
    return {m for m, d in datas.items() if name in dict(d.fields) or hasattr(d.cls, name)}


def _of_length(ctx: FunctionContext, count: int, same: bool) -> set[str]:
    """The members of unions that may have this length (`same`), or that have no other."""
    found = set[str]()
    for data in ctx.builder.declarations.datas.values():
        length = data.length
        if length == count or (length is None and same):
            found.add(data.name)
    return found


def _narrowed(
    ctx: FunctionContext,
    test: ast.AST,
    left: ast.Name | ast.Attribute,
    tested: set[str],
    holds: bool,
    env: Env,
) -> tuple[T.Stmt, ...]:
    """What is known if `left` is of one of the types `tested` (`holds`), or of none of them."""
    if isinstance(left, ast.Name) and not _may_be_narrowed(env.names.get(left.id)):
        return ()  # mentioning a list would give it another name
    owner: T.Atom | None = None
    way: list[tuple[T.Var, str, T.Var]] = []
    with ctx.region() as stmts:
        if isinstance(left, ast.Attribute):
            owner = _owner(ctx, left.value, env, way)
            value = wrapper_of(ctx, _field(ctx, owner, left, env))
        else:
            value = wrapper_of(ctx, ctx.expression(left, env))
        if not isinstance(value, T.Var):
            return ()
        if isinstance(value.type, OptionalType):
            if tested != {"None"}:
                return ()
            out = (
                ctx.let(T.Construct("None", ()), ctx.builder.declarations.none(), test)
                if holds
                else content(ctx, value, test)
            )
        elif isinstance(value.type, UnionType):
            kept = tuple(m for m in members(value.type) if (m in tested) == holds)
            if not kept or kept == members(value.type):
                return ()
            out = T.Var(value.name, of_members(kept))
            ctx.origins[out.number] = ctx.origins.get(value.number, "")
            stmts.append(T.Let((out,), T.Narrow(value), ctx.span(test)))
            inside = unwrapped(ctx, out, test, env)
            if isinstance(inside, T.Var) and inside is not out:
                env.narrowed[out] = {T.RAW_VALUE: inside}
        else:
            return ()
    if has_none(value.type) and out.type != NONE and not has_none(out.type):
        ctx.found.add(out.number)
    if isinstance(left, ast.Name):
        env.names[left.id] = out
    elif isinstance(owner, T.Var):
        # Data never changes, so what is known about a field stays known.
        for found, name, part in (*way, (owner, left.attr, out)):
            env.narrowed[found] = {**env.narrowed.get(found, {}), name: part}
    return tuple(stmts)


def _may_be_narrowed(binding: object) -> bool:
    return isinstance(binding, T.Var) and isinstance(binding.type, (OptionalType, UnionType))


def _owner(
    ctx: FunctionContext, node: ast.expr, env: Env, way: list[tuple[T.Var, str, T.Var]]
) -> T.Atom:
    """The value that `node` stands for, a field of which is tested. If it is a field itself, `way`
    gets the fields on the path to it: what is known is recorded for their variables alone."""
    if not isinstance(node, ast.Attribute):
        return ctx.expression(node, env)
    inner = _owner(ctx, node.value, env, way)
    value = _field(ctx, inner, node, env)
    if isinstance(inner, T.Var) and isinstance(value, T.Var):
        way.append((inner, node.attr, value))
    return value


def _field(ctx: FunctionContext, owner: T.Atom, node: ast.Attribute, env: Env) -> T.Atom:
    """The field that `node` names, of the value `owner`, which is not computed again."""
    name = f"({ast.unparse(node.value)})"  # not a name that a model can have
    of = ast.copy_location(ast.Name(name, ast.Load()), node.value)
    env.names[name] = owner
    try:
        return ctx.expression(ast.copy_location(ast.Attribute(of, node.attr, node.ctx), node), env)
    finally:
        del env.names[name]
