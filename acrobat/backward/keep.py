"""Decide which values of the forward pass are kept for the adjoint, and which are recomputed
(rematerialised).

A node's operands, rows and outputs are in memory anyway. Of the rest, results of contractions,
reductions and normalisations are kept; point-wise operations and data movement are recomputed from
what is in memory, because arithmetic is cheaper than memory that has left the caches. If that would
require keeping at least as many floats of other values, the value itself is kept: the activations
of an LSTM's gates instead of their arguments, so that no `exp` is computed twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..ir import batched as B
from ..ir import typed as T
from ..ir.ops import OPS
from .emitter import dims_of
from .records import Rows, Source


@dataclass(slots=True)
class Kept:
    """The decisions for one block: `kept` are additional outputs of its training form, `places`
    says where the values in memory are."""

    block: B.Block
    made: Mapping[T.Var, T.Op]
    kept: list[T.Var] = field(default_factory=list)
    places: dict[T.Var, Source] = field(default_factory=dict)
    inputs: set[T.Var] = field(default_factory=set)

    def __post_init__(self) -> None:
        block = self.block
        for n, g in enumerate(block.gathered):
            self.places[g.var] = Source("operand", n)
        for n, r in enumerate(block.gathered_rows):
            self.places.setdefault(r.var, Source("row", n))
        for n, v in enumerate(block.outputs):
            self.places.setdefault(v, Source("output", n))
        self.inputs = {i.var for i in block.inputs}

    def pieces(self, x: T.Var) -> list[tuple[int, T.Var, Rows | None]]:
        """The columns of `x` as values in memory: for each, its first column, the value, and which
        rows of it (None: all of it)."""
        if not self._in_memory(x):
            op = self.made.get(x)
            if op is not None and op.name == "concat" and _by_columns(op):
                found: list[tuple[int, T.Var, Rows | None]] = []
                at = 0
                for a in op.args:
                    assert isinstance(a, T.Var)
                    found += [(at + column, v, rows) for column, v, rows in self.pieces(a)]
                    at += dims_of(a)[-1]
                return found
            self._keep(x)
        return [(0, x, None)]

    def ops_for(self, ops: list[B.BlockOp], outputs: list[T.Var]) -> list[B.BlockOp]:
        """The operations of `ops` that `outputs` need, after the forward operations that are
        recomputed."""
        live = set(outputs)
        needed: list[B.BlockOp] = []
        for o in reversed(ops):
            if o.out in live:
                needed.append(o)
                live.update(a for a in o.op.args if isinstance(a, T.Var))
        anew: set[T.Var] = set()
        for o in self.block.ops:  # in forward order: kept values serve later ones
            if o.out in live:
                self._provide(o.out, anew)
        again = [o for o in self.block.ops if o.out in anew and not self._in_memory(o.out)]
        return [*again, *reversed(needed)]

    def _in_memory(self, v: T.Var) -> bool:
        return v in self.places or v in self.inputs or v in self.kept

    def _keep(self, v: T.Var) -> None:
        if not self._in_memory(v):
            self.kept.append(v)

    def _sources(self, op: T.Op) -> list[T.Var]:
        return [a for a in op.args if isinstance(a, T.Var)]

    def _provide(self, v: T.Var, anew: set[T.Var]) -> None:
        """Decide whether `v`, which the adjoint reads, is kept or recomputed."""
        work = [v]
        while work:
            x = work.pop()
            if self._in_memory(x):
                continue
            lost = self._lost(x)
            if lost and (x in lost or _size(x) <= sum(map(_size, lost))):
                self._keep(x)
                continue
            anew.add(x)
            work += self._sources(self.made[x])

    def _lost(self, v: T.Var) -> set[T.Var]:
        """The values that would have to be kept to recompute `v`."""
        found: set[T.Var] = set()
        seen: set[T.Var] = set()
        work = [v]
        while work:
            x = work.pop()
            if x in seen or self._in_memory(x):
                continue
            seen.add(x)
            op = self.made[x]
            if OPS[op.name].kind in ("pointwise", "rearrange", "constant"):
                work += self._sources(op)
            else:
                found.add(x)
        return found


def _by_columns(op: T.Op) -> bool:
    rank, axis = len(dims_of(op.args[0])), dict(op.attrs).get("axis", -1)
    return axis in (-1, rank - 1) and all(len(dims_of(a)) == rank for a in op.args)


def _size(v: T.Var) -> int:
    size = 1
    for d in dims_of(v):
        size *= d
    return size
