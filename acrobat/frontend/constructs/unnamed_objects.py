"""`Parser(text).parse()`, where the method changes fields: the object gets a name of its own in a
statement before, so that constructs/local_objects.py finds it.

    return Parser(text).parse()     ->     the Parser = Parser(text)
                                           return the Parser.parse()

The object must be the first that the statement computes, so that nothing is computed earlier than
in Python.
"""

from __future__ import annotations

import ast
import types

from ..context import MISSING, FunctionContext
from ..plain_classes import is_plain_class
from ..scope import Env
from ..syntax import parameters
from ..written import placed
from .closures import closure_of
from .field_changes import attribute_of, fields_of
from .field_functions import changes_fields


def with_unnamed_objects(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Give names to such objects in a function."""
    _Statements(ctx).visit(tree)


class _Statements(ast.NodeVisitor):
    def __init__(self, ctx: FunctionContext) -> None:
        self.ctx = ctx

    def generic_visit(self, node: ast.AST) -> None:
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            parts = getattr(node, name, None)
            if isinstance(parts, list):
                found: list[ast.AST] = []
                for part in parts:
                    if isinstance(part, ast.stmt):
                        found += self._named(part)
                    found.append(part)
                    self.visit(part)
                setattr(node, name, found)

    def _named(self, stmt: ast.stmt) -> list[ast.stmt]:
        """The statement that gives a name to the object which `stmt` computes first, if any."""
        match stmt:
            case (
                ast.Return(value) | ast.Expr(value) | ast.Assign(value=value)
                | ast.AnnAssign(value=value) | ast.AugAssign(ast.Name(), value=value)
                | ast.If(value) | ast.For(iter=value)
            ):  # fmt: skip
                found = None if value is None else self._first(value)
            case _:
                found = None
        if found is None:
            return []
        made = found.value
        assert isinstance(made, ast.Call)
        # Messages leave out where it stands (`written.readable`).
        name = f"{ast.unparse(made.func)} in {made.lineno}:{made.col_offset}"
        found.value = ast.copy_location(ast.Name(name, ast.Load()), made)
        return [placed(ast.Assign([ast.Name(name, ast.Store())], made), stmt)]

    def _first(self, node: ast.expr) -> ast.Attribute | None:
        """The method of such an object, where that is what `node` computes first."""
        match node:
            case ast.Call(ast.Attribute() as of_module, [first, *_]) if (
                self.ctx.static(of_module, Env()) is not MISSING
            ):
                return self._first(first)  # `ops.tanh(Parser(text).parse())`
            case ast.Call(ast.Attribute(value) as method):
                return method if self._changes(method) else self._first(value)
            case ast.Call(ast.Name() | ast.Constant(), [first, *_]):
                return self._first(first)
            case ast.Attribute(first) | ast.Subscript(first) | ast.Starred(first):
                return self._first(first)
            case ast.BinOp(first) | ast.Compare(first) | ast.UnaryOp(_, first) | ast.IfExp(first):
                return self._first(first)
            case ast.BoolOp(_, [first, *_]) | ast.Tuple([first, *_]) | ast.List([first, *_]):
                return self._first(first)
        return None

    def _changes(self, method: ast.Attribute) -> bool:
        """Whether `method` is one of a new object, `Parser(text).parse`, and changes its fields."""
        if not isinstance(method.value, ast.Call):
            return False
        cls = self.ctx.static(method.value.func, Env())
        if not isinstance(cls, type) or not is_plain_class(cls) or not fields_of(self.ctx, cls):
            return False
        function = attribute_of(cls, method.attr)
        if not isinstance(function, types.FunctionType):
            return False
        source = closure_of(self.ctx, function)
        if source is None:
            return False
        (own, *_) = parameters(source.tree)
        return bool(changes_fields(self.ctx, function, source, {own.arg: cls}))
