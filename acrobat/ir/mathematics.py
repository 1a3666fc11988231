"""The functions of Python's `math` on numbers: operations `math.<name>` of `typed.Scalar`.

Their results are Python's, to the bit: both call the C library. Where that gives no number
(`math.log(0.0)`), or one that is too large (`math.exp(1000.0)`), the instance is at fault.
"""

from __future__ import annotations

import math

from .types import BOOL, FLOAT, Type

_UNARY = """
acos acosh asin asinh atan atanh cos cosh degrees erf erfc exp expm1 fabs log log10 log1p log2
radians sin sinh sqrt tan tanh
"""

# Name -> how many floats it takes.
MATH: dict[str, int] = {
    **dict.fromkeys(_UNARY.split(), 1),
    **dict.fromkeys(("isfinite", "isinf", "isnan"), 1),
    **dict.fromkeys(("atan2", "copysign", "fmod", "pow"), 2),
}


def result_of(name: str) -> Type:
    """The type of the result of a function of `MATH`."""
    return BOOL if name.startswith("is") else FLOAT


def math_fault(name: str, args: list[float], too_large: bool) -> str:
    """What is wrong where a function of `MATH` has no result. C++ says the same
    (src/mathematics.cc)."""
    shown = ", ".join(map(repr, args))
    return f"math.{name} of {shown} " + (
        "is too large for a float" if too_large else "is no number"
    )


def compute(name: str, args: list[float]) -> float | bool:
    """The result; ArithmeticError with the message of `math_fault` if there is none."""
    try:
        result: float | bool = getattr(math, name)(*args)
    except ValueError:
        raise ArithmeticError(math_fault(name, args, too_large=False)) from None
    except OverflowError:
        raise ArithmeticError(math_fault(name, args, too_large=True)) from None
    return result
