"""The abstract values of the parameter reuse analysis. The value of a variable is one of

    None            nothing reaches it (bottom)
    Weight(path)    exactly one weight, or group of weights, reaches it ("": all of them)
    FoldedWeight    a tensor operation whose operands are all known
    VARYING         it may differ between instances

Bottom is the identity of `join`; two different values join to VARYING.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..ir import typed as T


@dataclass(frozen=True, slots=True)
class Varying:
    """May differ between instances."""


VARYING = Varying()
Value = T.Weight | T.FoldedWeight | Varying | None


def join(a: Value, b: Value) -> Value:
    """Least upper bound."""
    if a is None or a == b:
        return b
    return a if b is None else VARYING


def passed(value: Value) -> Value:
    """What a callee knows about an argument. A constant that the model makes (an initial state of
    zeros) counts like a weight. A value folded from weights varies: if it distinguished contexts, a
    recursion that folds on every level would never reach a fixed point."""
    if isinstance(value, T.FoldedWeight) and any(not isinstance(a, T.Const) for a in value.args):
        return VARYING
    return value
