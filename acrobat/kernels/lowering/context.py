"""What a lowering of an operation works on: the block, the options, and the values so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...ir import batched as B
from ...ir import typed as T
from ..specification.expr import Pool, Region
from .placing import Placing
from .values import Value, shape_of


@dataclass(slots=True)
class Context:
    """State while one block is lowered. `values`: of the tensors of the node's own, by variable;
    `shared`: the names of the weights that are shared."""

    block: B.Block
    kernel_fusion: bool
    horizontal_fusion: bool
    placing: Placing = field(default_factory=Placing)
    values: dict[T.Var, Value] = field(default_factory=dict)
    shared: dict[T.Var, str] = field(default_factory=dict)

    @property
    def pool(self) -> Pool:
        """The expressions of the block."""
        return self.placing.pool

    def value(self, atom: T.Atom) -> Value:
        """The value of an operand; a shared array is one segment."""
        if isinstance(atom, T.Const):
            return Value(1, ((1, self.pool.number(float(atom.value))),))
        if atom in self.values:
            return self.values[atom]
        rows, columns = shape_of(atom.type)
        leaf = self.pool.shared(self.shared[atom], 0, columns if rows > 1 else 0, 1)
        return Value(rows, ((columns, leaf),))

    def input(self, region: Region, t: object) -> Value:
        """An input of the block, which lies in memory, row by row without gaps."""
        rows, columns = shape_of(t)
        leaf = self.pool.load(region, 0, columns if rows > 1 else 0, 1)
        return Value(rows, ((columns, leaf),))
