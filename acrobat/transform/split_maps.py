"""Loop fission at decisions: iterations that wait, without a fiber for each.

    ys = map i in range(n):               hs, cs = map i in range(n):
        h, c = run gate(xs[i])                h, c = run gate(xs[i])
        k = read c                            yield h, c
        ...                        ->     ys = map, in turn, i in range(n):
        y = run expert(h)                     k = read cs[i]
        yield y                               ...
                                              y = run expert(hs[i])
                                              yield y

The concurrent iterations of a map would each be a fiber that waits for its decision. In two maps,
the first has no decision, and in the second one the first iteration waits for what all of them
need: the others find it computed. The batches are the same.

This applies where all decisions of an iteration are in its body and its branches; iterations that
call a function or run a loop that decides are fibers. On a GPU, every fiber that waits says which
number it needs, and all of these are copied at once; so there are none too many there.
"""

from __future__ import annotations

from dataclasses import replace

from ..analysis.decisions import may_suspend, suspending_functions
from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_rename import with_names
from ..ir.batched_walk import map_bodies, regions, with_regions
from ..ir.rebuild import rebuilt
from ..ir.types import INT, ListType
from .helpers.divided_regions import Divider
from .helpers.linked_parts import linked


def split_maps(module: B.Module, target: str) -> B.Module:
    """`module` with such maps split, unless it runs on a GPU."""
    suspending = suspending_functions(module)
    if target != "cpu" or not suspending:
        return module
    divider = Divider(suspending)
    return map_bodies(module, lambda body: _region(body, divider))


def _region(region: B.Region, divider: Divider) -> B.Region:
    stmts: list[B.Stmt] = []
    for stmt in region.stmts:
        new = with_regions(stmt, [_region(r, divider) for r in regions(stmt)])
        stmts += _split(new, divider) if isinstance(new, B.Map) else [new]
    return rebuilt(region, stmts=tuple(stmts))


def _split(stmt: B.Map, divider: Divider) -> list[B.Map]:
    """The maps that replace `stmt`."""
    if stmt.in_turn or not divider.suspends(stmt):
        return [stmt]
    divided = divider.divided(stmt.body)
    if divided is None or not isinstance(stmt.body.end, T.Yield):
        return [stmt]
    if len(divided.parts) == 1:
        return [rebuilt(stmt, in_turn=True)]
    results = stmt.body.end.values
    links = linked(divided.parts, results)
    lists = {v: T.Var(v.name, ListType(v.type)) for link in links for v in link.gives}
    maps: list[B.Map] = []
    for k, (part, link) in enumerate(zip(divided.parts, links, strict=True)):
        is_last = k == len(links) - 1
        index = T.Var(stmt.index.name, INT)
        items = {v: T.Var(v.name, v.type) for v in link.needs}
        new = link.names | items | {stmt.index: index}
        reads = [
            B.Let((item,), T.ListOp("get", (lists[v], index)), stmt.span)
            for v, item in items.items()
        ]
        end = T.Yield(results if is_last else tuple(link.gives))
        body = B.Region((*link.repeated, *part), end)
        body = with_names(body, new)
        body = replace(body, stmts=(*reads, *body.stmts))
        maps.append(
            replace(
                stmt,
                outs=stmt.outs if is_last else tuple(lists[v] for v in link.gives),
                index=index,
                body=body,
                filtered=stmt.filtered and is_last,
                in_turn=may_suspend(body, divider.suspending),
            )
        )
    return maps
