"""Methods of objects in a table of the module, `STEPS[k].run(state)`, as calls of functions:

    move = STEPS[k]               move = STEPS[k]
    move.run(s)            ->     Go.run(move, s) if isinstance(move, Go) else Say.run(move, s)

So it is known which functions get the numbers of objects.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator
from typing import Any

from ...lang.model import Model
from ..constructs.field_changes import attribute_of
from ..plain_classes import is_plain_class
from ..source import SourceMissing, read_source
from ..syntax import may_do_nothing, parameters
from ..written import copied, known, placed

Static = Callable[[ast.expr], Any]


def with_functions_of_tables(tree: ast.FunctionDef, static: Static) -> None:
    """Write such calls in a function; `static` says what names mean outside of it."""
    _Written(_items_of_tables(tree, static), static).visit(tree)


def _items_of_tables(tree: ast.FunctionDef, static: Static) -> dict[str, list[Any]]:
    """The names that stand for nothing but items of tables, with these items."""
    found: dict[str, list[Any]] = {}
    bound = [p.arg for p in parameters(tree)]
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(name)], ast.Subscript(table, at)) if not isinstance(
                at, ast.Slice
            ):
                found.setdefault(name, []).extend(_objects(static(table)) or [None])
            case ast.For(ast.Name(name), table):
                found.setdefault(name, []).extend(_objects(static(table), loop=True) or [None])
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name()], ast.Subscript()) | ast.For(ast.Name()):
                continue
            case ast.FunctionDef() | ast.Lambda() if node is not tree:
                return {}  # whose variables may be others of the same name
        bound += _bound_in(node)
    return {n: objects for n, objects in found.items() if n not in bound and None not in objects}


def _bound_in(node: ast.AST) -> Iterator[str]:
    """The names that a node binds, apart from the nodes in it that bind names themselves."""
    match node:
        case ast.Assign(targets):
            parts: list[Any] = [*targets]
        case ast.AugAssign(target) | ast.AnnAssign(target) | ast.NamedExpr(target):
            parts = [target]
        case ast.For(target) | ast.comprehension(target):
            parts = [target]
        case ast.withitem(optional_vars=target) if target is not None:
            parts = [target]
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
            return
        case ast.ExceptHandler(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name
            return
        case ast.Global(names) | ast.Nonlocal(names):
            yield from names
            return
        case ast.alias(name, asname):
            yield (asname or name).partition(".")[0]
            return
        case _:
            return
    for part in parts:
        yield from (n.id for n in ast.walk(part) if isinstance(n, ast.Name))


def _objects(table: Any, loop: bool = False) -> list[Any]:
    """The objects of plain classes that a list, a tuple or a dict consists of; [] if it consists of
    anything else."""
    if type(table) is dict and not loop:
        table = list(table.values())
    if type(table) not in (list, tuple):
        return []
    return list(table) if all(is_plain_class(type(o)) for o in table) else []


def _statement(value: ast.expr) -> ast.stmt:
    if isinstance(value, ast.Call) and _is_empty(value.func):
        return ast.Pass()
    if not isinstance(value, ast.IfExp):
        return may_do_nothing(ast.Expr(value))
    return ast.If(value.test, [_statement(value.body)], [_statement(value.orelse)])


def _is_empty(func: ast.expr) -> bool:
    """Whether the body of a method is `pass`."""
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Constant):
        return False
    cls: Any = func.value.value
    try:
        tree = read_source(Model(attribute_of(cls, func.attr))).tree
    except SourceMissing:
        return False
    return all(
        isinstance(stmt, ast.Pass)
        or (isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant))
        for stmt in tree.body
    )


class _Written(ast.NodeTransformer):
    def __init__(self, items: dict[str, list[Any]], static: Static) -> None:
        self._items, self._static = items, static

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """A lambda has no place for the name of an object."""
        return node

    def visit_ListComp(self, node: ast.AST) -> ast.AST:
        """Nor has a comprehension."""
        return node

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """A call whose result nobody uses is a statement for each class."""
        called = node.value
        self.generic_visit(node)
        return node if node.value is called else placed(_statement(node.value), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(ast.Name(name) as owner, attr) if name in self._items:
                return self._by_class(node, self._items[name], attr, owner, owner)
            case ast.Attribute(ast.Subscript(table, at) as owner, attr) if not isinstance(
                at, ast.Slice
            ):
                objects = _objects(self._static(table))
                place = f"the object in {owner.lineno}:{owner.col_offset}"
                item = ast.Name(place, ast.Load())
                first = ast.NamedExpr(ast.Name(place, ast.Store()), owner)
                return self._by_class(node, objects, attr, first, item)
        return node

    def _by_class(
        self, node: ast.Call, objects: list[Any], attr: str, first: ast.expr, item: ast.expr
    ) -> ast.AST:
        """The call for an object of each of the classes. `first` is what gives the object its name
        `item`."""
        classes = sorted({type(o) for o in objects}, key=lambda c: -len(c.__mro__))
        found = [attribute_of(c, attr) for c in classes]
        own = any(attr in getattr(o, "__dict__", ()) for o in objects)
        if not classes or own or not all(isinstance(f, types.FunctionType) for f in found):
            return node
        calls = [self._call(node, c, item) for c in classes]
        if len(calls) == 1:
            calls[0].args[0] = copied(first) if first is item else first.value  # type: ignore
            return placed(calls[0], node)
        result: ast.expr = calls[-1]
        for i in range(len(classes) - 2, -1, -1):
            asked = [copied(item) if i else first, known(classes[i])]
            result = ast.IfExp(ast.Call(known(isinstance), asked, []), calls[i], result)
        return placed(result, node)

    def _call(self, node: ast.Call, cls: type, item: ast.expr) -> ast.Call:
        assert isinstance(node.func, ast.Attribute)
        function = ast.Attribute(known(cls), node.func.attr, ast.Load())
        words = [ast.keyword(k.arg, copied(k.value)) for k in node.keywords]
        return ast.Call(function, [copied(item), *map(copied, node.args)], words)
