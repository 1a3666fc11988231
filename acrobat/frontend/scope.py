"""What the names of a function stand for while it is being lowered."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.span import Span
from ..ir.types import DictType, IntArrayType, ListType
from .conflicts import Conflict as Conflict
from .conflicts import Unsettled as Unsettled
from .function_values import FunctionTable, FunctionValue
from .weight_choice import WeightChoice


@dataclass(frozen=True, slots=True)
class Undefined:
    """Assigned on some paths only, by the statement at `span`."""

    span: Span


@dataclass(frozen=True, slots=True)
class Size:
    """A size that is known when the model is compiled: `n = x.shape[0]`."""

    dim: Dim


@dataclass(frozen=True, slots=True)
class Poison:
    """Its definition has an error, which has been reported; its uses are not."""


ITEMS = "[]"
KEYS = "[keys]"
COLLECTIONS = (ListType, DictType)  # what a function may change, if it owns it
POISON = Poison()
Binding = (
    T.Atom
    | Size
    | Undefined
    | Conflict
    | Unsettled
    | Poison
    | FunctionValue
    | FunctionTable
    | WeightChoice
)


@dataclass(slots=True)
class Env:
    """The bindings of local names at one point of a function; each path has its own copy.

    `narrowed` holds the fields of data that an enclosing case has matched, or that a type test has
    narrowed, and by their numbers the parts of a tuple that is being matched. `owned` are the names
    of lists that were made here and that nothing else refers to, so that a change is visible under
    that name alone; a name followed by ITEMS says the same of its items, if they are lists.
    `shadowed` are the outer bindings of names that enclosing comprehensions bind. `lent` says of
    which list or dict (with ITEMS) a loop's target is an item: that list no longer owns its items
    once the target goes where something else may refer to it.
    """

    names: dict[str, Binding] = field(default_factory=dict)
    narrowed: dict[T.Var, dict[str, T.Var]] = field(default_factory=dict)
    owned: set[str] = field(default_factory=set)
    shadowed: dict[str, Binding] = field(default_factory=dict)
    lent: dict[str, frozenset[str]] = field(default_factory=dict)

    def copy(self) -> Env:
        """Bindings that may change independently of these."""
        return Env(
            dict(self.names),
            dict(self.narrowed),
            set(self.owned),
            dict(self.shadowed),
            dict(self.lent),
        )

    def restore(self, saved: Env) -> None:
        """Take the bindings of `saved`, a copy from before."""
        self.names, self.narrowed = saved.names, saved.narrowed
        self.owned, self.shadowed, self.lent = saved.owned, saved.shadowed, saved.lent

    def shadow(self, names: set[str]) -> None:
        """A comprehension binds `names` anew inside it."""
        for name in names & set(self.names) - set(self.shadowed):
            self.shadowed[name] = self.names[name]

    def escape(self, name: str) -> None:
        """The value of `name` goes where something else may refer to it."""
        self.owned -= {name, name + ITEMS, *self.lent.get(name, ())}

    def hand_out(self, name: str | None) -> None:
        """An item of `name` goes where something else may refer to it."""
        if name is not None:
            self.owned -= {name + ITEMS, *self.lent.get(name, ())}

    def changeable(self) -> set[str]:
        """The names that stand for lists or dicts."""
        found = self.names.items()
        return {n for n, v in found if isinstance(v, T.Var) and isinstance(v.type, COLLECTIONS)}

    def is_dict(self, name: str) -> bool:
        """Whether the local `name` stands for a dict."""
        value = self.names.get(name)
        return isinstance(value, T.Var) and isinstance(value.type, DictType)

    def is_list(self, name: str) -> bool:
        """Whether the local `name` stands for a list."""
        value = self.names.get(name)
        return isinstance(value, (T.Var, T.Const)) and isinstance(value.type, ListType)

    def changes(self, name: str) -> bool:
        """Whether `+=` and `*=` change what the local `name` stands for: a list, which is no tuple
        of any length, nor an array of ints."""
        value = self.names.get(name)
        t = value.type if isinstance(value, (T.Var, T.Const)) else None
        return isinstance(t, ListType) and not t.frozen and not isinstance(t, IntArrayType)


@dataclass(slots=True)
class Loop:
    """A loop that is being lowered: its carried variables (names that are bound before the loop
    and assigned inside it), and their values wherever an iteration ends or the loop is left."""

    carried: dict[str, T.Var]
    values: list[tuple[T.Atom, ...]] = field(default_factory=list)
    breaks: bool = False
    # The owned lists wherever an iteration ends, and wherever `break` leaves the loop.
    owned: list[set[str]] = field(default_factory=list)
    left: list[set[str]] = field(default_factory=list)


class Recover(Exception):
    """An error has been reported; go on after the current statement."""
