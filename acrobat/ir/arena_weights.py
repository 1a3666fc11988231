"""Which weights of a block have to lie in the arena.

A shared weight can be the packed right-hand side of a contraction, or be read element by element
in point-wise code. Anything else (a left-hand side, a part of a concatenation that is contracted)
addresses it like a tensor of the node's own; such a weight is placed in the arena and
gathered.
"""

from __future__ import annotations

from . import batched as B
from . import typed as T
from .ops import POINTWISE
from .types import TensorType

# Operations that read every operand element by element.
_ELEMENT_BY_ELEMENT = frozenset(POINTWISE) | {"layer_norm", "outer"}


def arena_weights(block: B.Block) -> frozenset[str]:
    """The weights of `block` that must be gathered."""
    shared = {s.var: s.param for s in block.shared}
    found: set[str] = set()
    for o in block.ops:
        for position, arg in enumerate(o.op.args):
            if isinstance(arg, T.Var) and arg in shared and not _direct(o.op, position):
                found.add(shared[arg])
    found.update(shared[v] for v in block.outputs if v in shared)
    return frozenset(found)


def _direct(op: T.Op, position: int) -> bool:
    if op.name in _ELEMENT_BY_ELEMENT:
        return True
    if op.name in ("matmul", "linear"):
        arg = op.args[position]
        assert isinstance(arg, T.Var) and isinstance(arg.type, TensorType)
        return position == 2 or (position == 1 and len(arg.type.dims) == 2)
    return False
