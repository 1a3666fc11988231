"""How close a mini-batch came to the minimum number of batches, place by place.

The number of batches that ran is compared with three others, computed from the same graph: that of
lookahead; that of lookahead if recorded nodes could wait for instances that are still deciding; and
the bound, in which every block runs as often as its longest chain has nodes. Each difference
between two successive numbers has one cause.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..ir.span import Span
from ..layout import Layout
from ..vm.graph import Graph
from ..vm.lookahead import look_ahead
from ..vm.node import Node
from ..vm.watch import Watch
from .places import Place, places


@dataclass(frozen=True, slots=True)
class Seen:
    """A mini-batch that ran. For node n: `nodes[n]`; `place[n]`; `ran[n]`, the batch that it ran
    in; `ahead[n]`, its batch under lookahead; `free[n]`, its batch under lookahead across all
    flushes; `flush[n]`. `waits`, `behind` and `instances` are as in `Watch`."""

    layout: Layout
    nodes: Sequence[Node]
    place: Sequence[Place]
    instances: Sequence[int]
    hoisted: Sequence[bool]
    ran: Sequence[int]
    ahead: Sequence[int]
    free: Sequence[int]
    flush: Sequence[int]
    waits: Sequence[Counter[Span]]
    behind: Sequence[frozenset[int]]


@dataclass(frozen=True, slots=True)
class Share:
    """One place's share of a mini-batch: its nodes, and the number of batches that they are in:
    as run (`batches`), under lookahead (`ahead`), under lookahead across all flushes (`free`), and
    at least (`bound`). `chain`, `chain_block`: the longest chain of the place in one block, and
    that block."""

    place: Place
    members: Sequence[int]
    batches: int
    ahead: int
    free: int
    bound: int
    chain: int
    chain_block: int


@dataclass(slots=True)
class Levels:
    """What made nodes as deep as they are: for every instance, flush and phase, the place that each
    depth was spent at."""

    of: dict[tuple[int, int, int], dict[int, Place]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    def before(self, key: tuple[int, int, int], depth: int) -> Counter[Place]:
        """Count the depths below `depth`, by place."""
        return Counter(p for d, p in self.of[key].items() if d < depth)


def look_at(layout: Layout, graph: Graph, watch: Watch) -> Seen:
    """Collect the facts about a mini-batch that the interpreter has run."""
    nodes, where = graph.nodes, places(layout.module)
    ran = [watch.batch_of(graph.location[n]) for n in range(len(nodes))]
    flush = [watch.computations[b] for b in ran]
    ahead = [0] * len(nodes)
    for number in range(len(watch.waits)):
        taken = [n for n, f in enumerate(flush) if f == number]
        for n, (_, batch) in zip(taken, look_ahead(nodes, taken), strict=True):
            ahead[n] = number * len(nodes) + batch
    return Seen(
        layout,
        nodes,
        [where[id(r)] for r in watch.runs],
        watch.instances,
        [r.hoisted for r in watch.runs],
        ran,
        ahead,
        [b for _, b in look_ahead(nodes, range(len(nodes)), watch.behind)],
        flush,
        watch.waits,
        watch.behind,
    )


def shares(seen: Seen) -> list[Share]:
    """Return the share of every place that recorded nodes, in source order."""
    members: dict[Place, list[int]] = defaultdict(list)
    for n, place in enumerate(seen.place):
        members[place].append(n)
    found = []
    for place in sorted(members, key=lambda p: (p.span.file, p.span.line, p.span.col, p.loop)):
        mine = members[place]
        kinds = {n: seen.nodes[n].block for n in mine}
        chains = longest_chains(seen.nodes, kinds)
        block = max(chains, key=lambda b: chains[b])
        found.append(
            Share(
                place=place,
                members=mine,
                batches=len({seen.ran[n] for n in mine}),
                ahead=len({seen.ahead[n] for n in mine}),
                free=len({seen.free[n] for n in mine}),
                bound=sum(chains.values()),
                chain=chains[block],
                chain_block=block,
            )
        )
    return found


def longest_chains(nodes: Sequence[Node], kinds: Mapping[int, int]) -> dict[int, int]:
    """Return, for every kind of node, the length of its longest chain of dependent nodes. `kinds`:
    the kinds of the nodes that have one."""
    ending: list[dict[int, int]] = []
    longest: dict[int, int] = {}
    for n, node in enumerate(nodes):
        mine: dict[int, int] = {}
        used = {h.node for h in node.operands if h.node >= 0}
        for o in used:
            for kind, length in ending[o].items():
                if mine.get(kind, 0) < length:
                    mine[kind] = length
        if n in kinds:
            kind = kinds[n]
            mine[kind] = mine.get(kind, 0) + 1
            longest[kind] = max(longest.get(kind, 0), mine[kind])
        ending.append(mine)
    return longest


def levels(seen: Seen) -> Levels:
    """Return which place every depth of every instance was spent at."""
    found = Levels()
    for n, node in enumerate(seen.nodes):
        if not seen.hoisted[n]:
            key = seen.instances[n], seen.flush[n], node.phase
            found.of[key].setdefault(node.depth, seen.place[n])
    return found
