"""Which schedule mini-batches get with scheduler="auto": runtime/include/acrobat/schedule/choice.h
reimplemented with the same constants, so that both form the same batches."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from .order import Order

# With fewer batches there is nothing to gain.
FEW: Final = 6

_BATCH_NS, _WORK_PER_NS = 500, 100
LOOK_NS, FOLLOW_NS, _NODE_NS = 40, 8, 100
_PATIENCE, _PAUSE, _REST = 3, 63, 7


@dataclass(slots=True)
class Compared:
    """Counts of nodes, and of their batches under either schedule."""

    nodes: int = 0
    work: int = 0
    inline_depth: int = 0
    lookahead: int = 0

    def add(self, other: Compared) -> None:
        """Add the counts of `other`."""
        self.nodes += other.nodes
        self.work += other.work
        self.inline_depth += other.inline_depth
        self.lookahead += other.lookahead

    def pays(self, node_ns: int = LOOK_NS) -> bool:
        """Whether lookahead needs far fewer batches, and its cost of `node_ns` per node exceeds the
        time that this saves by at most a sixteenth of the total."""
        saved = self.inline_depth - self.lookahead
        total = self.nodes * _NODE_NS + self.work // _WORK_PER_NS
        return (
            5 * saved >= self.inline_depth
            and self.nodes * node_ns <= saved * _BATCH_NS + total // 16
        )


@dataclass(slots=True)
class Advice:
    """How to schedule a mini-batch, and what came of it: the run-time's `Advice`."""

    looks: bool = False
    follows: bool = False
    looked: bool = False
    renewed: bool = False
    rests: int = 0
    order: Order | None = None
    found: Compared = field(default_factory=Compared)

    def misfits(self, order: Order, batches: int) -> bool:
        """Whether `batches` is far more than the order was found with, so that the mini-batch
        should get an order of its own."""
        return self.rests == 0 and 4 * batches > 5 * order.size


@dataclass(slots=True)
class Choice:
    """What is known from earlier mini-batches, by the bit length of their number of instances.
    `orders`: the block order to follow; `rests`: for how many more mini-batches it is kept even if
    it does not fit; `wait`: how many mini-batches pass before the next look, or, below zero, how
    many looks may still fail without such a pause."""

    orders: dict[int, Order | None] = field(default_factory=dict)
    rests: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    wait: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def advise(self, instances: int, follows: bool) -> Advice:
        """Return how to schedule a mini-batch of `instances`. `follows`: it is one graph, which may
        follow an order."""
        advice = Advice(follows=follows)
        if follows:
            size = instances.bit_length()
            advice.order, advice.rests = self.orders.get(size), self.rests[size]
            self.rests[size] = max(self.rests[size] - 1, 0)
        advice.looks = advice.order is None and self.looks(instances)
        return advice

    def learn(self, instances: int, advice: Advice) -> None:
        """Note what came of the advice."""
        if not advice.looked:
            return
        looking_pays = advice.found.pays()
        if advice.follows:
            size = instances.bit_length()
            self.orders[size] = advice.order
            self.rests[size] = _REST if advice.renewed and not looking_pays else 0
            if advice.order is not None:
                return
        self.note(instances, looking_pays)

    def looks(self, instances: int) -> bool:
        """Whether to look ahead at a mini-batch of `instances`."""
        size = instances.bit_length()
        if self.wait[size] <= 0:
            return True
        self.wait[size] -= 1
        return False

    def note(self, instances: int, pays: bool) -> None:
        """Note whether a look paid."""
        size = instances.bit_length()
        if pays:
            self.wait[size] = -_PATIENCE
        else:
            self.wait[size] = self.wait[size] + 1 if self.wait[size] < 0 else _PAUSE
