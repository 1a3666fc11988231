"""Which calls may be made twice with the same arguments: those that get an instance's objects.

Functions are pure, so a repeated call has the same result. Calls whose arguments are all numbers or
tensors do not count: a recursion over those is the author's loop.
"""

from __future__ import annotations

from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_walk import statements
from ..ir.types import DataRef, ListType, UnionType


def object_arguments(call: T.Call) -> tuple[T.Var, ...]:
    """The arguments that are data or lists, which an instance may hold more than once."""
    return tuple(
        a
        for a in call.args
        if isinstance(a, T.Var) and isinstance(a.type, (DataRef, UnionType, ListType))
    )


def memoises(module: B.Module) -> bool:
    """Whether any call of the module has such an argument."""
    return any(
        object_arguments(call)
        for f in module.functions.values()
        for stmt in statements(f.body)
        if isinstance(stmt, B.Let)
        for call in _calls(stmt.rhs)
    )


def _calls(rhs: B.Rhs) -> tuple[T.Call, ...]:
    match rhs:
        case T.Call():
            return (rhs,)
        case T.Parallel(calls):
            return calls
        case _:
            return ()
