"""Which parameters a function changes: lists and dicts that it, or a function it calls, modifies.

Values never change, so such a function returns the new values of these parameters besides its
result; `out_parameters` has its callers continue with them.
"""

from __future__ import annotations

import ast
import collections.abc
import typing
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ir import typed as T
from ...lang.array import Tensor
from ...lang.hints import UnknownName, function_scope, resolve_hint
from ...lang.model import Model
from ...lang.tensor import TensorHint
from ..context import FunctionContext
from ..function_values import Closure
from ..places import item_type
from ..scope import COLLECTIONS, ITEMS, Env
from ..syntax import changed_set, names_assigned, names_mutated, parameters
from .arguments import temporary
from .changed_results import OF_FIELDS, arguments, changed_by, had_value, return_too
from .closures import closure_of, undecorated

_CHANGEABLE = (list, dict, set, collections.abc.MutableSet, collections.deque)
_STANDARD = ("builtins", "collections", "collections.abc", "typing")


@dataclass(slots=True)
class _Function:
    closure: Closure
    names: list[str]
    changed: set[str]
    # (own parameter, called function's id, parameter of that function)
    passed: list[tuple[str, int, str]] = field(default_factory=list)


def changes(ctx: FunctionContext, found: Any, closure: Closure | None) -> tuple[str, ...]:
    """The parameters that the function `found` changes; rewrites its tree to return them, too."""
    if closure is None:
        return ()
    known = ctx.builder.changes.get(id(found))
    if known is not None:
        return known
    functions: dict[int, _Function] = {}
    work = [(found, closure)]
    while work:
        one, its = work.pop()
        if id(one) in functions:
            continue
        functions[id(one)] = function = _scanned(its)
        for call, callee in _calls(its):
            other = closure_by(ctx, callee)
            if other is None:
                continue
            work.append((callee, other))
            for name, arg in arguments(call, other.tree):
                if isinstance(arg, ast.Name) and arg.id in function.names:
                    function.passed.append((arg.id, id(callee), name))
    _to_the_end(functions)
    for key, function in functions.items():
        tree = function.closure.tree
        own = tuple(n for n in function.names if n in function.changed)
        if key not in ctx.builder.changes:
            ctx.builder.changes[key] = own
            if own:
                return_too(tree, own)
    return ctx.builder.changes[id(found)]


def with_changed(ctx: FunctionContext, node: ast.Return, env: Env) -> ast.expr:
    """The value of a `return`, changed parameters included; an error where a list or dict that the
    function changes may have another name, such as the value itself."""
    names, value = changed_by(ctx.source.tree), node.value
    assert value is not None
    of_fields = hasattr(ctx.source.tree, OF_FIELDS)
    returned = {n for n in _returned(node) if is_own(n, env)} if of_fields else set[str]()
    if names and had_value(node):
        assert isinstance(value, ast.Tuple)
        first, *others = value.elts
        own = temporary(env, ast.unparse(first), ctx.expression(first, env), first)
        value = ast.copy_location(ast.Tuple([own, *others], ast.Load()), value)
    for name in names:
        found = env.names.get(name)
        if not isinstance(found, T.Var) or not isinstance(found.type, COLLECTIONS):
            continue
        if not is_own(name, env) and name not in returned:
            ctx.fail(
                "AC030",
                node,
                f"{name}, which {ctx.source.tree.name} changes, may be known by another name now",
                f"a copy for the other name, `[*{name}]`",
            )
    return value


def _returned(node: ast.Return) -> set[str]:
    """The names that a function returns as they are, one or several, and computes nothing else."""
    assert node.value is not None
    value = node.value
    if had_value(node):
        assert isinstance(value, ast.Tuple)
        value = value.elts[0]
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    if not all(isinstance(part, (ast.Name, ast.Constant)) for part in parts):
        return set()
    return {part.id for part in parts if isinstance(part, ast.Name)}


def is_own(name: str, env: Env) -> bool:
    """Whether nothing else refers to the list or dict that a local name stands for, nor to lists
    in it."""
    value = env.names.get(name)
    nested = (
        isinstance(value, T.Var)
        and isinstance(value.type, COLLECTIONS)
        and isinstance(item_type(value.type), COLLECTIONS)
    )
    return name in env.owned and (not nested or name + ITEMS in env.owned)


def _scanned(closure: Closure) -> _Function:
    tree = closure.tree
    names = [p.arg for p in parameters(tree) if may_change(closure, p)]
    changed = (names_mutated(tree.body) & set(names)) - names_assigned(tree.body)
    changed |= added_to(tree) & {p.arg for p in parameters(tree) if is_array(closure, p)}
    return _Function(closure, names, changed - _of_own_classes(closure))


def _of_own_classes(closure: Closure) -> set[str]:
    """The parameters without a hint for which `x.add(y)` and the like may call a method of a class
    of the author's: such objects are no sets."""
    open_ = {p.arg for p in parameters(closure.tree) if p.annotation is None}
    found: set[str] = set()
    for node in ast.walk(closure.tree):
        match changed_set(node), node:
            case ast.Name(name), ast.Expr(ast.Call(ast.Attribute(_, method))) if name in open_:
                around = (closure.model.function.__globals__, closure.model.around())
                classes = (v for names in around for v in names.values() if isinstance(v, type))
                if any(c.__module__ not in _STANDARD and hasattr(c, method) for c in classes):
                    found.add(name)
    return found


def may_change(closure: Closure, parameter: ast.arg) -> bool:
    """Whether a parameter is a list, a dict or an array by its hint, or has none: data may have a
    method `pop`, too."""
    if parameter.annotation is None:
        return True
    hint = _hint(closure, parameter)
    return (typing.get_origin(hint) or hint) in _CHANGEABLE or is_array_hint(hint)


def is_array(closure: Closure, parameter: ast.arg) -> bool:
    """Whether a parameter is an array by its hint."""
    return parameter.annotation is not None and is_array_hint(_hint(closure, parameter))


def is_array_hint(hint: object) -> bool:
    """Whether a hint is one of tensors."""
    return isinstance(hint, TensorHint) or hint in (Tensor, np.ndarray)


def added_to(tree: ast.FunctionDef) -> set[str]:
    """The parameters that a function assigns to by `x += y` alone."""
    given = {p.arg for p in parameters(tree)}
    names = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
    added = {
        id(n.target): n.target.id
        for n in ast.walk(tree)
        if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)
    }
    others = {n.id for n in names if not isinstance(n.ctx, ast.Load) and id(n) not in added}
    return set(added.values()) & given - others


def _hint(closure: Closure, parameter: ast.arg) -> Any:
    assert parameter.annotation is not None
    scope = function_scope(closure.model.function, closure.model.around())
    try:
        return resolve_hint(ast.unparse(parameter.annotation), scope)
    except Exception:  # the author's expression may raise anything; reading the hint reports it
        return None


def _to_the_end(functions: dict[int, _Function]) -> None:
    """Propagate changes from called functions to the parameters that they get, to a fixed point."""
    more = True
    while more:
        more = False
        for function in functions.values():
            for name, other, parameter in function.passed:
                if parameter in functions[other].changed and name not in function.changed:
                    function.changed.add(name)
                    more = True


def _calls(closure: Closure) -> Iterator[tuple[ast.Call, Any]]:
    """The calls in a function whose callee is a name outside of it, with what the name means."""
    scope = function_scope(closure.model.function, closure.model.around())
    local = names_assigned(closure.tree.body) | {p.arg for p in parameters(closure.tree)}
    for node in ast.walk(closure.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if name not in local:
                try:
                    yield node, scope[name]
                except UnknownName:
                    continue


def closure_by(ctx: FunctionContext, found: Any) -> Closure | None:
    """The closure of a function, from its source; None if it has none, or is not the author's."""
    return closure_of(ctx, found) if isinstance(found, Model) else undecorated(ctx, found)
