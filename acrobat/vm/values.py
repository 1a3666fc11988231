"""The interpreter's values, and those of right-hand sides that neither call nor suspend.

Numbers are Python numbers, lists are Python lists, data are the author's own objects or records
(runtime/records.py); a tensor is a `Handle`, or, if an instance brought it, a numpy array.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import AcrobatError, InstanceError
from ..ir import batched as B
from ..ir import typed as T
from ..ir.host_functions import HOST_FUNCTIONS, host_call
from ..ir.type_queries import rows_of
from ..ir.types import FloatType
from .graph import ARENA_NODE
from .memory import DATA_BYTES, LISTS, WORD_BYTES
from .node import Handle
from .numbers import list_op, scalar
from .recorder import Recorder

Value = Any
Env = dict[T.Var, Value]


def value(atom: T.Atom, env: Env) -> Value:
    """Return the value of a variable or constant."""
    return env[atom] if isinstance(atom, T.Var) else atom.value


def number(atom: T.Atom, env: Env) -> Value:
    """Return the value of an operand of arithmetic; an int becomes a float where the model has a
    float."""
    found = value(atom, env)
    return float(found) if isinstance(atom.type, FloatType) else found


class Values:
    """Computes right-hand sides. `stored`: the classes of data (runtime/records.py)."""

    def __init__(self, recorder: Recorder, stored: Mapping[str, type]) -> None:
        self.recorder, self.stored, self.layout = recorder, stored, recorder.layout
        self.graph, self.arena = recorder.graph, recorder.arena
        # The weights that variables refer to, for error messages.
        self.weights: dict[T.Var, str] = {}

    def of(self, rhs: B.Rhs, out: T.Var, env: Env) -> Value:
        """Return the value of a right-hand side that neither calls nor suspends."""
        match rhs:
            case T.Scalar(op, args) if op in HOST_FUNCTIONS:
                lookups = self.layout.module.lookups
                return host_call(op, lookups, [number(a, env) for a in args])
            case T.Scalar(op, args):
                return scalar(op, [number(a, env) for a in args])
            case T.ListOp(op, args):
                made = list_op(op, [value(a, env) for a in args])
                if isinstance(made, list):
                    self.arena.budget.take(WORD_BYTES, LISTS)
                    self.arena.budget.allow(WORD_BYTES * len(made), LISTS)
                return made
            case T.GetField(obj, name):
                return getattr(env[obj], name)
            case T.Construct(data, args):
                cls = self.stored[data]
                self.arena.budget.take(DATA_BYTES, LISTS)
                return None if cls is type(None) else cls(*(value(a, env) for a in args))
            case T.Narrow(obj):
                return env[obj]
            case B.View(source, start):
                return self.recorder.handle(env[source]).part(start)
            case B.RowOf(source, index):
                rows, size = rows_of(source.type)
                row = row_of(value(index, env), rows, self.weights.get(source))
                return self.recorder.handle(env[source]).part(row * size)
            case B.WeightReference(param):
                self.weights[out] = param
                return Handle(ARENA_NODE, self.layout.arena_weights[param])
            case B.ScalarReference(atom):
                at = self.graph.take(1)
                self.arena.floats[at] = value(atom, env)
                return Handle(ARENA_NODE, at)
            case B.Unused():
                return None
        raise AcrobatError(f"{type(rhs).__name__} ({FloatType()}) is not interpreted")


def row_of(index: int, rows: int, weight: str | None) -> int:
    """Return which of the `rows` rows of a tensor `index` selects; a negative index counts from the
    end. InstanceError if there is no such row."""
    if -rows <= index < rows:
        return index % rows
    if weight is None:
        raise InstanceError(f"row {index} of a tensor of {rows} rows does not exist")
    raise InstanceError(f"row {index} of {weight} does not exist: it has rows 0 to {rows - 1}")
