"""The facts about a module that the scheduler needs: which nodes run early, which serve all
instances, and into how many parts its phases are divided."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir import batched as B
from ..ir.batched_walk import regions, statements
from ..ir.type_queries import rows_of
from ..ir.types import TensorType, align

# Weights with more rows are not tracked: an entry per row would take megabytes.
_MOST_ROWS = 1 << 20

# In a loop whose iterations are aligned across instances, iterations beyond these are not.
MAX_SUBPHASES = 4096


def subphases(module: B.Module) -> int:
    """Into how many parts `align` may divide a phase."""
    body = module.functions[module.entry].body
    loops = (s for s in statements(body) if isinstance(s, B.For | B.While))
    if any(_aligns(r) for loop in loops for r in regions(loop)):
        return MAX_SUBPHASES
    return 1 + _aligns(body)


def _aligns(region: B.Region) -> int:
    return sum(isinstance(s, B.Align) for s in statements(region))


def hoisted_blocks(module: B.Module) -> frozenset[int]:
    """The blocks whose nodes run early; all runs of such a block are hoisted."""
    runs = (s for f in module.functions.values() for s in statements(f.body))
    return frozenset(s.block for s in runs if isinstance(s, B.Run) and s.hoisted)


def arena_weight_offsets(module: B.Module) -> dict[str, int]:
    """The offset in the arena, in floats, of each weight that is read through references."""
    read = {
        s.rhs.param
        for f in module.functions.values()
        for s in statements(f.body)
        if isinstance(s, B.Let) and isinstance(s.rhs, B.WeightReference)
    }
    found: dict[str, int] = {}
    at = 0
    for name in sorted(read):
        found[name] = at
        at += align(module.weights[name].size)
    return found


@dataclass(frozen=True, slots=True)
class Once:
    """A block that depends on one row of `weight` and nothing else: nodes for the same row compute
    the same values, so one node serves all instances. With `by_handle`, the row comes through a
    handle, which may also refer to something else: a tensor of the instance."""

    weight: str
    by_handle: bool


def once_blocks(module: B.Module) -> dict[int, Once]:
    """The hoisted blocks that depend on one row of a weight, by number."""
    found: dict[int, Once] = {}
    for b in hoisted_blocks(module):
        block = module.blocks[b]
        if len(block.gathered) + len(block.gathered_rows) != 1:
            continue
        by_handle = not block.gathered_rows
        # Among the weights whose rows a handle may refer to, take the one with the most rows.
        weights = (
            _tables(module, block.gathered[0]) if by_handle else [block.gathered_rows[0].param]
        )
        rows = {w: rows_of(module.weights[w])[0] for w in weights}
        most = max(rows, key=lambda w: rows[w], default=None)
        if most is not None and rows[most] <= _MOST_ROWS:
            found[b] = Once(most, by_handle)
    return found


def _tables(module: B.Module, operand: B.Gathered) -> list[str]:
    """The weights in the arena whose rows have the shape of `operand`."""
    assert isinstance(operand.var.type, TensorType)
    dims = operand.var.type.dims
    known = {w: module.weights[w].dims for w in arena_weight_offsets(module)}
    return [w for w, of in known.items() if of and of[1:] == dims]
