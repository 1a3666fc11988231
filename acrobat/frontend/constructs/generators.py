"""Functions with `yield`, whose items are all computed before the first one is used (`yielding`).

That is the same as long as nothing changes what the function reads meanwhile: a local function
reads no variable that is assigned twice or changed in place, a loop over the items changes nothing
that the call gets, and no name is given to the generator itself.
"""

from __future__ import annotations

import ast

from ..captures import captured, own_nodes
from ..context import FunctionContext
from ..function_values import Closure
from ..scope import Env
from ..syntax import makes_list, names_mutated
from ..yielding import has_yield, is_generator, without_yield
from .changed_parameters import changes, closure_by
from .changed_results import arguments


def with_generators(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite the local functions of `tree` that have a `yield`; raises Recover if one reads what
    may change meanwhile."""
    for definition in [n for n in own_nodes(tree.body) if isinstance(n, ast.FunctionDef)]:
        if has_yield(definition):
            _check(ctx, tree, definition)
            without_yield(definition)


def check_loop(ctx: FunctionContext, node: ast.For, env: Env) -> None:
    """An error if a loop over the items of a generator changes what the call gets."""
    changed = changed_in_place(ctx, node.body)
    for call in (n for n in ast.walk(node.iter) if isinstance(n, ast.Call)):
        shared = [a for a in call.args if not makes_list(a)]
        given = {n.id for a in shared for n in ast.walk(a) if isinstance(n, ast.Name)}
        both = sorted(given & changed)
        if both and _is_generator(ctx, call, env):
            ctx.fail(
                "AC030",
                call,
                f"{ast.unparse(call.func)} yields items one by one, and {both[0]}, which it gets, "
                "changes in the loop",
                f"`[*{both[0]}]` as the argument",
            )


def _is_generator(ctx: FunctionContext, call: ast.Call, env: Env) -> bool:
    known = env.names.get(call.func.id) if isinstance(call.func, ast.Name) else None
    closure = known if isinstance(known, Closure) else closure_by(ctx, ctx.static(call.func, env))
    return closure is not None and is_generator(closure.tree)


def _check(ctx: FunctionContext, tree: ast.FunctionDef, definition: ast.FunctionDef) -> None:
    found = captured(definition, lambda call: ())
    others = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in found.reads]
    stored = [n.id for n in others if isinstance(n.ctx, ast.Store)]
    twice = {n for n in stored if stored.count(n) > 1}
    changed = sorted((found.reads & (changed_in_place(ctx, tree.body) | twice)) | found.changes)
    if changed:
        ctx.fail(
            "AC030",
            definition,
            f"{definition.name} yields, and {changed[0]}, which it uses, changes",
            f"a list that {definition.name} appends to and returns",
        )


def changed_in_place(ctx: FunctionContext, body: list[ast.stmt]) -> set[str]:
    """The names of what statements may change in place."""
    found = names_mutated(body)
    for node in (n for s in body for n in ast.walk(s)):
        match node:
            case ast.Attribute(owner, ctx=ast.Store() | ast.Del()):
                found.add(_root(owner))
            case ast.Expr(ast.Call(ast.Attribute(owner))):
                found.add(_root(owner))
            case ast.AugAssign(ast.Name(name)):
                found.add(name)
            case ast.Call():
                callee = ctx.static(node.func, Env())
                closure = closure_by(ctx, callee)
                own = changes(ctx, callee, closure)
                if own and closure is not None:
                    given = arguments(node, closure.tree)
                    found |= {_root(value) for name, value in given if name in own}
    return found


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
