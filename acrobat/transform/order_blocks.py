"""Number the blocks so that hoisted ones come first.

At one depth, blocks run in the order of their numbers. A hoisted node shares a depth with the first
of the nodes that may read it, so its block must have the lower number. (Other nodes of one depth do
not depend on each other, and hoisted ones do not depend on anything that is computed.)
"""

from __future__ import annotations

from ..ir import batched as B
from ..ir.batched_walk import map_bodies, regions, statements, with_regions
from ..ir.rebuild import rebuilt


def order_blocks(module: B.Module) -> B.Module:
    """`module` with hoisted blocks first; otherwise, their order stays the same."""
    hoisted = {
        s.block
        for f in module.functions.values()
        for s in statements(f.body)
        if isinstance(s, B.Run) and s.hoisted
    }
    order = sorted(range(len(module.blocks)), key=lambda n: n not in hoisted)
    if order == list(range(len(order))):
        return module
    number = {old: new for new, old in enumerate(order)}

    def region(r: B.Region) -> B.Region:
        return rebuilt(r, stmts=tuple(map(stmt, r.stmts)))

    def stmt(s: B.Stmt) -> B.Stmt:
        if isinstance(s, B.Run):
            return rebuilt(s, block=number[s.block])
        return with_regions(s, [region(r) for r in regions(s)])

    blocks = tuple(module.blocks[n] for n in order)
    return rebuilt(map_bodies(module, region), blocks=blocks)
