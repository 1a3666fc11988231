"""The facts about a module that the scheduler needs: which nodes run ahead, which serve all
instances, and how often its phases are divided."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir import batched as B
from ..ir.batched_walk import regions, statements
from ..ir.type_queries import rows_of
from ..ir.types import TensorType, align

# Weights of more rows are not kept track of: a note per row would be megabytes.
_MOST_ROWS = 1 << 20

# Later iterations of a loop whose iterations are aligned across instances run unaligned.
MAX_SUBPHASES = 4096


def subphases(module: B.Module) -> int:
    """In how many parts an `align` may divide a phase."""
    body = module.functions[module.entry].body
    loops = (s for s in statements(body) if isinstance(s, B.For | B.While))
    if any(_aligns(r) for loop in loops for r in regions(loop)):
        return MAX_SUBPHASES
    return 1 + _aligns(body)


def _aligns(region: B.Region) -> int:
    return sum(isinstance(s, B.Align) for s in statements(region))


def hoisted_blocks(module: B.Module) -> frozenset[int]:
    """The blocks whose nodes run ahead; none of their runs does not."""
    runs = (s for f in module.functions.values() for s in statements(f.body))
    return frozenset(s.block for s in runs if isinstance(s, B.Run) and s.hoisted)


def arena_weight_offsets(module: B.Module) -> dict[str, int]:
    """Where each weight that is read through references lies in the arena, in floats."""
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
    """A block that depends on one row of `weight` and nothing else: nodes of the same row compute
    the same, so that one serves all instances. With `by_handle` the row comes through a handle,
    which may also lead elsewhere: to a tensor of the instance."""

    weight: str
    by_handle: bool


def once_blocks(module: B.Module) -> dict[int, Once]:
    """Those among the hoisted blocks."""
    found: dict[int, Once] = {}
    for b in hoisted_blocks(module):
        block = module.blocks[b]
        if len(block.gathered) + len(block.gathered_rows) != 1:
            continue
        by_handle = not block.gathered_rows
        # Of the weights whose rows a handle may lead to, the one with the most of them.
        weights = (
            _tables(module, block.gathered[0]) if by_handle else [block.gathered_rows[0].param]
        )
        rows = {w: rows_of(module.weights[w])[0] for w in weights}
        most = max(rows, key=lambda w: rows[w], default=None)
        if most is not None and rows[most] <= _MOST_ROWS:
            found[b] = Once(most, by_handle)
    return found


def _tables(module: B.Module, operand: B.Gathered) -> list[str]:
    """The weights in the arena that have rows of that shape."""
    assert isinstance(operand.var.type, TensorType)
    dims = operand.var.type.dims
    known = {w: module.weights[w].dims for w in arena_weight_offsets(module)}
    return [w for w, of in known.items() if of and of[1:] == dims]
