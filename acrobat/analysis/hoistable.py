"""Hoisting: which operations depend on the instance and the weights alone (paper: operation
hoisting). Their nodes need nothing that the recursion computes, so they can run before it, all of
them together.

A value is *given* (an input) if it comes from the instance: a field of a data type that the model
never constructs, an item of a list in such a field, a part of such a tensor, a row of a weight; a
list of such values; and a parameter of a function, if every call passes it a given value. Missing
information means "not given".

Hoisting pays only in loops and recursive functions: what runs once per instance is one batch with
its counterparts in the other instances anyway, and an extra node is an extra batch.
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
    """The variables of one function that hold values given by the instance. `built`: data types
    that the model constructs."""

    vars: set[T.Var] = field(default_factory=set)
    built: frozenset[str] = frozenset()

    def add(self, var: T.Var) -> None:
        """`var` is given."""
        self.vars.add(var)

    def follow(self, out: T.Var, *sources: T.Atom) -> None:
        """`out` consists of `sources`, or is a part of them."""
        if all(s in self for s in sources):
            self.vars.add(out)

    def bind(self, arm: T.Arm, subject: T.Var) -> None:
        """The arm's variables are fields of `subject`."""
        if subject in self or arm.data not in self.built:
            self.vars.update(arm.binds)

    def __contains__(self, atom: T.Atom) -> bool:
        """Whether `atom` is given; a number holds nothing that is computed on the device."""
        return not isinstance(atom, T.Var) or isinstance(atom.type, _NUMBERS) or atom in self.vars


class GivenArguments:
    """Which parameters get given values in every call. To begin with, all are taken to be such;
    `restrict` takes back what a call refutes, until no call refutes any more: by induction over
    the depth of calls, for the instance calls the entry, the rest holds."""

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
        """What `function` knows to be given before any statement of it is seen."""
        return Given(set(self.given[function.name]), self.built)

    def restrict(self, function: B.Function, given: Given) -> set[str]:
        """Take back what the calls in `function` refute; the functions for which there was any."""
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
    """The operations of a run that can be hoisted, and the others; none can be unless there is a
    contraction among them, for a node has its price."""
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
    # What only the others need, and costs nothing, stays with them.
    while early and late and not _contributes(early[-1]):
        late.insert(0, early.pop())
    return early, late


def _contributes(o: B.BlockOp) -> bool:
    return o.op.name not in ("lookup", "slice", "concat")
