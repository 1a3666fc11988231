"""Functions with `yield`, as functions that return the list of what they yield.

    def leaves(t):                       def leaves(t):
        if t.is_leaf:                        items = []
            yield t                          if t.is_leaf:
        for k in t.kids:         ->              items.append(t)
            yield from leaves(k)             for k in t.kids:
                                                 for item in leaves(k):
                                                     items.append(item)
                                             return items

`constructs/generators` says when that is the same.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .captures import own_nodes
from .written import call, placed

_GENERATOR = "_acrobat_generator"  # an attribute of functions that had a `yield`


def has_yield(tree: ast.FunctionDef) -> bool:
    """Whether a function has a `yield`."""
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in own_nodes(tree.body))


def is_generator(tree: ast.FunctionDef) -> bool:
    """Whether a function had a `yield` before it was rewritten."""
    return bool(getattr(tree, _GENERATOR, False))


def had_yield(tree: ast.FunctionDef) -> bool:
    """Whether a function has a `yield`, or had one."""
    return is_generator(tree) or has_yield(tree)


def without_yield(tree: ast.FunctionDef) -> None:
    """Rewrite a function with `yield`."""
    name = f"the items of {tree.name}"
    made = placed(ast.Assign([ast.Name(name, ast.Store())], ast.List([], ast.Load())), tree.body[0])
    end = placed(ast.Return(ast.Name(name, ast.Load())), tree.body[-1])
    tree.body = [made, *(_Appending(name).visit(s) for s in tree.body), end]
    tree.returns = None
    setattr(tree, _GENERATOR, True)


def without_iterator(tree: ast.FunctionDef) -> None:
    """Rewrite `return iter(xs)`, or of another iterator, as `return list(xs)`: the items are those
    that a loop over the object gets, as objects do not change."""
    for node in own_nodes(tree.body):
        match node:
            case ast.Return(ast.Name()):
                continue  # `self`, which is its own iterator
            case ast.Return(ast.Call(ast.Name("iter"), [items], [])):
                node.value = placed(call(list, items), items)
            case ast.Return(ast.expr() as items):
                node.value = placed(call(list, items), items)
    tree.returns = None


@dataclass(slots=True)
class _Appending(ast.NodeTransformer):
    """Appends to the list `name` what a function yields."""

    name: str

    def _append(self, item: ast.expr) -> ast.Expr:
        append = ast.Attribute(ast.Name(self.name, ast.Load()), "append", ast.Load())
        return ast.Expr(ast.Call(append, [item], []))

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """`yield x`, `yield from xs`."""
        match node.value:
            case ast.Yield(value):
                return placed(self._append(value or ast.Constant(None)), node)
            case ast.YieldFrom(value):
                item = f"an item in {node.lineno}:{node.col_offset}"  # not a name of a model
                body: list[ast.stmt] = [self._append(ast.Name(item, ast.Load()))]
                return placed(ast.For(ast.Name(item, ast.Store()), value, body, []), node)
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """`return`."""
        if node.value is None:
            node.value = ast.copy_location(ast.Name(self.name, ast.Load()), node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function inside, which yields items of its own."""
        return node
