"""The names that `:=` binds in an expression whatever the values are, in the order in which it is
evaluated."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def surely_bound(node: ast.expr) -> frozenset[str]:
    """The names that are certainly bound after the expression `node`."""
    return _bound([node], frozenset(), set())


def read_unbound(node: _Comprehension) -> set[str]:
    """The names that an iteration may read before it binds them."""
    reads: set[str] = set()
    _bound(_parts(node), frozenset(), reads)
    return reads


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
            case ast.Compare(left, _, [first, *others]):  # `a < b < c` may end after `a < b`
                bound = _bound([left, first], bound, reads)
                _bound(others, bound, reads)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                _bound(_parts(node), bound, reads)
            case ast.Lambda(args, body):  # what its body binds is its own
                bound = _bound([args], bound, reads)
                _bound([body], bound, reads)
            case _:
                bound = _bound(list(ast.iter_child_nodes(node)), bound, reads)
    return bound


def _parts(node: _Comprehension) -> list[ast.AST]:
    """What an iteration evaluates, in this order."""
    each = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return [*node.generators, *each]
