"""Comprehensions whose iterations hand on a name, `[total := total + x for x in xs]`, or leave it
to what follows, `[last := x for x in xs]`: written as loops.

    sums = [total := total + x for x in xs]     ->     sums = []
                                                       for x in xs: sums.append(total := total + x)

The items of other comprehensions are computed independently. Only a comprehension that is all of an
assignment or of a `return`, but for a function such as `list` around it, becomes a loop: what is
evaluated before it would otherwise have to be taken out, too.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from ..context import FunctionContext
from ..scope import Env
from ..syntax import mark_fresh, names_bound
from ..written import placed
from .evaluation_order import loops

_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_WHOLE = (list, tuple, sum, max, min, sorted, set)  # functions that ask for all items


def with_names_handed_on(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Write such comprehensions of a function as loops."""
    if any(isinstance(n, ast.NamedExpr) for n in ast.walk(tree)):
        _Loops(ctx, tree).visit(tree)


def first_read(node: _Comprehension) -> set[str]:
    """The names that a comprehension binds by `:=` and that an iteration may read before that."""
    reads: set[str] = set()
    names = names_bound(node)
    if names:
        _bound(_parts(node), frozenset(), reads)
    return reads & names


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


@dataclass(slots=True)
class _Loops(ast.NodeTransformer):
    ctx: FunctionContext
    tree: ast.FunctionDef

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """`xs = [...]`."""
        simple = all(isinstance(t, ast.Name) for t in node.targets)
        return self._written(node, node.value) if simple else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        """`xs: list[int] = [...]`."""
        return node if node.value is None else self._written(node, node.value)

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        """`return [...]`."""
        return node if node.value is None else self._written(node, node.value)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        """`[...]`, for what it does to names."""
        return self._written(node, node.value)

    def _written(
        self, stmt: ast.Assign | ast.AnnAssign | ast.Return | ast.Expr, value: ast.expr
    ) -> ast.AST | list[ast.stmt]:
        call = None
        each: ast.ListComp | ast.GeneratorExp | ast.DictComp
        match value:
            case ast.Call(function, [ast.ListComp() | ast.GeneratorExp() as each], []):
                if self.ctx.static(function, Env()) not in _WHOLE:
                    return stmt
                call = value
            case ast.ListComp() | ast.DictComp() as each:
                pass
            case _:
                return stmt
        if not self._hands_on(each) or any(g.is_async for g in each.generators):
            return stmt
        name = f"a list in {each.lineno}:{each.col_offset}"
        made = ast.Name(name, ast.Load())
        if isinstance(each, ast.DictComp):
            key = f"a key in {each.lineno}:{each.col_offset}"
            place = ast.Subscript(made, ast.Name(key, ast.Load()), ast.Store())
            first = ast.Assign([ast.Name(key, ast.Store())], each.key)
            inner: list[ast.stmt] = [first, ast.Assign([place], each.value)]
            none: ast.expr = ast.Dict([], [])
        else:
            add = ast.Call(ast.Attribute(made, "append", ast.Load()), [each.elt], [])
            inner, none = [ast.Expr(add)], ast.List([], ast.Load())
        found = ast.copy_location(ast.Name(name, ast.Load()), each)
        mark_fresh(found)  # it is read here alone
        if call is None:
            stmt.value = found
        else:
            call.args = [found]
        empty = ast.Assign([ast.Name(name, ast.Store())], none)
        before: list[ast.stmt] = [empty, loops(each.generators, inner)]
        unused = isinstance(stmt, ast.Expr) and call is None
        return [*(placed(s, each) for s in before), *([] if unused else [stmt])]

    def _hands_on(self, node: _Comprehension) -> bool:
        """Whether an iteration reads what an earlier one has bound, or something else does."""
        bound = names_bound(node)
        if not bound:
            return False
        return bool(first_read(node) or bound & self._read_outside(bound))

    def _read_outside(self, bound: set[str]) -> set[str]:
        """Which of these names are read outside of comprehensions that bind them."""
        found: set[str] = set()
        work: list[tuple[ast.AST, frozenset[str]]] = [(self.tree, frozenset())]
        while work:
            node, inside = work.pop()
            if isinstance(node, _COMPREHENSIONS):
                inside = inside | (names_bound(node) & bound)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found |= {node.id} & (bound - inside)
            work += [(n, inside) for n in ast.iter_child_nodes(node)]
        return found
