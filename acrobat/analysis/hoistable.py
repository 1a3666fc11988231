"""Hoisting: which operations depend on the instance and the weights alone (paper: operation
hoisting). Their nodes need nothing that the recursion computes, so they can run before it, all of
them together.

A value is *given* if it comes from the instance: a field of a data type that the model never
constructs, an item of a list in such a field, a part of such a tensor. Missing information means
"not given": what a function gets as an argument is given only in the entry, and only if nothing
calls it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..ir import batched as B
from ..ir import typed as T
from ..ir.ops import OPS
from ..ir.rewrite import calls, statements
from ..ir.types import TensorType


@dataclass(slots=True)
class Given:
    """The variables of one function that hold values given by the instance."""

    vars: set[T.Var] = field(default_factory=set)

    def add(self, var: T.Var) -> None:
        """`var` is given."""
        self.vars.add(var)

    def follow(self, out: T.Var, source: T.Var) -> None:
        """`out` is a part of `source`."""
        if source in self.vars:
            self.vars.add(out)


def given_by_instances(module: T.Module, function: T.Function) -> Given:
    """What `function` knows to be given before any statement of it is seen."""
    built = {
        s.rhs.data
        for f in module.functions.values()
        for s in statements(f.body)
        if isinstance(s, T.Let) and isinstance(s.rhs, T.Construct)
    }
    given = Given()
    called = {c.function for f in module.functions.values() for c in calls(f.body)}
    if function.name == module.entry and function.name not in called:
        given.vars.update(function.params)
    for stmt in statements(function.body):
        if isinstance(stmt, T.Match):
            for arm in stmt.arms:
                if arm.data not in built:
                    given.vars.update(arm.binds)
    return given


def split_early(
    ops: list[B.BlockOp], given: Given, weights: Mapping[T.Var, str]
) -> tuple[list[B.BlockOp], list[B.BlockOp]]:
    """The operations of a run that can be hoisted, and the others; none can be unless there is a
    contraction among them, for a node has its price."""
    early: list[B.BlockOp] = []
    known: set[T.Var] = set()
    for o in ops:
        tensors = [a for a in o.op.args if isinstance(a, T.Var) and isinstance(a.type, TensorType)]
        if all(a in known or a in given.vars or a in weights for a in tensors):
            early.append(o)
            known.add(o.out)
    if not any(OPS[o.op.name].contracts for o in early):
        return [], ops
    late = [o for o in ops if o.out not in known]
    # What only the others need, and costs nothing, stays with them.
    while early and late and not _contributes(early[-1]):
        late.insert(0, early.pop())
    return early, late


def _contributes(o: B.BlockOp) -> bool:
    return o.op.name not in ("lookup", "slice", "concat")
