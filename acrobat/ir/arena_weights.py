"""Which weights of a block have to lie in the arena.

A shared weight can be the packed side of a contraction, as it is or transposed, or be read element
by element in point-wise code. Anything else (the left-hand side of a product of matrices, a part of
a concatenation that is contracted) addresses it like a tensor of the node's own; such a weight is
placed in the arena and gathered.
"""

from __future__ import annotations

from . import batched as B
from . import typed as T
from .ops import POINTWISE
from .types import TensorType

# Operations that read every operand element by element.
_ELEMENT_BY_ELEMENT = frozenset(POINTWISE) | {"layer_norm", "rms_norm", "outer"}


def arena_weights(block: B.Block) -> frozenset[str]:
    """The weights of `block` that must be gathered."""
    shared = {s.var: s.param for s in block.shared}
    # Not only the weights themselves, but also their transposes, which are packed in their place.
    turned = {o.out: shared[a] for o in block.ops if (a := _transposes(o.op)) in shared}
    found: set[str] = set()
    for o in block.ops:
        for position, arg in enumerate(o.op.args):
            if not isinstance(arg, T.Var):
                continue
            if arg in shared and not (_direct(o.op, position) or o.out in turned):
                found.add(shared[arg])
            if arg in turned and not _packed(o.op, position):
                found.add(turned[arg])
    for v in block.outputs:
        found.update(known[v] for known in (shared, turned) if v in known)
    return frozenset(found)


def _direct(op: T.Op, position: int) -> bool:
    bias = op.name == "linear" and position == 2
    return op.name in _ELEMENT_BY_ELEMENT or bias or _packed(op, position)


def _packed(op: T.Op, position: int) -> bool:
    """Whether this operand of `op` is a matrix by which a kernel multiplies vectors or the rows of
    a matrix."""
    if op.name not in ("matmul", "linear"):
        return False
    left, right = (len(a.type.dims) for a in op.args[:2] if isinstance(a.type, TensorType))
    return right == 2 if position == 1 else (left, right) == (2, 1) and position == 0


def _transposes(op: T.Op) -> T.Atom | None:
    return op.args[0] if op.name == "transpose" else None
