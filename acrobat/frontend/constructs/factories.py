"""Functions that make functions: `def layer(k): return lambda x: ops.tanh(x @ w[k])`.

A call of one is not a call in the compiled model. Its statements are lowered where it stands, and
the function that it returns is a function value like any other, which captures their variables.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import operator
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

from ...ir import typed as T
from ...ir.types import BOOL, INT, TEXT
from ...lang.hints import UnknownName, function_scope
from ..captures import LIFTED, own_nodes
from ..conditions import condition
from ..context import MISSING, FunctionContext
from ..function_values import Closure, FunctionTable, FunctionValue, Partial, parts_of
from ..narrowing import narrow
from ..scope import Env, Recover
from ..signatures import Signature
from ..source import Source
from ..syntax import names_assigned, names_in, names_mutated, parameters
from .arguments import argument_value, as_evaluated, checked_argument, given_arguments
from .closure_calls import parameters_of, passed_function
from .closures import (
    complete,
    completed,
    function_value,
    listed_functions,
    of_object,
    undecorated,
)
from .rest_arguments import with_rest
from .weight_fields import known_test

_MAKES = "_acrobat_makes_functions"  # an attribute of definitions: whether they are such functions
_CHANGING = "_acrobat_changing"  # of definitions: what `_changing` finds
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.Assert, ast.Pass)
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def made_function(ctx: FunctionContext, node: ast.Call, env: Env) -> FunctionValue | None:
    """The function that a call makes; None if it makes something else."""
    maker = _maker(ctx, node.func, env)
    if maker is None or not _makes_functions(ctx, maker):
        return None
    tree = maker.tree
    if not maker.complete:
        how = f"`{{}}` as a parameter of {tree.name}"
        _check_captured(ctx, node, tree, env, "reads {}", how)
    whole = complete(ctx, maker, env)
    assert isinstance(whole, Closure)
    source = Source(tree, maker.source.file, maker.source.line, maker.source.lines)
    signature = Signature(tree.name, maker.model, source, (), None)
    inner = dataclasses.replace(ctx, signature=signature, declared={}, loops=[], flow=None)
    inside = Env()
    inside.names.update(whole.captured)
    _bind(ctx, node, whole, env, inside)
    inner.locals = names_assigned(tree.body) | set(inside.names)
    try:
        found = _returned(inner, tree.body, inside)
    finally:
        ctx.nothings = inner.nothings
    if found is None:
        ctx.fail("AC020", node, f"{tree.name} can end without a return", "a function on every path")
    return found


def _check_captured(
    ctx: FunctionContext, node: ast.Call, tree: ast.FunctionDef, env: Env, what: str, instead: str
) -> None:
    """An error if a local function that makes another one, or that it is given, reads a variable
    that changes: in Python, what is made reads the variable anew in each call."""
    own = names_assigned(tree.body) | {a.arg for a in parameters(tree)}
    own -= getattr(tree, LIFTED, frozenset())
    names = ({n for s in tree.body for n in names_in(s)} - own) & set(env.names)
    changing = _changing(ctx.source.tree)
    for name in sorted(names):
        if name in changing:
            ctx.fail(
                "AC030",
                node,
                f"{ast.unparse(node.func)} makes a function that {what.format(name)}, which "
                "changes",
                instead.format(name),
            )
        env.escape(name)


def _check_given(
    ctx: FunctionContext, node: ast.Call, given: FunctionValue | FunctionTable, env: Env
) -> None:
    """The same of functions that what is made may call."""
    if isinstance(given, Closure) and not given.complete:
        reads, how = "calls one that reads {}", "`{}` as an argument of what is made"
        _check_captured(ctx, node, given.tree, env, reads, how)
    for _, part in parts_of(given):
        if isinstance(part, (Closure, Partial, FunctionTable)):
            _check_given(ctx, node, part, env)


def _changing(tree: ast.FunctionDef) -> set[str]:
    """The variables of a function that do not keep the value that they get first."""
    known: set[str] | None = getattr(tree, _CHANGING, None)
    if known is None:
        nodes = list(ast.walk(tree))
        counts = Counter(
            n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        )
        for loop in nodes:
            if isinstance(loop, (ast.For, ast.While)):
                counts.update(names_assigned([loop]))
        counts.update(a.arg for a in parameters(tree))
        known = {name for name, count in counts.items() if count > 1} | names_mutated(tree.body)
        setattr(tree, _CHANGING, known)
    return known


def _maker(ctx: FunctionContext, func: ast.expr, env: Env) -> Closure | None:
    if isinstance(func, ast.Name) and func.id in env.names:
        local = env.names[func.id]
        return local if isinstance(local, Closure) else None
    if isinstance(func, ast.Call):
        made = function_value(ctx, func, env)
        return made if isinstance(made, Closure) else None
    found = ctx.static(func, env)
    return None if found is MISSING or not callable(found) else undecorated(ctx, found)


def _makes_functions(ctx: FunctionContext, maker: Closure) -> bool:
    """Whether every `return` of a function returns a function."""
    tree = maker.tree
    known: bool | None = getattr(tree, _MAKES, None)
    if known is None:
        setattr(tree, _MAKES, False)  # for one that calls itself
        returned = [n.value for n in own_nodes(tree.body) if isinstance(n, ast.Return)]
        scope = function_scope(maker.model.function, maker.model.around())
        defined = {s.name for s in own_nodes(tree.body) if isinstance(s, ast.FunctionDef)}
        own = names_assigned(tree.body) | {a.arg for a in parameters(tree)}

        def outside(node: ast.expr) -> Any:
            match node:
                case ast.Name(name) if name not in own:
                    try:
                        return scope[name]
                    except UnknownName:
                        return MISSING
                case ast.Attribute(value, attr):
                    return getattr(outside(value), attr, MISSING)
            return MISSING

        def is_function(node: ast.expr | None) -> bool:
            match node:
                case ast.Lambda():
                    return True
                case ast.Name(name) if name in defined:
                    return True
                case ast.IfExp(_, body, orelse):
                    return is_function(body) and is_function(orelse)
                case ast.Call(func):
                    made = outside(func)
                    if made is functools.partial:
                        return True
                    other = None if made is MISSING else undecorated(ctx, made)
                    return other is not None and _makes_functions(ctx, other)
                case ast.Name() | ast.Attribute():
                    found = outside(node)
                    return (
                        found is not MISSING
                        and callable(found)
                        and not isinstance(found, type)
                        and of_object(ctx, found) is not None
                    )
            return False

        known = bool(returned) and all(map(is_function, returned))
        setattr(tree, _MAKES, known)
    return known


def _bind(ctx: FunctionContext, node: ast.Call, maker: Closure, env: Env, inside: Env) -> None:
    """Give the parameters of `maker` the arguments of the call."""
    tree = maker.tree
    node = with_rest(node, tree, 0)
    known = parameters_of(ctx, node, maker)
    given = given_arguments(ctx, node, tree.name, known)
    for p in as_evaluated(known, given):
        passed = passed_function(ctx, node, p, given, env)
        if passed is not None:
            _check_given(ctx, node, passed, env)
            inside.names[p.name] = complete(ctx, passed, env)
            continue
        functions = listed_functions(ctx, given[p.name], env) if p.name in given else None
        if functions is not None:
            _check_given(ctx, node, FunctionTable(None, functions), env)
            inside.names[p.name] = completed(ctx, FunctionTable(None, functions), env)
            continue
        value = argument_value(ctx, node, tree.name, p, given, env)
        atom = checked_argument(ctx, node, tree.name, p, given, value)
        if atom is None:
            raise Recover
        inside.names[p.name] = atom


def _returned(ctx: FunctionContext, body: list[ast.stmt], env: Env) -> FunctionValue | None:
    """The function that the statements return; None if they go on to what follows them."""
    for stmt in body:
        match stmt:
            case ast.Return(ast.expr() as value):
                found = function_value(ctx, value, env)
                if found is None:
                    ctx.expression(value, env)
                    raise Recover
                return complete(ctx, found, env)
            case ast.If(test, then, orelse):
                holds = _decided(ctx, test, env)
                ctx.stmts += narrow(ctx, test, holds, env)
                found = _returned(ctx, then if holds else orelse, env)
                if found is not None:
                    return found
            case ast.Expr(ast.Constant()):
                pass
            case ast.Assign(targets) if not all(
                isinstance(t, (ast.Name, ast.Tuple)) for t in targets
            ):
                _refuse(ctx, stmt)
            case _ if isinstance(stmt, _SIMPLE):
                ctx.statement(stmt, env)
            case _:
                _refuse(ctx, stmt)
    return None


def _refuse(ctx: FunctionContext, stmt: ast.stmt) -> NoReturn:
    ctx.fail(
        "AC002",
        stmt,
        f"{ctx.source.tree.name} makes a function, and does more than that",
        "only assignments of names, `if` and `return` in a function that makes another one",
    )


def _decided(ctx: FunctionContext, test: ast.expr, env: Env) -> bool:
    known = known_test(ctx, test, env)
    if known is None and (value := _value(test, env)) is not MISSING:
        known = bool(value)
    if known is not None:
        return known
    found = condition(ctx, test, env)
    if not isinstance(found, T.Const):
        ctx.fail(
            "AC002",
            test,
            f"which function {ctx.source.tree.name} makes is not known when the model is compiled",
            "`if` around the calls",
        )
    return bool(found.value)


def _value(node: ast.expr, env: Env) -> Any:
    """What a comparison of constants is, such as `name == "tanh"`; MISSING if it is not known."""
    match node:
        case ast.Constant(value):
            return value
        case ast.Name(name):
            found = env.names.get(name)
            known = isinstance(found, T.Const) and found.type in (INT, BOOL, TEXT)
            return found.value if isinstance(found, T.Const) and known else MISSING
        case ast.Tuple(elements) | ast.List(elements) | ast.Set(elements):
            values = [_value(e, env) for e in elements]
            return MISSING if MISSING in values else values
        case ast.Compare(left, [op], [right]) if type(op) in _COMPARISONS:
            a, b = _value(left, env), _value(right, env)
            return MISSING if a is MISSING or b is MISSING else _COMPARISONS[type(op)](a, b)
    return MISSING
