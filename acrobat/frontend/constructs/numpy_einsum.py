"""`np.einsum("ij,jk->ik", a, b)` of tensors of rank 1 and 2, as products, sums and transposes; of
stacks of matrices, `np.einsum("ihd,jhd->hij", q, k)`, matrix by matrix."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...ir import typed as T
from ...ir.types import INT, RowsType, StackType, TensorType
from ...limits import MAX_UNROLLED
from ..context import FunctionContext
from ..decisions import is_mask
from ..emit import tensor_op
from ..rows import apply
from ..scope import Env
from ..stacks import as_columns, as_rows, matrices, stacked
from ..templates import template
from ..written import call, placed
from .arguments import temporary
from .numpy_rewritings import rank


@dataclass(frozen=True, slots=True)
class _Operand:
    """A tensor, and a letter for each of its axes."""

    letters: str
    value: ast.expr


def einsum(ctx: FunctionContext, node: ast.Call, env: Env) -> ast.expr | None:
    """What such a call becomes; None if it needs tensors of rank 3, or diagonals."""
    match node:
        case ast.Call(_, [ast.Constant(str() as text), *sources], []) if "->" in text:
            pass
        case _:
            return None
    ins, out = text.replace(" ", "").split("->")
    letters = ins.split(",")
    values = [ctx.peek(s, env) for s in sources]
    if len(letters) != len(values) or not set(out) <= set(ins) - {","}:
        return None
    if all(map(is_mask, values)) and set(ins) - {","} != set(out):
        return None  # a sum of truth values is whether one of them holds
    if any(not part.isalpha() and part for part in (*letters, out)):
        return None
    fits = [rank(v) == len(w) == len(set(w)) for v, w in zip(values, letters, strict=True)]
    if not all(fits) or len(set(out)) < len(out):
        return None
    if any(len(w) > 2 for w in letters):
        return _of_stacks(ctx, node, list(zip(letters, values, strict=True)), out, env)
    if len(out) > 2:
        return None
    named = [temporary(env, ast.unparse(s), v, s) for s, v in zip(sources, values, strict=True)]
    first, *rest = map(_Operand, letters, named)
    for i, operand in enumerate(rest):
        needed = set(out).union(*(o.letters for o in rest[i + 1 :]))
        both = _product(first, operand, needed)
        if both is None:
            return None
        first = both
    return _ordered(_summed(first, set(out)), out).value


def _of_stacks(
    ctx: FunctionContext,
    node: ast.Call,
    operands: list[tuple[str, T.Atom]],
    out: str,
    env: Env,
) -> ast.expr | None:
    """The formula with stacks of matrices along the axis of one letter, matrix by matrix; None if
    there is no such letter."""
    along = {w[v.type.axis] for w, v in operands if isinstance(v.type, StackType)}
    along |= {w[0] for w, v in operands if len(w) == 3 and not isinstance(v.type, StackType)}
    if len(along) != 1 or len(out) > 3:
        return None
    (letter,) = along
    some = [(w, _split(ctx, node, v, w.find(letter))) for w, v in operands]
    counts = {len(found) for w, found in some if found is not None and letter in w}
    if len(counts) != 1 or any(found is None for _, found in some):
        return None
    rest = out.replace(letter, "")
    formula = ",".join(w.replace(letter, "") for w, _ in some) + "->" + rest
    parts: list[T.Atom] = []
    for i in range(*counts):
        one = [found[i] if letter in w else found[0] for w, found in some if found is not None]
        named = [temporary(env, f"operand {k}", v, node) for k, v in enumerate(one)]
        each = call(np.einsum, ast.Constant(formula), *named)
        parts.append(ctx.expression(placed(each, node), env))
    if letter not in out:
        made: T.Atom = functools.reduce(lambda a, b: apply(ctx, node, "add", a, b), parts)
    elif len(rest) == 2:
        made = stacked(ctx, node, parts, out.index(letter))
    elif len(rest) == 1:
        made = (as_rows if out[0] == letter else as_columns)(ctx, node, parts)
    else:
        return None
    return temporary(env, ast.unparse(node), made, node)


def _split(ctx: FunctionContext, node: ast.AST, x: T.Atom, axis: int) -> Sequence[T.Atom] | None:
    """The parts of an operand along an axis, or the operand, if the axis is -1; None if they are
    not known."""
    t = x.type
    assert isinstance(t, TensorType)
    if axis < 0:
        return None if len(t.dims) > 2 else (x,)
    if isinstance(t, StackType):
        return matrices(ctx, node, x) if axis == t.axis else None
    size = t.dims[axis].bind(ctx.builder.sizes).known
    if isinstance(t, RowsType) or size is None or size > MAX_UNROLLED or axis > 0:
        return None
    return [
        tensor_op(ctx, "lookup", node, [(node, x), (node, T.Const(i, INT))]) for i in range(size)
    ]


def _summed(x: _Operand, needed: set[str]) -> _Operand:
    """The sum over the axes whose letters are not needed."""
    for letter in x.letters:
        if letter not in needed:
            axis = ast.Constant(x.letters.index(letter))
            value = template("x.sum(axis=i)", x=x.value, i=axis)
            x = _Operand(x.letters.replace(letter, ""), value)
    return x


def _ordered(x: _Operand, letters: str) -> _Operand:
    """`x` with its axes in the order of `letters`, which are the same."""
    if x.letters == letters:
        return x
    return _Operand(letters, template("x.T", x=x.value))


def _product(x: _Operand, y: _Operand, needed: set[str]) -> _Operand | None:
    """The product of two operands, summed over the letters that are not needed."""
    x = _summed(x, needed | set(y.letters))
    y = _summed(y, needed | set(x.letters))
    shared = [letter for letter in x.letters if letter in y.letters]
    over = [letter for letter in shared if letter not in needed]
    if len(shared) == len(over) == 1:
        (along,) = over
        x_rest, y_rest = x.letters.replace(along, ""), y.letters.replace(along, "")
        left, right = _ordered(x, x_rest + along), _ordered(y, along + y_rest)
        value = template("x @ y", x=left.value, y=right.value)
        return _Operand(x_rest + y_rest, value)
    letters = x.letters + "".join(w for w in y.letters if w not in x.letters)
    if len(letters) > 2:
        return None
    value = template("x * y", x=_spread(x, letters), y=_spread(y, letters))
    return _summed(_Operand(letters, value), needed)


def _spread(x: _Operand, letters: str) -> ast.expr:
    """`x` with an axis for each of `letters`, of length 1 for those that it lacks."""
    if len(x.letters) == len(letters) or not x.letters:
        return _ordered(x, letters).value if x.letters else x.value
    ways: Sequence[str] = ("x[:, None]", "x[None]")
    return template(ways[letters.index(x.letters) == 1], x=x.value)
