"""`__post_init__` of a dataclass whose objects a model makes: with the assignments of the fields it
is the `__init__` of the class, which sets fields like one that an author has written."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from ...ir.types import FLOAT
from ...lang.hints import UnreadableHint, resolve_class_hints
from ..context import FunctionContext
from ..function_values import Closure
from ..plain_classes import is_frozen
from ..syntax import parameters
from ..written import copied, placed
from .arguments import given_arguments
from .closures import closure_of
from .dataclass_fields import default_of, parameters_of


def as_initialiser(ctx: FunctionContext, node: ast.Call, cls: Any) -> Closure | None:
    """The `__init__` that `cls` would have if the author had written it, with a parameter for each
    field that a call gives; None if the source of `__post_init__` is not available."""
    closure = closure_of(ctx, cls.__post_init__)
    if closure is None:
        return None
    tree = copied(closure.tree)
    own = [p.arg for p in parameters(tree)]
    fields = dataclasses.fields(cls)
    others = cls.__dataclass_fields__.keys() - {f.name for f in fields}
    if len(own) != 1 or others - _constants(cls):
        ctx.fail(
            "AC012",
            node,
            f"{cls.__name__}.__post_init__ takes more than {own[0] if own else 'self'}",
            f"a function that makes it, and calls `{cls.__name__}(...)` with all of its fields",
        )
    try:
        hints = resolve_class_hints(cls)
    except UnreadableHint:
        hints = {}
    assigned: list[ast.stmt] = []
    for field in fields:
        given: ast.expr
        if field.init:
            given = ast.Name(_given(field.name), ast.Load())
            tree.args.args.append(ast.arg(_given(field.name)))
        elif _has_default(field):
            given = default_of(ctx, node, cls, field)
        else:
            continue
        target = ast.Attribute(ast.Name(own[0], ast.Load()), field.name, ast.Store())
        hint = ast.Constant(hints[field.name]) if field.name in hints else None
        assigned.append(
            ast.Assign([target], given) if hint is None else ast.AnnAssign(target, hint, given, 0)
        )
    if is_frozen(cls):
        tree.body = [_Frozen(ctx, node, cls, own[0]).visit(stmt) for stmt in tree.body]
    tree.body = [*(placed(s, tree.body[0]) for s in assigned), *tree.body]
    for arg in tree.args.args[1:]:
        ast.copy_location(arg, tree.args.args[0])
    return dataclasses.replace(closure, tree=tree)


def with_all_fields(ctx: FunctionContext, node: ast.Call, cls: Any) -> ast.Call:
    """A call of a class with `__post_init__`, as a call of `as_initialiser`: with all fields, by
    name."""
    known = parameters_of(ctx, node, cls)
    given = given_arguments(ctx, node, cls.__name__, known)
    fields = {f.name: f for f in dataclasses.fields(cls)}
    wanted = {p.name: p.type for p in known}
    keywords = []
    for name in (*given, *(n for n in wanted if n not in given)):
        value = given.get(name) or placed(default_of(ctx, node, cls, fields[name]), node)
        if wanted[name] == FLOAT and isinstance(value, ast.Constant) and type(value.value) is int:
            value = ast.copy_location(ast.Constant(float(value.value)), value)
        keywords.append(ast.keyword(_given(name), value))
    return ast.copy_location(ast.Call(node.func, [], keywords), node)


def _given(field: str) -> str:
    """The parameter for a field. It is no name that `__post_init__` may use."""
    return f"given {field}"


def _has_default(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is not missing or field.default_factory is not missing


def _constants(cls: Any) -> set[str]:
    """The names of a dataclass that are constants, `limit: ClassVar[int] = 3`."""
    kind = dataclasses._FIELD_CLASSVAR  # type: ignore[attr-defined]
    return {n for n, f in cls.__dataclass_fields__.items() if f._field_type is kind}


class _Frozen(ast.NodeTransformer):
    """`object.__setattr__(self, "x", v)`, by which a frozen class sets its fields, as an
    assignment. Python refuses any other."""

    def __init__(self, ctx: FunctionContext, made: ast.Call, cls: type, own: str) -> None:
        self.ctx, self.made, self.cls, self.own = ctx, made, cls, own

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        match node:
            case ast.Attribute(ast.Name(self.own), name, ast.Store() | ast.Del()):
                self.ctx.fail(
                    "AC012",
                    self.made,
                    f"{self.cls.__name__} is frozen: Python refuses to set {self.own}.{name}",
                    f'`object.__setattr__({self.own}, "{name}", ...)`',
                )
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        match node.value:
            case ast.Call(
                ast.Attribute(ast.Name("object"), "__setattr__"),
                [ast.Name(self.own), ast.Constant(str(name)), value],
                [],
            ):
                target = ast.Attribute(ast.Name(self.own, ast.Load()), name, ast.Store())
                return placed(ast.Assign([target], self.visit(value)), node)
        return self.generic_visit(node)
