"""The state of block lowering: the block, the options, and the values so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...ir import batched as B
from ...ir import typed as T
from ...ir.types import Type
from ...limits import MAX_RECOMPUTED
from ..specification.expr import Pool, Region, exceeds
from .placing import Placing
from .values import Value, shape_of


@dataclass(slots=True)
class Context:
    """The state while one block is lowered. `values`: the values of per-node tensors, by variable;
    `shared`: the names of shared weights, by variable; `types`: the types of these weights, by
    name; `inputs`: the types of the block's other inputs."""

    block: B.Block
    kernel_fusion: bool
    horizontal_fusion: bool
    placing: Placing = field(default_factory=Placing)
    values: dict[T.Var, Value] = field(default_factory=dict)
    shared: dict[T.Var, str] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    inputs: dict[Region, Type] = field(default_factory=dict)

    @property
    def pool(self) -> Pool:
        """The expressions of the block."""
        return self.placing.pool

    def value(self, atom: T.Atom) -> Value:
        """The value of an operand; a shared array is one segment."""
        if isinstance(atom, T.Const):
            return Value(1, ((1, self.pool.number(float(atom.value))),))
        if atom in self.values:
            value = self.values[atom]
            if exceeds(value.exprs, MAX_RECOMPUTED):
                value = self.values[atom] = self.placing.read_if_stored(value)
            return value
        rows, columns = shape_of(atom.type)
        leaf = self.pool.shared(self.shared[atom], 0, columns if rows > 1 else 0, 1)
        return Value(rows, ((columns, leaf),))

    def store_large(self, atoms: Sequence[T.Atom]) -> None:
        """Store those of `atoms` that are too large for kernels to recompute."""
        for atom in atoms:
            if atom in self.values:
                value = self.value(atom)
                if exceeds(value.exprs, MAX_RECOMPUTED):
                    self.values[atom] = self.placing.store(value, True)

    def input(self, region: Region, t: Type) -> Value:
        """An input of the block, which is in memory, row by row without gaps."""
        self.inputs[region] = t
        rows, columns = shape_of(t)
        leaf = self.pool.load(region, 0, columns if rows > 1 else 0, 1)
        return Value(rows, ((columns, leaf),))
