"""Compute the gradients of the weights from the results of a backward pass.

The gradient of a weight that all nodes of a block share is one product over all nodes of the block
in the mini-batch, X^T @ DY, not one per batch. A row of a weight that is read by row gets the sum
over the nodes that read it; the gradient of a weight in the arena is in the arena, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..lang.sparse_rows import SparseRows
from .nodes import BlockNodes, Finished
from .plan import TrainedBlock, TrainingPlan
from .records import Rows

# From rows with their numbers, and the table's shape: every row once, ascending, with its sum.
RowSums = Callable[
    [Sequence[tuple[np.ndarray, np.ndarray]], tuple[int, ...]], tuple[np.ndarray, np.ndarray]
]

# A vectorised pass over at most this many rows does not pay.
_FEW = 16


@dataclass(slots=True)
class Collected:
    """Gradients of weights by path: `whole` arrays, and rows with their numbers, which are still
    to be summed."""

    weights: Mapping[str, np.ndarray]
    whole: dict[str, np.ndarray] = field(default_factory=dict)
    by_row: dict[str, list[tuple[np.ndarray, np.ndarray]]] = field(default_factory=dict)
    # The function that sums the rows; None means numpy.
    row_sums: RowSums | None = None

    def array(self, path: str) -> np.ndarray:
        """The array to which the gradient of a weight is added."""
        if path not in self.whole:
            self.whole[path] = np.zeros(self.weights[path].shape, np.float32)
        return self.whole[path]

    def unwritten(self, path: str) -> np.ndarray:
        """An uninitialised array for the gradient of a weight, all of which the caller writes."""
        found = self.whole[path] = np.empty(self.weights[path].shape, np.float32)
        return found

    def add(self, path: str, gradient: np.ndarray) -> None:
        whole = gradient.reshape(self.weights[path].shape)
        if path in self.whole:
            self.whole[path] += whole
        else:
            self.whole[path] = np.array(whole, np.float32)

    def results(self) -> dict[str, np.ndarray | SparseRows]:
        """All collected gradients, with rows summed."""
        found: dict[str, np.ndarray | SparseRows] = dict(self.whole)
        for path, parts in self.by_row.items():
            shape = self.weights[path].shape
            rows, values = _summed(parts, shape, self.row_sums)
            if path in self.whole:
                self.whole[path][rows] += values
            else:
                found[path] = SparseRows(rows, values, shape)
        return found


def _summed(
    parts: Sequence[tuple[np.ndarray, np.ndarray]],
    shape: tuple[int, ...],
    native: RowSums | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Every row once, with the sum of its values, added in the order in which they came."""
    if len(parts) == 1:
        ((rows, values),) = parts
        if bool((rows[1:] > rows[:-1]).all()):  # as for weights in the arena
            return rows.copy(), values.reshape(len(rows), *shape[1:])
    if native is not None:
        return native(parts, shape)
    if len(parts) == 1:
        ((numbers, values),) = parts  # one large array, which need not be copied
    else:
        numbers = np.concatenate([n for n, _ in parts])
        values = np.concatenate([v for _, v in parts])
    order = np.argsort(numbers, kind="stable")
    rows, first, counts = np.unique(numbers[order], return_index=True, return_counts=True)
    sums = values[order[first]]
    # Add all rows' second values, then all third ones, ...: np.add.reduceat takes 20 times as long.
    several, number = np.flatnonzero(counts > 1), 1
    while len(several) > _FEW:
        sums[several] += values[order[first[several] + number]]
        number += 1
        several = several[counts[several] > number]
    for n in several:
        sums[n] += values[order[first[n] + number : first[n] + counts[n]]].sum(axis=0)
    return rows, sums.reshape(len(rows), *shape[1:])


def collect(plan: TrainingPlan, finished: Finished, found: Collected, shared: bool = True) -> None:
    """Add the gradients of all weights that the blocks read to `found`; without `shared`, only
    those of weights that are read by row or lie in the arena."""
    for block, nodes in zip(plan.blocks, finished.nodes, strict=True):
        if nodes is not None and shared:
            _of_shared(block, nodes, finished, found)
        if nodes is not None:
            _of_rows(block, nodes, finished, found)
    for path, at in plan.layout.arena_weights.items():
        touched = finished.touched.get(path)
        if touched is None or not len(touched.rows):
            continue
        count, width = matrix_of(found.weights[path])
        start = finished.shift + at
        gradient = finished.memory[start : start + count * width].reshape(count, width)
        values = gradient[touched.rows]
        if touched.whole or found.weights[path].ndim < 2:
            found.array(path).reshape(count, width)[touched.rows] += values
        else:
            found.by_row.setdefault(path, []).append((touched.rows, values))


def matrix_of(weight: np.ndarray) -> tuple[int, int]:
    """The number of rows of a weight in the arena, and the floats of each; a vector is one row."""
    rows = len(weight) if weight.ndim > 1 else 1
    return rows, weight.size // rows


def _of_shared(
    block: TrainedBlock, nodes: BlockNodes, finished: Finished, found: Collected
) -> None:
    tables = [found.weights[r.param] for r in block.adjoint.forward.gathered_rows]

    def rows(of: Rows) -> np.ndarray:
        table = tables[of.source.number] if of.source.place == "row" else None
        return finished.rows(block, nodes, of, table)

    known: dict[Rows, np.ndarray] = {}
    for p in block.adjoint.products:
        left, right = (known.setdefault(r, rows(r)) for r in (p.left, p.right))
        whole = found.array(p.weight)
        whole[p.row : p.row + p.left.width, p.col : p.col + p.right.width] += left.T @ right
    for s in block.adjoint.sums:
        # One line per node first: a tensor of several rows has that many per node.
        every = rows(s.rows).reshape(len(nodes.records), -1)
        found.add(s.weight, every.sum(axis=0))


def _of_rows(block: TrainedBlock, nodes: BlockNodes, finished: Finished, found: Collected) -> None:
    tables = [found.weights[r.param] for r in block.adjoint.forward.gathered_rows]
    operands = len(block.adjoint.forward.gathered)
    for j, source in block.adjoint.chosen:
        table = tables[j]
        size = table.size // len(table)
        numbers = nodes.arguments[operands + j] // size
        values = finished.rows(block, nodes, Rows(source, 1, size, size), None)
        path = block.adjoint.forward.gathered_rows[j].param
        found.by_row.setdefault(path, []).append((numbers, values))
