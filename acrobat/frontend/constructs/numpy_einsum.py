"""`np.einsum("ij,jk->ik", a, b)` of tensors of rank 1 and 2, as products, sums and transposes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from ..context import FunctionContext
from ..scope import Env
from ..templates import template
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
    if any(not part.isalpha() and part for part in (*letters, out)):
        return None
    fits = [rank(v) == len(w) == len(set(w)) for v, w in zip(values, letters, strict=True)]
    if not all(fits) or len(out) > 2 or len(set(out)) < len(out):
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
