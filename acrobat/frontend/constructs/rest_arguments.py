"""Functions with a parameter `*args`, of which a call knows how many arguments it takes: the
parameter becomes one that is given by name, and the arguments a tuple."""

from __future__ import annotations

import ast

from ..written import placed
from .changed_results import changed_by

_REST = "_acrobat_rest"  # an attribute of functions that had a `*args`: its name


def with_rest(node: ast.Call, tree: ast.FunctionDef, receivers: int) -> ast.Call:
    """The call of `tree` with the arguments for its `*args`, if it has one, as a tuple. `receivers`
    of its parameters are not among the arguments of the call."""
    arguments = tree.args
    rest = arguments.vararg
    if rest is not None and arguments.kwarg is None and not changed_by(tree):
        arguments.vararg = rest.annotation = None
        arguments.kwonlyargs.append(rest)
        arguments.kw_defaults.append(None)
        setattr(tree, _REST, rest.arg)
    name: str | None = getattr(tree, _REST, None)
    if name is None:
        return node
    count = len(arguments.posonlyargs) + len(arguments.args) - receivers
    every = placed(ast.Tuple(node.args[count:], ast.Load()), node)
    words = [placed(ast.keyword(name, every), node), *node.keywords]  # as Python evaluates them
    return ast.copy_location(ast.Call(node.func, node.args[:count], words), node)
