"""Observers of the interpreter while it runs a mini-batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..layout import Layout
from ..options import Options
from .graph import Batch, Graph
from .interpreter import Interpreter
from .recorder import Recorder


class Observer:
    """Is told what a call does; the base class ignores it."""

    __slots__ = ()

    def begins(self, graph: Graph) -> None:
        """A call begins, which records into `graph`."""

    def interpreter(
        self,
        layout: Layout,
        graph: Graph,
        ahead: int,
        options: Options,
        stored: Mapping[str, type],
        shared: frozenset[int],
    ) -> Interpreter:
        """Return the interpreter that runs the control flow."""
        return Interpreter(Recorder(layout, graph, ahead), options, stored, shared)

    def recording(self, graph: Graph, instance: int) -> None:
        """From the next node on, it is `instance` that records."""

    def waiting(self, instances: Sequence[int]) -> None:
        """These instances wait for the next computation."""

    def scheduled(self, graph: Graph, batches: Sequence[Batch]) -> None:
        """These batches run now."""

    def did(self, activity: str, batch: int = -1) -> None:
        """`activity` has taken place since the last call of this method. `batch` counts from the
        end."""


class Keeper(Observer):
    """Makes the graph keep its batches in `graph.done`, in the order in which they ran."""

    __slots__ = ()

    def begins(self, graph: Graph) -> None:
        """See the base class."""
        graph.done = []
