"""Functions that are lowered where they are called: local functions, lambdas, functions without
`@ab.model`, functions that take functions.

Each is lowered once per combination of argument types (where it has no hints), functions passed to
it, and constants that it captures from the enclosing function. Captured variables become arguments,
so the results are functions of the module like any other.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from ...ir import typed as T
from ...ir.types import Type
from ...lang.hints import function_scope, resolve_hint
from ...limits import MAX_UNROLLED
from ..assumed_results import failed_before, forget, lowering, note_call, provisional, to_the_end
from ..context import FunctionContext
from ..diagnostics import RECURSIVE
from ..escaping import keep_lists
from ..for_argument import for_argument, note_hint
from ..function_values import (
    Closure,
    FunctionTable,
    FunctionValue,
    Import,
    Named,
    Partial,
    identity,
)
from ..inferred_hints import is_left_open
from ..open_hints import leaves_open
from ..open_results import without_open
from ..optional_items import pass_on
from ..parameters import NO_DEFAULT, Parameter, default_values, means_function, ways
from ..read_hint import read_hint
from ..scope import Env, Recover
from ..signatures import Signature
from ..source import Source
from ..syntax import mark_fresh, parameters
from .arguments import as_evaluated, checked_argument, given_argument, given_arguments
from .changed_results import changed_by, check_takes_changes, has_result
from .closures import complete, completed, function_value, listed_functions, of_object
from .functions_by_key import function_by_key
from .naming_parameters import is_lowered_for
from .rest_arguments import with_rest


def call_closure(
    ctx: FunctionContext, node: ast.Call, callee: Closure, env: Env, receiver: T.Atom | None = None
) -> tuple[T.Call, Type]:
    """The call of the function that `callee` is lowered to for these arguments, and its result's
    type. `receiver` is the first argument if `callee` is a method."""
    before = set(env.owned)
    tree = callee.tree
    check_takes_changes(ctx, node, tree)
    node = with_rest(node, tree, int(receiver is not None))
    known = parameters_of(ctx, node, callee)
    rest = known if receiver is None else known[1:]
    given = given_arguments(ctx, node, tree.name, rest)
    # By parameter: the argument, and the type of the parameter for it.
    passed_on: dict[str, tuple[T.Atom, Type]] = {}
    if receiver is not None:
        passed_on[known[0].name] = receiver, callee.owner or receiver.type
    # What parameters are bound to at compile time: functions, sizes, names of weights.
    bound_to: dict[str, Any] = {}
    wrong = False
    for p in as_evaluated(rest, given):
        passed = passed_function(ctx, node, p, given, env)
        if passed is not None:
            bound_to[p.name] = passed
            continue
        functions = listed_functions(ctx, given[p.name], env) if p.name in given else None
        if functions is not None:
            bound_to[p.name] = FunctionTable(None, functions)
            continue
        if p.function:
            ctx.error(
                "AC017",
                given[p.name],
                f"{tree.name} takes a function as {p.name!r}, `{ast.unparse(given[p.name])}` is "
                f"none",
                "the name of a function, a lambda, or `functools.partial(...)`",
            )
            wrong = True
            continue
        value, unsettled = given_argument(ctx, node, tree, p, given, env)
        p = for_argument(ctx.builder, p, value.type)
        note_hint(ctx.builder, callee, p)
        atom = checked_argument(ctx, node, tree.name, p, given, value)
        if atom is None:
            wrong = True
            continue
        if unsettled is not None:
            bound_to[p.name] = dataclasses.replace(unsettled, value=atom)
        elif is_lowered_for(ctx, tree, p.name, atom):
            bound_to[p.name] = atom
        else:
            passed_on[p.name] = atom, atom.type if p.type is None else p.type
    if wrong:
        raise Recover
    # What functions use of the enclosing function, they read when all arguments are computed.
    function = complete(ctx, callee, env)
    assert isinstance(function, Closure)
    bound_to = {p.name: completed(ctx, bound_to[p.name], env) for p in rest if p.name in bound_to}
    names = [p.name for p in known if p.name in passed_on]
    atoms = [passed_on[n][0] for n in names]
    values = [(n, passed_on[n][1]) for n in names]
    imported = Import()
    key = (
        id(tree),
        tuple(values),
        tuple((n, identity(v)) for n, v in bound_to.items()),
        identity(function),
    )
    bound = {n: imported.binding(v, {}) for n, v in bound_to.items()}
    bound |= imported.binding(function).captured
    try:
        signature = _instance(ctx, node, function, key, values, bound, imported)
    except Recover:
        pass_on(ctx, tree, values, given)
        env.owned |= before  # what follows is lowered for its types alone
        raise
    assert signature.result is not None
    done = ctx.builder.inside[id(tree)] == 0
    fresh = done and ctx.builder.fresh.get(signature.name, False)
    parts = (1, 0)
    if changed_by(tree):
        parts = (int(has_result(tree)), len(changed_by(tree)))
    keep_lists(env, before, node, signature.result, fresh, parts)
    mark_fresh(node, fresh and not changed_by(tree))
    return T.Call(signature.name, (*atoms, *imported.given)), signature.result


def passed_function(
    ctx: FunctionContext, node: ast.Call, parameter: Parameter, given: dict[str, ast.expr], env: Env
) -> FunctionValue | None:
    """The function that a call passes for a parameter; None if it passes another value."""
    if parameter.name in given:
        value = given[parameter.name]
        return function_by_key(ctx, value, env) or function_value(ctx, value, env)
    default = parameter.default
    if isinstance(default, (Named, Closure, Partial)):
        return default
    if callable(default) and default is not NO_DEFAULT:
        return of_object(ctx, default)
    return None


def parameters_of(ctx: FunctionContext, node: ast.Call, function: Closure) -> list[Parameter]:
    """The parameters of a function, from its source."""
    tree, model = function.tree, function.model
    for extra in (tree.args.vararg, tree.args.kwarg):
        if extra is not None:
            ctx.builder.reporter.error(
                "AC001",
                function.source.span(extra),
                f"{tree.name} takes a variable number of arguments",
                "name each argument",
            )
            raise Recover
    scope = function_scope(model.function, model.around())
    how = ways(tree)
    inner = tree is not function.source.tree or bool(function.captured)
    defaults = {n: v for n, v in function.captured.items() if n.endswith("=")}
    if not inner:
        defaults = {f"{n}=": v for n, v in default_values(model.function, tree).items()}
    found: list[Parameter] = []
    floats = ctx.builder.declarations.floats_open
    for arg in parameters(tree):
        default = defaults.get(f"{arg.arg}=", NO_DEFAULT)
        if arg.annotation is None or leaves_open(ast.unparse(arg.annotation), floats):
            found.append(Parameter(arg.arg, None, default, *how[arg.arg]))
            continue
        evaluate = functools.partial(resolve_hint, ast.unparse(arg.annotation), scope)
        is_function = means_function(evaluate)
        if is_function or _is_open(ctx, evaluate):
            found.append(Parameter(arg.arg, None, default, *how[arg.arg], function=is_function))
            continue
        t = _hint(ctx, function, f"the hint of {arg.arg!r}", arg.annotation, evaluate)
        found.append(Parameter(arg.arg, t, default, *how[arg.arg]))
    return found


def _is_open(ctx: FunctionContext, evaluate: Callable[[], Any]) -> bool:
    """Whether a hint leaves a type open; False if it cannot be evaluated."""
    try:
        hint = evaluate()
        return hint is None or is_left_open(ctx.builder.declarations, hint)
    except Exception:  # the author's expression may raise anything; reading the hint reports it
        return False


def _hint(
    ctx: FunctionContext, function: Closure, what: str, node: ast.expr, evaluate: Callable[[], Any]
) -> Type:
    t = read_hint(what, evaluate, ctx.builder.declarations, function.source.span(node))
    if t is None:
        raise Recover
    return t


def _instance(
    ctx: FunctionContext,
    node: ast.Call,
    function: Closure,
    key: Any,
    values: list[tuple[str, Type]],
    bound: dict[str, Any],
    imported: Import,
) -> Signature:
    """The function that is lowered for such calls; raises Recover if it has errors."""
    builder, tree = ctx.builder, function.tree
    known = builder.instances.get(key)
    if known is not None and known.result is None:
        builder.asked.add(known.name)
        builder.times_asked += 1
        ctx.fail(
            "AC003",
            node,
            f"{tree.name} {RECURSIVE}",
            f"`def {tree.name}(...) -> <type>:`",
        )
    if known is not None:
        note_call(builder, key, known)
        return known
    known = failed_before(builder, key)
    if known is not None:
        return known
    _check_end(ctx, node, tree, values)
    result: Type | None = builder.known_results.get(id(tree))
    floats = builder.declarations.floats_open
    if tree.returns is not None and not leaves_open(ast.unparse(tree.returns), floats):
        scope = function_scope(function.model.function, function.model.around())
        evaluate = functools.partial(resolve_hint, ast.unparse(tree.returns), scope)
        if not _is_open(ctx, evaluate):
            result = _hint(ctx, function, "the result hint", tree.returns, evaluate)
    result, open_hint = without_open(builder.declarations, result, [t for _, t in values])
    source = Source(tree, function.source.file, function.source.line, function.source.lines)
    signature = Signature(
        builder.names.free(tree.name),
        function.model,
        source,
        tuple(values),
        result,
        bound=bound,
        extra=tuple(imported.parameters),
        inferred=result is None,
        is_model=function.is_model,
        open_hint=open_hint,
    )
    builder.instances[key] = signature
    builder.inside[id(tree)] += 1
    errors = len(builder.reporter.errors)
    with lowering(builder, key, signature.name):
        lowered = to_the_end(builder, key, signature)
    builder.inside[id(tree)] -= 1
    if lowered is None:
        # Lower it again, and report again: a loop may have called it before its types were known.
        del builder.instances[key]
        forget(builder, signature.name)
        assumed = provisional(builder, key, signature, builder.reporter.errors[errors:])
        if assumed is not None:
            return assumed
        raise Recover
    builder.functions[signature.name] = lowered
    done = dataclasses.replace(signature, result=lowered.results[0])
    builder.instances[key] = done
    return done


def _check_end(
    ctx: FunctionContext, node: ast.Call, tree: ast.FunctionDef, values: list[tuple[str, Type]]
) -> None:
    """Report AC032 for a function whose recursive calls have new types again and again."""
    endless = ctx.builder.endless
    if ctx.builder.inside[id(tree)] >= MAX_UNROLLED and id(tree) not in endless:
        types = ", ".join(f"`{name}` is {t}" for name, t in values)
        endless[id(tree)] = types if len(types) < 100 else f"{types[:100]}..."
    # Loops lower their bodies several times: do not recurse as deep every time.
    if id(tree) in endless:
        ctx.fail(
            "AC032",
            node,
            f"{tree.name} calls itself with other types each time, {MAX_UNROLLED} times and on: "
            f"{endless[id(tree)]}",
            "arguments of the same types; a list and a loop for what grows or shrinks",
        )
