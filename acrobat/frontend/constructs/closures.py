"""Find the function that an expression stands for, if it is lowered where it is called (a local
function, a lambda, a function without `@ab.model` or one that takes functions), and what it uses of
the enclosing function (`complete`). constructs/closure_calls.py lowers these functions.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import types
from typing import Any

import numpy as np

from ...ir import typed as T
from ...ir.types import ListType, Type
from ...lang.model import Model
from ..base_classes import with_base_functions
from ..bisections import BISECTIONS
from ..class_methods import for_class, of_class
from ..conditions import condition
from ..context import MISSING, FunctionContext
from ..function_values import Closure, FunctionTable, FunctionValue, Named, Partial
from ..heaps import HEAPS
from ..kept_functions import function_in
from ..made_functions import MAKERS, definition_of
from ..parameters import default_expressions
from ..registry import FUNCTIONS
from ..scope import Env, Undefined
from ..source import ELSEWHERE, SourceMissing, read_source
from ..stand_ins import STAND_INS
from ..syntax import names_assigned, parameters
from ..whole_numbers import WHOLE_NUMBERS
from ..yielding import has_yield, without_iterator, without_yield
from .chosen_functions import between
from .function_tables import chosen_function, known_key
from .operations import operation_name

_CACHED = type(functools.cache(lambda: None))
_MAY_BE_FUNCTIONS = (ast.Lambda, ast.Name, ast.Attribute, ast.Call)
# Functions of the standard library that are written in the model language.
_LIBRARY = {**HEAPS, **BISECTIONS, **WHOLE_NUMBERS}
_STAND_INS = frozenset(STAND_INS.values())


def function_value(ctx: FunctionContext, node: ast.expr, env: Env) -> FunctionValue | None:
    """The function that an expression stands for; None if it stands for something else."""
    match node:
        case ast.Name() | ast.Attribute() if field := function_in(ctx, node, env):
            return field
        case ast.Lambda():
            return local_function(ctx, _definition(ctx, node), env)
        case ast.Name(name) if isinstance(env.names.get(name), (Named, Closure, Partial)):
            value = env.names[name]
            assert isinstance(value, (Named, Closure, Partial))
            return value
        case ast.Call(func, [_, *_]) if ctx.static(func, env) is functools.partial:
            return _partial(ctx, node, env)
        case ast.Call() if ctx.static(node, env) is MISSING:
            return ctx.handlers.made_function(ctx, node, env)
        case ast.IfExp():
            return _chosen(ctx, node, env)
    if isinstance(node, ast.Subscript):
        found = chosen_function(ctx, of_named_table(ctx, node, env), env)
        if isinstance(found, (Named, Closure, Partial)):
            return found
    else:
        found = ctx.static(node, env)
    if found is MISSING or not callable(found):
        return None
    return of_object(ctx, found)


def local_table(ctx: FunctionContext, node: ast.expr, env: Env) -> FunctionTable | None:
    """The functions that a display in the model lists: `{"+": lambda a, b: a + b}`; None if it is
    not one, or if it has other values."""
    names: list[Any] | None = None
    match node:
        case ast.Dict([*keys], [*values]) if values:
            known = [MISSING if k is None else known_key(ctx, k, env) for k in keys]
            names = [k for k in known if isinstance(k, (int, str, float, enum.Enum))]
            if len(names) < len(keys):
                return None
        case ast.List([*values]) | ast.Tuple([*values]) if values:
            pass
        case _:
            return None
    if not all(isinstance(v, _MAY_BE_FUNCTIONS) for v in values):
        return None
    functions = [function_value(ctx, v, env) for v in values]
    found = tuple(f for f in functions if f is not None)
    if len(found) < len(functions):
        return None
    return FunctionTable(None if names is None else tuple(names), found)


def listed_functions(
    ctx: FunctionContext, node: ast.expr, env: Env
) -> tuple[FunctionValue, ...] | None:
    """The functions of a list or tuple of them; None if `node` is something else."""
    if isinstance(node, (ast.List, ast.Tuple)):
        table = local_table(ctx, node, env)
        return None if table is None else table.functions
    if isinstance(node, ast.Name) and isinstance(env.names.get(node.id), FunctionTable):
        local = env.names[node.id]
        assert isinstance(local, FunctionTable)
        return local.functions if local.keys is None else None
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return None
    found = ctx.static(node, env)
    if not isinstance(found, (list, tuple)) or not found or not all(map(callable, found)):
        return None
    functions = [of_object(ctx, f) for f in found]
    return tuple(f for f in functions if f is not None) if None not in functions else None


def of_named_table(ctx: FunctionContext, node: ast.Subscript, env: Env) -> ast.Subscript:
    """`{"+": f, "-": g}[key]` with a name for its functions; any other node as it is."""
    if not isinstance(node.value, (ast.Dict, ast.List, ast.Tuple)):
        return node
    table = local_table(ctx, node.value, env)
    if table is None:
        return node
    name = ast.unparse(node.value)
    env.names[name] = table
    value = ast.copy_location(ast.Name(name, ast.Load()), node.value)
    return ast.copy_location(ast.Subscript(value, node.slice, ast.Load()), node)


def of_object(ctx: FunctionContext, found: Any) -> FunctionValue | None:
    """A function from outside of the model; None if a model cannot call it."""
    if isinstance(found, Model):
        return Named(found)
    if (
        ctx.builder.declarations.is_data(found)
        or operation_name(found) is not None
        or id(found) in FUNCTIONS
    ):
        return Named(found)
    if isinstance(found, np.ufunc) or getattr(found, "__module__", None) == "numpy":
        return Named(found)  # a call says whether there is a counterpart
    return undecorated(ctx, found)


def undecorated(ctx: FunctionContext, found: Any) -> Closure | None:
    """A Python function of the author's without `@ab.model`, or one that stands in for a function
    or is one of the standard library; None for any other object."""
    ours = _LIBRARY.get(id(found))
    if ours is not None:
        return closure_of(ctx, ours)
    if isinstance(found, _CACHED):
        found = found.__wrapped__
    if of_class(found):
        own = undecorated(ctx, found.__func__)
        return None if own is None else for_class(ctx.builder, own, found)
    if isinstance(found, MAKERS):
        return _of_maker(ctx, found)
    if not isinstance(found, types.FunctionType):
        return None
    if found in _STAND_INS:
        return closure_of(ctx, found)
    if found.__code__.co_filename.startswith(ELSEWHERE):
        return None
    return closure_of(ctx, found)


def _of_maker(ctx: FunctionContext, found: Any) -> Closure | None:
    known = ctx.builder.closures.get(id(found))
    tree = definition_of(found, ctx.source.tree) if known is None else None
    if tree is not None:
        known = ctx.builder.closures[id(found)] = Closure(tree, ctx.source, ctx.signature.model, {})
    return known


def closure_of(ctx: FunctionContext, found: Any, owner: Type | None = None) -> Closure | None:
    """A function from outside of the model, from its source; None if that cannot be read."""
    known = ctx.builder.closures.get(id(found))
    if known is None:
        model = found if isinstance(found, Model) else Model(found)
        if not model.around():
            model.see(ctx.signature.model.around())
        try:
            source = read_source(model)
        except SourceMissing:
            return None
        is_model = isinstance(found, Model)
        if found is not ctx.builder.entry and has_yield(source.tree):
            without_yield(source.tree)
        elif source.tree.name == "__iter__":
            without_iterator(source.tree)
        with_base_functions(source.tree, model.function)
        known = Closure(source.tree, source, model, {}, is_model=is_model)
        ctx.builder.closures[id(found)] = known
    return known if owner is None else dataclasses.replace(known, owner=owner)


def _definition(ctx: FunctionContext, node: ast.Lambda) -> ast.FunctionDef:
    """A lambda as a function with one statement; the same node for the same lambda."""
    known = ctx.builder.lambdas.get(id(node))
    if known is None:
        body = ast.copy_location(ast.Return(node.body), node.body)
        tree = ast.FunctionDef("lambda", node.args, [body], [], None)
        known = ctx.builder.lambdas[id(node)] = ast.copy_location(tree, node)
    return known


def local_function(ctx: FunctionContext, tree: ast.FunctionDef, env: Env) -> Closure:
    """A function inside the function that is being lowered. Names of the outer function are looked
    up where the inner one is used; defaults and names of comprehensions have their values here."""
    captured: dict[str, Any] = {n: env.names[n] for n in _free(tree) & set(env.shadowed)}
    for name, default in default_expressions(tree).items():
        value = function_value(ctx, default, env) or ctx.expression(default, env)
        captured[f"{name}="] = value
    return Closure(tree, ctx.source, ctx.signature.model, captured, complete=False)


def _free(tree: ast.FunctionDef) -> set[str]:
    """The free variables of a function: names that it uses and does not bind."""
    inside = {n.id for s in tree.body for n in ast.walk(s) if isinstance(n, ast.Name)}
    own = {a.arg for a in parameters(tree)} | names_assigned(tree.body)
    return inside - own


def _partial(ctx: FunctionContext, node: ast.Call, env: Env) -> Partial:
    of, *args = node.args
    function = function_value(ctx, of, env)
    if function is None:
        ctx.fail("AC012", of, f"{ast.unparse(of)} is no function of the model", "a function")

    def value(source: ast.expr) -> Any:
        return function_value(ctx, source, env) or ctx.expression(source, env)

    named = {k.arg: value(k.value) for k in node.keywords if k.arg is not None}
    return Partial(function, tuple(map(value, args)), named)


def _chosen(ctx: FunctionContext, node: ast.IfExp, env: Env) -> FunctionValue | None:
    """`a if c else b` of functions."""
    first, second = (function_value(ctx, side, env) for side in (node.body, node.orelse))
    if first is None or second is None:
        return None
    cond = condition(ctx, node.test, env)
    if not isinstance(cond, T.Const):
        return between(ctx, node, cond, first, second)
    return first if cond.value else second


def complete(ctx: FunctionContext, value: FunctionValue, env: Env) -> FunctionValue:
    """The function with everything that it uses of the enclosing function, as it is here."""
    return _complete(ctx, value, env, {})


def _complete(
    ctx: FunctionContext, value: FunctionValue, env: Env, known: dict[int, Closure]
) -> FunctionValue:
    if isinstance(value, Partial):
        of = _complete(ctx, value.of, env, known)
        inner = [_completed(ctx, a, env, known) for a in value.args]
        words = {n: _completed(ctx, a, env, known) for n, a in value.keywords.items()}
        return Partial(of, tuple(inner), words)
    if not isinstance(value, Closure) or value.complete:
        return value
    if id(value.tree) in known:
        return known[id(value.tree)]
    captured: dict[str, Any] = {}
    made = dataclasses.replace(value, captured=captured, complete=True)
    known = {**known, id(value.tree): made}
    captured |= {n: _completed(ctx, v, env, known) for n, v in value.captured.items()}
    for name in sorted(_free(value.tree) - set(captured)):
        found: Any = env.shadowed.get(name, env.names.get(name, MISSING))
        if found is MISSING and name in ctx.locals:
            found = Undefined(ctx.span(value.tree))
        if isinstance(found, T.Var) and isinstance(found.type, ListType):
            env.escape(name)  # the function may return that list
        if found is not MISSING:
            captured[name] = _completed(ctx, found, env, known)
    return made


def _completed(ctx: FunctionContext, value: Any, env: Env, known: dict[int, Closure]) -> Any:
    if isinstance(value, (Closure, Partial)):
        return _complete(ctx, value, env, known)
    if isinstance(value, FunctionTable):
        functions = tuple(_complete(ctx, f, env, known) for f in value.functions)
        return FunctionTable(value.keys, functions)
    return value


def completed(ctx: FunctionContext, value: Any, env: Env) -> Any:
    """As `complete`, of a function or a table of functions; anything else as it is."""
    return _completed(ctx, value, env, {})
