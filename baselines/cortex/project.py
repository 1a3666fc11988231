"""Input projections: what a step computes from its item alone is computed for all items first.

Along a sequence, the products of a step with its item need no state. Taken out, they are one dense
batch over all items of all instances, and a step is left with what depends on the step before; as
libraries of recurrent networks are written by hand.
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
    """`inputs` is computed for every item and has the outputs `sent`; `step` gathers these
    before its own."""

    inputs: B.Block
    step: B.Block
    sent: tuple[T.Var, ...]


def project(block: B.Block) -> Projected | None:
    """`block` of a step, divided; None if no product depends on the item alone. The item is what
    the block gathers rows for."""
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
