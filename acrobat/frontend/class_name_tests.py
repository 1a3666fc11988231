"""`type(x) is Node` and `type(x).__name__ == "Node"` are `isinstance(x, Node)`, which says what `x`
is in the branches."""

from __future__ import annotations

import ast

from .constructs.visitors import class_named
from .context import FunctionContext
from .raw_values import exactly
from .scope import Env
from .written import copied, known, placed


def with_class_name_tests(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite such tests in a function, for classes that the model can name."""
    _Tests(ctx).visit(tree)


class _Tests(ast.NodeTransformer):
    def __init__(self, ctx: FunctionContext) -> None:
        self.ctx = ctx

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Compare(left, [ast.Eq() | ast.NotEq() as op], [ast.Constant(str() as name)]):
                subject = class_named(left) if isinstance(left, ast.Attribute) else None
                cls = self.ctx.static(ast.Name(name, ast.Load()), Env())
                if getattr(cls, "__name__", "") != name:
                    return node
            case ast.Compare(
                ast.Call(ast.Name("type"), [ast.Name() as subject], []),
                [ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot() as op],
                [ast.Name() | ast.Attribute() as named],
            ):
                cls = self.ctx.static(named, Env())
            case _:
                return node
        if subject is None or not isinstance(cls, type):
            return node
        # `isinstance` holds for subclasses, too. Values have none of Python's own classes' but one.
        if cls.__subclasses__() and cls not in (int, float, str, tuple, list, dict, set):
            return node
        test: ast.expr = ast.Call(
            ast.Name("isinstance", ast.Load()), [copied(subject), known(exactly(cls))], []
        )
        if isinstance(op, ast.NotEq | ast.IsNot):
            test = ast.UnaryOp(ast.Not(), test)
        return placed(test, node)
