"""Comparisons: `a < b <= c`, `x is None`."""

from __future__ import annotations

import ast
import enum

import numpy as np

from ...ir import typed as T
from ...ir.type_queries import parts_in_order
from ...ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    TEXT,
    IntArrayType,
    ListType,
    MemberType,
    OptionalType,
    RecordType,
    SetType,
    TensorType,
    TupleType,
    Type,
)
from .. import heaps
from ..context import FunctionContext
from ..decisions import is_mask, mask_holds, of_rank_0, read_number
from ..emit import host_op
from ..lazily import Path
from ..narrowing import has_none
from ..operators import symbol
from ..optional import is_there
from ..presence import not_none
from ..registry import expression
from ..scope import Env
from ..syntax import has_effect
from ..templates import template
from ..written import call, placed
from .arguments import temporary
from .booleans import decided
from .effects_once import once_each
from .equality import equal
from .int_arrays import of_arrays
from .membership import compared_constant, contains
from .numbers import compared_constants, counted
from .operator_methods import check_not_equal, of_comparison
from .order_keys import has_order
from .order_of_parts import check_order
from .set_comparisons import compared_sets
from .tensor_arithmetic import tensor_comparison
from .weight_fields import known_test

COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


@expression(ast.Compare)
def compare(ctx: FunctionContext, node: ast.Compare, env: Env) -> T.Atom:
    """`a < b`, `a < b < c`, `x is None`, `x in xs`."""
    match node.ops, node.comparators:
        case [ast.Is() | ast.IsNot() as op], [right] if any(
            isinstance(ctx.static(side, env), enum.Enum) for side in (node.left, right)
        ):
            equal_ = ast.Eq() if isinstance(op, ast.Is) else ast.NotEq()
            same = ast.copy_location(ast.Compare(node.left, [equal_], [right]), node)
            return ctx.expression(same, env)
        case [ast.Is() | ast.IsNot() as op], [right]:
            return _is_none(ctx, node, op, right, env)
        case [ast.In() | ast.NotIn() as op], [right]:
            value = ctx.expression(node.left, env)
            (right,) = once_each(ctx, [right], env)
            inside = contains(ctx, node, value, right, env)
            if isinstance(op, ast.In):
                return inside
            if isinstance(inside, T.Const):
                return T.Const(not inside.value, BOOL)
            return ctx.let(T.Scalar("not", (inside,)), BOOL, node, "b")
    mask = _of_array(ctx, node, env)
    if mask is not None:
        return mask
    for operator in node.ops:
        if type(operator) not in COMPARE:
            ctx.fail(
                "AC002",
                node,
                f"`{symbol(operator)}` is not part of the language",
                "`==`, `<` and the like on numbers; `match` on data",
            )
    first = _operand(ctx, node.left, node.comparators[0], env)
    rest = list(zip(node.ops, node.comparators, strict=True))
    return _chain(ctx, node, (node.left, first), rest, env)


def _of_array(ctx: FunctionContext, node: ast.Compare, env: Env) -> T.Atom | None:
    """`np.array(ids) != 0` of a list of ints: the mask of the comparisons of its items. None for
    any other comparison."""
    match node:
        case ast.Compare(ast.Call(func, [items], []), [op], [right]) if type(op) in COMPARE:
            if not any(ctx.static(func, env) is f for f in (np.array, np.asarray)):
                return None
        case _:
            return None
    with ctx.region():
        inner = env.copy()
        types = [ctx.peek(side, inner).type for side in (items, right)]
    if types not in ([ListType(INT), INT], [IntArrayType(INT), INT]):
        return None
    before = set(env.names)
    ids, n = (temporary(env, ast.unparse(s), ctx.peek(s, env), s) for s in (items, right))
    each = template(f"[i {COMPARE[type(op)]} n for i in x]", x=ids, n=n)
    value = ctx.expression(placed(call(np.array, each), node), env)
    for name in set(env.names) - before - ctx.locals:
        del env.names[name]
    return value


def _chain(
    ctx: FunctionContext,
    node: ast.expr,
    left: tuple[ast.expr, T.Atom],
    rest: list[tuple[ast.cmpop, ast.expr]],
    env: Env,
) -> T.Atom:
    """`a < b < c`: b is computed once, c only if a < b holds."""
    (op, source), *more = rest
    right = (source, _operand(ctx, source, more[0][1] if more else None, env))
    by_method = of_comparison(ctx, node, op, left[1], right[1], env)
    result: T.Atom = by_method or _comparison(ctx, node, op, left, right)
    if not more:
        return result
    result = mask_holds(ctx, source, result) if is_mask(result) else result
    inner = env.copy()
    with ctx.region() as stmts:
        path = Path(stmts, inner)
        others = _chain(ctx, node, right, more, inner)
        others = mask_holds(ctx, more[-1][1], others) if is_mask(others) else others
    later = ast.copy_location(ast.Tuple([r for _, r in more], ast.Load()), node)
    return decided(ctx, node, "and", result, later, path, others, env)


def _comparison(
    ctx: FunctionContext,
    node: ast.AST,
    op: ast.cmpop,
    left: tuple[ast.expr, T.Atom],
    right: tuple[ast.expr, T.Atom],
) -> T.Atom:
    if isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        left, right = ((source, not_none(ctx, source, x)) for source, x in (left, right))
    if any(isinstance(atom.type, TensorType) for _, atom in (left, right)):
        return tensor_comparison(ctx, node, op, left, right)
    a, b = left[1], right[1]
    known = compared_constants(COMPARE[type(op)], a, b)
    if known is not None:
        return known
    if isinstance(op, (ast.Eq, ast.NotEq)):
        same = equal(ctx, node, a, b)
        if same is not None and isinstance(op, ast.NotEq):
            check_not_equal(ctx, node, a, b)
            return ctx.let(T.Scalar("not", (same,)), BOOL, node, "b")
        if same is not None:
            return same
    if isinstance(a.type, SetType) and isinstance(b.type, SetType) and type(op) in COMPARE:
        return compared_sets(ctx, node, COMPARE[type(op)], a, b)
    if _are_ordered(a.type, b.type):
        ordered = _tuple_order(ctx, node, op, a, b)
        if ordered is not None:
            return ordered
    if (a.type, b.type) == (TEXT, TEXT):
        return host_op(ctx, f"str.{COMPARE[type(op)]}", (a, b), node)
    numbers = (INT, FLOAT, BOOL)
    if a.type not in numbers or b.type not in numbers:
        instead = of_arrays(a, b) or "compare numbers"
        for source, atom in (left, right):
            if isinstance(atom.type, MemberType):
                instead = f"a member of {atom.type}, or `{ast.unparse(source)}.value`"
        ctx.fail("AC027", node, f"a comparison of {a.type} and {b.type}", instead)
    if (a.type, b.type) != (BOOL, BOOL):
        a, b = counted(ctx, a, node), counted(ctx, b, node)
    return ctx.let(T.Scalar(COMPARE[type(op)], (a, b)), BOOL, node, "b")


def _are_ordered(a: Type, b: Type) -> bool:
    """Whether values of two types are compared part by part."""
    if isinstance(a, RecordType) or isinstance(b, RecordType):
        return a == b and bool(parts_in_order(a))
    return bool(parts_in_order(a)) and bool(parts_in_order(b))


def _tuple_order(
    ctx: FunctionContext, node: ast.AST, op: ast.cmpop, a: T.Atom, b: T.Atom
) -> T.Atom | None:
    """`(a, b) < (c, d)`: the first parts that differ decide. None if there are not as many, or none
    at all."""
    assert isinstance(a.type, TupleType) and isinstance(b.type, TupleType)
    parts = parts_in_order(a.type)
    if parts != parts_in_order(b.type):
        return None
    assert isinstance(a, T.Var) and isinstance(b, T.Var)
    both = zip(a.type.items, b.type.items, strict=True)
    ordered = [has_order(x) and has_order(y) for x, y in both]
    first = next((k for k, i in enumerate(parts) if not ordered[i]), len(parts))
    if 0 < first < len(parts) and ctx.source.file == heaps.__file__:
        check_order(ctx, node, a, b, parts[: first + 1])
        parts = parts[:first]
    whole: T.Atom | None = None
    strict = {ast.LtE: ast.Lt(), ast.GtE: ast.Gt()}
    for i in reversed(parts):
        x, y = (
            ctx.let(T.GetItem(t, i), part, node, "part")
            for t, part in ((a, a.type.items[i]), (b, b.type.items[i]))
        )
        x, y = (read_number(ctx, v, node) if of_rank_0(v) else v for v in (x, y))
        this = op if whole is None else strict.get(type(op), op)
        decides = _comparison(ctx, node, this, (ast.Name("_"), x), (ast.Name("_"), y))
        if whole is None:
            whole = decides
            continue
        same = equal(ctx, node, x, y)
        assert same is not None
        later = ctx.let(T.Scalar("and", (same, whole)), BOOL, node, "b")
        whole = ctx.let(T.Scalar("or", (decides, later)), BOOL, node, "b")
    return whole


def _operand(ctx: FunctionContext, node: ast.expr, other: ast.expr | None, env: Env) -> T.Atom:
    """The value of one side; it is only read (`peek`) unless the other side may change it."""
    if isinstance(ctx.static(node, env), enum.Enum):
        return compared_constant(ctx, node, env)
    if other is not None and has_effect(other):
        return ctx.expression(node, env)
    return ctx.peek(node, env)


def _may_be_member(t: Type) -> bool:
    """Whether a value is a member of an enumeration, or may be None instead: each exists once."""
    return isinstance(t.item if isinstance(t, OptionalType) else t, MemberType)


def _is_none(
    ctx: FunctionContext, node: ast.Compare, op: ast.Is | ast.IsNot, right: ast.expr, env: Env
) -> T.Atom:
    """`x is None`, `x is not None`."""
    left = node.left
    known = known_test(ctx, node, env)
    if known is not None:
        return T.Const(known, BOOL)
    value = ctx.expression(left, env)
    none = isinstance(right, ast.Constant) and right.value is None
    if not none:
        other = ctx.expression(right, env)
        members = _may_be_member(value.type) and _may_be_member(other.type)
        same = equal(ctx, node, value, other) if members else None
        if same is not None:
            return same if isinstance(op, ast.Is) else ctx.let(T.Scalar("not", (same,)), BOOL, node)
        ctx.fail(
            "AC002",
            node,
            f"`{symbol(op)}` is for comparing an Optional value with None",
            "`==` on numbers; `match` on data",
        )
    if value.type == NONE or not has_none(value.type):
        return T.Const((value.type == NONE) == isinstance(op, ast.Is), BOOL)
    if isinstance(value.type, OptionalType) and isinstance(value, T.Var):
        there = is_there(ctx, value, node)
        if isinstance(op, ast.IsNot):
            return there
        return ctx.let(T.Scalar("not", (there,)), BOOL, node, "b")
    test = ctx.let(T.Scalar("is_none", (value,)), BOOL, node, "b")
    if isinstance(op, ast.IsNot):
        return ctx.let(T.Scalar("not", (test,)), BOOL, node, "b")
    return test
