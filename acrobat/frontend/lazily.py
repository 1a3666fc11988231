"""Expressions that are evaluated on one path only: `a and b`, `a if c else b`. On that path they
may bind names (`:=`) and change lists (`xs.pop()`), as a branch does."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from ..ir import typed as T
from ..ir.subtypes import join
from ..ir.type_queries import run_time_value
from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    TEXT,
    DataRef,
    ListType,
    MemberType,
    OptionalType,
    RowsType,
    StackType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from .context import FunctionContext
from .emit import list_op, make_tuple, tensor_op
from .optional import coerced
from .scope import Binding, Env, Undefined, Unsettled

BOUND = "bound_where_true"  # an attribute of nodes: see `bound_where_true`


@dataclass(slots=True)
class Path:
    """One path: its statements, and the bindings after it; those in `before` are not its own."""

    stmts: list[T.Stmt]
    env: Env
    before: dict[str, object] = field(init=False)

    def __post_init__(self) -> None:
        self.before = dict(self.env.names)

    def changed(self) -> set[str]:
        """The names that it has bound."""
        return {n for n, b in self.env.names.items() if b is not self.before.get(n)}


def join_paths(
    ctx: FunctionContext, node: ast.expr, env: Env, paths: tuple[Path, Path]
) -> tuple[tuple[T.Var, ...], tuple[tuple[T.Atom, ...], tuple[T.Atom, ...]]]:
    """Join in `env` what the paths have bound: returns the variables that come out of both, and the
    values that each path gives them."""
    outs: list[T.Var] = []
    values: tuple[list[T.Atom], list[T.Atom]] = ([], [])
    known: dict[str, Callable[[FunctionContext], T.Var]] = {}
    for name in dict.fromkeys(n for p in paths for n in p.env.names if n in p.changed()):
        before = env.names.get(name)
        if isinstance(before, Unsettled) and _only_tested(
            before, [p.env.names[name] for p in paths]
        ):
            continue
        found = [p.env.names[name] if name in p.changed() else env.names.get(name) for p in paths]
        atoms = [b for b in found if isinstance(b, (T.Var, T.Const))]
        # A name that stands for a function on both paths, such as the compiler's own for a lambda,
        # has no value.
        t = join(atoms[0].type, atoms[-1].type) if atoms else None
        bound = [isinstance(b, (T.Var, T.Const)) for b in found]
        env.names[name] = Undefined(ctx.span(node))
        if t is None or not run_time_value(t):
            continue
        if not all(bound):
            stands = _stand_in(ctx, node, t, paths[bound.index(False)].stmts)
            if stands is None:
                continue
            found[bound.index(False)] = stands
            t = join(t, stands.type) or t
        out = T.Var(name, t)
        ctx.origins[out.number] = f"joined behind line {ctx.span(node).line}"
        outs.append(out)
        for taken, binding in zip(values, found, strict=True):
            assert isinstance(binding, (T.Var, T.Const))
            taken.append(binding)
        if all(bound):
            env.names[name] = out
        elif bound[0]:
            known[name] = _known(out, atoms[0].type, node)
    env.owned &= paths[0].env.owned & paths[1].env.owned
    setattr(node, BOUND, known)
    return tuple(outs), (tuple(values[0]), tuple(values[1]))


def _only_tested(before: Unsettled, after: list[Binding]) -> bool:
    """Whether paths have done no more with a name than find that it is a tensor."""
    return all(b in (before, before.value) for b in after)


def _known(out: T.Var, t: Type, node: ast.expr) -> Callable[[FunctionContext], T.Var]:
    """A function that gives `out` where it is known to be of type `t`, not a None that stands in
    for it."""

    def read(ctx: FunctionContext) -> T.Var:
        return out if out.type == t else ctx.let(T.Narrow(out), t, node, out.name)

    return read


def _stand_in(ctx: FunctionContext, node: ast.expr, t: Type, stmts: list[T.Stmt]) -> T.Atom | None:
    """A value for a name on the path that does not bind it, where nothing can read it."""
    outer, ctx.stmts = ctx.stmts, stmts
    try:
        match t:
            case _ if t == BOOL:
                return T.Const(False, BOOL)
            case _ if t in (INT, FLOAT):
                return T.Const(0, INT) if t == INT else T.Const(0.0, FLOAT)
            case MemberType():
                return T.Const(0, t)
            case _ if t == TEXT:
                return ctx.builder.text("")
            case ListType():
                return list_op(ctx, "make", (), t, node)
            case RowsType() | StackType():
                return None
            case TensorType(dims):
                return tensor_op(ctx, "zeros", node, [], (("shape", dims),))
            case DataRef() | UnionType():
                none = ctx.builder.declarations.none()
                return ctx.let(T.Construct("None", ()), none, node)
            case OptionalType():
                none = ctx.builder.declarations.none()
                return coerced(ctx, ctx.let(T.Construct("None", ()), none, node), t, node)
            case TupleType(items) if type(t) is TupleType:
                parts = [_stand_in(ctx, node, part, stmts) for part in items]
                known = tuple(p for p in parts if p is not None)
                return make_tuple(ctx, known, node) if len(known) == len(parts) else None
        return None
    finally:
        ctx.stmts = outer


def bound_where_true(ctx: FunctionContext, node: ast.expr) -> dict[str, T.Var]:
    """The names that `a and (x := b)` has bound if it holds, and that are not bound otherwise."""
    known: dict[str, Callable[[FunctionContext], T.Var]] = getattr(node, BOUND, {})
    return {name: read(ctx) for name, read in known.items()}
