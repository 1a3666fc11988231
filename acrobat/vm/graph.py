"""The dataflow graph of one mini-batch and its batches: runtime/include/acrobat/{graph/graph,
schedule/schedule}.h reimplemented in Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import CapacityError
from ..ir.types import align
from ..layout import SCHEDULERS, Layout
from ..limits import ARENA_FLOATS
from .choice import FEW, FOLLOW_NS, Advice, Compared
from .lookahead import look_ahead
from .memory import NODE_BYTES, Arena
from .node import Handle, Node
from .order import Order

ARENA_NODE = -1


@dataclass(frozen=True, slots=True)
class Batch:
    """The nodes of one block at one depth, by number (`members`). Their records begin at `record`
    in the arena; `offsets[j]` are the offsets of their operand j, int32 [n]."""

    block: int
    phase: int
    depth: int
    members: tuple[int, ...]
    record: int
    offsets: tuple[np.ndarray, ...]

    @property
    def n(self) -> int:
        return len(self.members)


@dataclass(slots=True)
class Graph:
    """Nodes in order of creation, and the places in the arena of those that have been scheduled
    (`location`, in floats)."""

    layout: Layout
    arena: Arena
    floats: int = 0
    nodes: list[Node] = field(default_factory=list)
    location: dict[int, int] = field(default_factory=dict)
    pending: list[int] = field(default_factory=list)
    aside: set[int] = field(default_factory=set)
    n_batches: int = 0
    # How to schedule the nodes, if the program chooses.
    advice: Advice | None = None
    # All batches with their nodes, in order, if an observer wants them.
    done: list[Batch] | None = None

    def add(self, node: Node) -> int:
        """Record `node` and return its number."""
        self.arena.budget.take(NODE_BYTES, "its graph")
        self.nodes.append(node)
        self.pending.append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def runs_no_later(self, number: int, phase: int) -> bool:
        """Whether a recorded node is computed, or will be in `phase` or an earlier one."""
        return number in self.location or self.nodes[number].phase <= phase

    def set_aside(self, numbers: Collection[int]) -> None:
        """Defer nodes of an instance that has ended to the last schedule: nobody waits for them."""
        self.aside |= set(numbers)

    def take(self, floats: int) -> int:
        """Reserve room in the arena and return its place, aligned to 16 floats. CapacityError if
        there is none."""
        at = self.floats
        self.floats += align(floats)
        if self.floats > ARENA_FLOATS:
            raise CapacityError(
                f"the mini-batch needs {self.floats >> 18} MiB for its tensors, and one call can "
                f"address {ARENA_FLOATS >> 18} MiB; pass fewer instances per call"
            )
        self.arena.provide(self.floats)
        return at

    def place(self, handle: Handle) -> int:
        """Return where a scheduled tensor begins, in floats."""
        return handle.offset + (0 if handle.node == ARENA_NODE else self.location[handle.node])

    def computed(self, handle: Handle) -> bool:
        """Whether the tensor has been scheduled."""
        return handle.node == ARENA_NODE or handle.node in self.location

    def schedule(self, last_phase: int, is_last: bool) -> list[Batch]:
        """Return the batches of all pending nodes of phases up to `last_phase`, in order. Nodes
        that were set aside stay pending unless this is the last schedule (`is_last`)."""
        if is_last:
            self.aside.clear()

        def later(number: int) -> bool:
            return self.nodes[number].phase > last_phase or number in self.aside

        taken = [i for i in self.pending if not later(i)]
        self.pending = [i for i in self.pending if later(i)]
        groups: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        for i, (phase, step) in zip(taken, self._steps(taken), strict=True):
            groups[phase, step, self.nodes[i].block].append(i)
        order = sorted(groups)
        records: list[int] = []
        for key in order:
            size = self.layout.blocks[key[2]].plan.record
            self._cluster(groups[key])
            record = self.take(size * len(groups[key]))
            records.append(record)
            for rank, i in enumerate(groups[key]):
                self.location[i] = record + rank * size
        batches = []
        for key, record in zip(order, records, strict=True):
            members = [self.nodes[i] for i in groups[key]]
            columns = [
                *zip(*([self.place(h) for h in m.operands] for m in members), strict=True),
                *zip(*(m.indices for m in members), strict=True),
            ]
            offsets = tuple(np.array(c, dtype=np.int32) for c in columns)
            phase, depth, block = key
            batches.append(Batch(block, phase, depth, tuple(groups[key]), record, offsets))
        if self.done is not None:
            self.done += batches
        self.n_batches += len(batches)
        return batches

    def _cluster(self, members: list[int]) -> None:
        """Sort the nodes of a batch so that those that chose the same matrices are neighbours."""
        block = self.layout.blocks[self.nodes[members[0]].block]
        choices = [c - len(block.block.gathered) for c in block.clustered]
        if choices:
            members.sort(key=lambda i: (*(self.nodes[i].indices[c] for c in choices), i))

    def _steps(self, taken: Sequence[int]) -> list[tuple[int, int]]:
        """Return the phase and depth of every node of `taken` under the selected scheduler."""
        scheduler = SCHEDULERS[self.layout.scheduler]
        if scheduler == "lookahead":
            return look_ahead(self.nodes, taken)
        if scheduler == "auto" and self.advice is not None:
            return self._chosen(taken, self.advice)
        phases = [self.nodes[i].phase for i in taken]
        return list(zip(phases, self._depths(taken, scheduler), strict=True))

    def _chosen(self, taken: Sequence[int], advice: Advice) -> list[tuple[int, int]]:
        """Inline depth, unless another schedule is advised and pays: reimplements
        schedule/follow.h."""
        if advice.order is not None:
            places = advice.order.places(self.nodes, taken)
            if not advice.misfits(advice.order, len(set(places))):
                return places
            advice.renewed = True
            return self._looked(taken, advice, always=True)
        if advice.looks:
            return self._looked(taken, advice, always=False)
        return [(self.nodes[i].phase, self.nodes[i].depth) for i in taken]

    def _looked(self, taken: Sequence[int], advice: Advice, always: bool) -> list[tuple[int, int]]:
        """Lookahead if it pays or `always` is set, else inline depth; notes what it found."""
        advice.looked, advice.order = True, None
        nodes = [self.nodes[i] for i in taken]
        steps = inline = [(n.phase, n.depth) for n in nodes]
        here = Compared(len(nodes), sum(self.layout.blocks[n.block].work for n in nodes))
        here.inline_depth = here.lookahead = _count(nodes, inline)
        if here.inline_depth >= FEW:
            ahead = look_ahead(self.nodes, taken)
            block_at = dict(sorted((step, n.block) for n, step in zip(nodes, ahead, strict=True)))
            order = Order(list(block_at.values()), len(self.layout.blocks))
            here.lookahead = order.size
            if advice.follows and order.fits() and here.pays(FOLLOW_NS):
                advice.order = order
                steps = order.places(self.nodes, taken)
                here.lookahead = len(set(steps))
            elif always or here.pays():
                steps = ahead
        here.lookahead = min(here.lookahead, here.inline_depth)
        advice.found.add(here)
        return steps

    def _depths(self, taken: Sequence[int], scheduler: str) -> list[int]:
        if scheduler in ("inline_depth", "auto"):
            return [self.nodes[i].depth for i in taken]
        depth: dict[int, int] = {}
        for i in taken:
            used = (h.node for h in self.nodes[i].operands)
            depth[i] = 1 + max((depth[o] for o in used if o in depth), default=-1)
        if scheduler == "runtime_depth":
            return [depth[i] for i in taken]
        return self._agenda(taken, depth)

    def _agenda(self, taken: Sequence[int], depth: dict[int, int]) -> list[int]:
        """DyNet's agenda (Neubig et al. 2017, section 3.2): of the blocks with ready nodes, run the
        one whose remaining nodes have the least average depth."""
        users: dict[int, list[int]] = defaultdict(list)
        missing: dict[int, int] = {}
        left: dict[tuple[int, int], list[int]] = defaultdict(list)
        for i in taken:
            node = self.nodes[i]
            used = [h.node for h in node.operands if h.node in depth]
            missing[i] = len(used)
            left[node.phase, node.block].append(i)
            for o in used:
                users[o].append(i)
        ready: dict[tuple[int, int], list[int]] = defaultdict(list)
        for i in taken:
            if missing[i] == 0:
                ready[self.nodes[i].phase, self.nodes[i].block].append(i)
        totals = {k: sum(depth[i] for i in v) for k, v in left.items()}
        counts = {k: len(v) for k, v in left.items()}
        steps: dict[int, int] = {}
        while len(steps) < len(taken):
            phase = min(k[0] for k, v in ready.items() if v)
            key = min(
                (k for k, v in ready.items() if v and k[0] == phase),
                key=lambda k: (totals[k] / counts[k], k),
            )
            batch, ready[key] = ready[key], []
            step = len(steps)
            for i in batch:
                steps[i] = step
                totals[key] -= depth[i]
                counts[key] -= 1
                for u in users[i]:
                    missing[u] -= 1
                    if missing[u] == 0:
                        ready[self.nodes[u].phase, self.nodes[u].block].append(u)
        return [steps[i] for i in taken]

    def min_batches(self) -> int:
        """Return a lower bound on the number of batches: the longest chain of every block,
        summed."""
        total = 0
        for kind in range(len(self.layout.blocks)):
            chain: list[int] = []
            for node in self.nodes:
                longest = max((chain[h.node] for h in node.operands if h.node >= 0), default=0)
                chain.append(longest + (node.block == kind))
            total += max(chain, default=0)
        return total


def _count(nodes: Sequence[Node], steps: Sequence[tuple[int, int]]) -> int:
    return len({(*step, node.block) for node, step in zip(nodes, steps, strict=True)})
