"""Assignments: `x = ...`, `x: int = ...`, `x += ...`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import TensorType, Type, has_nothing, is_subtype
from ..context import FunctionContext
from ..declarations import read_hint
from ..emit import widen
from ..registry import statement
from ..scope import Env
from ..sizes import named_size
from ..syntax import makes_list
from ..targets import assign, refuse_mutation
from .lists import extend


@statement(ast.Assign)
def assignment(ctx: FunctionContext, node: ast.Assign, env: Env) -> None:
    """`x = value`, `a, b = value`, `x = y = value`."""
    match node.targets, node.value:
        case [ast.Tuple(elements)], ast.Tuple(values) if _pairwise(elements, values):
            # No tuple is built, so each target keeps what is known about its own value.
            atoms = [ctx.expression(v, env) for v in values]
            for target, value, atom in zip(elements, values, atoms, strict=True):
                assign(ctx, target, atom, env, makes_list(value))
            return
        case [ast.Name(name)], value if size := named_size(ctx, value, env):
            env.names[name] = size
            return
    atom = ctx.expression(node.value, env)
    for target in node.targets:
        assign(ctx, target, atom, env, makes_list(node.value) and len(node.targets) == 1)


def _pairwise(targets: list[ast.expr], values: list[ast.expr]) -> bool:
    starred = any(isinstance(e, ast.Starred) for e in (*targets, *values))
    return len(targets) == len(values) and not starred


@statement(ast.AnnAssign)
def annotated(ctx: FunctionContext, node: ast.AnnAssign, env: Env) -> None:
    """`x: hint = value`."""
    target, value = node.target, node.value
    if not isinstance(target, ast.Name):
        refuse_mutation(ctx, target)
    if value is None:
        ctx.fail("AC001", node, "a declaration without a value", "assign a value")
    declared = read_hint(
        f"the hint of {target.id!r}",
        lambda: ctx.hint(node.annotation),
        ctx.builder.declarations,
        ctx.span(node.annotation),
    )
    atom = ctx.expression(value, env)
    if declared is not None:
        atom = widen(atom, declared)
        if not is_subtype(atom.type, declared):
            ctx.fail(
                "AC017",
                value,
                f"{target.id} is declared {declared}, but this is {atom.type}",
                "change the value or the hint",
            )
        atom = _of_declared_items(ctx, atom, declared)
        ctx.declared[target.id] = declared
        ctx.builder.hints.append((ctx.span(node.annotation), target.id, declared))
    assign(ctx, target, atom, env, makes_list(value))


def _of_declared_items(ctx: FunctionContext, atom: T.Atom, declared: Type) -> T.Atom:
    """A literal of empty lists, whose items have the declared type before any is there."""
    last = ctx.stmts[-1] if ctx.stmts else None
    match last:
        case T.Let((out,), T.ListOp("make"), span) if out is atom and has_nothing(out.type):
            typed = T.Var(out.name, declared)
            ctx.origins[typed.number] = ctx.origins[out.number]
            ctx.stmts[-1] = T.Let((typed,), last.rhs, span)
            return typed
    return atom


@statement(ast.AugAssign)
def augmented(ctx: FunctionContext, node: ast.AugAssign, env: Env) -> None:
    """`x += value`, and the other operators."""
    target = node.target
    if not isinstance(target, ast.Name):
        refuse_mutation(ctx, target)
    if isinstance(node.op, ast.Add) and env.is_list(target.id):
        extend(ctx, node, target.id, env)
        return
    left = ast.copy_location(ast.Name(target.id, ast.Load()), target)
    joined = ast.copy_location(ast.BinOp(left, node.op, node.value), node)
    result = ctx.expression(joined, env)
    if isinstance(result.type, TensorType):
        # numpy would change the array in place, wherever else it is used.
        ctx.error(
            "AC015",
            node,
            "an assignment that changes a tensor in place",
            f"`{ast.unparse(target)} = {ast.unparse(joined)}`",
        )
    assign(ctx, target, result, env)
