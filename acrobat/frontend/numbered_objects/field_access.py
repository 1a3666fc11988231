"""Names, fields and methods of objects that are numbers."""

from __future__ import annotations

import ast
import enum
import types
from collections.abc import Callable
from typing import Any

from ..constructs.field_changes import attribute_of
from ..constructs.operands import mark_same_object
from ..context import MISSING as UNKNOWN
from ..object_numbers import ASKED
from ..syntax import parameters
from ..written import known, placed
from .inference import Inference
from .kinds import Kind, Object
from .layout import Layout
from .program import Function, GivenUp, static


class FieldRewriter(ast.NodeTransformer):
    """Rewrites the names and fields of one function. In an `__init__`, the fields of its object
    `own` get names, by `named`."""

    def __init__(
        self,
        look: Inference,
        layout: Layout,
        function: Function,
        own: str | None = None,
        named: Callable[[str], str] | None = None,
    ) -> None:
        self.look, self.layout, self.function = look, layout, function
        self.own, self.named = own, named
        self.hidden: list[set[str]] = []

    def kind(self, node: ast.AST) -> Kind | None:
        """What is known of an expression as the author wrote it."""
        return self.look.at.get(id(node))

    def static(self, node: ast.expr) -> Any:
        """What a dotted name means outside of the function."""
        return static(self.function, node, frozenset(n for names in self.hidden for n in names))

    def object_class(self, node: ast.AST) -> type | None:
        """The class of an object that is numbered, or whose methods read numbered ones."""
        kind = self.kind(node)
        return kind.cls if isinstance(kind, Object) else None

    # -- names ---------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> Any:
        if self.own is not None and node.id == self.own:
            raise GivenUp  # its fields have no place yet
        found = self.static(node)
        if found is UNKNOWN:
            return node
        if isinstance(found, type) and found in self.layout.numbered:
            raise GivenUp
        function = self.layout.function_names.get(id(getattr(found, "function", found)))
        if function is not None:
            return placed(ast.Name(function, ast.Load()), node)
        return self._outside(node, found)

    def _outside(self, node: ast.Name, found: Any) -> ast.expr:
        """A name that means the same in the entry function, or the object itself."""
        entry = self.look.program.entry
        if node.id not in entry.local and static(entry, node) is found:
            return node
        if callable(found) or isinstance(found, (bool, int, float, str)):
            return placed(known(found), node)
        raise GivenUp

    # -- fields --------------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if self.own is not None and isinstance(node.value, ast.Name) and node.value.id == self.own:
            return self._new_field(node)
        cls = self.object_class(node.value)
        if cls is None:
            found = self.static(node)
            if isinstance(found, type) and found in self.layout.numbered:
                raise GivenUp
            function = self.layout.function_names.get(id(getattr(found, "function", found)))
            if found is not UNKNOWN and function is not None:
                return placed(ast.Name(function, ast.Load()), node)
            if found is not UNKNOWN and isinstance(node.value, ast.Name):
                node.value = self._outside(node.value, self.static(node.value))
                return node
            return self.generic_visit(node)
        found = attribute_of(cls, node.attr)
        if isinstance(found, property):
            name = self.method_name(cls, node.attr)
            if name is None:
                return self.generic_visit(node)
            return placed(ast.Call(ast.Name(name, ast.Load()), [self.visit(node.value)], []), node)
        if cls not in self.layout.numbered:
            return self.generic_visit(node)
        fixed = self.layout.fixed.get((cls, node.attr))
        if fixed is not None:
            if not isinstance(node.ctx, ast.Load) or not is_plain(node.value):
                raise GivenUp
            return placed(ast.parse(fixed, mode="eval").body, node)
        if (cls, node.attr) in self.look.fields:
            return self._field(node, cls)
        if isinstance(found, (bool, int, float, str, tuple, list, dict, enum.Enum)):
            node.value = placed(known(cls), node.value)
            return node
        if isinstance(found, types.FunctionType):
            return self._bound(node, cls)
        raise GivenUp

    def _field(self, node: ast.Attribute, cls: type) -> ast.expr:
        name = self.layout.field_name(cls, node.attr)
        if cls in self.layout.single:
            if not is_plain(node.value):
                raise GivenUp
            return placed(ast.Name(name, node.ctx), node)
        if isinstance(node.ctx, ast.Del):
            raise GivenUp
        at = ast.Attribute(self.visit(node.value), self.layout.number_field(cls), ast.Load())
        setattr(at, ASKED, node.attr)
        field = ast.Subscript(ast.Name(name, ast.Load()), at, node.ctx)
        if (cls, node.attr) not in self.look.assigned:
            mark_same_object(field)
        return placed(field, node)

    def _new_field(self, node: ast.Attribute) -> ast.expr:
        assert self.named is not None
        cls = self.function.owner
        assert cls is not None
        fixed = self.layout.fixed.get((cls, node.attr))
        if fixed is not None and isinstance(node.ctx, ast.Load):
            return placed(ast.parse(fixed, mode="eval").body, node)
        if (cls, node.attr) not in self.look.fields:
            found = attribute_of(cls, node.attr)
            if isinstance(found, (bool, int, float, str)):
                return placed(ast.Constant(found), node)
            raise GivenUp
        return placed(ast.Name(self.named(node.attr), node.ctx), node)

    def _bound(self, node: ast.Attribute, cls: type) -> ast.expr:
        """A method as a function, `map(self.cost, xs)`: of the object that its owner is where it
        gets a name, `f = c.add`, whatever the owner's name means later."""
        name = self.method_name(cls, node.attr)
        if name is None or not isinstance(node.value, ast.Name):
            raise GivenUp
        tree = self.layout.tree_of(cls, node.attr)
        names = [f"{p.arg} of {node.attr}" for p in parameters(tree)[1:]]
        if tree.args.defaults or tree.args.kwonlyargs:
            raise GivenUp
        owner = self.visit(node.value)
        args = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
        if not _is_argument(node, self.function.tree):
            args.kwonlyargs, args.kw_defaults = [ast.arg(f"the object of {node.attr}")], [owner]
            owner = ast.Name(args.kwonlyargs[0].arg, ast.Load())
        given = [owner, *(ast.Name(n, ast.Load()) for n in names)]
        call = ast.Call(ast.Name(name, ast.Load()), given, [])
        return placed(ast.Lambda(args, call), node)

    def method_name(self, cls: type, attr: str) -> str | None:
        """The function that a method has become; None if it is as it was."""
        found = attribute_of(cls, attr)
        if isinstance(found, property):
            found = found.fget
        if isinstance(found, staticmethod):
            found = found.__func__
        name = self.layout.function_names.get(id(found))
        if name is None and cls in self.layout.numbered:
            raise GivenUp
        return name


def _is_argument(node: ast.expr, tree: ast.FunctionDef) -> bool:
    """Whether an expression is an argument of a call."""
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call))
    return any(a is node for c in calls for a in (*c.args, *(k.value for k in c.keywords)))


def is_plain(node: ast.expr) -> bool:
    """Whether nothing depends on when, or whether, an expression is evaluated."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value):
            return is_plain(value)
    return False
