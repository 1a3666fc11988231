"""Syntax that the compiler writes in place of what the author wrote."""

from __future__ import annotations

import ast
import copy
import re
from typing import TypeVar

_N = TypeVar("_N", bound=ast.AST)
# An attribute of what the compiler wrote in place of an expression: the author's text.
_TEXT = "_acrobat_text"


# Names that the compiler made of the author's, and what messages say in their place; and grammar.
_MADE = (
    (re.compile(r"\b(\w+)\[the index of (\w+)[^\]]*\]"), r"\2"),
    (re.compile(r"\b(\w+), an item of \w+ in \d+:\d+"), r"\1"),
    (re.compile(r"\b(\w+) in \d+:\d+"), r"\1"),
    (re.compile(r"\ba array\["), "an array["),
)


def readable(message: str) -> str:
    """A message with the author's names."""
    for made, author in _MADE:
        message = made.sub(author, message)
    return message


def known(value: object) -> ast.expr:
    """An expression for a Python object, whatever its name means in the model."""
    return ast.Constant(value)  # type: ignore[arg-type]


def call(function: object, *args: ast.expr, **words: ast.expr) -> ast.Call:
    """A call of a Python object."""
    keywords = [ast.keyword(name, value) for name, value in words.items()]
    return ast.Call(known(function), list(args), keywords)


def own_list(value: object) -> object:
    """What a call of this function means in a model: a copy of a list or dict; anything else as it
    is (constructs/copies.py)."""
    raise NotImplementedError(value)


def placed(new: _N, node: ast.AST) -> _N:
    """`new` at the location of `node`, except for the parts that the author wrote."""
    if new is not node and not hasattr(new, "lineno") and isinstance(node, ast.expr):
        setattr(new, _TEXT, shown(node))
    for part in ast.walk(new):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return new


def copied(node: _N) -> _N:
    """A copy of syntax. Its constants and attributes, which may be objects of the model, are the
    same as before."""
    new = copy.copy(node)
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            setattr(new, name, copied(value))
        elif isinstance(value, list):
            setattr(new, name, [copied(v) if isinstance(v, ast.AST) else v for v in value])
    return new


class _Named(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """A Python object, by its name."""
        name = getattr(node.value, "__name__", None)
        return node if name is None else ast.Name(name, ast.Load())


def shown(node: ast.AST) -> str:
    """The text of an expression as the author wrote it, for messages."""
    text = getattr(node, _TEXT, None)
    return text or ast.unparse(_Named().visit(copied(node)))


def replaced(parent: ast.AST, node: ast.expr, new: ast.expr) -> None:
    """Put `new` in the place of `node`, which is a part of `parent`."""
    for name, value in ast.iter_fields(parent):
        if value is node:
            setattr(parent, name, new)
        elif isinstance(value, list):
            setattr(parent, name, [new if v is node else v for v in value])
