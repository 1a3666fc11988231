"""The values of the parameter reuse analysis. That of a variable is

    None            nothing reaches it (bottom)
    Known(path)     exactly one weight, or group of weights, reaches it
    VARYING         it may differ between instances

joined by: bottom gives way, two different weights vary. A tensor operation whose operands are all
known is itself known (`Folded`): it is computed once, when the model is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..ir import typed as T


@dataclass(frozen=True, slots=True)
class Known:
    """The weight (or group of weights) at `path`; "" is the whole params object."""

    path: str


@dataclass(frozen=True, slots=True)
class Folded:
    """A tensor operation on values that are the same for the whole mini-batch."""

    op: str
    args: tuple[Known | Folded | T.Const, ...]
    attrs: tuple[tuple[str, T.AttrValue], ...]

    @property
    def path(self) -> str:
        """A readable name, which serves as the path of the computed weight."""
        args = [a.path if not isinstance(a, T.Const) else str(a.value) for a in self.args]
        args += [f"{k}={v}" for k, v in self.attrs]
        return f"{self.op}({', '.join(args)})"


@dataclass(frozen=True, slots=True)
class Varying:
    """May differ between instances."""


VARYING = Varying()
Value = Known | Folded | Varying | None


def join(a: Value, b: Value) -> Value:
    """Least upper bound."""
    if a is None or a == b:
        return b
    return a if b is None else VARYING


def passed(value: Value) -> Value:
    """What a callee knows of an argument. A constant that the model makes (an initial state of
    zeros) counts like a weight. What is folded from weights varies: were it to tell contexts apart,
    a recursion that folds on every level would never reach a fixpoint."""
    if isinstance(value, Folded) and any(not isinstance(a, T.Const) for a in value.args):
        return VARYING
    return value
