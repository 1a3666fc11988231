"""Block lowering: a static block as a plan of batched kernels.

Every tensor of the block has M rows and a list of *segments*: a width and an expression over row
and column (`specification/expr.py`). A vector has one row, a tensor of rank 0 one row and one
column. In this form splitting, slicing, concatenating, transposing and broadcasting cost nothing,
and operations are fused wherever nothing is stored in between:

* a contraction of a concatenation is a sum of contractions of its parts; a slice of a contraction
  is a contraction with fewer columns of the weight. This covers LSTM gates, however written;
* kernel fusion: point-wise operations stay expressions until something must be stored;
* horizontal fusion: stores of the same shape that can run at the same time become one kernel.

`operations` defines how each operation is lowered, `placing` what must be stored and where, and
`grouping` which stores share a kernel.
"""

from __future__ import annotations

from ...ir import batched as B
from ...ir.types import align
from ...limits import MAX_INSTRUCTIONS
from ..specification.expr import Region, exceeds
from ..specification.spec import BlockPlan
from .context import Context
from .grouping import group_kernels
from .operations import LOWERINGS, MOVES


def lower_block(block: B.Block, kernel_fusion: bool, horizontal_fusion: bool) -> BlockPlan:
    """The kernels of `block`, whose dimensions are all known."""
    context = Context(block, kernel_fusion, horizontal_fusion)
    for n, tensor in enumerate(block.gathered):
        context.values[tensor.var] = context.input(Region("gathered", n), tensor.var.type)
    for n, row in enumerate(block.gathered_rows):
        context.values[row.var] = context.input(Region("gathered_row", n), row.var.type)
    for shared in block.shared:
        context.shared[shared.var], context.types[shared.param] = shared.param, shared.var.type
    for o in block.ops:
        value = LOWERINGS[o.op.name](context, o.op, o.out)
        if exceeds(value.exprs, MAX_INSTRUCTIONS):
            # Lower it again with stored operands. Nothing needs what the first attempt stored.
            context.store_large(o.op.args)
            value = LOWERINGS[o.op.name](context, o.op, o.out)
        free = kernel_fusion or o.op.name in MOVES
        kept = free and not exceeds(value.exprs, MAX_INSTRUCTIONS)
        context.values[o.out] = value if kept else context.placing.store(value, True)
    outputs, record = _place_outputs(context)
    return group_kernels(context, outputs, record)


def _place_outputs(context: Context) -> tuple[list[int], int]:
    """Where each output begins in the record, and the floats of all outputs. An output that is not
    already a separate temporary is written there."""
    placing = context.placing
    outputs: list[int] = []
    at = 0
    for var in context.block.outputs:
        value = context.value(var)
        outputs.append(at)
        temp = placing.whole_temp(value)
        if temp is not None and temp.record is None:
            # Stored directly in the record, and read from there.
            temp.record = at
        else:
            placing.writes += placing.writes_of(value, -1, at, value.width)
        at += align(value.rows * value.width)
    return outputs, at
