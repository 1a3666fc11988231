"""The syntax of statements that use objects whose fields change (constructs/local_objects.py):
operators that are methods, and the fields that a statement reads."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass

from ..context import FunctionContext
from ..syntax import has_effect, names_in
from ..written import call, known, placed
from .evaluation_order import part_name
from .field_changes import attribute_of

# `len(stack)` is `stack.__len__()`.
_FUNCTIONS = {"len": "__len__", "bool": "__bool__", "str": "__str__", "abs": "__abs__"}
# Functions that read only the items or the length of a list, and give it no other name.
_LOOKS = ("len", "sum", "min", "max", "any", "all", "sorted")


def names_given(tree: ast.AST) -> set[str]:
    """The names that are arguments of calls."""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    given = [a for c in calls for a in (*c.args, *(k.value for k in c.keywords))]
    return {a.id for a in given if isinstance(a, ast.Name)}


def check_read_later(ctx: FunctionContext, call: ast.Call, changed: set[str]) -> None:
    """Refuse a call that changes the objects `changed` if it passes a function or a generator that
    reads one: it would have to see the changes."""
    functions = _functions_inside(ctx.source.tree)
    for arg in (*call.args, *(k.value for k in call.keywords)):
        later = [n for n in ast.walk(arg) if isinstance(n, (ast.Lambda, ast.GeneratorExp))]
        names = {name for node in later for name in _objects_in(node)}
        names |= names_in(arg) & functions.keys()
        for name in sorted(changed & _reached(names, functions)):
            ctx.fail(
                "AC030",
                call,
                f"a function that this call passes reads {name}, which the call changes",
                f"a name before for what it reads of {name}",
            )


def _functions_inside(tree: ast.AST) -> dict[str, set[str]]:
    """The names in each function inside a function, by the function's name."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name) if node is not tree:
                found[name] = _objects_in(node)
            case ast.Assign([ast.Name(name)], value) if not isinstance(value, ast.Call):
                lambdas = [n for n in ast.walk(value) if isinstance(n, ast.Lambda)]
                if lambdas:
                    found[name] = {n for each in lambdas for n in _objects_in(each)}
    return found


def _reached(names: set[str], functions: Mapping[str, set[str]]) -> set[str]:
    """`names`, and those in the functions among them and in the functions that these name."""
    found: set[str] = set()
    while names:
        found |= names
        names = {n for name in names for n in functions.get(name, ())} - found
    return found


def _objects_in(node: ast.AST) -> set[str]:
    """The names in `node`; for a field of an object that is a name by now, the object's."""
    return {name.rpartition(".")[0] or name for name in names_in(node)}


def with_methods(tree: ast.FunctionDef, objects: Mapping[str, type]) -> None:
    """Rewrite operators on objects as calls of their methods."""
    methods = _Methods(objects)
    tree.body = [methods.visit(stmt) for stmt in tree.body]


class _Methods(ast.NodeTransformer):
    def __init__(self, objects: Mapping[str, type]) -> None:
        self.objects = objects

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name(function), [ast.Name() as owner], []) if function in _FUNCTIONS:
                return self._called(owner, _FUNCTIONS[function], [], node) or node
            case ast.Call(ast.Attribute(ast.Name(cls), name) as func) if cls in self.objects:
                found = attribute_of(self.objects[cls], name)
                if isinstance(found, (staticmethod, classmethod)):
                    func.value = placed(known(self.objects[cls]), func)
            case ast.Call(ast.Name() as owner) if self._has(owner, "__call__"):
                node.func = placed(ast.Attribute(owner, "__call__", ast.Load()), owner)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
            return self._called(node.value, "__getitem__", [node.slice], node) or node
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Compare(left, [ast.In() | ast.NotIn() as op], [ast.Name() as owner]):
                found = self._called(owner, "__contains__", [left], node)
                if found is not None and isinstance(op, ast.NotIn):
                    return placed(ast.UnaryOp(ast.Not(), found), node)
                return node if found is None else placed(call(bool, found), node)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = self._truth(node.operand)
        return node

    def _test(self, node: ast.If | ast.While | ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.test = self._truth(node.test)
        return node

    visit_If = visit_While = visit_IfExp = _test  # noqa: N815

    def _truth(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Name):
            for method in ("__bool__", "__len__"):
                call = self._called(node, method, [], node)
                if call is not None:
                    return call
        return node

    def _has(self, owner: ast.Name, method: str) -> bool:
        cls = self.objects.get(owner.id)
        return cls is not None and attribute_of(cls, method) is not None

    def _called(
        self, owner: ast.Name, method: str, args: list[ast.expr], at: ast.expr
    ) -> ast.Call | None:
        if not self._has(owner, method):
            return None
        return placed(ast.Call(ast.Attribute(owner, method, ast.Load()), args, []), at)


@dataclass(frozen=True, slots=True)
class Mention:
    """A field that a statement reads, with its enclosing nodes, innermost first. `looks`: only an
    item or the length is read."""

    text: str
    around: tuple[ast.AST, ...]
    looks: bool

    def is_over_before(self, call: ast.AST) -> bool:
        """Whether the list itself is not held while `call` runs, only what was read from it."""
        return self.looks and call not in ast.walk(self.around[0])


def mentions(stmt: ast.stmt, objects: Mapping[str, type]) -> list[Mention]:
    """The fields of objects that a statement reads itself, without those of nested statements."""
    found: list[Mention] = []
    match stmt:
        case ast.AugAssign(ast.Attribute(ast.Name(name), attr)) if name in objects:
            found.append(Mention(f"{name}.{attr}", (), False))  # read before the other operand
    for child in ast.iter_child_nodes(stmt):
        if isinstance(child, ast.expr):
            found += _mentions(child, (), objects)
    return found


def _mentions(
    node: ast.AST, around: tuple[ast.AST, ...], objects: Mapping[str, type]
) -> Iterator[Mention]:
    match node:
        case ast.Attribute(ast.Name(name), attr, ast.Load()) if name in objects:
            found = attribute_of(objects[name], attr)
            if not callable(found) and not isinstance(found, property):
                yield Mention(f"{name}.{attr}", around, _looks(node, around[:1]))
            return
    for child in ast.iter_child_nodes(node):
        yield from _mentions(child, (node, *around), objects)


def _looks(node: ast.AST, around: tuple[ast.AST, ...]) -> bool:
    match around:
        case (ast.Subscript(value, ast.expr() as at),):
            return value is node and not isinstance(at, ast.Slice)
        case (ast.Call(ast.Name(function)),):
            return function in _LOOKS
        case (ast.Call(ast.Attribute()),) | (ast.Compare(),):
            return True
    return False


def is_one_of(node: ast.expr, names: Container[str]) -> bool:
    """Whether an expression is one of these names."""
    return isinstance(node, ast.Name) and node.id in names


def name_of(name: str, ctx: ast.expr_context, at: ast.AST) -> ast.Name:
    """A name, where `at` stands."""
    return ast.copy_location(ast.Name(name, ctx), at)


def names_of_parameters(arguments: ast.arguments) -> set[str]:
    """The names that the parameters of a function or a lambda bind in it."""
    return {a.arg for a in ast.walk(arguments) if isinstance(a, ast.arg)}


def before_objects(
    node: ast.Tuple, own: Container[str], changes: Callable[[ast.expr], bool]
) -> list[ast.stmt]:
    """The statements before `return c, c.add(1)`, where `own` are the objects: for what is computed
    before `c` is as it is returned."""
    first = next((i for i, e in enumerate(node.elts) if is_one_of(e, own)), len(node.elts))
    if not any(changes(e) or has_effect(e) for e in node.elts[first:]):
        return []
    made: list[ast.stmt] = []
    for i, part in enumerate(node.elts):
        if not is_one_of(part, own) and not isinstance(part, ast.Constant):
            name = part_name(part)
            made.append(placed(ast.Assign([ast.Name(name, ast.Store())], part), part))
            node.elts[i] = ast.copy_location(ast.Name(name, ast.Load()), part)
    return made
