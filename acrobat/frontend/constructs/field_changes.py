"""Which fields of objects are changed by a method, or by a function that gets the objects."""

from __future__ import annotations

import ast
import dataclasses
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from ...lang.hints import UnknownName, function_scope
from ...lang.model import Model
from ..context import FunctionContext
from ..function_values import Closure
from ..plain_classes import is_frozen, made_by_fields
from ..syntax import MUTATING, names_assigned, parameters
from .closures import closure_of, undecorated

# The parameters of a function that are objects, with their classes.
Objects = Mapping[str, type]
Key = tuple[int, tuple[tuple[str, type], ...]]
# Methods of queues and sets that lists do not have.
_OF_COLLECTIONS = {"add", "discard", "update", "popleft", "appendleft", "popitem"}


def attribute_of(cls: type, name: str) -> Any:
    """The attribute `name` of the class or of a base class; None if there is none."""
    return next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)


def fields_of(ctx: FunctionContext, cls: Any) -> tuple[str, ...]:
    """The fields, in order, of a plain class whose fields can change; () for other classes."""
    if made_by_fields(cls):
        names = tuple(f.name for f in dataclasses.fields(cls))
        return () if is_frozen(cls) else names
    if issubclass(cls, tuple) or not isinstance(cls.__init__, types.FunctionType):
        return ()
    closure = closure_of(ctx, cls.__init__)
    if closure is None:
        return ()
    return tuple(dict.fromkeys(_set_by(ctx, closure.tree, cls)))


def _set_by(ctx: FunctionContext, tree: ast.FunctionDef, cls: type) -> Iterator[str]:
    """The fields that an `__init__` sets, or the one of a base class that it calls."""
    own = tree.args.args[0].arg
    for node in (n for stmt in tree.body for n in _in_order(stmt)):
        match node:
            case ast.Attribute(ast.Name(name), attr, ast.Store()) if name == own:
                yield attr
        base = base_init(node, own, cls)
        if base is not None:
            yield from fields_of(ctx, base)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def base_init(node: ast.AST, own: str, cls: type) -> type | None:
    """The base class whose `__init__` a statement calls for the object `own`."""
    match node:
        case ast.Expr(ast.Call(ast.Constant(function), [ast.Name(name), *_])) if name == own:
            bases = (b for b in cls.__mro__[1:-1] if vars(b).get("__init__") is function)
            return next(bases, None)
    return None


def key_of(function: Any, objects: Objects) -> Key:
    """A key that identifies a function together with the classes of its objects."""
    return id(function), tuple(sorted(objects.items(), key=lambda o: o[0]))


def function_of(ctx: FunctionContext, function: Any) -> Closure | None:
    """An author's function, from its source; None for others."""
    if isinstance(function, Model):
        return closure_of(ctx, function)
    return undecorated(ctx, function)


def calls_with(
    ctx: FunctionContext, closure: Closure, objects: Objects, body: list[ast.stmt]
) -> Iterator[tuple[ast.AST, Any, dict[str, str], Closure]]:
    """The calls in `body` of methods of `objects` and of functions that get some of them, and reads
    of their properties, each as: the node, the function, the object for each parameter that gets
    one, and the function's source."""
    scope = function_scope(closure.model.function, closure.model.around())
    local = names_assigned(closure.tree.body) | {p.arg for p in parameters(closure.tree)}
    for node in (n for stmt in body for n in ast.walk(stmt)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = node.value.id
            found = attribute_of(objects[name], node.attr) if name in objects else None
            function = found.fget if isinstance(found, property) else found
            if isinstance(function, types.FunctionType):
                source = closure_of(ctx, function)
                if source is not None:
                    yield node, function, {source.tree.args.args[0].arg: name}, source
        elif isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Constant)):
            given = [
                a.id for a in [*node.args, *(k.value for k in node.keywords)] if _in(a, objects)
            ]
            if not given:
                continue
            if isinstance(node.func, ast.Constant):
                function = node.func.value
            elif node.func.id in local:
                continue
            else:
                try:
                    function = scope[node.func.id]
                except UnknownName:
                    continue
            source = function_of(ctx, function)
            if source is None:
                continue
            names = [p.arg for p in parameters(source.tree)]
            passed = dict(zip(names, node.args, strict=False))
            passed |= {k.arg: k.value for k in node.keywords if k.arg is not None}
            its = {p: a.id for p, a in passed.items() if _in(a, objects)}
            yield node, function, its, source


def _in(node: ast.expr, objects: Objects) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and node.id in objects


@dataclass(slots=True)
class FieldChanges:
    """The (parameter, field) pairs that functions change, by function and objects."""

    ctx: FunctionContext
    known: dict[Key, set[tuple[str, str]]]

    def of(self, function: Any, closure: Closure, objects: Objects) -> set[tuple[str, str]]:
        """The pairs that a function changes, itself or through others."""
        key = key_of(function, objects)
        if key in self.known:
            return self.known[key]
        work: list[tuple[Key, Closure, Objects]] = []
        self._reach(key, closure, objects, work)
        more = True
        while more:
            more = False
            for own, source, its in work:
                before = len(self.known[own])
                self.known[own] |= self.in_body(source, its, source.tree.body)
                more = more or len(self.known[own]) > before
        return self.known[key]

    def _reach(
        self, key: Key, closure: Closure, objects: Objects, work: list[tuple[Key, Closure, Objects]]
    ) -> None:
        if key in self.known:
            return
        self.known[key] = set()
        work.append((key, closure, objects))
        for _, function, passed, source in calls_with(
            self.ctx, closure, objects, closure.tree.body
        ):
            inner = {p: objects[o] for p, o in passed.items()}
            self._reach(key_of(function, inner), source, inner, work)

    def in_body(
        self, closure: Closure, objects: Objects, body: list[ast.stmt]
    ) -> set[tuple[str, str]]:
        """The pairs that statements change, as far as the changes of called functions are known."""
        found = {
            (o, f)
            for node in (n for stmt in body for n in ast.walk(stmt))
            for o, f in changed_fields(node)
            if o in objects
        }
        for _, function, passed, source in calls_with(self.ctx, closure, objects, body):
            inner = {p: objects[o] for p, o in passed.items()}
            key = key_of(function, inner)
            done = self.known[key] if key in self.known else self.of(function, source, inner)
            found |= {(passed[p], f) for p, f in done}
        return found


def changed_fields(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The (object, field) pairs that a node changes."""
    match node:
        case ast.Attribute(ast.Name(name), attr, ast.Store() | ast.Del()):
            yield name, attr
        case ast.Subscript(ctx=ast.Store() | ast.Del()):
            yield from _root(node)
        case ast.Call(ast.Attribute(receiver, method)) if (
            method in MUTATING or method in _OF_COLLECTIONS
        ):
            yield from _root(receiver)


def _root(node: ast.expr) -> Iterator[tuple[str, str]]:
    while isinstance(node, ast.Subscript):
        node = node.value
    match node:
        case ast.Attribute(ast.Name(name), attr):
            yield name, attr
