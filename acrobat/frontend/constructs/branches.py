"""`if`, `return`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.subtypes import is_subtype
from ...ir.types import (
    FLOAT,
    INT,
    IntArrayType,
    ListType,
    OptionalType,
    TensorType,
    TupleType,
    Type,
)
from ..blocks import block, merge, run
from ..conditions import condition
from ..context import FunctionContext
from ..escaping import returns_fresh
from ..narrowing import narrow
from ..optional import coerced, takes
from ..presence import not_none, present, without_none
from ..registry import statement
from ..scope import Env
from ..syntax import names_in
from .changed_parameters import with_changed
from .changed_results import with_hint
from .leaving_dicts import keeps_defaults
from .out_arrays import check_result
from .plain_records import note_fresh_fields
from .weight_fields import known_test


@statement(ast.If)
def if_(ctx: FunctionContext, node: ast.If, env: Env) -> T.End | None:
    """`if`, `elif`, `else`; a type test narrows types in the branches."""
    known = known_test(ctx, node.test, env)
    if known is not None:  # the other branch may read weights that are missing
        ctx.decided.add(node)
        return run(ctx, node.body if known else node.orelse, env)
    cond = condition(ctx, node.test, env)
    if isinstance(cond, T.Const):
        # The other branch is unreachable: its types need not fit. Other weights, or another number
        # of an unrolled loop, may take it.
        if names_in(node.test):
            ctx.decided.add(node)
        ctx.stmts += narrow(ctx, node.test, bool(cond.value), env)
        return run(ctx, node.body if cond.value else node.orelse, env)
    before = env.copy()
    branches = []
    for holds, body in ((True, node.body), (False, node.orelse)):
        inner = env.copy()
        branches.append(block(ctx, body, inner, narrow(ctx, node.test, holds, inner)))
    outs, regions, ended = merge(ctx, node, branches, env)
    ctx.stmts.append(T.If(outs, cond, regions[0], regions[1], ctx.span(node)))
    left = [e is None for _, e in branches]
    if left.count(True) == 1:
        # After `if x.next is None: return ...`, x.next is not None. Names need no such step: they
        # leave the remaining branch at their narrower types.
        stmts = narrow(ctx, node.test, left[1], before)
        if before.narrowed != env.narrowed:
            env.narrowed = before.narrowed
            ctx.stmts.extend(stmts)
    return T.Unreachable() if ended else None


@statement(ast.Return)
def return_(ctx: FunctionContext, node: ast.Return, env: Env) -> T.Return:
    """`return value`."""
    result = ctx.signature.result
    if node.value is None:
        ctx.fail("AC021", node, "return without a value", f"return a {result}")
    check_result(ctx, node, env)
    owned = env.copy()  # before the return, which gives a list another name
    atom = ctx.expression(with_changed(ctx, node, env), env)
    fresh, name = ctx.builder.fresh, ctx.signature.name
    made = returns_fresh(ctx, node.value, atom.type, owned)
    fresh[name] = made and fresh.get(name, True)
    note_fresh_fields(ctx, node.value, atom, owned)
    atom = with_hint(ctx, node, atom)
    inferred, datas = ctx.signature.inferred, ctx.builder.declarations.datas
    if result is not None and keeps_defaults(ctx, atom.type, result):
        return T.Return((atom,), ctx.span(node))
    if result is not None and (not inferred or takes(datas, atom.type, result)):
        atom = coerced(ctx, _there(ctx, node, atom, result), result, node.value)
        if not is_subtype(atom.type, result):
            ctx.fail(
                "AC021",
                node.value,
                f"{ctx.source.tree.name} returns {atom.type}, but its hint says {result}",
                _instead(node.value, atom.type, result),
                ctx.origin_notes((node.value, atom)),
            )
    return T.Return((atom,), ctx.span(node))


def _there(ctx: FunctionContext, node: ast.Return, atom: T.Atom, result: Type) -> T.Atom:
    """The value without None if the hint for the result says that it is not None: such an instance
    is at fault."""
    assert node.value is not None
    datas, some = ctx.builder.declarations.datas, without_none(atom.type)
    if takes(datas, atom.type, result):
        return atom
    fault = f"TypeError: {ctx.source.tree.name} returns None, but its hint says {result}"
    if some is not None and is_subtype(some, result):
        return present(ctx, node.value, atom, fault)
    if isinstance(atom.type, OptionalType) and takes(datas, atom.type.item, result):
        return not_none(ctx, node.value, atom, fault=fault)
    return atom


def _instead(value: ast.expr, given: Type, wanted: Type) -> str:
    """What to write where a result is of another type than its hint says."""
    if isinstance(given, IntArrayType) and wanted == ListType(INT):
        return f"`list({ast.unparse(value)})`"
    parts = value.elts if isinstance(value, ast.Tuple) else []
    if isinstance(given, TupleType) and isinstance(wanted, TupleType):
        for part, t, other in zip(parts, given.items, wanted.items, strict=False):
            if t == TensorType(()) and other == FLOAT:
                return f"`float({ast.unparse(part)})`"
    return "change the value or the hint"
