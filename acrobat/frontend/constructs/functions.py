"""Calls of the author's own functions and data classes; `ab.parallel`, `ab.phase`."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from ...ir import typed as T
from ...ir.names import authors
from ...ir.types import DataRef, TensorType, Type, is_subtype
from ...lang.model import Model, parallel, phase
from ..context import FunctionContext
from ..declarations import BadHint, suggest
from ..emit import make_tuple, widen
from ..registry import function
from ..scope import Env, Recover


def model_call(ctx: FunctionContext, node: ast.Call, callee: Model[..., Any], env: Env) -> T.Var:
    """`f(p, x)` of a function decorated with `@ab.model`."""
    call, result = _build_call(ctx, node, callee, env)
    return ctx.let(call, result, node, authors(call.function))


def construct(ctx: FunctionContext, node: ast.Call, cls: type, env: Env) -> T.Var:
    """`Node(left, right)` of a class decorated with `@ab.data`."""
    # Registers the class if no hint has mentioned it.
    try:
        t = ctx.builder.declarations.type_of(cls)
    except BadHint as error:
        ctx.fail("AC004", node.func, str(error), error.hint)
    assert isinstance(t, DataRef)
    fields = ctx.builder.declarations.datas[t.name].fields
    return ctx.let(T.Construct(t.name, _arguments(ctx, node, t.name, fields, env)), t, node)


@function(parallel)
def parallel_calls(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Var:
    """`ab.parallel(f(...), g(...))`."""
    calls: list[T.Call] = []
    types: list[Type] = []
    if node.keywords:
        ctx.fail(
            "AC022", node.keywords[0].value, "ab.parallel takes no keywords", "the call without"
        )
    if not node.args:
        ctx.fail("AC022", node, "ab.parallel without calls", "ab.parallel(f(...), g(...))")
    for arg in node.args:
        callee = ctx.static(arg.func, env) if isinstance(arg, ast.Call) else None
        if not isinstance(arg, ast.Call) or not isinstance(callee, Model):
            ctx.fail(
                "AC022",
                arg,
                f"ab.parallel runs calls of model functions; `{ast.unparse(arg)}` is none",
                "move it out of ab.parallel, or into a function decorated with @ab.model",
            )
        call, result = _build_call(ctx, arg, callee, env)
        calls.append(call)
        types.append(result)
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
    if ctx.level > 1 or ctx.signature.model is not ctx.builder.entry:
        _refuse_phase(ctx, node)
    ctx.stmts.append(T.Let((), T.NextPhase(), ctx.span(node)))


def _build_call(
    ctx: FunctionContext, node: ast.Call, callee: Model[..., Any], env: Env
) -> tuple[T.Call, Type]:
    signature = ctx.builder.signature(callee, ctx.span(node))
    if signature is None:
        raise Recover
    args = _arguments(ctx, node, callee.function.__name__, signature.params, env)
    if signature.result is None or any(t is None for _, t in signature.params):
        raise Recover
    return T.Call(signature.name, args), signature.result


def _arguments(
    ctx: FunctionContext,
    node: ast.Call,
    owner: str,
    fields: tuple[tuple[str, Type | None], ...],
    env: Env,
) -> tuple[T.Atom, ...]:
    """The arguments in the order of `fields`, positional and by keyword, types checked."""
    given: dict[str, ast.expr] = {}
    names = [n for n, _ in fields]
    if len(node.args) > len(names):
        ctx.fail(
            "AC016",
            node,
            f"{owner} takes {len(names)} arguments, {len(node.args)} are given",
            f"{owner}({', '.join(names)})",
        )
    given |= dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg not in names:
            ctx.fail(
                "AC016",
                keyword.value,
                f"{owner} has no argument {keyword.arg!r}",
                suggest(keyword.arg, names) or f"{owner}({', '.join(names)})",
            )
        if keyword.arg in given:
            ctx.fail("AC016", keyword.value, f"{keyword.arg!r} is given twice", "it once")
        given[keyword.arg] = keyword.value
    missing = [n for n in names if n not in given]
    if missing:
        ctx.fail(
            "AC016",
            node,
            f"{owner} lacks {', '.join(missing)}",
            f"{owner}({', '.join(names)})",
        )
    atoms: list[T.Atom] = []
    wrong = False
    for name, wanted in fields:
        atom = ctx.expression(given[name], env)
        if wanted is not None:
            atom = widen(atom, wanted)
            if not is_subtype(atom.type, wanted):
                shapes = isinstance(atom.type, TensorType) and isinstance(wanted, TensorType)
                ctx.error(
                    "AC010" if shapes else "AC017",
                    given[name],
                    f"{owner} takes {wanted} as {name!r}, this is {atom.type}",
                    "",
                    ctx.origin_notes((given[name], atom)),
                )
                wrong = True
        atoms.append(atom)
    if wrong:
        raise Recover
    return tuple(atoms)
