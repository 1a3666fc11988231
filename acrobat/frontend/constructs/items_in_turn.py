"""Comprehensions whose items depend on each other, `[total := total + x for x in xs]`, or do
something that what follows can see, `[stack.pop() for _ in range(2)]`. They are lowered as loops
that append to a list; the items of all others are computed independently of each other."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from ...ir import typed as T
from ..context import FunctionContext
from ..scope import Env
from ..syntax import is_mutation, mark_fresh, names_bound
from ..unassigned import start
from ..written import placed
from .evaluation_order import loops

_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def passes_on(ctx: FunctionContext, node: ast.ListComp) -> bool:
    """Whether an item may change a list, or bind a name by `:=` that the next item reads before it
    is bound again, or that something else reads."""
    first, *more = node.generators
    parts = [node.elt, *first.ifs, *(p for g in more for p in (g.iter, *g.ifs))]
    if any(isinstance(n, ast.Call) and is_mutation(n) for p in parts for n in ast.walk(p)):
        return True
    bound = names_bound(node)
    if not bound:
        return False
    reads: set[str] = set()
    _bound(_parts(node), frozenset(), reads)
    return bool(bound & reads) or _is_read_outside(ctx.source.tree, bound)


def _bound(nodes: Sequence[ast.AST], bound: frozenset[str], reads: set[str]) -> frozenset[str]:
    """The names that are certainly bound after `nodes`, evaluated in this order, if `bound` were
    before; `reads` gets those that may be read where they are not."""
    for node in nodes:
        match node:
            case ast.Name(name, ast.Load()):
                reads |= {name} - bound
            case ast.NamedExpr(target, value):
                bound = _bound([value], bound, reads) | {target.id}
            case ast.IfExp(test, body, orelse):
                bound = _bound([test], bound, reads)
                bound = _bound([body], bound, reads) & _bound([orelse], bound, reads)
            case ast.BoolOp(_, [first, *others]):
                bound = _bound([first], bound, reads)
                _bound(others, bound, reads)
            case ast.Compare(left, _, [first, *others]):
                bound = _bound([left, first], bound, reads)
                _bound(others, bound, reads)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                _bound(_parts(node), bound, reads)
            case _:
                bound = _bound(list(ast.iter_child_nodes(node)), bound, reads)
    return bound


def _parts(node: _Comprehension) -> list[ast.AST]:
    """What an iteration evaluates, in this order."""
    each = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return [*node.generators, *each]


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
    empty = ast.Assign([ast.Name(name, ast.Store())], ast.List([], ast.Load()))
    add = ast.Call(ast.Attribute(items, "append", ast.Load()), [copy.deepcopy(node.elt)], [])
    loop = loops(copy.deepcopy(node.generators), [ast.Expr(add)])
    for stmt in (placed(empty, node), placed(loop, node)):
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
