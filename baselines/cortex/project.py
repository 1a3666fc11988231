"""Input projections: the values that a step computes from its item alone are computed first, for
all items.

Along a sequence, a step's products with its item need no state. Taken out of the step, they form
one dense batch over all items of all instances, and only operations that depend on the previous
step remain in it, as in hand-written libraries of recurrent networks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acrobat.analysis.hoistable import Given, split_early
from acrobat.ir import batched as B
from acrobat.ir import typed as T

from .refactor import block_of, variables


@dataclass(frozen=True, slots=True)
class Projected:
    """The two parts of a step's block: `inputs`, which is computed for every item and has the
    outputs `sent`, and `step`, which gathers these before its other operands."""

    inputs: B.Block
    step: B.Block
    sent: tuple[T.Var, ...]


def project(block: B.Block) -> Projected | None:
    """Divide the block of a step; None if no product depends on the item alone. The item selects
    the rows that the block gathers."""
    weights: Mapping[T.Var, str] = {s.var: s.param for s in block.shared}
    early, late = split_early(list(block.ops), Given({t.var for t in block.gathered_rows}), weights)
    if not early:
        return None
    needed = {a for o in late for a in variables(o)} | set(block.outputs)
    sent = tuple(o.out for o in early if o.out in needed)
    received = [B.Gathered(v) for v in sent]
    inputs = block_of(f"{block.name}_inputs", block.inputs, early, sent)
    step = block_of(block.name, [*received, *block.inputs], late, block.outputs)
    return Projected(inputs, step, sent)
