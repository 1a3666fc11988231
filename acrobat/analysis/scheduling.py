"""What the scheduler has to know of a module: which nodes run ahead, which serve all instances, and
how often its phases are divided."""

from __future__ import annotations

from ..ir import batched as B
from ..ir.batched_walk import regions, statements

# Weights of more rows are not kept track of: a note per row would be megabytes.
_MOST_ROWS = 1 << 20

# More turns than that of a loop whose turns are aligned run unaligned.
MOST_TURNS = 4096


def turns(module: B.Module) -> int:
    """In how many parts an `align` may divide a phase."""
    body = module.functions[module.entry].body
    loops = (s for s in statements(body) if isinstance(s, B.For | B.While))
    if any(_aligns(r) for loop in loops for r in regions(loop)):
        return MOST_TURNS
    return 1 + _aligns(body)


def _aligns(region: B.Region) -> int:
    return sum(isinstance(s, B.Align) for s in statements(region))


def hoisted_blocks(module: B.Module) -> frozenset[int]:
    """The blocks whose nodes run ahead; none of their runs does not."""
    runs = (s for f in module.functions.values() for s in statements(f.body))
    return frozenset(s.block for s in runs if isinstance(s, B.Run) and s.hoisted)


def once_blocks(module: B.Module) -> dict[int, int]:
    """The hoisted blocks that depend on one row of a weight and nothing else, and how many rows the
    weight has: nodes of the same row compute the same, so that one serves all instances."""
    found: dict[int, int] = {}
    for run in (s for f in module.functions.values() for s in statements(f.body)):
        if isinstance(run, B.Run) and run.hoisted and not run.rows and len(run.indices) == 1:
            (table,) = module.blocks[run.block].table_rows
            rows = module.weights[table.param].dims[0].known
            if rows is not None and rows <= _MOST_ROWS:
                found[run.block] = rows
    return found
