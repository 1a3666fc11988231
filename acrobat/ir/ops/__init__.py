"""The tensor operations: one record each, which everything reads.

The records of point-wise operations (`pointwise`) have the code of all targets; each of the others
(`whole_tensor`) has a function in block lowering. Tensors have rank 0, 1 or 2; weights may be
tables of matrices, of rank 3.
"""

from __future__ import annotations

from collections.abc import Mapping

from .definition import Operation, ShapeError
from .meaning import EPSILON, LARGEST
from .pointwise import POINTWISE
from .whole_tensor import WHOLE_TENSOR

__all__ = ["EPSILON", "LARGEST", "OPS", "POINTWISE", "Operation", "ShapeError", "operations_table"]

OPS: Mapping[str, Operation] = {**POINTWISE, **WHOLE_TENSOR}


def operations_table() -> str:
    """The operations that models can write, as the table of docs/language.md."""
    rows = ["| operation | meaning |", "|---|---|"]
    for op in OPS.values():
        if op.written:
            meaning = " ".join(op.doc.split()).replace("|", "\\|")
            rows.append(f"| `{op.written}` | {meaning} |")
    return "\n".join(rows) + "\n"
