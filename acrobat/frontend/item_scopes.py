"""What functions, lambdas, comprehensions and patterns inside a function do to its names, for
objects in lists (objects_in_lists.py)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .context import FunctionContext
from .scope import Env
from .syntax import names_assigned, parents_of

# What reads a generator to its end, and what calls a key, before anything else happens.
_READ_AT_ONCE = (list, tuple, sum, max, min, sorted, dict, set, any, all)
_TAKE_KEYS = (max, min, sorted)


def bound_inside(tree: ast.AST) -> Iterator[ast.Name]:
    """The mentions of names that lambdas and comprehensions in `tree` bind."""
    for node in ast.walk(tree):
        match node:
            case ast.Lambda(args):
                names = {a.arg for a in ast.walk(args) if isinstance(a, ast.arg)}
                parts: list[ast.AST] = [node.body]
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                names = {n for g in node.generators for n in _stored(g.target)}
                first = node.generators[0]
                parts = [n for n in ast.iter_child_nodes(node) if n is not first]
                parts += [first.target, *first.ifs]
            case _:
                continue
        for part in parts:
            yield from (n for n in ast.walk(part) if isinstance(n, ast.Name) and n.id in names)


def _stored(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def bound_otherwise(tree: ast.FunctionDef) -> set[str]:
    """The names that are parameters, `nonlocal`, local to a function inside or bound by a pattern:
    not by assignments and loops of the function alone."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Nonlocal(names) | ast.Global(names):
                found.update(names)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case ast.alias(name, other):
                found.add(other or name)
            case ast.FunctionDef(name, args):
                found |= {a.arg for a in ast.walk(args) if isinstance(a, ast.arg)}
                if node is not tree:
                    found |= {name} | names_assigned(node.body)
    return found


def run_later(ctx: FunctionContext, tree: ast.FunctionDef) -> set[int]:
    """The nodes, by identity, that may run after the statement that they are in: those of functions
    inside, of lambdas that are not the `key` of a function that calls it at once, and of generators
    that nothing reads at once."""
    parents = parents_of(tree)
    found: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                later = node is not tree
            case ast.Lambda():
                later = not _is_key(ctx, node, parents)
            case ast.GeneratorExp():
                later = not _is_read_at_once(ctx, parents[id(node)])
            case _:
                continue
        if later:
            found |= {id(n) for n in ast.walk(node)}
    return found


def lazy_calls(ctx: FunctionContext, tree: ast.FunctionDef) -> Iterator[ast.Call]:
    """The calls of `map`, `filter` and functions of itertools that get a lambda or a function of
    those inside: they call it only when a loop gets there."""
    local = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            local |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    for node in ast.walk(tree):
        found = ctx.static(node.func, Env()) if isinstance(node, ast.Call) else None
        lazy = found is map or found is filter or getattr(found, "__module__", "") == "itertools"
        if isinstance(node, ast.Call) and lazy:
            args = [*node.args, *(k.value for k in node.keywords)]
            inside = (isinstance(a, ast.Name) and a.id in local for a in args)
            if any(isinstance(a, ast.Lambda) for a in args) or any(inside):
                yield node


def _is_key(ctx: FunctionContext, node: ast.Lambda, parents: dict[int, ast.AST]) -> bool:
    keyword = parents[id(node)]
    if not isinstance(keyword, ast.keyword) or keyword.arg != "key":
        return False
    match parents[id(keyword)]:
        case ast.Call(ast.Attribute(attr="sort")):
            return True
        case ast.Call(func):
            return any(ctx.static(func, Env()) is f for f in _TAKE_KEYS)
    return False


def _is_read_at_once(ctx: FunctionContext, parent: ast.AST) -> bool:
    match parent:
        case ast.Call(ast.Attribute(ast.Constant(), "join")):
            return True
        case ast.Call(func):
            return any(ctx.static(func, Env()) is f for f in _READ_AT_ONCE)
    return False
