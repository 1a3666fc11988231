"""The result of the parameter reuse analysis: values by context (`parameter_reuse.py`)."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..ir import typed as T
from .reuse_values import VARYING, Value, passed


@dataclass(frozen=True, slots=True)
class Context:
    """One way of calling a function: its arguments, as far as they distinguish contexts."""

    function: str
    args: tuple[Value, ...] = ()


@dataclass(slots=True)
class Reuse:
    """For each context, the value of every variable, the arguments and the results."""

    mode: str
    values: dict[Context, dict[int, Value]] = field(default_factory=dict)
    args: dict[Context, tuple[Value, ...]] = field(default_factory=dict)
    results: dict[Context, tuple[Value, ...]] = field(default_factory=dict)
    fields: dict[tuple[str, str], Value] = field(default_factory=dict)
    groups: dict[str, tuple[bool, ...]] = field(default_factory=dict)
    joined: frozenset[str] = frozenset()
    entry: Context = Context("")

    def value(self, context: Context, atom: T.Atom) -> Value:
        """The abstract value of `atom` in `context`."""
        if isinstance(atom, T.Const):
            return VARYING
        return self.values[context].get(atom.number)

    def context_of(self, function: str, args: tuple[Value, ...]) -> Context:
        """The context that a call with these argument values belongs to."""
        if self.mode != "context-sensitive" or function in self.joined:
            # A params object never exists at run time: it must be known in every context.
            groups = zip(args, self.groups[function], strict=True)
            return Context(function, tuple(a if group else VARYING for a, group in groups))
        return Context(function, tuple(map(passed, args)))
