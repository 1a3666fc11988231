"""Functions of the standard library and methods that are values, written as lambdas:

    key=operator.itemgetter(1)            ->    key=lambda x: x[1]
    sorted(ids, key=scores.__getitem__)   ->    sorted(ids, key=lambda x: scores[x])
    at = scores.get                       ->    at = lambda x: scores.get(x)
    map(str.upper, words)                 ->    map(lambda x: x.upper(), words)

The owner of a method stays a name of the function around it, for the passes that look for all uses
of a dict or list. So this is done where that name means the same whenever the lambda is called.
"""

from __future__ import annotations

import ast
import collections
import heapq
import itertools
import operator
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from .context import MISSING, FunctionContext
from .function_values import Named
from .made_functions import MAKERS, made_function, one_argument
from .scope import POISON, Env

# Functions that call their first argument, or their `key`, with one item at a time.
_FIRST = (map, filter, itertools.takewhile, itertools.dropwhile, itertools.filterfalse)
_KEYED = (max, min, sorted, heapq.nlargest, heapq.nsmallest, itertools.groupby)
# Methods of collections that take one argument, wherever they are a value.
_METHODS = ("__getitem__", "get", "append")
_BUILTIN = (types.BuiltinMethodType, types.MethodWrapperType)


def with_written_functions(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite such functions in the body of a function."""
    written = _Written(ctx, tree)
    tree.body = [written.visit(stmt) for stmt in tree.body]


def _names_bound(tree: ast.FunctionDef) -> Iterable[str]:
    """The names that parameters and assignments bind in a function and those inside it, each as
    often as it is bound."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(name) | ast.Name(name, ast.Store()):
                yield name


def _imported(tree: ast.FunctionDef) -> dict[str, Named]:
    """What imports inside of a function take from `operator`."""
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                found |= {a.asname or a.name: operator for a in names if a.name == "operator"}
            case ast.ImportFrom("operator", names):
                found |= {a.asname or a.name: getattr(operator, a.name, None) for a in names}
    return {name: Named(value) for name, value in found.items()}


def _name(node: ast.expr) -> str:
    """The name of a method; the empty string for what is no attribute."""
    return node.attr if isinstance(node, ast.Attribute) else ""


class _Written(ast.NodeTransformer):
    def __init__(self, ctx: FunctionContext, tree: ast.FunctionDef) -> None:
        self._ctx = ctx
        self._bound = collections.Counter(_names_bound(tree))
        self._env = Env()
        self._env.names |= _imported(tree) | dict.fromkeys(self._bound, POISON)

    def _static(self, node: ast.expr) -> Any:
        """As `ctx.static`, at any place of the function."""
        return self._ctx.static(node, self._env)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`itemgetter(0)`, `sorted(xs, key=d.get)`, `xs.sort(key=d.get)`, `apply(d.get, xs)`."""
        found = self._static(node.func)
        keyed = any(found is f for f in _KEYED) or _name(node.func) == "sort"
        first = any(found is f for f in _FIRST) and len(node.args) == 2
        for i, arg in enumerate(node.args):
            node.args[i] = self._method(arg, first and i == 0)
        for word in node.keywords:
            word.value = self._method(word.value, keyed and word.arg == "key")
        self.generic_visit(node)
        if any(found is m for m in MAKERS):
            return made_function(node, found, self._static) or node
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`at = d.get`."""
        match node.value:
            case ast.Attribute(ast.Name(owner)) if self._bound[owner] < 2:
                node.value = self._method(node.value, False)
        return self.generic_visit(node)

    def _method(self, node: ast.expr, with_item: bool) -> ast.expr:
        """A method that is a value, as a lambda, if it is known to be called with one argument: if
        it is called `with_item`, or for what it is. Anything else as it is."""
        if not isinstance(node, ast.Attribute):
            return node
        found, owner = self._static(node), node.value
        name = f"the item in {node.lineno}:{node.col_offset}"
        item = ast.Name(name, ast.Load())
        if isinstance(found, types.MethodDescriptorType) and found.__objclass__ is str:
            method = ast.Attribute(item, node.attr, ast.Load())
            return one_argument(name, ast.Call(method, [], []), node)
        if not with_item and node.attr not in _METHODS:
            return node
        if isinstance(found, _BUILTIN):
            if not isinstance(found.__self__, (list, tuple, dict, str, np.ndarray)):
                return node
        elif found is not MISSING:
            return node
        elif any(isinstance(n, (ast.Call, ast.NamedExpr)) for n in ast.walk(owner)):
            return node  # which Python evaluates once
        if node.attr == "__getitem__":
            return one_argument(name, ast.Subscript(owner, item, ast.Load()), node)
        return one_argument(name, ast.Call(node, [item], []), node)
