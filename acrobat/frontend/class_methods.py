"""`Span.of(xs)`: a class method is lowered for each class that it is called with, as a function in
which `cls` is that class."""

from __future__ import annotations

import ast
import dataclasses
import itertools
import types
from typing import Any

from .function_values import Closure
from .signatures import ModuleBuilder
from .source import Source
from .written import copied, known, placed

FLATTENED = itertools.chain.from_iterable


def of_class(found: Any) -> bool:
    """Whether `found` is a class method, as an attribute of its class."""
    return isinstance(found, types.MethodType) and isinstance(found.__self__, type)


def interned(builder: ModuleBuilder, found: Any) -> Any:
    """The one object for a class method, of which Python makes a new one for each `Span.of`; any
    other object as it is."""
    if isinstance(found, types.BuiltinMethodType) and found == FLATTENED:
        return FLATTENED
    if not of_class(found):
        return found
    return builder.class_methods.setdefault((found.__func__, found.__self__), found)


def for_class(builder: ModuleBuilder, closure: Closure, found: Any) -> Closure | None:
    """The class method `found`, whose source is `closure`; None if `cls` is not just the class."""
    key = ("class method", found.__func__, found.__self__)
    made = builder.dispatchers.get(key)
    if made is None:
        tree = copied(closure.tree)
        first = [*tree.args.posonlyargs, *tree.args.args][:1]
        if not first or _is_bound(tree, first[0]):
            return None
        (tree.args.posonlyargs or tree.args.args).pop(0)
        rewriter = _Class(first[0].arg, found.__self__)
        tree.body = [rewriter.visit(stmt) for stmt in tree.body]
        whole = closure.source
        source = Source(tree, whole.file, whole.line, whole.lines)
        made = builder.dispatchers.setdefault(key, (tree, source))
    return dataclasses.replace(closure, tree=made[0], source=made[1])


def _is_bound(tree: ast.FunctionDef, first: ast.arg) -> bool:
    """Whether something besides the first parameter gives its name a meaning."""
    name = first.arg
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=other, ctx=ast.Store() | ast.Del()) if other == name:
                return True
            case ast.arg(arg=other) if other == name and node is not first:
                return True
            case ast.FunctionDef() | ast.MatchAs() | ast.MatchStar() if node.name == name:
                return True
            case ast.Name(id="super"):
                return True
    return False


class _Class(ast.NodeTransformer):
    def __init__(self, name: str, cls: type) -> None:
        self.name, self.cls = name, cls

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """`cls`."""
        return placed(known(self.cls), node) if node.id == self.name else node
