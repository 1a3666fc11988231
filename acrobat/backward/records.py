"""What an adjoint block reads and writes, and how its outputs are used: plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..ir import batched as B

# Where a node's values are while its adjoint runs: behind the references of the node, in a row of
# a weight, among the outputs of the node, in the gradients of these, or among the outputs of the
# adjoint.
Place = Literal["operand", "row", "output", "gradient", "adjoint"]


@dataclass(frozen=True, slots=True)
class Source:
    """The value with the number `number` in a place, from float `start` on."""

    place: Place
    number: int
    start: int = 0


@dataclass(frozen=True, slots=True)
class Rows:
    """`count` rows of `width` floats each, `stride` apart."""

    source: Source
    count: int
    width: int
    stride: int


@dataclass(frozen=True, slots=True)
class Product:
    """The gradient of a part of a weight that all nodes share: that of weight[row:, col:] is
    left^T @ right, summed over all rows of all nodes of the mini-batch."""

    weight: str
    row: int
    col: int
    left: Rows
    right: Rows


@dataclass(frozen=True, slots=True)
class NodeSum:
    """The gradient of a weight that all nodes share, as a sum of one contribution per node."""

    weight: str
    rows: Rows


@dataclass(frozen=True, slots=True)
class Adjoint:
    """A static block in training form and its adjoint.

    forward   the block, which also outputs what the adjoint reads (after its own outputs)
    own       how many outputs the block itself has
    backward  the adjoint, None if there is nothing to compute; `reads[i]` is where its i-th
              gathered input lies, `rows[i]` which gathered row of `forward` its i-th one is
    operands  (operand of the forward block, output of the adjoint that is its gradient)
    chosen    (gathered row of the forward block, where its gradient is)
    """

    forward: B.Block
    own: int
    backward: B.Block | None
    reads: tuple[Source, ...]
    rows: tuple[int, ...]
    operands: tuple[tuple[int, Source], ...]
    chosen: tuple[tuple[int, Source], ...]
    products: tuple[Product, ...]
    sums: tuple[NodeSum, ...]
