"""Arithmetic on numbers, tensors and lists: `a + b`, `-a`, `not a`."""

from __future__ import annotations

import ast
from dataclasses import replace

from ...ir import typed as T
from ...ir.subtypes import join
from ...ir.types import (
    BOOL,
    FLOAT,
    INT,
    DictType,
    ListType,
    NothingType,
    SetType,
    TensorType,
    TupleType,
)
from ..conditions import condition
from ..context import FunctionContext
from ..emit import known_items, list_op, make_tuple
from ..escaping import item_of, may_hold_list
from ..operators import symbol
from ..optional import coerced
from ..optional_items import common, with_items
from ..presence import not_none
from ..registry import expression
from ..scope import COLLECTIONS, Env
from ..syntax import has_effect, makes_list, names_bound, names_in
from ..unsettled import answered, broadcast, operand
from .dicts import both_dicts
from .int_arrays import is_int_array, of_each_item
from .number_beside import note_other_operand
from .numbers import counted, on_numbers, repeated
from .operator_methods import of_binary, of_unary
from .sequences import copied
from .sets import OPERATORS as SET_OPERATORS
from .sets import combined
from .string_building import on_strings
from .tensor_arithmetic import tensor_binary, tensor_unary
from .weight_uses import product_with_chosen

# The operators on numbers.
SCALARS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}


def _may_change(node: ast.BinOp, t: ListType | DictType) -> bool:
    """Whether the right side may change the list or dict, of type `t`, that the left side refers
    to: not if that is a new one, or if a name on the left is only assigned anew."""
    if not has_effect(node.right) or has_effect(node.left):
        return False
    if makes_list(node.left) and not may_hold_list(item_of(t)):
        return False
    return not names_bound(node.right) & names_in(node.left)


@expression(ast.BinOp)
def binary(ctx: FunctionContext, node: ast.BinOp, env: Env) -> T.Atom:
    """`a + b`, and `- * / // % ** @ & | ^ << >>`."""
    product = product_with_chosen(ctx, node, env)
    if product is not None:
        return product
    asked = ctx.asked[0] is node
    left = operand(ctx, node, node.left, lambda: copied(ctx, node.left, env))
    a = left[1]
    note_other_operand(node, a.type)
    right = operand(ctx, node, node.right, lambda: copied(ctx, node.right, env))
    b = right[1]
    if isinstance(a.type, COLLECTIONS) and _may_change(node, a.type):
        a = copied(ctx, node.left, env)  # again
    a, b = not_none(ctx, node.left, a, env), not_none(ctx, node.right, b, env)
    value = broadcast(
        ctx,
        node,
        (left, right),
        asked,
        env,
        lambda: tensor_binary(ctx, node, (node.left, a), (node.right, b)),
    )
    if value is not None:
        return value
    by_method = of_binary(ctx, node, a, b, env)
    if by_method is not None:
        return by_method
    scalar = SCALARS.get(type(node.op))
    if scalar is None or any(isinstance(x.type, TensorType) for x in (a, b)):
        return tensor_binary(ctx, node, (node.left, a), (node.right, b))
    if type(node.op) in SET_OPERATORS and all(isinstance(x.type, SetType) for x in (a, b)):
        return combined(ctx, node, SET_OPERATORS[type(node.op)], a, b)
    if scalar == "|" and all(type(x.type) is DictType for x in (a, b)):
        return both_dicts(ctx, node, (a, b), env)
    tuples = [type(x.type) is TupleType for x in (a, b)]
    if scalar in ("+", "*") and any(tuples):
        a, b = _with_tuples(ctx, node, scalar, a, b)
        if scalar == "*" or all(tuples):
            return a
    if is_int_array(a) or is_int_array(b):
        return of_each_item(ctx, node, scalar, a, b)
    lists = [isinstance(x.type, ListType) for x in (a, b)]
    if scalar == "+" and all(lists):
        both = join(a.type, b.type)
        wanted = both or common(a.type, b.type)
        if both is None and wanted is not None:
            # Literals, such as `[0.0] + [None] * n`, as lists of what both have.
            a, b = (ctx.expression(with_items(s, wanted), env) for s in (node.left, node.right))
            both = join(a.type, b.type)
        if both is None:
            ctx.fail("AC027", node, f"`+` of {a.type} and {b.type}", "lists of one type")
        last = known_items(ctx, b)
        if last is not None and len(last) == 1:
            return list_op(ctx, "append", (a, *last), both, node)  # which need not copy `a`
        return list_op(ctx, "concat", (a, b), both, node)
    if scalar == "*" and any(lists) and INT in (a.type, b.type):
        return repeated(ctx, node, *((a, b) if lists[0] else (b, a)))
    result = on_strings(ctx, scalar, a, b, node) or on_numbers(ctx, scalar, a, b, node)
    if result is None:
        ctx.fail(
            "AC027",
            node,
            f"`{scalar}` of {a.type} and {b.type}",
            "numbers or tensors of the same shape",
            ctx.origin_notes((node.left, a), (node.right, b)),
        )
    return result


def _with_tuples(
    ctx: FunctionContext, node: ast.BinOp, op: str, a: T.Atom, b: T.Atom
) -> tuple[T.Atom, T.Atom]:
    """The operands of `t + u`, `t * 2`, `xs + (x,)`; if the result is a tuple, it is the first of
    the two. The tuple in `xs + (x,)` becomes a list."""
    parts = [
        [ctx.let(T.GetItem(x, i), t, node, "part") for i, t in enumerate(x.type.items)]
        if isinstance(x, T.Var) and type(x.type) is TupleType
        else []
        for x in (a, b)
    ]
    if op == "*":
        times = b if type(a.type) is TupleType else a
        if times.type != INT or not isinstance(times, T.Const):
            ctx.fail(
                "AC027",
                node,
                f"`*` of {a.type} and {b.type}: how many parts that makes is not known",
                "`[x] * n`, a list",
            )
        items = (parts[0] or parts[1]) * int(times.value)
        return make_tuple(ctx, tuple(items), node), b
    if all(type(x.type) is TupleType for x in (a, b)):
        return make_tuple(ctx, (*parts[0], *parts[1]), node), b
    # A tuple of any number of parts, `tuple[int, ...]`, is a list here.
    wanted = next((x.type for x in (a, b) if isinstance(x.type, ListType)), None)
    if wanted is None:
        return a, b
    first = next((x.type for part in parts for x in part), None)
    if isinstance(wanted.item, NothingType) and first is not None:  # `() + (x,)`
        wanted = replace(wanted, item=first)
    return coerced(ctx, a, wanted, node), coerced(ctx, b, wanted, node)


@expression(ast.UnaryOp)
def unary(ctx: FunctionContext, node: ast.UnaryOp, env: Env) -> T.Atom:
    """`-a`, `+a`, `~a`, `not a`."""
    part, negated = node.operand, isinstance(node.op, ast.USub)
    if negated and isinstance(part, ast.Constant) and part.value == 2**63:
        return T.Const(-(2**63), INT)  # the one int whose negation does not fit
    if isinstance(node.op, ast.Not):
        holds = condition(ctx, part, env)
        if isinstance(holds, T.Const):
            return T.Const(not holds.value, BOOL)
        return ctx.let(T.Scalar("not", (holds,)), BOOL, node, "b")
    asked = ctx.asked[0] is node
    _, a, found = operand(ctx, node, part, lambda: ctx.expression(part, env))
    if found is not None:
        value = tensor_unary(ctx, node, (part, a)) if negated else found.value
        return answered(ctx, node, replace(found, value=value), asked, env)
    a = not_none(ctx, part, a, env)
    by_method = of_unary(ctx, node, a, env)
    if by_method is not None:
        return by_method
    if isinstance(node.op, (ast.USub, ast.UAdd)):
        a = counted(ctx, a, node)
    if isinstance(a.type, TensorType):
        return tensor_unary(ctx, node, (part, a))
    if negated and a.type in (INT, FLOAT):
        if isinstance(a, T.Const) and a.value != -(2**63):
            return T.Const(-a.value, a.type)
        return ctx.let(T.Scalar("neg", (a,)), a.type, node, "n")
    if isinstance(node.op, ast.UAdd) and a.type in (INT, FLOAT):
        return a
    if isinstance(node.op, ast.Invert) and a.type == INT:
        return ctx.let(T.Scalar("invert", (a,)), INT, node, "n")
    instead = "an int; `not b` of a truth value" if a.type == BOOL else "a number or a tensor"
    ctx.fail("AC027", node, f"`{symbol(node.op)}` of a {a.type}", instead)
