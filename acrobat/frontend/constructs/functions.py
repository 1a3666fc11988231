"""Calls of the author's own functions and data classes; `ab.parallel`, `ab.phase`."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence
from typing import Any, NoReturn

from ...ir import typed as T
from ...ir.names import authors
from ...ir.types import TEXT, DataRef, ListType, Type
from ...lang.data import runs_post_init
from ...lang.hints import NameScope, function_scope, resolve_hint
from ...lang.model import Model, parallel, phase
from ..bad_hint import BadHint
from ..context import FunctionContext
from ..emit import make_tuple
from ..escaping import keep_lists, may_hold
from ..function_values import Closure, FunctionValue, Named
from ..open_hints import leaves_open
from ..own_dimensions import MOST_INSTANCES, TooManySizesError, at_sizes
from ..parameters import NO_DEFAULT, Parameter
from ..plain_classes import lists_weights, made_by_fields
from ..plain_data import sets_itself
from ..registry import function
from ..scope import Env, Recover
from ..syntax import mark_fresh
from .arguments import argument_value, as_evaluated, checked_argument, given_arguments
from .changed_parameters import changes
from .chosen_columns import gives_sizes
from .closure_calls import call_closure
from .closures import closure_of, function_value
from .naming_parameters import gives_names
from .plain_records import class_of, made_fields, makes_field, new_object
from .rows_softmax import softmax_called


def model_call(ctx: FunctionContext, node: ast.Call, callee: Model[..., Any], env: Env) -> T.Var:
    """`f(p, x)` of a function decorated with `@ab.model`."""
    call, result = _model_call(ctx, node, callee, env)
    softmax = softmax_called(ctx, node, call)
    if softmax is not None:
        return softmax
    if isinstance(result, ListType) and not any(may_hold(ctx, a.type, result) for a in call.args):
        mark_fresh(node)
    return ctx.let(call, result, node, authors(call.function))


def closure_call(ctx: FunctionContext, node: ast.Call, callee: Closure, env: Env) -> T.Atom:
    """A call of a function that is lowered where it is called."""
    call, result = call_closure(ctx, node, callee, env)
    softmax = softmax_called(ctx, node, call)
    if softmax is not None:
        return softmax
    return _known_result(ctx, call) or ctx.let(call, result, node, authors(call.function))


def _known_result(ctx: FunctionContext, call: T.Call) -> T.Const | None:
    """The string that a function returns whatever its arguments are, such as the name of weights
    that it puts together; None if it does more."""
    lowered = ctx.builder.functions.get(call.function)
    match lowered.body if lowered is not None else None:
        case T.Region((), T.Return((T.Const(type=t) as found,))) if t == TEXT:
            return found
    return None


def construct(ctx: FunctionContext, node: ast.Call, cls: type, env: Env) -> T.Var:
    """`Node(left, right)` of a class of data."""
    # Registers the class if no hint has mentioned it.
    try:
        t = ctx.builder.declarations.type_of(cls)
    except BadHint as error:
        ctx.fail("AC004", node.func, str(error), error.hint)
    assert isinstance(t, DataRef)
    if runs_post_init(cls) or not made_by_fields(cls):
        return new_object(ctx, node, cls, *made_fields(ctx, node, cls, env))
    itself = sets_itself(cls)
    if itself is not None:
        ctx.fail(
            "AC012",
            node,
            itself,
            "a function that makes it, and calls the class with all of its fields",
        )
    fields = ctx.builder.declarations.datas[t.name].fields
    parameters = fields_of(cls, fields)
    given = given_arguments(ctx, node, t.name, parameters)
    values = _values(ctx, node, cls, t.name, parameters, env)
    made = ctx.let(T.Construct(t.name, values), t, node)
    if class_of(ctx, t) is not None:
        lists = (n for n, of in fields if makes_field(given.get(n), of))
        ctx.fresh_records[made.number] = frozenset(lists)
    return made


def fields_of(cls: type, fields: tuple[tuple[str, Type], ...]) -> tuple[Parameter, ...]:
    """The fields of a data class as the parameters of its constructor."""
    declared = {f.name: f for f in dataclasses.fields(cls)}
    found: list[Parameter] = []
    for name, t in fields:
        field = declared[name]
        default: Any = NO_DEFAULT
        if field.default is not dataclasses.MISSING:
            default = field.default
        elif field.default_factory is not dataclasses.MISSING:
            default = field.default_factory
        found.append(Parameter(name, t, default, positional=not field.kw_only))
    return tuple(found)


@function(parallel)
def parallel_calls(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`ab.parallel(f(...), g(...))`, `ab.parallel([f(x) for x in xs])`."""
    if len(node.args) == 1 and isinstance(node.args[0], (ast.ListComp, ast.List)):
        mark_fresh(node)
        return ctx.expression(node.args[0], env)
    calls: list[T.Call] = []
    types: list[Type] = []
    if node.keywords:
        ctx.fail(
            "AC022", node.keywords[0].value, "ab.parallel takes no keywords", "the call without"
        )
    if not node.args:
        ctx.fail("AC022", node, "ab.parallel without calls", "ab.parallel(f(...), g(...))")
    for arg in node.args:
        callee = function_value(ctx, arg.func, env) if isinstance(arg, ast.Call) else None
        built = None
        if isinstance(arg, ast.Call) and callee is not None:
            built = build_call(ctx, arg, callee, env)
        if built is None:
            ctx.fail(
                "AC022",
                arg,
                f"ab.parallel runs calls of model functions; `{ast.unparse(arg)}` is none",
                "move it out of ab.parallel, or into a function decorated with @ab.model",
            )
        calls.append(built[0])
        types.append(built[1])
    outs = tuple(
        ctx.computed(authors(c.function), t, node) for c, t in zip(calls, types, strict=True)
    )
    ctx.stmts.append(T.Let(outs, T.Parallel(tuple(calls)), ctx.span(node)))
    return make_tuple(ctx, outs, node, "results")


@function(phase)
def phase_as_value(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`ab.phase()` inside an expression."""
    _refuse_phase(ctx, node)


def _refuse_phase(ctx: FunctionContext, node: ast.AST) -> NoReturn:
    ctx.fail(
        "AC029",
        node,
        "ab.phase() is a statement at the outermost level of the entry function",
        "a line of its own, outside of `if`, `match` and loops",
    )


def begin_phase(ctx: FunctionContext, node: ast.stmt) -> None:
    """The statement `ab.phase()`."""
    entry = ctx.builder.signatures.get(id(ctx.builder.entry))
    if ctx.level > 1 or ctx.signature is not entry:
        _refuse_phase(ctx, node)
    ctx.stmts.append(T.Let((), T.NextPhase(), ctx.span(node)))


def build_call(
    ctx: FunctionContext, node: ast.Call, callee: FunctionValue, env: Env
) -> tuple[T.Call, Type] | None:
    """A call of one of the author's functions, and its result's type; None if `callee` is not
    one."""
    match callee:
        case Closure():
            return call_closure(ctx, node, callee, env)
        case Named(found=Model() as model):
            return _model_call(ctx, node, model, env)
    return None


def _model_call(
    ctx: FunctionContext, node: ast.Call, callee: Model[..., Any], env: Env
) -> tuple[T.Call, Type]:
    # A function that lacks hints, changes its arguments or is given sizes is lowered for the
    # arguments of this call, as if it were not decorated.
    closure = closure_of(ctx, callee)
    if (
        _has_hints(callee, ctx.builder.declarations.floats_open)
        and not changes(ctx, callee, closure)
        and not (closure is not None and _is_given_constants(ctx, node, closure, env))
    ):
        closure = None
    if closure is not None:
        return call_closure(ctx, node, closure, env)
    signature = ctx.builder.signature(callee, ctx.span(node))
    if signature is None:
        raise Recover
    if signature.takes_functions or signature.open_hint is not None:
        closure = closure_of(ctx, callee)
        assert closure is not None
        return call_closure(ctx, node, closure, env)
    owner = callee.function.__name__
    given = given_arguments(ctx, node, owner, signature.parameters)
    before = set(env.owned)
    values = {
        p.name: argument_value(ctx, node, owner, p, given, env)
        for p in as_evaluated(signature.parameters, given)
    }
    args = [values[p.name] for p in signature.parameters]
    try:
        signature = at_sizes(
            ctx.builder,
            signature,
            [a.type for a in args],
            [isinstance(a, T.Var) and a.number in ctx.optional for a in args],
        )
    except TooManySizesError:
        ctx.fail(
            "AC010",
            node,
            f"{owner} is called with more than {MOST_INSTANCES} sets of sizes",
            "a recursion that keeps the sizes of its tensors",
        )
    ctx.builder.demand(signature)
    pairs = zip(signature.parameters, args, strict=True)
    checked = [checked_argument(ctx, node, owner, p, given, a) for p, a in pairs]
    if None in checked:
        raise Recover
    if signature.result is None or any(t is None for _, t in signature.params):
        raise Recover
    keep_lists(env, before, node, signature.result)
    return T.Call(signature.name, tuple(a for a in checked if a is not None)), signature.result


def _is_given_constants(ctx: FunctionContext, node: ast.Call, closure: Closure, env: Env) -> bool:
    """Whether a call passes a size, or a name of weights, that is known at compile time."""
    tree = closure.tree
    return gives_sizes(ctx, node, tree, env) or gives_names(ctx, node, tree, env)


def _has_hints(model: Model[..., Any], floats_open: bool) -> bool:
    """Whether all parameters and the result of a function have hints that give their types."""
    hints, code = model.hints, model.function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if not all(n in hints and not leaves_open(hints[n], floats_open) for n in (*names, "return")):
        return False
    scope = function_scope(model.function, model.around())
    return not any(_lists_weights(hints[n], scope) for n in names)


def _lists_weights(hint: Any, scope: NameScope) -> bool:
    try:
        return lists_weights(resolve_hint(hint, scope))
    except Exception:  # the author's expression may raise anything; reading the hint reports it
        return False


def _values(
    ctx: FunctionContext,
    node: ast.Call,
    cls: type,
    owner: str,
    parameters: Sequence[Parameter],
    env: Env,
) -> tuple[T.Atom, ...]:
    """The arguments (positional, keyword or default) in the order of the parameters."""
    given = given_arguments(ctx, node, owner, parameters)
    atoms: dict[str, T.Atom] = {}
    for p in as_evaluated(parameters, given):
        value = argument_value(ctx, node, owner, p, given, env)
        ctx.builder.declarations.met.note_field(cls, p.name, value.type)
        atom = checked_argument(ctx, node, owner, p, given, value)
        if atom is not None:
            atoms[p.name] = atom
    if len(atoms) < len(parameters):
        raise Recover
    return tuple(atoms[p.name] for p in parameters)
