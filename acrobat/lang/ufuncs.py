"""numpy's universal functions (ufuncs), and the operations that they correspond to."""

from __future__ import annotations

from typing import Final

_COMPARISONS = ("less", "greater", "less_equal", "greater_equal", "equal", "not_equal")

# By the `__name__` of the ufunc.
UFUNCS: Final[dict[str, str]] = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "power": "pow",
    "float_power": "pow",
    "maximum": "maximum",
    "minimum": "minimum",
    "negative": "neg",
    "absolute": "abs",
    "matmul": "matmul",
    **{f: f for f in ("tanh", "sin", "cos", "exp", "log", "expm1", "log1p", "sqrt")},
    **{f: f for f in _COMPARISONS},
}
