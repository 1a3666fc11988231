"""What functions read and change of the objects that they are given, as far as their syntax shows.

A method call may reach the methods of this name of all classes that its function sees, because the
classes of objects are not known yet.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..lang.hints import UnknownName, function_scope
from ..lang.model import Model
from .captures import bound_names, own_nodes
from .effect_paths import Path, aliases, indices, path_of
from .source import SourceMissing, read_source
from .syntax import CHANGING_SETS, MUTATING, names_bound, parameters
from .yielding import had_yield

_Scope = Mapping[str, Any]
_MUTATING = {*MUTATING, *CHANGING_SETS, "extendleft", "rotate", "subtract"}
# Functions of libraries that change their first argument.
_CHANGING = ("heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "shuffle")

_PROPERTIES = (property, functools.cached_property)


@dataclass(slots=True)
class Effects:
    """The paths that something reads, those whose objects it changes, and the variables to which it
    gives other values."""

    reads: set[Path] = field(default_factory=set)
    changes: set[Path] = field(default_factory=set)
    rebinds: set[str] = field(default_factory=set)

    def add(self, other: Effects) -> None:
        """Add the effects of something else."""
        self.reads |= other.reads
        self.changes |= other.changes
        self.rebinds |= other.rebinds

    @property
    def written(self) -> set[Path]:
        """What has another value afterwards."""
        return self.changes | {(name, "") for name in self.rebinds}


@dataclass(frozen=True, slots=True)
class Function:
    """A function that a call may reach: its definition, what it sees from outside, and whether it
    is defined in the function that is looked at, so that its free variables are those of that.
    `first` is the argument that comes before those of the call, if any: None for a new object."""

    tree: ast.FunctionDef
    scope: _Scope
    is_local: bool = False
    first: tuple[ast.expr | None, ...] = ()


class EffectFinder:
    """The effects of parts of the function `tree`, which sees `scope` from outside. `functions` are
    those that have been read for other functions."""

    def __init__(
        self, tree: ast.FunctionDef, scope: _Scope, functions: dict[Any, Function | None]
    ) -> None:
        self._scope = scope
        self._local = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        self._local.pop(tree.name, None)
        self._tree = tree
        self._known: dict[int, Effects] = {}
        self._functions = functions

    @functools.cached_property
    def _aliases(self) -> dict[str, Path]:
        return aliases(self._tree)

    def generators(self, func: ast.expr) -> list[Function]:
        """The author's functions that a call of `func` may reach and that yield, or return what one
        of these has made."""
        return [f for f in self._reached(func, self._scope) if self._yields(f, set())]

    def _yields(self, function: Function, seen: set[int]) -> bool:
        if had_yield(function.tree):
            return True
        seen.add(id(function.tree))
        for node in own_nodes(function.tree.body):
            match node:
                case ast.Return(ast.Call(func)):
                    for inner in self._reached(func, function.scope):
                        if id(inner.tree) not in seen and self._yields(inner, seen):
                            return True
        return False

    def reaches(self, func: ast.expr) -> bool:
        """Whether a call of `func` may reach a function of the author's."""
        return any(self._reached(func, self._scope))

    def _reached(self, func: ast.expr, scope: _Scope) -> Iterator[Function]:
        """The author's functions that a call of `func` may reach."""
        if scope is self._scope and isinstance(func, ast.Name) and func.id in self._local:
            yield Function(self._local[func.id], self._scope, is_local=True)
            return
        for one, receiver in _candidates(func, scope):
            function = self._read(one)
            if function is not None and receiver is not None:
                yield replace(function, first=_before_arguments(one, receiver))
            elif function is not None:
                yield function

    def of(self, nodes: Iterable[ast.AST]) -> Effects:
        """The effects of statements or expressions, with the names of the function."""
        return self._renamed(self._of(nodes, self._scope), self._aliases)

    def of_call(self, call: ast.Call, functions: Iterable[Function]) -> Effects:
        """The effects of a call that reaches one of `functions`, without those of computing its
        arguments."""
        found = Effects()
        for function in functions:
            found.add(self._called(call.args, call.keywords, function))
        return self._renamed(found, self._aliases)

    def of_function(self, func: ast.expr, args: list[ast.expr]) -> Effects:
        """The effects of calls of the function `func` with the items of `args`."""
        if isinstance(func, ast.Lambda):
            own = {(n.arg, "") for n in ast.walk(func.args) if isinstance(n, ast.arg)}
            found = self.of([func.body])
            names = {name for name, _ in own}
            found.reads = {p for p in found.reads if p[0] not in names}
            found.changes = {p for p in found.changes if p[0] not in names}
            found.rebinds -= names | names_bound(func.body)
            return found
        found = Effects()
        for function in self._reached(func, self._scope):
            found.add(self._called(args, [], function))
        return self._renamed(found, self._aliases)

    def _read(self, found: Any) -> Function | None:
        found = _plain(found)
        if not inspect.isfunction(found):
            return None
        if found not in self._functions:
            self._functions[found] = None
            try:
                tree = read_source(Model(found)).tree
                self._functions[found] = Function(tree, function_scope(found, {}))
            except SourceMissing:
                pass
        return self._functions[found]

    def _called(
        self, args: list[ast.expr], keywords: list[ast.keyword], function: Function
    ) -> Effects:
        names = [p.arg for p in parameters(function.tree)]
        given: dict[str, Path] = {}
        values = [*function.first, *args]
        pairs = [*zip(names, values, strict=False), *((k.arg, k.value) for k in keywords)]
        for name, value in pairs:
            path = None if value is None else path_of(value)
            if name is not None and path is not None:
                given[name] = path
        inside = self._of_body(function)
        own = bound_names(function.tree)

        def known(paths: set[Path]) -> set[Path]:
            """Those of arguments; of a local function, also those of variables around it."""
            return {p for p in paths if p[0] in given or (function.is_local and p[0] not in own)}

        rebinds = inside.rebinds - own if function.is_local else set[str]()
        return self._renamed(Effects(known(inside.reads), known(inside.changes), rebinds), given)

    def _of_body(self, function: Function) -> Effects:
        key = id(function.tree)
        if key not in self._known:
            self._known[key] = Effects()  # that of a recursive call, until nothing is added
            names, before = aliases(function.tree), set(self._known)
            while True:
                found = self._renamed(self._of(function.tree.body, function.scope), names)
                if found == self._known[key]:
                    break
                self._known[key] = found
                for inner in self._known.keys() - before:  # of calls that knew less of this one
                    del self._known[inner]
        return self._known[key]

    def _renamed(self, effects: Effects, names: Mapping[str, Path]) -> Effects:
        def renamed(paths: set[Path]) -> set[Path]:
            found: set[Path] = set()
            for name, attr in paths:
                owner, inside = names.get(name, (name, ""))
                found.add((owner, inside or attr))
            return found

        return Effects(renamed(effects.reads), renamed(effects.changes), set(effects.rebinds))

    def _of(self, nodes: Iterable[ast.AST], scope: _Scope) -> Effects:
        found = Effects()
        work = list(nodes)
        while work:
            node = work.pop()
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                continue  # what it does, calls of it do
            if isinstance(node, ast.Call):
                work += self._of_a_call(node, scope, found)
                continue
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                self._of_a_property(node, scope, found)
            path = path_of(node) if isinstance(node, (ast.Attribute, ast.Subscript)) else None
            if path is not None and isinstance(node, (ast.Attribute, ast.Subscript)):
                kind = found.reads if isinstance(node.ctx, ast.Load) else found.changes
                kind.add(path)
                work += indices(node)
            elif isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    found.reads.add((node.id, ""))
                else:
                    found.rebinds.add(node.id)
            elif isinstance(node, ast.comprehension):
                work += [node.iter, *node.ifs]  # its targets are its own
            else:
                work += ast.iter_child_nodes(node)
        return found

    def _of_a_property(self, node: ast.Attribute, scope: _Scope, found: Effects) -> None:
        """Add what a property of this name does, in any of the classes that the function sees."""
        for one, owner in _candidates(node, scope):
            function = self._read(one) if isinstance(one, _PROPERTIES) else None
            if function is not None and owner is not None:
                found.add(self._called([], [], replace(function, first=(owner,))))

    def _of_a_call(self, call: ast.Call, scope: _Scope, found: Effects) -> list[ast.AST]:
        """Add the effects of a call, and return what of it is still to be looked at."""
        rest: list[ast.AST] = [*call.args, *(k.value for k in call.keywords)]
        functions = list(self._reached(call.func, scope))
        for function in functions:
            found.add(self._called(call.args, call.keywords, function))
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if isinstance(call.func, ast.Attribute):
            name, owner = call.func.attr, path_of(call.func.value)
            if owner is not None and name in _MUTATING:
                found.changes.add(owner)
            # A method that is known reads only some fields.
            rest += indices(call.func) if functions and owner is not None else [call.func.value]
        if name in _CHANGING and call.args and (first := path_of(call.args[0])) is not None:
            found.changes.add(first)
        return rest


def _classes(scope: _Scope) -> list[type]:
    """The author's classes that a function sees."""
    places = (getattr(scope, "frames", {}), getattr(scope, "module", {}))
    every = [v for place in places for v in place.values() if isinstance(v, type)]
    return list(dict.fromkeys(c for cls in every for c in cls.__mro__ if c is not object))


def _candidates(func: ast.expr, scope: _Scope) -> list[tuple[Any, ast.expr | None]]:
    """What a call of `func` may reach outside of the function, and the object that a method of a
    class is given: a constant for a new one."""
    found = _static(func, scope)
    if isinstance(found, type):
        return [(vars(found).get("__init__"), ast.Constant(None))]
    if found is None and isinstance(func, ast.Attribute):
        return [(m, func.value) for c in _classes(scope) if (m := vars(c).get(func.attr))]
    return [(found, None)]


def _plain(found: Any) -> Any:
    """The function that a model, a property, a static method or a class method is made of."""
    found = found.function if isinstance(found, Model) else found
    for attr in ("fget", "func") if isinstance(found, _PROPERTIES) else ():
        found = getattr(found, attr, found)
    return getattr(found, "__func__", found)


def _before_arguments(found: Any, receiver: ast.expr) -> tuple[ast.expr | None, ...]:
    """What a function of a class is given besides the arguments of a call."""
    if isinstance(found, staticmethod):
        return ()
    return (None,) if isinstance(found, classmethod) else (receiver,)


def _static(func: ast.expr, scope: _Scope) -> Any:
    """The object that `f` or `module.f` stands for outside of the function; None if unknown."""
    try:
        match func:
            case ast.Name(name):
                return scope[name]
            case ast.Attribute(ast.Name(name), attr):
                return getattr(scope[name], attr, None)
    except UnknownName:
        pass
    return None
