"""Names that are numbers on one path and tensors on another: `out = 0.0` before a loop, and
`out = out + x` in it, where plain Python has the number as long as no iteration has run.

Such a value is a tensor that has the number everywhere, beside a truth value that says whether
plain Python has the number. `+ - * /` with a tensor of that shape, or of more dimensions, broadcast
the number, so that both give the same, and their result is a tensor. With numbers they give such
a value again, `0.5 * h`, if what asks for it is another operator or an assignment. Anything else
needs the tensor. After a loop the instance is at fault if that is not there; after an `if`, and in
an iteration that may be the first one, the model is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NoReturn

from ..ir import typed as T
from ..ir.types import ANY, BOOL, FLOAT, INT, RowsType, StackType, TensorType, Type
from .context import FunctionContext
from .emit import tensor_op
from .scope import Conflict, Env, Unsettled

# The source of an operand, its value, and what that is if it may still be a number.
Side = tuple[ast.expr, T.Atom, Unsettled | None]

NUMBERS = (INT, FLOAT)
_BROADCAST = (ast.Add, ast.Sub, ast.Mult, ast.Div)


def everywhere(ctx: FunctionContext, node: ast.AST, number: T.Atom, t: Type) -> T.Atom:
    """A number as a tensor of type `t`; a tensor as it is."""
    if not isinstance(t, TensorType) or number.type not in NUMBERS:
        return number
    if isinstance(number, T.Const):
        number = T.Const(float(number.value), FLOAT)
    elif number.type == INT:
        number = ctx.let(T.Scalar("float", (number,)), FLOAT, node, "number")
    zeros = tensor_op(ctx, "zeros", node, [], (("shape", t.dims),))
    return tensor_op(ctx, "add", node, [(node, zeros), (node, number)])


def meets(number: Type, t: Type) -> bool:
    """Whether a value of type `number` and one of type `t` may be two forms of an unsettled one."""
    if number not in NUMBERS or not isinstance(t, TensorType):
        return False
    known = not isinstance(t, (RowsType, StackType)) and ANY not in t.dims
    return known and 0 < len(t.dims) <= 2 and not t.mask


# -- asking for such a value ----------------------------------------------------------------------


def asking(
    ctx: FunctionContext, node: ast.expr, lower: Callable[[], T.Atom]
) -> tuple[T.Atom, Unsettled | None]:
    """What `lower` gives, the value of `node`, and what it is if it may still be a number. Without
    this an expression is a tensor."""
    ctx.asked = node, None
    try:
        value = lower()
        return value, ctx.asked[1]
    finally:
        ctx.asked = None, None


def given(
    ctx: FunctionContext, targets: Sequence[ast.expr], value: ast.expr, env: Env
) -> tuple[T.Atom, Unsettled | None]:
    """What is assigned to `targets`: one name may stand for such a value."""
    if len(targets) == 1 and isinstance(targets[0], ast.Name):
        return asking(ctx, value, lambda: ctx.expression(value, env))
    return ctx.expression(value, env), None


def keep(targets: Sequence[ast.expr], found: Unsettled | None, env: Env) -> None:
    """Let the target stand for what is `given`."""
    if found is not None and isinstance(targets[0], ast.Name):
        env.names[targets[0].id] = found


def answered(
    ctx: FunctionContext, node: ast.expr, found: Unsettled, asked: bool, env: Env
) -> T.Atom:
    """The value of `node`, which may still be a number: as it is if `asked` for, else
    the tensor."""
    if asked:
        ctx.asked = node, found
        return found.value
    return settled(ctx, node, found, env)


def settled(ctx: FunctionContext, node: ast.expr, found: Unsettled, env: Env) -> T.Atom:
    """The tensor, where a number would give something else; the instance is at fault if there is
    none."""
    text, t = ast.unparse(node), found.value.type
    if found.conflict is not None:
        refuse(ctx, node, text, found.conflict)
    if _in_first_iteration(ctx, found):
        ctx.fail(
            "AC008",
            node,
            f"`{text}` is a number before the loop in line {found.line} and {t} after an iteration",
            "a tensor of that shape before the loop, as of `ops.zeros(n)`",
        )
    fault = (
        f"TypeError: `{text}` is a {t}, but for this instance still the number of before the loop "
        f"in line {found.line}"
    )
    regions = T.Region((), T.Raise((fault,), ())), T.Region((), T.Yield(()))
    ctx.stmts.append(T.If((), found.number, *regions, ctx.span(node)))
    if isinstance(node, ast.Name) and env.names.get(node.id) == found:
        env.names[node.id] = found.value
    return found.value


def passed_on(ctx: FunctionContext, node: ast.expr, found: Unsettled) -> Unsettled:
    """The same for a function that is called with it: its loops are not those of the caller."""
    if found.conflict is not None or not _in_first_iteration(ctx, found):
        return found
    first = "a number in the first iteration"
    return replace(found, conflict=Conflict(ctx.span(node), first, str(found.value.type)))


def _in_first_iteration(ctx: FunctionContext, found: Unsettled) -> bool:
    """Whether an iteration that may be the first one of its loop has it as it was before."""
    return any(found.number == var for loop in ctx.loops for var in loop.carried.values())


def refuse(ctx: FunctionContext, node: ast.AST, text: str, conflict: Conflict) -> NoReturn:
    """The error for a name that has types on different paths which do not join."""
    first = conflict.first
    ctx.fail(
        "AC008",
        node,
        f"{text!r} is {first} on one path and {conflict.second} on another "
        f"(line {conflict.span.line}){conflict.told}",
        conflict.instead
        or (
            "`if` around the calls, each with its own weights"
            if first.startswith("one ") and first not in ("one size", "one function")
            else "give both branches the same type, or use two names"
        ),
    )


# -- operators ------------------------------------------------------------------------------------


def operand(
    ctx: FunctionContext, node: ast.BinOp | ast.UnaryOp, part: ast.expr, lower: Callable[[], T.Atom]
) -> Side:
    """An operand of `node`, `part`."""
    if isinstance(node.op, (*_BROADCAST, ast.USub, ast.UAdd)):
        return (part, *asking(ctx, part, lower))
    return part, lower(), None


def broadcast(
    ctx: FunctionContext,
    node: ast.BinOp,
    sides: tuple[Side, Side],
    asked: bool,
    env: Env,
    compute: Callable[[], T.Var],
) -> T.Atom | None:
    """The value of `node`, which `compute` gives; None if neither of its operands is still a number
    in plain Python, which this may see to."""
    left, right = sides
    if left[2] is None and right[2] is None:
        return None
    result = _result(ctx, node, left, right)
    if result is None:
        for part, _, found in sides:
            if found is not None:
                settled(ctx, part, found, env)
        return None
    out = compute()
    if not isinstance(result, Unsettled):
        return out
    return answered(ctx, node, replace(result, value=out), asked, env)


def elements(
    ctx: FunctionContext,
    operands: Iterable[ast.expr],
    lower: Callable[[ast.expr], T.Atom],
    env: Env,
) -> list[T.Atom]:
    """The operands of an operation on single elements, `np.maximum(best, x)`: one that may still be
    a number is broadcast by another one, or has to be a tensor."""
    sides = [(part, *asking(ctx, part, partial(lower, part))) for part in operands]
    known = [x.type for _, x, found in sides if found is None and not isinstance(x.type, StackType)]
    for part, value, found in sides:
        if found is not None and not any(_ends_alike(t, value.type) for t in known):
            settled(ctx, part, found, env)
    return [value for _, value, _ in sides]


def _ends_alike(whole: Type, t: Type) -> bool:
    """Whether a tensor of type `whole` makes a number one of its own shape, and one of type `t`,
    too."""
    if not isinstance(whole, TensorType) or not isinstance(t, TensorType):
        return False
    return whole.dims[max(0, len(whole.dims) - len(t.dims)) :] == t.dims


def _result(
    ctx: FunctionContext, node: ast.BinOp, left: Side, right: Side
) -> Unsettled | TensorType | None:
    """What plain Python has as the result, if it is that of broadcasting: a tensor, whichever the
    operands are, or what may still be a number; else None."""
    (_, a, one), (_, b, other) = left, right
    divides = isinstance(node.op, ast.Div)
    if one is not None and other is not None:
        if divides or a.type != b.type:
            return None  # a number by zero is an error
        both = one.number
        if both != other.number:
            both = ctx.let(T.Scalar("and", (both, other.number)), BOOL, node, "b")
        return replace(one, number=both, conflict=one.conflict or other.conflict)
    found, value, beside = (one, a, b) if one is not None else (other, b, a)
    assert found is not None and isinstance(value.type, TensorType)
    t = beside.type
    if isinstance(t, TensorType) and t.dims:
        return t if _ends_alike(t, value.type) and not isinstance(t, StackType) else None
    if t not in (INT, FLOAT, BOOL, TensorType(())):
        return None
    if divides and (one is None or t not in (INT, FLOAT)):
        return None
    if divides and not (isinstance(beside, T.Const) and beside.value):
        _check_divisor(ctx, node, found, beside)
    return found


def _check_divisor(
    ctx: FunctionContext, node: ast.BinOp, found: Unsettled, divisor: T.Atom
) -> None:
    """A number divided by zero is an error, a tensor is not."""
    zero = ctx.let(
        T.Scalar("==", (divisor, T.Const(0 if divisor.type == INT else 0.0, divisor.type))),
        BOOL,
        node,
        "b",
    )
    both = ctx.let(T.Scalar("and", (found.number, zero)), BOOL, node, "b")
    fault = T.Raise(("ZeroDivisionError: float division by zero",), ())
    regions = T.Region((), fault), T.Region((), T.Yield(()))
    ctx.stmts.append(T.If((), both, *regions, ctx.span(node)))
