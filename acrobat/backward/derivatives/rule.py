"""What a rule of differentiation is."""

from __future__ import annotations

from collections.abc import Callable

from ...ir import typed as T
from ..emitter import Emitter

Gradient = T.Var | None
Rule = Callable[[Emitter, T.Op, T.Var, T.Var], tuple[Gradient, ...]]


def constant(e: Emitter, op: T.Op, y: T.Var, d: T.Var) -> tuple[Gradient, ...]:
    """No operand has a gradient."""
    return tuple(None for _ in op.args)


def if_tensor(atom: T.Atom, make: Callable[[], T.Var]) -> Gradient:
    """What `make` gives for a tensor; a constant has no gradient."""
    return make() if isinstance(atom, T.Var) else None
