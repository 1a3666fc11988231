"""Hoisting: which operations depend on the instance and the weights alone (paper: operation
hoisting). Their nodes need nothing that the recursion computes, so they can run before it, all at
once.

A value is *given* (an input) if it comes from the instance: a field of a data type that the model
never constructs, an item of a list in such a field, a part of such a tensor, a row of a weight; a
list of such values; and a parameter of a function, if every call passes it a given value. Missing
information means "not given".

Hoisting pays only in loops and recursive functions: a node that runs once per instance is in one
batch with its counterparts in the other instances anyway, and an extra node is an extra batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..ir import batched as B
from ..ir import batched_walk as walk
from ..ir import typed as T
from ..ir.ops import OPS
from ..ir.rewrite import called, statements
from ..ir.types import BoolType, FloatType, IntType, TensorType

_NUMBERS = (BoolType, FloatType, IntType)


@dataclass(slots=True)
class Given:
    """The variables of one function that hold values given by the instance. `built`: the data
    types that the model constructs."""

    vars: set[T.Var] = field(default_factory=set)
    built: frozenset[str] = frozenset()

    def add(self, var: T.Var) -> None:
        """Record that `var` is given."""
        self.vars.add(var)

    def follow(self, out: T.Var, *sources: T.Atom) -> None:
        """Record that `out` consists of `sources`, or is a part of them."""
        if all(s in self for s in sources):
            self.vars.add(out)

    def bind(self, arm: T.Arm, subject: T.Var) -> None:
        """Record that the arm's variables are fields of `subject`."""
        if subject in self or arm.data not in self.built:
            self.vars.update(arm.binds)

    def __contains__(self, atom: T.Atom) -> bool:
        """Whether `atom` is given; a number holds nothing that is computed on the device."""
        return not isinstance(atom, T.Var) or isinstance(atom.type, _NUMBERS) or atom in self.vars


class GivenArguments:
    """Which parameters get given values in every call. At first, all are assumed to; `restrict`
    retracts what a call refutes, until no call refutes anything. What remains holds by induction
    over the depth of calls, since the entry is called with the instance."""

    def __init__(self, module: T.Module) -> None:
        self.given = {f.name: set(f.params) for f in module.functions.values()}
        self.params = {f.name: f.params for f in module.functions.values()}
        self.built = frozenset(
            s.rhs.data
            for f in module.functions.values()
            for s in statements(f.body)
            if isinstance(s, T.Let) and isinstance(s.rhs, T.Construct)
        )

    def of(self, function: T.Function) -> Given:
        """What is known to be given in `function` before any of its statements is seen."""
        return Given(set(self.given[function.name]), self.built)

    def restrict(self, function: B.Function, given: Given) -> set[str]:
        """Retract what the calls in `function` refute; return the functions that this affects."""
        changed: set[str] = set()
        lets = (s for s in walk.statements(function.body) if isinstance(s, B.Let))
        for call in (c for let in lets for c in called(let.rhs)):
            for param, arg in zip(self.params[call.function], call.args, strict=True):
                if param in self.given[call.function] and arg not in given:
                    self.given[call.function].remove(param)
                    changed.add(call.function)
        return changed


def split_early(
    ops: list[B.BlockOp], given: Given, weights: Mapping[T.Var, str]
) -> tuple[list[B.BlockOp], list[B.BlockOp]]:
    """Split the operations of a run into those that can be hoisted and the others. None is hoisted
    unless there is a contraction among them, since a node has a cost."""
    early: list[B.BlockOp] = []
    known: set[T.Var] = set()
    for o in ops:
        tensors = [a for a in o.op.args if isinstance(a, T.Var) and isinstance(a.type, TensorType)]
        if all(a in known or a in given or a in weights for a in tensors):
            early.append(o)
            known.add(o.out)
    if not any(OPS[o.op.name].contracts for o in early):
        return [], ops
    late = [o for o in ops if o.out not in known]
    # Operations that cost nothing and that only the late ones need stay with the late ones.
    while early and late and not _contributes(early[-1]):
        late.insert(0, early.pop())
    return early, late


def _contributes(o: B.BlockOp) -> bool:
    return o.op.name not in ("lookup", "slice", "concat")
