"""Where the paths of a function meet: what is a number on one of them and a tensor on another
(unsettled.py) is taken apart into the tensor and a truth value, which come out of branches and
loops like other names, and put together again."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import BOOL, Type
from .context import FunctionContext
from .scope import Binding, Conflict, Env, Unsettled
from .unsettled import NUMBERS, everywhere, meets

_NEVER, _ALWAYS = T.Const(False, BOOL), T.Const(True, BOOL)


def flag(name: str) -> str:
    """The name under which loops carry, and paths join, whether `name` is still a number."""
    return f"{name} is a number"  # a name that no model can use


def taken_apart(
    ctx: FunctionContext, node: ast.AST, value: Binding, t: Type
) -> tuple[Binding, Binding]:
    """The two parts of what may still be a number and else has type `t`: the tensor, and whether it
    is a number."""
    if isinstance(value, Unsettled):
        return value.value, value.number
    if isinstance(value, (T.Var, T.Const)):
        if value.type in NUMBERS:
            return everywhere(ctx, node, value, t), _ALWAYS
        return value, _NEVER
    return value, value


def put_together(
    names: dict[str, Binding], name: str, line: int, conflict: Conflict | None
) -> None:
    """Bind `name` to what it and its flag are bound to."""
    value, number = names[name], names.pop(flag(name), None)
    if isinstance(value, T.Var) and isinstance(number, (T.Var, T.Const)) and number != _NEVER:
        names[name] = Unsettled(value, number, line, conflict)


def apart_on_paths(
    ctx: FunctionContext, node: ast.AST, paths: list[tuple[Env, list[T.Stmt]]]
) -> dict[str, Conflict | None]:
    """Take apart, on all paths, what is a number on one of them and a tensor on another; the paths
    get the statements that this needs. Returns the names, with the error for using each as
    a tensor."""
    found: dict[str, Conflict | None] = {}
    for name in dict.fromkeys(n for env, _ in paths for n in env.names):
        bindings = [env.names.get(name) for env, _ in paths]
        if all(b == bindings[0] for b in bindings):
            continue
        parts = [b for b in bindings if isinstance(b, Unsettled)]
        atoms = [b for b in bindings if isinstance(b, (T.Var, T.Const))]
        if len(parts) + len(atoms) < len(bindings):
            continue
        numbers = [b.type for b in atoms if b.type in NUMBERS]
        tensors = [p.value.type for p in parts] + [b.type for b in atoms if b.type not in NUMBERS]
        if not tensors or not (numbers or parts) or any(t != tensors[0] for t in tensors):
            continue
        if numbers and not meets(numbers[0], tensors[0]):
            continue
        conflict = next((p.conflict for p in parts if p.conflict is not None), None)
        if numbers and conflict is None:
            types = str(numbers[0]), str(tensors[0])
            conflict = Conflict(ctx.span(node), *types[:: 1 if _is_number(bindings[0]) else -1])
        found[name] = conflict
        for env, stmts in paths:
            with ctx.region(tuple(stmts)) as more:
                parts_of = taken_apart(ctx, node, env.names[name], tensors[0])
            stmts[:] = more
            env.names[name], env.names[flag(name)] = parts_of
    return found


def _is_number(binding: Binding | None) -> bool:
    return isinstance(binding, (T.Var, T.Const)) and binding.type in NUMBERS
