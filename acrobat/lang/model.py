"""`@ab.model`, `ab.parallel` and `ab.phase`."""

from __future__ import annotations

import functools
import pickle
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import Any, Generic, ParamSpec, TypeVar, TypeVarTuple, overload

from .draws import DRAWS
from .hints import function_scope, resolve_hint, visible_types
from .left_out import whole_instances
from .made_weights import form_of
from .params import is_params
from .places import caller, refuse

_P = ParamSpec("_P")
_R = TypeVar("_R", covariant=True)
_Ts = TypeVarTuple("_Ts")


@dataclass(frozen=True, slots=True)
class Told:
    """Hints that the author has not written, for an entry function: of its parameters, by name, and
    of the fields of classes."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[type, tuple[tuple[str, Any], ...]] = field(default_factory=dict)


class Model(Generic[_P, _R]):
    """A model function. Calling it runs it as plain Python, on one instance. `told`: hints for it
    that the author has not written."""

    def __init__(self, function: Callable[_P, _R], frame: types.FrameType | None = None) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.told = Told()
        # What it is a copy of, if it has been told hints.
        self.written: Model[_P, _R] = self
        # The frame of the enclosing function, if any: a name that occurs only in a string hint is
        # not a closure variable, so it has to be looked up here.
        self._frame = frame
        self._around: dict[str, Any] = {}

    def around(self) -> dict[str, Any]:
        """The types known where the function is defined."""
        if self._frame is not None:
            self._around, self._frame = visible_types(self._frame), None
        return self._around

    @property
    def hints(self) -> dict[str, Any]:
        """The hints of the parameters and of the result (`return`), by name."""
        return {**self.function.__annotations__, **self.told.parameters}

    def with_told(self, told: Told) -> Model[_P, _R]:
        """A copy with hints that the author has not written. Its source calls the original."""
        made: Model[_P, _R] = Model(self.function)
        made.see(self.around())
        made.told, made.written = told, self.written
        return made

    def see(self, around: dict[str, Any]) -> None:
        """Let its hints refer to the types that are known where it is called."""
        self._around = around

    def weights_class(self, given: Any) -> type | None:
        """The class that the weights, of which `given` are some, have by the hint of the first
        parameter; None if there is no such hint, which the front end reports, or if it is a plain
        class or a dict, as `given` is."""
        code = self.function.__code__
        first = code.co_varnames[0] if code.co_argcount else ""
        hint = self.hints.get(first)
        try:
            found = resolve_hint(hint, function_scope(self.function, self.around()))
        except Exception:  # whatever the author's expression raises
            return None
        if not isinstance(found, type):
            return None
        other = is_dataclass(found) and not isinstance(given, found)
        return found if is_params(found) or other else None

    def whole(self, instances: Any) -> Any:
        """Instances with the defaults of what they leave out."""
        return whole_instances(self.function, instances)

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        draws = DRAWS.get()
        if draws is None:
            return self.function(*args, **kwargs)
        before = draws.call()
        try:
            return self.function(*args, **kwargs)
        finally:
            draws.leave(before)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickled like a function, by module and name: PicklingError if it is not found there."""
        if self.written is not self:
            # Which class has been made for the weights, these say where they are given.
            hints = self.told.parameters.items()
            own = {n: h for n, h in hints if not (isinstance(h, type) and form_of(h))}
            return Model.with_told, (self.written, Told(own, self.told.fields))
        name, module = self.function.__qualname__, self.function.__module__
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is self:
            return name
        why = (
            "it is defined inside of a function"
            if "<locals>" in name
            else f"what {module} has of that name is something else"
            if module in sys.modules
            else f"{module} is not among the imported modules"
        )
        raise pickle.PicklingError(
            f"the model {name} of {module} cannot be pickled: models are found by module and name, "
            f"and {why}; define it at the top level of a module, under a name of its own"
        )

    def __repr__(self) -> str:
        return f"<model {self.function.__qualname__}>"


def model(function: Callable[_P, _R]) -> Model[_P, _R]:
    """Declare a model function: type-hinted, pure, in the language of docs/language.md."""
    if not isinstance(function, types.FunctionType):
        refuse(
            "AC031",
            caller(),
            f"@ab.model decorates a function, not {function!r}",
            "`@ab.model` above `def f(p: Weights, ...) -> ...`, below all other decorators",
        )
    frame = sys._getframe(1)
    return Model(function, None if frame.f_code.co_name == "<module>" else frame)


@overload
def parallel(values: list[_R], /) -> list[_R]: ...  # type: ignore[overload-overlap]
@overload
def parallel(*values: *_Ts) -> tuple[*_Ts]: ...
def parallel(*values: Any) -> Any:  # type: ignore[misc]
    """Evaluate independent model calls; returns their results as a tuple, in order. Given a list of
    results, it returns the list.

    As plain Python this is the tuple of its arguments. Compiled, the calls start at the same
    depth, so that their operations batch with each other (instance parallelism).
    """
    return values[0] if len(values) == 1 and isinstance(values[0], list) else values


def phase() -> None:
    """Begin the next program phase, at the outermost level of the entry function.

    Compiled, everything in a phase runs for all instances before the next phase begins, so that
    what follows (a classifier after a recursion) runs as one batch. In plain Python it does
    nothing.
    """
