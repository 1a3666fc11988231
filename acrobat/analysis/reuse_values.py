"""The values of the parameter reuse analysis. That of a variable is

    None            nothing reaches it (bottom)
    Weight(path)    exactly one weight, or group of weights, reaches it ("": all of them)
    FoldedWeight    a tensor operation whose operands are all known
    VARYING         it may differ between instances

joined by: bottom gives way, two different weights vary.
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
    """What a callee knows of an argument. A constant that the model makes (an initial state of
    zeros) counts like a weight. What is folded from weights varies: were it to tell contexts apart,
    a recursion that folds on every level would never reach a fixpoint."""
    if isinstance(value, T.FoldedWeight) and any(not isinstance(a, T.Const) for a in value.args):
        return VARYING
    return value
