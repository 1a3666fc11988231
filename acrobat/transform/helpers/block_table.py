"""The distinct blocks of a module: nodes of the same block batch with each other."""

from __future__ import annotations

from dataclasses import replace

from ...ir import batched as B
from ...ir import typed as T
from ...ir.types import TensorType


class BlockTable:
    """The blocks of a module, each once; and the types of the weights they read. A hoisted block
    differs from an equal one that is not: nodes of the one may read nodes of the other."""

    def __init__(self) -> None:
        self.blocks: list[B.Block] = []
        self.numbers: dict[object, int] = {}
        self.weights: dict[str, TensorType] = {}

    def number(self, block: B.Block, hoisted: bool) -> int:
        key = hoisted, shape_of(block)
        if key not in self.numbers:
            taken = {b.name for b in self.blocks}
            name, n = block.name, 1
            while name in taken:
                n += 1
                name = f"{block.name}_{n}"
            self.numbers[key] = len(self.blocks)
            self.blocks.append(replace(block, name=name))
        return self.numbers[key]


def shape_of(block: B.Block) -> object:
    """The block with its variables numbered by first occurrence: equal iff the blocks differ only
    in the names of their variables."""
    order: dict[T.Var, int] = {}

    def atom(a: T.Atom) -> object:
        # As text: 0.0 and -0.0 are equal, and NaN is not equal to itself.
        return order.setdefault(a, len(order)) if isinstance(a, T.Var) else (str(a), a.type)

    inputs = tuple(
        (
            type(i).__name__,
            atom(i.var),
            str(i.var.type),
            getattr(i, "param", ""),
            getattr(i, "choice", 0),
        )
        for i in block.inputs
    )
    ops = tuple(
        (o.op.name, tuple(map(atom, o.op.args)), o.op.attrs, atom(o.out)) for o in block.ops
    )
    return inputs, ops, tuple(map(atom, block.outputs))
