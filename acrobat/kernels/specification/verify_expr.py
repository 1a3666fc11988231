"""The rules for expressions that become one kernel."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import CompilerBug
from .expr import Apply, Contraction, Expr, Load, LoadShared, Reduction, reachable
from .print_expr import print_exprs


def verify_exprs(kernel: str, roots: Sequence[Expr], width: int) -> None:
    """Raise CompilerBug, with the expressions, unless one kernel of `width` columns can compute
    `roots`: contractions or reductions, not both; reductions over the whole row; terms that have a
    weight or a matrix, not both; operations that have operands."""
    order = reachable(roots)
    reduces = any(isinstance(e, Reduction) for e in order)
    for e in order:
        if wrong := _wrong(e, width, reduces):
            raise CompilerBug(f"kernel {kernel}: {wrong}\n{print_exprs(roots)}")


def _wrong(e: Expr, width: int, reduces: bool) -> str:
    """What is wrong with one node; "" if nothing."""
    match e:
        case Load() | LoadShared() if e.start < 0:
            return f"a read from {e.start} on"
        case Contraction(terms):
            if reduces:
                return "a contraction beside a reduction"
            if not terms:
                return "a contraction without terms"
            if any(bool(t.weight) == (t.matrix is not None) for t in terms):
                return "a term needs a weight or a matrix, and not both"
        case Reduction() if e.width != width:
            return f"a reduction over {e.width} columns of {width}"
        case Apply(fn, ()):
            return f"{fn} of nothing"
    return ""
