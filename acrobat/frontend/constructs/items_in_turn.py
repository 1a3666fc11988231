"""Comprehensions whose items depend on each other, `[total := total + x for x in xs]`, or do
something that what follows can see, `[stack.pop() for _ in range(2)]`. They are lowered as loops
that append to a list; the items of all others are computed independently of each other."""

from __future__ import annotations

import ast
import copy

from ...ir import typed as T
from ..context import FunctionContext
from ..scope import Env
from ..surely_bound import read_unbound
from ..syntax import is_mutation, item_parts, mark_fresh, names_bound
from ..unassigned import start
from ..written import placed
from .evaluation_order import list_loop, loops

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def passes_on(ctx: FunctionContext, node: ast.ListComp) -> bool:
    """Whether an item may change a list, or bind a name by `:=` that the next item reads before it
    is bound again, or that something else reads."""
    inside = (n for part in item_parts(node) for n in ast.walk(part))
    if any(isinstance(n, ast.Call) and is_mutation(n) for n in inside):
        return True
    bound = names_bound(node)
    if not bound:
        return False
    return bool(bound & read_unbound(node)) or _is_read_outside(ctx.source.tree, bound)


def _is_read_outside(tree: ast.AST, names: set[str]) -> bool:
    """Whether one of these names is read outside of comprehensions that bind it."""
    work: list[tuple[ast.AST, set[str]]] = [(tree, names)]
    while work:
        node, looked_for = work.pop()
        if isinstance(node, _COMPREHENSIONS):
            looked_for = looked_for - names_bound(node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in looked_for:
            return True
        if looked_for:
            work += [(n, looked_for) for n in ast.iter_child_nodes(node)]
    return False


def in_turn(ctx: FunctionContext, node: ast.ListComp, env: Env) -> T.Var:
    """The list of such a comprehension."""
    name = f"the items in {node.lineno}:{node.col_offset}"
    items = ast.Name(name, ast.Load())
    for stmt in list_loop(copy.deepcopy(node), name):
        start(ctx, stmt, env)
        ctx.statement(stmt, env)
    mark_fresh(items)  # it is read here alone
    found = ctx.expression(placed(items, node), env)
    del env.names[name]
    assert isinstance(found, T.Var)
    return found


def for_effects(ctx: FunctionContext, node: ast.ListComp, env: Env) -> None:
    """Such a comprehension as a statement, `[seen.append(x) for x in xs]`, whose items are not
    used."""
    item = copy.deepcopy(node.elt)
    each: ast.stmt = ast.Expr(item)
    if isinstance(item, ast.NamedExpr):
        each = ast.Assign([item.target], item.value)
    elif not isinstance(item, ast.Call):
        each = ast.Assign(
            [ast.Name(f"an item in {node.lineno}:{node.col_offset}", ast.Store())], item
        )
    loop = placed(loops(copy.deepcopy(node.generators), [each]), node)
    start(ctx, loop, env)
    ctx.statement(loop, env)
