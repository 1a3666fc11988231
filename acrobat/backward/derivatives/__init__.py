"""The derivative of every operation, as operations: one function each, by the operation's name.

A rule gets an `Emitter`, the operation, the variable of its result, and the result's gradient, and
returns for every operand the gradient or None: there is none. Gradients of point-wise operations
have the result's shape; what was broadcast is summed afterwards. Conventions at edges are
PyTorch's: `relu` and `abs` have derivative 0 at 0, `maximum`, `minimum` and `max` divide a gradient
evenly among equals.
"""

from __future__ import annotations

from collections.abc import Mapping

from .layout import LAYOUT, slice_of
from .pointwise import POINTWISE
from .products import PRODUCTS, left_of_product, right_of_product
from .rows import ROWS
from .rule import Rule, constant

DERIVATIVES: Mapping[str, Rule] = {
    **POINTWISE,
    **PRODUCTS,
    **LAYOUT,
    **ROWS,
    **dict.fromkeys(
        ("argmax", "one_hot", "zeros", "eye", "parts", "positions", "triangle"), constant
    ),
}

__all__ = ["DERIVATIVES", "left_of_product", "right_of_product", "slice_of"]
