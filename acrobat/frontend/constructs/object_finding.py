"""Find the names of objects whose fields change in a function (constructs/local_objects.py)."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict, deque
from typing import Any

import numpy as np

from ...lang.data import is_data
from ...lang.hints import UnknownName, function_scope
from ...lang.params import is_params
from ..class_methods import interned, of_class
from ..context import FunctionContext
from ..function_values import Closure
from ..pairs_apart import with_pairs_apart
from ..plain_classes import is_plain_class
from ..scope import Env
from ..syntax import named_values
from .changed_parameters import closure_by
from .field_changes import attribute_of, fields_of
from .field_functions import changed_in
from .listed_objects import ListedObject


def makes(ctx: FunctionContext, node: ast.expr, cls: type) -> bool:
    """Whether an expression is a call of the class."""
    return isinstance(node, ast.Call) and ctx.static(node.func, Env()) is cls


def objects_made(ctx: FunctionContext, tree: ast.FunctionDef) -> dict[str, type]:
    """The names of objects that a function makes, or gets from a call, and then changes, with their
    classes."""
    values: defaultdict[str, list[ast.expr]] = defaultdict(list)
    stores: Counter[str] = Counter()
    used: defaultdict[str, set[str]] = defaultdict(set)
    for node in (n for stmt in tree.body for n in ast.walk(stmt)):
        match node:
            case ast.Name(name, ast.Store() | ast.Del()):
                stores[name] += 1
            case ast.Attribute(ast.Name(name), attr):
                used[name].add(attr)
            case _:
                for name, value in named_values(node):
                    values[name].append(value)
    found: dict[str, type] = {}
    closure = Closure(tree, ctx.source, ctx.signature.model, {})
    for name, its in values.items():
        if len(its) != stores[name]:
            continue  # also assigned by a loop or a pattern
        classes = {c for v in its if (c := _class(ctx, v)) is not None}
        if not classes and used[name] and any(_may_be_object(ctx, v) for v in its):
            classes = _by_uses(ctx, used[name])
        if len(classes) == 1:
            (cls,) = classes
            if fields_of(ctx, cls) and changed_in(ctx, closure, {name: cls}):
                found[name] = cls
    return found


def _class(ctx: FunctionContext, node: ast.expr) -> type | None:
    if isinstance(node, ListedObject):
        return node.cls
    if not isinstance(node, ast.Call):
        return None
    return _made_by(ctx, ctx.static(node.func, Env()))


def _made_by(ctx: FunctionContext, called: Any) -> type | None:
    if isinstance(called, type):
        return called if is_plain_class(called) else None
    known = ctx.builder.makes
    if id(called) not in known:
        known[id(called)] = None  # unless another path says more
        known[id(called)] = _returned(ctx, called)
    return known[id(called)]


def _returned(ctx: FunctionContext, function: Any) -> type | None:
    """The class of the object that a function returns, if the function itself makes the object."""
    closure = closure_by(ctx, function)
    if closure is None:
        return None
    scope = function_scope(closure.model.function, closure.model.around())
    nodes = list(ast.walk(closure.tree))
    made = {n: v for node in nodes for n, v in named_values(node)}
    for node in nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            value = made.get(getattr(node.value, "id", ""), node.value)
            if isinstance(value, ast.Call):
                found = _meant(ctx, value.func, scope)
                cls = _made_by(ctx, found) if isinstance(found, type) or of_class(found) else None
                if cls is not None:
                    return cls
    return None


def _meant(ctx: FunctionContext, func: ast.expr, scope: Any) -> Any:
    """What a name stands for in another function, or a class that the compiler has written, or a
    class method of that."""
    if isinstance(func, ast.Attribute):
        owner = _meant(ctx, func.value, scope)
        found = getattr(owner, func.attr, None) if isinstance(owner, type) else None
        return interned(ctx.builder, found)
    if isinstance(func, ast.Constant):
        return func.value
    try:
        return scope[func.id] if isinstance(func, ast.Name) else None
    except UnknownName:
        return None


_NO_OBJECTS = (
    ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Lambda,
)  # fmt: skip


def _may_be_object(ctx: FunctionContext, node: ast.expr) -> bool:
    """Whether the value of an expression may be an object of a plain class, by its syntax."""
    if isinstance(node, ast.Call):
        called = ctx.static(node.func, Env())
        module = str(getattr(called, "__module__", "")).split(".")[0]
        if isinstance(called, type):
            return is_plain_class(called)
        return module not in ("builtins", "numpy", "collections", "math", "itertools")
    return not isinstance(node, _NO_OBJECTS)


def _by_uses(ctx: FunctionContext, used: set[str]) -> set[Any]:
    """The classes in scope that have all the attributes `used`, as candidates for the class of a
    call's result; none unless all of them are plain."""
    seen = [*ctx.scope.frames.values(), *ctx.scope.module.values()]
    classes = {c for c in seen if isinstance(c, type) and (is_plain_class(c) or _is_ours(c))}
    having = {c for c in classes if all(_has(ctx, c, attr) for attr in used)}
    return having if all(map(is_plain_class, having)) else set()


def _is_ours(cls: type) -> bool:
    return is_data(cls) or is_params(cls)


def _has(ctx: FunctionContext, cls: Any, attr: str) -> bool:
    if attribute_of(cls, attr) is not None or attr in getattr(cls, "__annotations__", ()):
        return True
    return is_plain_class(cls) and attr in fields_of(ctx, cls)


_COLLECTIONS = (
    set, iter, deque, defaultdict, Counter,
    np.zeros, np.ones, np.full, np.empty, np.zeros_like, np.ones_like,
)  # fmt: skip


def with_collections_apart(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Write `a, b = Stack(), set()` as two assignments."""
    with_pairs_apart(tree, lambda values: any(_makes_collection(ctx, v) for v in values))


def _makes_collection(ctx: FunctionContext, node: ast.expr) -> bool:
    """Whether `node` makes what the function may change if it knows it by one name."""
    if _class(ctx, node):
        return True
    made = ctx.static(node.func, Env()) if isinstance(node, ast.Call) else None
    return isinstance(node, (ast.Set, ast.SetComp)) or made in _COLLECTIONS
