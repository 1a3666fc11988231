"""Whether an item of a list keeps its index while a name stands for it (objects_in_lists.py)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .item_refusals import Refused
from .listed_items import Items

_STRUCTURAL = {"insert", "pop", "sort", "clear", "reverse", "remove", "extend"}
_LOOPS = (ast.For, ast.While)


def check_steady(items: Items, name: str) -> None:
    """Refuse a list unless items keep their indices while `name` stands for them: its uses are in
    the bodies of loops that give it to items, or behind such assignments in the same block;
    meanwhile the list's order does not change, and no other object takes an item's place."""
    loads = [u for u in items.uses(name) if isinstance(u.ctx, ast.Load)]
    known: list[ast.AST] = []
    for node in items.names[name]:
        part: list[ast.stmt] = (
            node.body if isinstance(node, ast.For) else _behind(items, name, node)
        )
        within = [n for s in part for n in ast.walk(s)]
        uses = [u for u in loads if u in within]
        if isinstance(node, ast.For):
            _check_loop(items, name, node, uses)
        else:
            _check_behind(items, name, part, uses)
        known += uses
    for use in loads:
        if use not in known or id(use) in items.later:
            raise _unsteady(items, name, use, "is used where it may stand for another one")
    for n in ast.walk(items.tree):
        later = id(n) in items.later and isinstance(n, (ast.stmt, ast.Call))
        if later and (_reordered(items, n) or any(_replaced(items, n))):
            why = "stays while a function inside may change the order of the list"
            raise _unsteady(items, name, n, why)


def _unsteady(items: Items, name: str, node: ast.AST, why: str) -> Refused:
    what = f"{name}, a name of an object in {items.name} whose fields change, {why}"
    return Refused(node, what, f"its index in place of the name, `{items.name}[i]`")


def _behind(items: Items, name: str, node: ast.stmt) -> list[ast.stmt]:
    """The statements behind an assignment in its block, up to the next one of the name."""
    found = []
    for stmt in _block(items, node):
        if _start(items, stmt) > _start(items, node):
            found.append(stmt)
            if stmt in items.names[name] and not isinstance(stmt, ast.For):
                break
    return found


def _check_behind(items: Items, name: str, behind: list[ast.stmt], uses: list[ast.Name]) -> None:
    """An item that has got its name before the statements `behind` keeps its index."""
    last = max((_start(items, u) for u in uses), default=0)
    meanwhile = [s for s in behind if _start(items, s) <= last]
    for stmt in meanwhile:
        if _reordered(items, stmt):
            raise _unsteady(items, name, stmt, "stays while the order of the list changes")
        if _grows(items, stmt):
            items.grown.add(name)
        for store in _replaced(items, stmt):
            if store is not meanwhile[-1]:
                raise _unsteady(items, name, store, "stays while another object takes its place")


def _check_loop(items: Items, name: str, loop: ast.For, uses: list[ast.Name]) -> None:
    """An item keeps its index in a loop's body."""
    for stmt in loop.body:
        if _reordered(items, stmt) or _grows(items, stmt):
            raise _unsteady(items, name, stmt, "stays while the list changes")
    for store in _replaced(items, loop):
        inner = [n for n in ast.walk(loop) if isinstance(n, _LOOPS) and n is not loop]
        around = [n for n in inner if store in ast.walk(n)]
        again = [n for part in around for n in ast.walk(part)]
        end = items.at[id(store)][1]
        later = any(_start(items, u) > end or u in again for u in uses)
        if later or not items.sources.is_live(loop.iter):
            raise _unsteady(items, name, store, "stays while another object takes its place")


def _start(items: Items, node: ast.AST) -> int:
    return items.at[id(node)][0]


def _replaced(items: Items, node: ast.AST) -> Iterator[ast.stmt]:
    """The statements that put another object in the place of an item."""
    for n in ast.walk(node):
        match n:
            case ast.Assign(targets) if any(map(items.is_item, targets)):
                if not isinstance(targets[0], ast.Name):
                    yield n


def _block(items: Items, node: ast.AST) -> list[ast.stmt]:
    parent = items.parents.get(id(node))
    for part in ("body", "orelse"):
        block = getattr(parent, part, None)
        if isinstance(block, list) and node in block:
            return block
    return []


def _grows(items: Items, stmt: ast.AST) -> bool:
    """Whether a statement may append to the list."""
    return any(
        isinstance(n, ast.Attribute) and n.attr == "append" and items.is_list(n.value)
        for n in ast.walk(stmt)
    )


def _reordered(items: Items, stmt: ast.AST) -> bool:
    """Whether a statement may change where the items of the list are."""
    for n in ast.walk(stmt):
        match n:
            case ast.Attribute(owner, method) if items.is_list(owner) and method in _STRUCTURAL:
                return True
            case ast.Name(name, ast.Store() | ast.Del()) if name == items.name:
                return True
            case ast.Subscript(owner, ast.Slice(), ast.Store() | ast.Del()):
                if items.is_list(owner):
                    return True
            case ast.Subscript(owner, _, ast.Del()) if items.is_list(owner):
                return True
    return False
