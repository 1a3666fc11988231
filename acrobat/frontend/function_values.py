"""Functions as values: what names stand for that are only called or passed on.

Which function a name stands for is known when the model is compiled. A function that takes another
one is lowered for each that it is called with, and what the latter captures of its enclosing
function becomes arguments of both.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..ir import typed as T
from ..lang.model import Model
from .conflicts import Unsettled
from .source import Source
from .weight_choice import WeightChoice


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """What a name outside of the model stands for: `ops.tanh`, `math.sqrt`, a data class."""

    found: Any


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function whose source is lowered where it is called: a local one, a lambda, one without
    `@ab.model`. `model` tells where names that are not local are looked up. `captured` are its
    bindings of names of the enclosing function; `complete`: these are all of them; otherwise the
    rest is looked up where it is used, as in Python. `owner` is the type of a method's `self`.
    `is_model`: it has `@ab.model`, and is lowered for a call because it takes a function."""

    tree: ast.FunctionDef
    source: Source
    model: Model[..., Any]
    captured: Mapping[str, Any]
    complete: bool = True
    owner: Any = None
    is_model: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """`functools.partial(of, *args, **keywords)`."""

    of: FunctionValue
    args: tuple[Any, ...]
    keywords: Mapping[str, Any]


FunctionValue = Named | Closure | Partial


@dataclass(frozen=True, slots=True, eq=False)
class FunctionTable:
    """A dict of functions by constant keys, a list or a tuple of them (no keys), as a local name
    stands for it."""

    keys: tuple[Any, ...] | None
    functions: tuple[FunctionValue, ...]

    @property
    def table(self) -> dict[Any, FunctionValue] | tuple[FunctionValue, ...]:
        """The functions as Python has them."""
        if self.keys is None:
            return self.functions
        return dict(zip(self.keys, self.functions, strict=True))


def parts_of(value: Any) -> tuple[tuple[str, Any], ...]:
    """The bindings that a function value consists of, by name."""
    match value:
        case Closure():
            return tuple(value.captured.items())
        case Partial():
            numbered = [(str(i), a) for i, a in enumerate(value.args)]
            return (("", value.of), *numbered, *value.keywords.items())
        case FunctionTable():
            return tuple((str(i), f) for i, f in enumerate(value.functions))
    return ()


def identity(value: Any, around: tuple[Any, ...] = ()) -> Any:
    """A key that is equal for bindings for which a function is lowered alike: constants compare by
    value, variables by type, functions by source and by what they use."""
    match value:
        case T.Var(type=t):
            return t
        case T.Const(value=number, type=t):
            return (repr(number), t)
        case Named(found=found):
            return id(found)
        case Unsettled():
            return (value.value.type, identity(value.number), value.conflict)
        case WeightChoice():
            weights = tuple(identity(w) for w in value.weights)
            return (identity(value.selector), value.keys, weights)
        case Closure() | Partial() | FunctionTable() if value in around:
            return around.index(value)
        case Closure() | Partial() | FunctionTable():
            own: Any = id(value.tree) if isinstance(value, Closure) else "partial"
            own = repr(value.keys) if isinstance(value, FunctionTable) else own
            inner = (*around, value)
            return (own, tuple((n, identity(v, inner)) for n, v in parts_of(value)))
    return repr(value)


class Import:
    """Bindings of one function, made usable in another: each variable becomes a parameter there.
    `given` are the variables, `parameters` the parameters that they become."""

    def __init__(self) -> None:
        self.given: list[T.Var] = []
        self.parameters: list[T.Var] = []

    def binding(self, value: Any, around: Mapping[Any, Any] | None = None) -> Any:
        """`value`, with parameters for variables."""
        around = around or {}
        match value:
            case T.Var(name=name, type=t):
                self.given.append(value)
                self.parameters.append(T.Var(name, t))
                return self.parameters[-1]
            case Unsettled():
                parts = self.binding(value.value), self.binding(value.number)
                return dataclasses.replace(value, value=parts[0], number=parts[1])
            case WeightChoice():
                selector = self.binding(value.selector)
                weights = tuple(map(self.binding, value.weights))
                return dataclasses.replace(value, selector=selector, weights=weights)
            case Closure() | Partial() if value in around:
                return around[value]
            case Closure():
                captured: dict[str, Any] = {}
                made = dataclasses.replace(value, captured=captured, complete=True)
                for name, inner in value.captured.items():
                    captured[name] = self.binding(inner, {**around, value: made})
                return made
            case Partial():
                of = self.binding(value.of, around)
                args = tuple(self.binding(a, around) for a in value.args)
                words = {n: self.binding(a, around) for n, a in value.keywords.items()}
                return Partial(of, args, words)
            case FunctionTable():
                functions = tuple(self.binding(f, around) for f in value.functions)
                return FunctionTable(value.keys, functions)
        return value
