"""`__init__` as a function that returns the fields that it sets; `super().__init__(...)` in it is a
call of such a function, too."""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Iterator
from typing import Any

from ...lang.data import runs_post_init
from ..context import FunctionContext
from ..function_values import Closure
from ..last_uses import last_uses
from ..plain_classes import made_by_fields
from ..source import Source
from ..syntax import names_in
from ..written import copied, known, placed
from .closures import closure_of
from .dataclass_fields import fields_of_call
from .field_changes import attribute_of, base_init, fields_of
from .fields_call import FieldsCall, making
from .post_init import as_initialiser

# Set on the tree of an `__init__` that returns its fields, to the class of the object.
MAKES_FIELDS = "_acrobat_makes_fields"


def initialiser(
    ctx: FunctionContext, node: ast.Call, cls: Any, base: Any = None
) -> tuple[Closure, tuple[str, ...]]:
    """The `__init__` of a class, or of its base class `base`, as a function that returns the fields
    that it sets, and their names."""
    function = (base or cls).__init__
    after = base is None and made_by_fields(cls)  # a dataclass that runs a __post_init__
    closure = as_initialiser(ctx, node, cls) if after else closure_of(ctx, function)
    if closure is None:
        ctx.fail(
            "AC028",
            node,
            f"the source of {cls.__name__}.{'__post_init__' if after else '__init__'} is missing",
            "a plain `def` in a file or a notebook cell",
        )
    key = (function, cls)
    known = ctx.builder.dispatchers.get(key)
    if known is None:
        tree = _without_self(ctx, node, copied(closure.tree), cls)
        source = closure.source
        made = Source(tree, source.file, source.line, source.lines)
        known = ctx.builder.dispatchers.setdefault(key, (tree, made))
    tree, source = known
    last = tree.body[-1]
    assert isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)
    names = tuple(e.id.removeprefix("self.") for e in last.value.elts if isinstance(e, ast.Name))
    return Closure(tree, source, closure.model, {}), names


def initialisers(tree: ast.FunctionDef) -> Iterator[ast.FunctionDef]:
    """The function that an `__init__` has become, and those of the base classes that it calls."""
    yield tree
    for node in ast.walk(tree):
        if isinstance(node, FieldsCall):
            yield from initialisers(node.closure.tree)


class _Fields(ast.NodeTransformer):
    """Turns `self.x` into a local name, and collects the names of the fields."""

    def __init__(self, ctx: FunctionContext, made: ast.Call, cls: type, own: str) -> None:
        self.ctx, self.made, self.cls = ctx, made, cls
        self.own, self.names = own, dict[str, None]()
        self.fields = fields_of(ctx, cls)
        if made_by_fields(cls):
            self.fields = tuple(f.name for f in dataclasses.fields(cls))
        self.moved: set[int] = set()
        self.other: ast.AST | None = None

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not isinstance(node.value, ast.Name) or node.value.id != self.own:
            return self.generic_visit(node)
        if node.attr not in self.fields and _is_of_class(attribute_of(self.cls, node.attr)):
            node.value = placed(known(self.cls), node.value)
            return node
        if isinstance(node.ctx, ast.Store):
            self.names[node.attr] = None
        elif node.attr not in self.names:  # a method, or an attribute of the class
            self.other = self.other or node
        return _field(node.attr, node.ctx, node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == self.own:
            self.other = self.other or node
        return node

    def visit_Expr(self, node: ast.Expr) -> Any:
        base = base_init(node, self.own, self.cls)
        if base is None or not isinstance(node.value, ast.Call):
            return self.generic_visit(node)
        call = node.value
        call.args = [self.visit(a) for a in call.args[1:]]
        for keyword in call.keywords:
            keyword.value = self.visit(keyword.value)
        if made_by_fields(base):
            if runs_post_init(base):
                self.other = self.other or node
            return self._set_one_by_one(node, call, base)
        closure, names = initialiser(self.ctx, self.made, self.cls, base)
        self.names |= dict.fromkeys(names)
        made = making(closure, call, [_field(n, ast.Store(), call) for n in names], self.moved)
        return placed(ast.Expr(ast.copy_location(made, call)), node)

    def _set_one_by_one(self, node: ast.Expr, call: ast.Call, base: type) -> list[ast.stmt]:
        """`super().__init__(a, b)`, where the base class is a dataclass."""
        if any(name.startswith("self.") for name in names_in(call)):
            self.other = self.other or node  # fields that it may set before they are read
        made: list[ast.stmt] = []
        for name, hint, value in fields_of_call(self.ctx, call, base):
            self.names[name] = None
            target = _field(name, ast.Store(), node)
            made.append(
                ast.Assign([target], value)
                if hint is None
                else ast.AnnAssign(target, ast.Constant(hint), value, 1)
            )
        return [placed(stmt, node) for stmt in made]


def _is_of_class(found: object) -> bool:
    """Whether an attribute is the same for the class and its objects."""
    constant = (bool, int, float, str, tuple, list, dict, enum.Enum)
    return isinstance(found, (staticmethod, classmethod, *constant))


def _field(name: str, use: ast.expr_context, at: ast.AST) -> ast.Name:
    return ast.copy_location(ast.Name(f"self.{name}", use), at)


def _without_self(
    ctx: FunctionContext, node: ast.Call, tree: ast.FunctionDef, cls: type
) -> ast.FunctionDef:
    own = tree.args.args.pop(0).arg
    fields = _Fields(ctx, node, cls, own)
    given = {
        a.id
        for c in ast.walk(tree)
        if isinstance(c, ast.Call)
        for a in c.args
        if isinstance(a, ast.Name)
    }
    fields.moved = last_uses(tree, given)
    body: list[ast.stmt] = []
    for stmt in tree.body:
        new = fields.visit(stmt)
        body += new if isinstance(new, list) else [new]
    tree.body = body
    returns = any(isinstance(n, ast.Return) for s in tree.body for n in ast.walk(s))
    # Values of a dataclass have its fields in their order, which comparisons follow.
    declared = fields.fields if made_by_fields(cls) else tuple(fields.names)
    if fields.other is not None or returns or not fields.names or {*declared} != {*fields.names}:
        ctx.fail(
            "AC012",
            node,
            f"{cls.__name__}.{tree.name} does more than to set fields of {own}",
            f"a function that computes them, and `{cls.__name__}(...)` with all of them",
        )
    elements: list[ast.expr] = [ast.Name(f"self.{n}", ast.Load()) for n in declared]
    tree.body.append(ast.Return(ast.Tuple(elements, ast.Load())))
    tree.name, tree.returns = cls.__name__, None
    setattr(tree, MAKES_FIELDS, cls)
    for part in ast.walk(tree.body[-1]):
        ast.copy_location(part, tree.body[-2])
    return tree
