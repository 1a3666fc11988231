"""Local functions with `@functools.cache`, as functions that look their results up in a dict.

@cache                                 results = {}
def f(i, j):                           def f(i, j):
    return g(i) * f(i - 1, j)   ->         if (i, j) in results:
                                               return results[i, j]
                                           result = g(i) * f(i - 1, j)
                                           results[i, j] = result
                                           return result
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass

from .captures import own_nodes
from .context import FunctionContext
from .scope import Env
from .syntax import parameters
from .written import placed

_CACHES = (functools.cache, functools.lru_cache)


def with_cached_functions(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite the local functions of `tree` that have such a decorator and parameters."""
    if any(isinstance(n, ast.FunctionDef) and n.decorator_list for n in own_nodes(tree.body)):
        _Cached(ctx).visit(tree)


@dataclass(slots=True)
class _Cached(ast.NodeTransformer):
    ctx: FunctionContext
    inside: bool = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | list[ast.stmt]:
        """The function itself, and those that it defines."""
        if not self.inside:
            self.inside = True
            return self.generic_visit(node)
        names = [p.arg for p in parameters(node)]
        if len(node.decorator_list) != 1 or not names or not self._caches(node.decorator_list[0]):
            return node
        where = node.decorator_list.pop()
        cache, value = (f"{n} of {node.name} in {node.lineno}" for n in ("results", "a result"))
        keys: list[ast.expr] = [ast.Name(n, ast.Load()) for n in names]
        key = keys[0] if len(keys) == 1 else ast.Tuple(keys, ast.Load())
        there = ast.Compare(key, [ast.In()], [ast.Name(cache, ast.Load())])
        known = ast.Return(ast.Subscript(ast.Name(cache, ast.Load()), key, ast.Load()))
        first = placed(ast.If(there, [known], []), where)
        # The parameters may be assigned before the result is there.
        held = f"a key of {node.name} in {node.lineno}"
        hold = placed(ast.Assign([ast.Name(held, ast.Store())], key), where)
        stored = _Stored(cache, held, value)
        node.body = [first, hold, *stored.body(node.body)]
        empty = ast.Assign([ast.Name(cache, ast.Store())], ast.Dict([], []))
        return [placed(empty, where), node]

    def _caches(self, node: ast.expr) -> bool:
        called = node.func if isinstance(node, ast.Call) else node
        return self.ctx.static(called, Env()) in _CACHES


@dataclass(slots=True)
class _Stored(ast.NodeTransformer):
    """Each `return` of a function, behind a statement that stores its value."""

    cache: str
    key: str
    value: str

    def body(self, stmts: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of the function."""
        new = [self.visit(s) for s in stmts]
        return [s for n in new for s in (n if isinstance(n, list) else [n])]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function inside it."""
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        """`return x`."""
        if node.value is None:
            return node
        value = ast.Name(self.value, ast.Store())
        place = ast.Subscript(
            ast.Name(self.cache, ast.Load()), ast.Name(self.key, ast.Load()), ast.Store()
        )
        result = ast.Name(self.value, ast.Load())
        computed, stored = ast.Assign([value], node.value), ast.Assign([place], result)
        node.value = result
        return [placed(s, node) for s in (computed, stored, node)]
