"""What instances have in some programs: a matrix with any number of rows, and a dict with known
keys."""

from __future__ import annotations

TYPES = """

class Row(TypedDict):
    n: int
    w: float
    x: Tensor["H"]
"""

FIELDS = """\
    rows: Tensor["N", "H"]
    row: Row
"""
