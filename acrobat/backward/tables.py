"""A training plan in the form that the runtime reads: the structures of
runtime/include/acrobat/gradients (`tables.h`, and `BackwardOut` of `entry.h`) for ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .plan import TrainedBlock, TrainingPlan
from .records import Rows
from .records import Source as At

Fields = tuple[tuple[str, Any], ...]
_PLACES = {"operand": 0, "row": 1, "output": 2, "gradient": 3, "adjoint": 4}


class Source(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("place", ctypes.c_int),
        ("argument", ctypes.c_int),
        ("at", ctypes.c_int64),
        ("table", ctypes.c_void_p),
    )


class Output(ctypes.Structure):
    _fields_: ClassVar[Fields] = (("start", ctypes.c_int64), ("size", ctypes.c_int64))


class OperandGradient(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("operand", ctypes.c_int),
        ("width", ctypes.c_int),
        ("source", Source),
    )


class RowsOf(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("source", Source),
        ("count", ctypes.c_int),
        ("width", ctypes.c_int),
        ("stride", ctypes.c_int),
    )


class Product(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("left", RowsOf),
        ("right", RowsOf),
        ("out", ctypes.c_int64),
        ("weight", ctypes.c_int),
        ("stride", ctypes.c_int),
    )


class NodeSum(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("rows", RowsOf),
        ("size", ctypes.c_int64),
        ("weight", ctypes.c_int),
    )


class Trained(ctypes.Structure):
    """`TrainedBlock` in C++."""

    _fields_: ClassVar[Fields] = (
        *((n, ctypes.c_int) for n in ("adjoint", "n_reads", "n_rows", "n_operands")),
        *((n, ctypes.c_int) for n in ("n_products", "n_sums", "n_outputs")),
        ("outputs", ctypes.POINTER(Output)),
        ("reads", ctypes.POINTER(Source)),
        ("rows", ctypes.POINTER(ctypes.c_int)),
        ("operands", ctypes.POINTER(OperandGradient)),
        ("products", ctypes.POINTER(Product)),
        ("sums", ctypes.POINTER(NodeSum)),
    )


class NodesOut(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("n", ctypes.c_int64),
        ("records", ctypes.POINTER(ctypes.c_int64)),
        ("adjoints", ctypes.POINTER(ctypes.c_int64)),
        ("arguments", ctypes.POINTER(ctypes.POINTER(ctypes.c_int64))),
        ("gradients", ctypes.POINTER(ctypes.POINTER(ctypes.c_int64))),
    )


class ArenaWeight(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("at", ctypes.c_int64),
        ("width", ctypes.c_int64),
        ("rows", ctypes.c_int64),
        ("constant", ctypes.c_int64),
        ("touched", ctypes.c_void_p),
        ("n_touched", ctypes.c_int64),
        ("whole", ctypes.c_int64),
    )


class WeightOut(ctypes.Structure):
    _fields_: ClassVar[Fields] = (("to", ctypes.c_void_p), ("size", ctypes.c_int64))


class BackwardOut(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("arena", ctypes.c_void_p),
        ("floats", ctypes.c_int64),
        ("shift", ctypes.c_int64),
        ("nodes", ctypes.c_int64),
        ("batches", ctypes.c_int64),
        ("walk_ms", ctypes.c_double),
        ("products_ms", ctypes.c_double),
        ("blocks", ctypes.POINTER(NodesOut)),
        ("weights", ctypes.POINTER(ArenaWeight)),
        ("n_weights", ctypes.c_int64),
    )


@dataclass(slots=True)
class Tables:
    """`blocks` is for the runtime; `weights` are the paths that products and sums refer to by
    number. `keep` holds everything that is pointed to."""

    blocks: Any
    weights: tuple[str, ...]
    keep: list[Any] = field(default_factory=list)


def tables(plan: TrainingPlan, weights: Mapping[str, np.ndarray]) -> Tables:
    """The plan's tables; rows of `weights` are read at the current addresses of these arrays."""
    paths = {p.weight for b in plan.blocks for p in b.adjoint.products}
    paths |= {s.weight for b in plan.blocks for s in b.adjoint.sums}
    made = Tables((Trained * max(1, len(plan.blocks)))(), tuple(sorted(paths)), [weights])
    for n, block in enumerate(plan.blocks):
        widths = plan.layout.blocks[n].widths
        made.blocks[n] = _block(block, widths, weights, made)
    return made


def _block(
    block: TrainedBlock, widths: Sequence[int], weights: Mapping[str, np.ndarray], made: Tables
) -> Trained:
    adjoint = block.adjoint
    operands, rows = len(adjoint.forward.gathered), adjoint.forward.gathered_rows

    def source(s: At) -> Source:
        argument = operands + s.number if s.place == "row" else s.number
        table = weights[rows[s.number].param].ctypes.data if s.place == "row" else None
        return Source(_PLACES[s.place], argument, block.place(s), table)

    def rows_of(r: Rows) -> RowsOf:
        return RowsOf(source(r.source), r.count, r.width, r.stride)

    def array(kind: Any, items: Sequence[Any]) -> Any:
        found = (kind * max(1, len(items)))(*items)
        made.keep.append(found)
        return found

    number = made.weights.index
    products = []
    for p in adjoint.products:
        columns = weights[p.weight].shape[1]
        out = p.row * columns + p.col
        products.append(Product(rows_of(p.left), rows_of(p.right), out, number(p.weight), columns))
    sums = [
        NodeSum(rows_of(s.rows), weights[s.weight].size, number(s.weight)) for s in adjoint.sums
    ]
    gradients = [OperandGradient(j, widths[j], source(s)) for j, s in adjoint.operands]
    reads = [source(s) for s in adjoint.reads]
    outputs = [Output(*o) for o in zip(block.outputs, block.own, strict=False)]
    parts = (reads, adjoint.rows, gradients, products, sums, outputs)
    return Trained(
        -1 if block.number is None else block.number,
        *map(len, parts),
        array(Output, outputs),
        array(Source, reads),
        array(ctypes.c_int, adjoint.rows),
        array(OperandGradient, gradients),
        array(Product, products),
        array(NodeSum, sums),
    )
