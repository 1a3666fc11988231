"""The derivative of every operation, in terms of operations: one function each, by the operation's
name. Those of point-wise operations are in their records (`ir.ops.pointwise`).

A rule gets an `Emitter`, the operation, the variable of its result, and the result's gradient, and
returns the gradient of every operand, or None if it has none. Gradients of point-wise operations
have the result's shape; for operands that were broadcast, they are summed afterwards. `max` divides
a gradient evenly among equal elements, as PyTorch's `amax` does.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.ops import POINTWISE
from .layout import LAYOUT, slice_of
from .products import PRODUCTS, left_of_product, right_of_product
from .rows import ROWS
from .rule import Rule, constant, of_record

DERIVATIVES: Mapping[str, Rule] = {
    **{name: of_record(record) for name, record in POINTWISE.items()},
    **PRODUCTS,
    **LAYOUT,
    **ROWS,
    **dict.fromkeys(
        ("argmax", "one_hot", "zeros", "eye", "parts", "positions", "triangle"), constant
    ),
}

__all__ = ["DERIVATIVES", "left_of_product", "right_of_product", "slice_of"]
