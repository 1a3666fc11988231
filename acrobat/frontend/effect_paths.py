"""Paths: a variable, and a field of the object that it stands for. The field "" is the object
itself, or everything in it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .syntax import makes_list

Path = tuple[str, str]


def path_of(node: ast.expr) -> Path | None:
    """The path of `a`, `a.b`, `a.b[i].c`; None for a value that nothing else refers to, or that
    is not found by its names."""
    if makes_list(node):
        return None
    match node:
        case ast.Name(name):
            return name, ""
        case ast.Subscript(value):
            return path_of(value)
        case ast.Attribute(value, attr):
            owner = path_of(value)
            return owner if owner is None or owner[1] else (owner[0], attr)
    return None


def overlap(some: Iterable[Path], others: set[Path]) -> list[Path]:
    """The paths of `some` that are part of one of `others`, or contain one, in order."""
    names = {name for name, _ in others}
    return sorted(
        (name, attr)
        for name, attr in some
        if name in names
        and ((name, attr) in others or (name, "") in others or (not attr and name in names))
    )


def indices(node: ast.expr) -> list[ast.AST]:
    """The indices in `a.b[i].c[j]`."""
    found: list[ast.AST] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Subscript):
            found.append(node.slice)
        node = node.value
    return found


def aliases(tree: ast.FunctionDef) -> dict[str, Path]:
    """Variables that are assigned once, and stand for what another path leads to, or for an item
    of that."""
    found: dict[str, Path] = {}
    stored: list[str] = []
    for node in (n for s in tree.body for n in ast.walk(s)):
        match node:
            case ast.Name(name, ast.Store()):
                stored.append(name)
            case ast.Assign([ast.Name(name)], value) | ast.For(ast.Name(name), value):
                path = path_of(value)
                if path is not None and path[0] != name:
                    found[name] = path
    once = {n: p for n, p in found.items() if stored.count(n) == 1}
    for name in once:
        seen = {name}
        while (owner := once[name][0]) in once and owner not in seen:
            seen.add(owner)
            once[name] = (once[owner][0], once[owner][1] or once[name][1])
    return once
