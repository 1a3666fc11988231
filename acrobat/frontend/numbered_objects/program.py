"""The functions that a model reaches, as syntax trees of one source."""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ...lang.hints import NameScope, UnknownName, function_scope
from ...lang.model import Model
from ..captures import bound_names
from ..context import MISSING
from ..fields_apart import with_fields_apart
from ..plain_classes import is_plain_class
from ..source import Source, SourceMissing, read_source
from ..syntax import parameters
from ..yielding import has_yield
from .kinds import Kind
from .tables import with_functions_of_tables


class GivenUp(Exception):
    """The objects of a model cannot be numbered."""


@dataclass(eq=False, slots=True)
class Function:
    """A function: its tree, at its place in the file; the names that it assigns, and what all
    others mean; the class that it is a method of. `scopes` are the parameters and local names of
    the functions around it, if it is inside of others."""

    tree: ast.FunctionDef
    scope: NameScope
    local: set[str]
    owner: type | None = None
    variables: dict[Any, Kind | None] = field(default_factory=dict)
    parameters: dict[str, Kind | None] = field(default_factory=dict)
    result: Kind | None = None
    calls: set[int] = field(default_factory=set)  # the functions that it calls, by identity
    inner: dict[str, ast.FunctionDef] = field(default_factory=dict)  # the functions in its body
    # The fields, by class, whose lists it changes in place, or to which it gives other values.
    changes: set[tuple[type, str]] = field(default_factory=set)


@dataclass(slots=True)
class Program:
    """The entry function of a model, and what it reaches."""

    model: Model[..., Any]
    entry: Function
    source: Source
    functions: dict[int, Function] = field(default_factory=dict)
    found: dict[int, Any] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)

    def function(self, found: Any, owner: type | None = None) -> Function | None:
        """The author's function `found`; None if it is none. It is looked at once."""
        if isinstance(found, Model):
            found = found.function
        if not isinstance(found, types.FunctionType):
            return None
        if found is self.model.function:
            raise GivenUp  # objects of one call would meet those of another
        known = self.functions.get(id(found))
        if known is None:
            if found.__code__.co_filename != self.model.function.__code__.co_filename:
                return None
            known = _function(found, self.model)
            known.owner = owner
            self.functions[id(found)] = known
            self.kept.append(found)
        return known


def static(function: Function, node: ast.expr, hidden: frozenset[str] = frozenset()) -> Any:
    """What a dotted name means outside of a function; MISSING for anything else."""
    match node:
        case ast.Name(name) if name not in function.local and name not in hidden:
            try:
                return function.scope[name]
            except UnknownName:
                return MISSING
        case ast.Constant(type() as found):
            return found
        case ast.Attribute(value, attr):
            owner = static(function, value, hidden)
            if owner is MISSING or isinstance(owner, types.FunctionType):
                return MISSING
            return getattr(owner, attr, MISSING)
    return MISSING


def program_of(model: Model[..., Any]) -> Program:
    """The program of a model, of which only the entry function has been looked at."""
    entry = _function(model.function, model)
    file = model.function.__code__.co_filename
    lines = tuple(linecache.getlines(file))
    return Program(model, entry, Source(entry.tree, file, 1, lines))


def _function(found: Any, model: Model[..., Any]) -> Function:
    seen = Model(found)
    seen.see(model.around())
    try:
        source = read_source(seen)
    except SourceMissing as error:
        raise GivenUp from error
    tree = source.tree
    ast.increment_lineno(tree, source.line - 1)
    with_fields_apart(tree)
    local = {n for f in _definitions(tree) for n in bound_names(f)}
    function = Function(tree, function_scope(found, model.around()), local)
    with_functions_of_tables(tree, partial(static, function))
    function.local = {n for f in _definitions(tree) for n in bound_names(f)}
    function.inner = {f.name: f for f in _definitions(tree) if f is not tree}
    return function


_OTHERS = (ast.Global, ast.Try, ast.With, ast.ClassDef, ast.AsyncFunctionDef)


def check_usable(function: Function) -> None:
    """Give up if a function that uses numbered objects may not be a local function."""
    tree = function.tree
    if tree.args.vararg or tree.args.kwarg or any(map(has_yield, _definitions(tree))):
        raise GivenUp
    if any(isinstance(n, _OTHERS) for n in ast.walk(tree)):
        raise GivenUp


def _definitions(tree: ast.FunctionDef) -> Iterator[ast.FunctionDef]:
    return (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))


def is_object_class(found: Any) -> bool:
    """Whether `found` is a plain class whose objects may be numbered: it derives from none."""
    return (
        is_plain_class(found)
        and found.__mro__[1:] == (object,)
        and not hasattr(found, "_fields")
        and not hasattr(found, "__post_init__")
    )


def init_of(program: Program, cls: Any) -> Function | None:
    """The `__init__` of a class that has been looked at; None if a dataclass has generated it."""
    return program.functions.get(id(cls.__init__))


def needed_init(program: Program, cls: Any) -> Function:
    """The `__init__` of a class that has one of its own."""
    init = init_of(program, cls)
    if init is None:
        raise GivenUp
    return init


def own_name(function: Function) -> str:
    """The name of a method's first parameter."""
    names = [p.arg for p in parameters(function.tree)]
    if not names:
        raise GivenUp
    return names[0]
