"""Smaller versions of a program: every way to make the syntax tree of a file a little smaller.

`edits(tree)` yields them, the largest cuts first, as functions that make the smaller tree when it
is asked for. Many are no programs any more; who asks has to try.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

# Where a node is: the fields and positions on the way there.
Place = tuple[tuple[str, int | None], ...]


Edit = Callable[[], ast.Module]


def edits(tree: ast.Module) -> Iterator[Edit]:
    """The changes that may make `tree` smaller."""
    for way in (_without_statements, _without_names, _without_items, _inlined, _simpler):
        yield from way(tree)


def size(tree: ast.AST) -> int:
    """The number of nodes: what a reduction makes less; and numbers by their digits."""
    total = 0
    for node in ast.walk(tree):
        total += 1
        if isinstance(node, ast.Constant):
            total += len(repr(node.value)) - 1
    return total


def places(tree: ast.AST, here: Place = ()) -> Iterator[tuple[Place, ast.AST]]:
    """All nodes with their places, outer ones first."""
    yield here, tree
    for name, value in ast.iter_fields(tree):
        if isinstance(value, ast.AST):
            yield from places(value, (*here, (name, None)))
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield from places(item, (*here, (name, i)))


def at(tree: ast.AST, place: Place) -> Any:
    """The node at a place."""
    node: Any = tree
    for name, i in place:
        node = getattr(node, name) if i is None else getattr(node, name)[i]
    return node


def changed(tree: ast.Module, place: Place, change: Callable[[Any], object]) -> Edit:
    """A copy of `tree` in which `change` was made to the node at `place`."""

    def edit() -> ast.Module:
        new = copy.deepcopy(tree)
        change(at(new, place))
        return ast.fix_missing_locations(new)

    return edit


def put(tree: ast.Module, place: Place, node: ast.AST) -> Edit:
    """A copy of `tree` with `node` at `place`."""
    *way, (name, i) = place

    def change(parent: Any) -> None:
        if i is None:
            setattr(parent, name, copy.deepcopy(node))
        else:
            getattr(parent, name)[i] = copy.deepcopy(node)

    return changed(tree, tuple(way), change)


def _blocks(tree: ast.AST) -> Iterator[tuple[Place, str, list[Any]]]:
    for place, node in places(tree):
        for name in ("body", "orelse", "cases"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield place, name, block


def _halves(count: int) -> Iterator[tuple[int, int]]:
    """Stretches of `count` things, long ones first."""
    length = count
    while length:
        yield from ((i, min(i + length, count)) for i in reversed(range(0, count, length)))
        length //= 2


def _without_statements(tree: ast.Module) -> Iterator[Edit]:
    """Without a stretch of statements; with the body of a compound statement in its place."""
    for place, name, block in _blocks(tree):
        for start, stop in _halves(len(block)):

            def cut(node: Any, name: str = name, start: int = start, stop: int = stop) -> None:
                rest = getattr(node, name)
                del rest[start:stop]
                if not rest and name == "body" and not isinstance(node, ast.Module):
                    rest.append(ast.Pass())

            if not (stop - start == 1 and isinstance(block[start], ast.Pass)):
                yield changed(tree, place, cut)
        for i, stmt in enumerate(block):
            inner = [getattr(stmt, n, []) for n in ("body", "orelse")]
            inner += [case.body for case in getattr(stmt, "cases", [])]
            if isinstance(stmt, (ast.ClassDef, ast.match_case)):
                continue
            for body in inner:
                if body:

                    def lift(node: Any, name: str = name, i: int = i, body: Any = body) -> None:
                        getattr(node, name)[i : i + 1] = copy.deepcopy(body)

                    yield changed(tree, place, lift)


def _without_names(tree: ast.Module) -> Iterator[Edit]:
    """Without a parameter of a function and what is passed for it; without a field of a class and
    what stands for it where one is made or matched; without a part of what a function returns."""
    for stmt in tree.body:
        if isinstance(stmt, ast.FunctionDef):
            for i in range(len(stmt.args.args)):
                yield partial(_without_parameter, tree, stmt.name, i)
        if isinstance(stmt, ast.ClassDef):
            fields = [f.target.id for f in stmt.body if isinstance(f, ast.AnnAssign)
                      and isinstance(f.target, ast.Name)]  # fmt: skip
            for i, field in enumerate(fields):
                yield partial(_without_field, tree, stmt.name, i, field)


def _without_parameter(tree: ast.Module, function: str, i: int) -> ast.Module:
    new = copy.deepcopy(tree)
    for node in ast.walk(new):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            del node.args.args[i : i + 1]  # a method may have the same name, and fewer
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == function:
            del node.args[i : i + 1]
    if i:
        for entry, instances in _instances(new):
            if entry != function:
                continue
            for k, instance in enumerate(instances.elts):
                if isinstance(instance, ast.Tuple):
                    del instance.elts[i - 1 : i]
                    instances.elts[k] = instance
    return ast.fix_missing_locations(new)


def _instances(tree: ast.Module) -> Iterator[tuple[str, ast.List]]:
    """Of every case, the entry's name and the list of instances."""
    for stmt in tree.body:
        match stmt:
            case ast.Assign([ast.Name("CASES")], ast.List(cases)):
                for case in cases:
                    match case:
                        case ast.Tuple([ast.Name(entry), _, ast.List() as instances, *_]):
                            yield entry, instances


def _without_field(tree: ast.Module, name: str, i: int, field: str) -> ast.Module:
    new = copy.deepcopy(tree)
    for node in ast.walk(new):
        match node:
            case ast.ClassDef() if node.name == name:
                node.body = [s for s in node.body if not (isinstance(s, ast.AnnAssign)
                             and ast.unparse(s.target) == field)] or [ast.Pass()]  # fmt: skip
            case ast.Call(ast.Name(called)) if called == name:
                del node.args[i : i + 1]
                node.keywords = [k for k in node.keywords if k.arg != field]
            case ast.MatchClass(ast.Name(called)) if called == name:
                del node.patterns[i : i + 1]
    return ast.fix_missing_locations(new)


def _without_items(tree: ast.Module) -> Iterator[Edit]:
    """Without some items of a list, a tuple, a dictionary, a `and`; without a condition."""
    for place, node in places(tree):
        for name in ("elts", "values", "ifs", "keywords"):
            items = getattr(node, name, None)
            if not isinstance(items, list) or not items:
                continue
            least = 2 if isinstance(node, ast.BoolOp) else 1 if isinstance(node, ast.Tuple) else 0
            for start, stop in _halves(len(items)):
                if len(items) - (stop - start) < least:
                    continue

                def cut(node: Any, name: str = name, start: int = start, stop: int = stop) -> None:
                    del getattr(node, name)[start:stop]
                    if isinstance(node, ast.Dict):
                        del node.keys[start:stop]

                yield changed(tree, place, cut)


def _inlined(tree: ast.Module) -> Iterator[Edit]:
    """With the value of a variable in its place."""
    for place, name, block in _blocks(tree):
        for i, stmt in enumerate(block):
            match stmt:
                case ast.Assign([ast.Name(variable)], value):
                    yield partial(_with_value, tree, place, name, i, variable, value)


def _with_value(
    tree: ast.Module, place: Place, name: str, i: int, variable: str, value: ast.expr
) -> ast.Module:
    new = copy.deepcopy(tree)
    block = getattr(at(new, place), name)
    del block[i]
    for stmt in block[i:]:
        _Substitute(variable, value).visit(stmt)
    return ast.fix_missing_locations(new)


class _Substitute(ast.NodeTransformer):
    """Puts a value where a name is read."""

    def __init__(self, variable: str, value: ast.expr) -> None:
        self.variable, self.value = variable, value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == self.variable and isinstance(node.ctx, ast.Load):
            return copy.deepcopy(self.value)
        return node


_LEAVES = ("p.b", "0", "True", "[]", "None", "0.5")
# Where no other expression can stand.
_FIXED = {"func", "annotation", "returns", "decorator_list", "cls"}


def _simpler(tree: ast.Module) -> Iterator[Edit]:
    """With an expression in the place of one that it is a part of; or a constant."""
    leaves = [ast.parse(text, mode="eval").body for text in _LEAVES]
    for place, node in places(tree):
        if not isinstance(node, ast.expr) or isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        if _FIXED.intersection(name for name, _ in place):
            continue
        if isinstance(node, ast.Constant):
            yield from _smaller_numbers(tree, place, node)
            continue
        for inner_place, inner in places(node):
            if inner_place and isinstance(inner, ast.expr):
                yield put(tree, place, inner)
        if size(node) > 1 and ast.unparse(node) not in _LEAVES:
            for leaf in leaves:
                yield put(tree, place, leaf)


def _smaller_numbers(tree: ast.Module, place: Place, node: ast.Constant) -> Iterator[Edit]:
    value = node.value
    if type(value) is int:
        shorter = (n for n in (0, 1, 2, value // 2) if len(str(n)) < len(str(value)))
        tried: list[float] = [*shorter]
        tried += [n for n in (0, 1, 2) if 0 <= n < value < 10]
    elif type(value) is float:
        tried = [n for n in (0.0, 1.0, 0.5) if len(repr(n)) < len(repr(value))]
    else:
        return
    for number in tried:
        yield put(tree, place, ast.Constant(number))
