"""What looks on while the interpreter runs a mini-batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..layout import Layout
from ..options import Options
from .graph import Batch, Graph
from .interpreter import Interpreter
from .recorder import Recorder


class Observer:
    """Is told what a call does, in this order; this one looks away."""

    __slots__ = ()

    def begins(self, graph: Graph) -> None:
        """A call, which records into `graph`."""

    def interpreter(
        self,
        layout: Layout,
        graph: Graph,
        ahead: int,
        options: Options,
        stored: Mapping[str, type],
        shared: frozenset[int],
    ) -> Interpreter:
        """What runs the control flow."""
        return Interpreter(Recorder(layout, graph, ahead), options, stored, shared)

    def recording(self, graph: Graph, instance: int) -> None:
        """From the next node on, `instance` records."""

    def waiting(self, instances: Sequence[int]) -> None:
        """These wait for the computation that follows."""

    def scheduled(self, graph: Graph, batches: Sequence[Batch]) -> None:
        """These batches run now."""

    def did(self, activity: str, batch: int = -1) -> None:
        """What was done since the last time this was called; `batch` counts from the end."""


class Keeper(Observer):
    """Has the graph keep its batches, in the order in which they ran: `graph.done`."""

    __slots__ = ()

    def begins(self, graph: Graph) -> None:
        """As that of the base class."""
        graph.done = []
