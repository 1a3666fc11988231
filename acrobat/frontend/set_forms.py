"""Operators and methods of sets, rewritten as comprehensions and loops: `a | b`, `a -= b`,
`a.intersection(b)`, `a <= b`.

This is done where syntax says that both are sets. Operands that are read more than once must be
the same each time: other expressions than names and sets of such are left as they are, and refused.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

from .context import FunctionContext
from .scope import Env
from .set_values import ANY_ORDER
from .syntax import has_effect, named_values, names_in
from .written import call, copied, placed

_OPERATORS: dict[type[ast.operator], str] = {
    ast.BitOr: "union",
    ast.BitAnd: "intersection",
    ast.Sub: "difference",
    ast.BitXor: "symmetric_difference",
}
_METHODS = frozenset(_OPERATORS.values())
_UPDATES = {"intersection_update": "intersection", "difference_update": "difference"}
_TESTS = ("issubset", "issuperset", "isdisjoint")


def with_set_forms(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite such forms in a function, where names stand for sets that it makes."""
    found = _Forms(ctx)
    known = -1
    while len(found.sets) > known:  # `b = a | c` is one if these are
        known = len(found.sets)
        found.sets |= {n for node in ast.walk(tree) for n, v in _given(node) if found.is_set(v)}
    if found.sets or any(isinstance(n, (ast.Set, ast.SetComp, ast.Call)) for n in ast.walk(tree)):
        found.visit(tree)


@dataclass(slots=True)
class _Forms(ast.NodeTransformer):
    ctx: FunctionContext
    sets: set[str] = field(default_factory=set)

    def _makes(self, node: ast.expr) -> bool:
        """Whether this is `set(...)`."""
        match node:
            case ast.Call(func, [] | [_], []):
                return self.ctx.static(func, Env()) is set
        return False

    def is_set(self, node: ast.expr) -> bool:
        """Whether an expression is a set, by its syntax."""
        match node:
            case ast.Set() | ast.SetComp():
                return True
            case ast.Name(name):
                return name in self.sets
            case ast.Call(ast.Attribute(owner, method)) if method in (*_METHODS, "copy"):
                return self.is_set(owner)
            case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
                return self.is_set(left) and self.is_set(right)
        return self._makes(node)

    def _steady(self, node: ast.expr) -> bool:
        """Whether an expression has the same value each time, and does nothing else."""
        if has_effect(node):
            return False
        calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
        return all(map(self._makes, calls))

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """`a, b = c & d, c | d`: one after the other."""
        self.generic_visit(node)
        pairs = list(_given(node))
        if len(pairs) < 2 or not any(self.is_set(v) for _, v in pairs):
            return node
        read = {n for _, v in pairs for n in names_in(v)}
        if read & {n for n, _ in pairs} or not all(self._steady(v) for _, v in pairs):
            return node
        return [placed(ast.Assign([ast.Name(n, ast.Store())], v), node) for n, v in pairs]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`a.union(b)`, `a.issubset(b)`, `a.copy()`."""
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Attribute(owner, method), [other], []) if self.is_set(owner):
                if isinstance(other, ast.GeneratorExp):
                    other = placed(ast.ListComp(other.elt, other.generators), other)
                if method in _METHODS:
                    return self._combined(node, method, owner, other)
                if method in _TESTS:
                    return self._tested(node, method, owner, other)
            case ast.Call(ast.Attribute(owner, "copy"), [], []) if self.is_set(owner):
                return self._filtered(node, owner, [])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """`a | b`, `a & b`, `a - b`, `a ^ b`."""
        self.generic_visit(node)
        if type(node.op) in _OPERATORS and self.is_set(node.left) and self.is_set(node.right):
            return self._combined(node, _OPERATORS[type(node.op)], node.left, node.right)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """`a &= b`, `a -= b`."""
        self.generic_visit(node)
        match node:
            case ast.AugAssign(ast.Name(name), ast.BitAnd() | ast.Sub(), other):
                if name in self.sets and self.is_set(other):
                    return self._updated(node, name, _OPERATORS[type(node.op)], other)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """`a.difference_update(b)`."""
        self.generic_visit(node)
        match node.value:
            case ast.Call(ast.Attribute(ast.Name(name), method), [other], []):
                if method in _UPDATES and name in self.sets:
                    return self._updated(node, name, _UPDATES[method], other)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`a <= b`, `a >= b`, `a == b`, `a != b`."""
        self.generic_visit(node)
        match node:
            case ast.Compare(left, [op], [right]) if self.is_set(left) and self.is_set(right):
                if isinstance(op, ast.LtE):
                    return self._tested(node, "issubset", left, right)
                if isinstance(op, ast.GtE):
                    return self._tested(node, "issuperset", left, right)
                if isinstance(op, (ast.Eq, ast.NotEq)):
                    return self._equal(node, isinstance(op, ast.Eq), left, right)
        return node

    def _equal(self, node: ast.expr, equal: bool, a: ast.expr, b: ast.expr) -> ast.expr:
        if not (self._steady(a) and self._steady(b)):
            return node
        sizes = [call(len, copied(s)) for s in (a, b)]
        same = ast.Compare(sizes[0], [ast.Eq()], [sizes[1]])
        both = ast.BoolOp(ast.And(), [same, self._tested(node, "issubset", a, b)])
        return placed(both if equal else ast.UnaryOp(ast.Not(), both), node)

    def _tested(self, node: ast.expr, method: str, a: ast.expr, b: ast.expr) -> ast.expr:
        if method == "issuperset":
            a, b = b, a
        if not self._steady(b):
            return node
        item = _item(node)
        op = ast.NotIn() if method == "isdisjoint" else ast.In()
        test = ast.Compare(ast.Name(item, ast.Load()), [op], [b])
        each = ast.comprehension(ast.Name(item, ast.Store()), self._items(a), [], 0)
        return placed(call(all, ast.GeneratorExp(test, [each])), node)

    def _combined(self, node: ast.expr, method: str, a: ast.expr, b: ast.expr) -> ast.expr:
        if method == "union":
            items: list[ast.expr] = [ast.Starred(self._items(x), ast.Load()) for x in (a, b)]
            return placed(ast.Set(items), node)
        if not self._steady(b) or (method == "symmetric_difference" and not self._steady(a)):
            return node
        if method != "symmetric_difference":
            return self._filtered(node, a, [_kept(node, method, b)])
        left = self._filtered(node, copied(a), [_kept(node, "difference", b)])
        right = self._filtered(node, copied(b), [_kept(node, "difference", copied(a))])
        return self._combined(node, "union", left, right)

    def _filtered(self, node: ast.expr, a: ast.expr, tests: list[ast.expr]) -> ast.expr:
        item = _item(node)
        each = ast.comprehension(ast.Name(item, ast.Store()), self._items(a), tests, 0)
        return placed(ast.SetComp(ast.Name(item, ast.Load()), [each]), node)

    def _updated(self, node: ast.stmt, name: str, method: str, other: ast.expr) -> ast.stmt:
        """Discard items in place: other names of the set see it, too."""
        if not self._steady(other):
            return node
        item, gone = _item(node), f"an item to discard in {node.lineno}:{node.col_offset}"
        unwanted = _kept(node, "difference" if method == "intersection" else "intersection", other)
        owner = self._items(ast.Name(name, ast.Load()))
        each = ast.comprehension(ast.Name(item, ast.Store()), owner, [unwanted], 0)
        discard = ast.Attribute(ast.Name(name, ast.Load()), "discard", ast.Load())
        body: list[ast.stmt] = [ast.Expr(ast.Call(discard, [ast.Name(gone, ast.Load())], []))]
        items = ast.ListComp(ast.Name(item, ast.Load()), [each])
        return placed(ast.For(ast.Name(gone, ast.Store()), items, body, []), node)

    def _items(self, node: ast.expr) -> ast.expr:
        """The items of a set, in some order, maybe several times."""
        match node:
            case ast.Set(items):
                return ast.List(items, ast.Load())
            case ast.SetComp(item, generators):
                return ast.ListComp(item, generators)
            case ast.Call(_, [ast.GeneratorExp(item, generators)], []) if self._makes(node):
                return ast.ListComp(item, generators)
            case ast.Call(_, [source], []) if self._makes(node):
                return source
            case ast.Call(_, [], []) if self._makes(node):
                return ast.List([], ast.Load())
        new = copy.copy(node)
        setattr(new, ANY_ORDER, True)
        return new


def _given(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment gives to expressions."""
    yield from named_values(node)
    match node:
        case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
            if all(isinstance(t, ast.Name) for t in targets):
                yield from ((ast.unparse(t), v) for t, v in zip(targets, values, strict=True))


def _item(node: ast.expr | ast.stmt) -> str:
    return f"an item in {node.lineno}:{node.col_offset}"  # not a name of a model


def _kept(node: ast.expr | ast.stmt, method: str, other: ast.expr) -> ast.expr:
    op = ast.In() if method == "intersection" else ast.NotIn()
    return ast.Compare(ast.Name(_item(node), ast.Load()), [op], [other])
