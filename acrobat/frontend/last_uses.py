"""Where a name is used for the last time, so that its value may pass to another name."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Iterator

from .syntax import makes_list, mark_moved, names_in

_FUNCTIONS = (ast.Lambda, ast.FunctionDef)
_SEVERAL = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ITERATORS = {"iter", "zip", "map", "filter", "enumerate", "reversed"}
_LOOPS = (ast.For, ast.While)


def names_iterated_later(tree: ast.FunctionDef) -> set[str]:
    """The names of what an iterator with a name may read later, `it = iter(xs)`; before iterators
    become lists."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            parts = list(ast.walk(node.value))
            if any(isinstance(p, ast.GeneratorExp) or _makes_iterator(p) for p in parts):
                found |= names_in(node.value)
    return found


def _makes_iterator(node: ast.AST) -> bool:
    match node:
        case ast.Call(ast.Name(name) | ast.Attribute(_, name)):
            return name in _ITERATORS or hasattr(itertools, name)
    return False


def mark_moved_lists(tree: ast.FunctionDef, owned: Collection[str], later: Collection[str]) -> None:
    """Mark the lists that `groups.append(current)` reads for the last time, as before
    `current = []`, or `cells = new`. `owned` are parameters that belong to the function; iterators
    may read the lists `later`."""
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call))
    items = [
        c.args[0]
        for c in calls
        if isinstance(c.func, ast.Attribute) and c.func.attr == "append" and len(c.args) == 1
    ]
    passing: list[tuple[ast.Name, ast.expr]] = []
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name() as target], ast.Name(name) as value) if name not in later:
                items.append(value)
                passing.append((target, value))
    made = {
        target.id
        for n in ast.walk(tree)
        if isinstance(n, (ast.Assign, ast.AnnAssign))
        and n.value is not None
        and (makes_list(n.value) or _may_make_list(n.value))
        for target in (n.targets if isinstance(n, ast.Assign) else [n.target])
        if isinstance(target, ast.Name)
    }
    passed = [(t.id, i.id) for t, i in passing if isinstance(i, ast.Name)]
    while more := {t for t, s in passed if s in made} - made:  # `b = a`, `groups.append(b)`
        made |= more
    read = [i for i in items if isinstance(i, ast.Name) and i.id in made]
    if read:
        last = last_uses(tree, {n.id for n in read}, owned)
        for one in read:
            if id(one) in last:
                mark_moved(one)


def _may_make_list(node: ast.expr) -> bool:
    """Whether a call makes a list or dict, unless the author has given its function another
    meaning: then the name does not own it."""
    match node:
        case ast.Call(ast.Name(name)):
            return name in ("list", "sorted", "dict")
    return False


def last_uses(tree: ast.FunctionDef, names: set[str], owned: Collection[str] = ()) -> set[int]:
    """The `id`s of nodes that read one of `names` for the last time before it is assigned again.
    This is known of a name that is used only in blocks after a statement there that assigns it:
    what a loop's body assigns belongs to one iteration; and of the parameters `owned`. Names that
    inner functions mention are left out: these may read them whenever they are called."""
    found: set[int] = set()
    inside = [n for n in ast.walk(tree) if isinstance(n, _FUNCTIONS) and n is not tree]
    names = names - {n.id for f in inside for n in ast.walk(f) if isinstance(n, ast.Name)}
    for name in names:
        blocks = [rest for b in _blocks(tree.body) if (rest := _assigned(b, name))]
        reads = [id(n) for block in blocks for stmt in block for n in _mentions(stmt, name)]
        everywhere = [id(n) for stmt in tree.body for n in _mentions(stmt, name)]
        parameter = any(a.arg == name for a in ast.walk(tree.args) if isinstance(a, ast.arg))
        if parameter and name in owned:
            _last(tree.body, name, False, found)
            continue
        if sorted(reads) == sorted(everywhere) and not parameter:
            for block in blocks:
                _last(block, name, False, found)
    return found


def _blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    yield body
    for stmt in body:
        if isinstance(stmt, ast.FunctionDef):
            continue
        for inner in _inner(stmt):
            yield from _blocks(inner)


def _inner(stmt: ast.stmt) -> list[list[ast.stmt]]:
    bodies = [getattr(stmt, field, []) for field in ("body", "orelse")]
    return [*bodies, *(case.body for case in getattr(stmt, "cases", []))]


def _assigned(block: list[ast.stmt], name: str) -> list[ast.stmt]:
    """The statements of a block from the first one on that assigns `name` itself."""
    return next((block[i:] for i, stmt in enumerate(block) if _assigns(stmt, name)), [])


def _assigns(stmt: ast.stmt, name: str) -> bool:
    match stmt:
        case ast.Assign([ast.Name(target)]) | ast.AnnAssign(ast.Name(target), value=ast.expr()):
            return target == name
    return False


def _mentions(node: ast.AST, name: str) -> list[ast.Name]:
    return [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]


def _last(block: list[ast.stmt], name: str, later: bool, found: set[int]) -> bool:
    """Note the last uses in a block; `later`: the name is read after the block. Returns whether it
    is read in the block or after it."""
    for stmt in reversed(block):
        own = _mentions(stmt, name)
        if _assigns(stmt, name):
            own = [n for n in own if isinstance(n.ctx, ast.Load)]
            later = False
        if not own:
            continue
        if isinstance(stmt, (*_LOOPS, ast.FunctionDef, ast.Try, ast.With)):
            later = True
            continue
        if isinstance(stmt, (ast.If, ast.Match)):
            inside = [_last(inner, name, later, found) for inner in _inner(stmt)]
            outside = {id(n) for inner in _inner(stmt) for s in inner for n in _mentions(s, name)}
            own = [n for n in own if id(n) not in outside]
            later = later or any(inside)
        if len(own) == 1 and not later and not _is_nested(stmt, own[0]):
            found.add(id(own[0]))
        later = later or bool(own)
    return later


def _is_nested(stmt: ast.stmt, name: ast.Name) -> bool:
    """Whether a name is in a part of a statement that is evaluated several times."""
    parts = (n for n in ast.walk(stmt) if isinstance(n, _SEVERAL))
    return any(name in ast.walk(part) for part in parts)
