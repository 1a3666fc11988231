"""Facts from the syntax tree alone: which names statements assign, read or append to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..ir.types import DictType, ListType, Type


def parameters(tree: ast.FunctionDef) -> list[ast.arg]:
    """The parameters of a function, in order, without `*args` and `**kwargs`."""
    return [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]


def parents_of(tree: ast.AST) -> dict[int, ast.AST]:
    """The parents of the nodes of a tree, by the identity of the node."""
    return {id(c): n for n in ast.walk(tree) for c in ast.iter_child_nodes(n)}


def names_assigned(body: list[ast.stmt]) -> set[str]:
    """The local names that the statements of `body` may assign. The targets of a comprehension are
    local to it, as are the names of a local function."""
    names: set[str] = set()
    work: list[ast.AST] = list(body)
    while work:
        node = work.pop()
        if isinstance(node, ast.comprehension):
            work += [node.iter, *node.ifs]
            continue
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            names |= {node.name} if isinstance(node, ast.FunctionDef) else set()
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        work.extend(ast.iter_child_nodes(node))
    return names


def jumps(stmt: ast.stmt, *kinds: type[ast.stmt]) -> bool:
    """Whether `stmt` has a `break` or `continue` (of these kinds) for the enclosing loop."""
    if isinstance(stmt, kinds):
        return True
    match stmt:
        case ast.If():
            return any(jumps(s, *kinds) for s in (*stmt.body, *stmt.orelse))
        case ast.Match():
            return any(jumps(s, *kinds) for c in stmt.cases for s in c.body)
        case ast.For() | ast.While():
            return any(jumps(s, *kinds) for s in stmt.orelse)
    return False


def named_values(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The name and the value of `x = value` and `x: T = value`, if `node` is such an assignment."""
    match node:
        case ast.Assign([ast.Name(name)], value):
            yield name, value
        case ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
            yield name, value


def names_in(node: ast.AST) -> set[str]:
    """The names that occur in `node`."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


# The methods that change a list or a dict.
MUTATING = {
    *("append", "extend", "insert", "pop", "clear", "reverse", "sort", "remove"),
    *("setdefault", "popitem", "move_to_end", "popleft", "appendleft"),
}


def names_mutated(body: list[ast.stmt]) -> set[str]:
    """The names of the lists that `body` changes, by a method or by assigning to an item."""
    nodes = [n for stmt in body for n in ast.walk(stmt)]
    found: list[ast.expr] = [
        n.func.value
        for n in nodes
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and is_mutation(n)
    ]
    found += [o for o in map(changed_set, nodes) if o is not None]
    found += [n for n in nodes if isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load)]
    return {name for name in map(root_name, found) if name is not None}


# The methods that change a set, as statements; the author's own classes may have such methods, too.
CHANGING_SETS = {
    *("add", "discard", "update", "intersection_update", "difference_update"),
    "symmetric_difference_update",
}


def changed_set(node: ast.AST) -> ast.expr | None:
    """What `s.add(x)` and the like change, if `node` is such a statement."""
    match node:
        case ast.Expr(ast.Call(ast.Attribute(owner, method))) if method in CHANGING_SETS:
            return owner
    return None


def is_mutation(call: ast.Call) -> bool:
    """Whether `call` calls a method that changes its receiver, if that is a list."""
    return isinstance(call.func, ast.Attribute) and call.func.attr in MUTATING


def root_name(node: ast.expr) -> str | None:
    """`xs` for `xs`, `xs[i]`, `xs[i][j]`; None for anything else."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def owner_name(node: ast.expr) -> str | None:
    """The name of the list or dict that `node` is part of: `root_name`, or `d` for `d.get(k, x)`
    and `d.setdefault(k, [])[i]`, which puts no list that has another name into `d`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    match node:
        case ast.Call(ast.Attribute(ast.Name(name), "get")):
            return name
        case ast.Call(ast.Attribute(ast.Name(name), "setdefault"), [_, default]):
            empty = ast.unparse(default) in ("[]", "{}")
            return name if empty or isinstance(default, ast.Constant) else None
    return root_name(node)


def viewed(node: ast.expr) -> str | None:
    """The owner `d` of a view, `d.values()` or `d[k].items()`; None for anything else."""
    match node:
        case ast.Call(ast.Attribute(owner, "keys" | "values" | "items"), []):
            return owner_name(owner)
    return None


def view_owners(node: ast.expr) -> set[str]:
    """The names that `node` mentions only for their views, `d` of `zip(d.items(), xs)`."""
    views = [n.func for n in ast.walk(node) if isinstance(n, ast.Call) and viewed(n)]
    owners = [f.value for f in views if isinstance(f, ast.Attribute)]
    inside = {id(o) for o in owners}
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    return {n.id for n in names if id(n) in inside} - {n.id for n in names if id(n) not in inside}


def known_index(node: ast.Subscript) -> str:
    """The first index of `xs[i]`, `xs[i][j]` as text if it is a literal int or string, so that
    equal indices have equal texts; "?" otherwise."""
    while isinstance(node.value, ast.Subscript):
        node = node.value
    at = node.slice
    known = isinstance(at, ast.Constant) and type(at.value) in (int, str)
    return repr(at.value) if isinstance(at, ast.Constant) and known else "?"


def item_parts(node: ast.ListComp | ast.GeneratorExp) -> list[ast.expr]:
    """What is evaluated for every item: all but the first iterable."""
    first, *more = node.generators
    return [node.elt, *first.ifs, *(p for g in more for p in (g.iter, *g.ifs))]


def names_read_late(node: ast.GeneratorExp) -> set[str]:
    """The names that a generator reads when its items are asked for."""
    own = {n for g in node.generators for n in names_in(g.target)}
    return {n for p in item_parts(node) for n in names_in(p)} - own


def names_bound(node: ast.expr) -> set[str]:
    """The names that `:=` binds in `node`."""
    return {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}


# An attribute of calls that the compiler has written: the names that they change.
CHANGED_NAMES = "changed_names"


def has_effect(node: ast.expr) -> bool:
    """Whether computing `node` may bind a name, or change a list."""
    return any(
        isinstance(n, ast.NamedExpr)
        or (isinstance(n, ast.Call) and is_mutation(n))
        or bool(getattr(n, CHANGED_NAMES, ()))
        for n in ast.walk(node)
    )


def changes_again(node: ast.expr) -> bool:
    """Whether computing `node` a second time may differ from the first: a `setdefault` has then
    been done."""
    return any(
        isinstance(n, ast.NamedExpr)
        or (isinstance(n, ast.Call) and is_mutation(n) and n.func.attr != "setdefault")  # type: ignore[attr-defined]
        or bool(getattr(n, CHANGED_NAMES, ()))
        for n in ast.walk(node)
    )


def names_used_whole(body: list[ast.stmt]) -> set[str | None]:
    """The names that `body` reads other than to access a field."""
    nodes = [n for stmt in body for n in ast.walk(stmt)]
    owners = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}
    loads = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return {n.id for n in loads if id(n) not in owners}


_FRESH = "makes_a_list"  # an attribute of calls, and of names that are read once


def mark_fresh(node: ast.expr, fresh: bool = True) -> None:
    """Note that `node` makes a list that nothing else refers to, or reads it for the only time."""
    setattr(node, _FRESH, fresh)


_FRESH_ITEMS = "makes_items"  # an attribute of calls


def mark_fresh_items(node: ast.expr) -> None:
    """Note that `node` makes a list or a dict, and each of the lists and dicts in it anew."""
    setattr(node, _FRESH_ITEMS, True)


_MOVED = "is_read_no_more"  # an attribute of names


def mark_moved(name: ast.Name) -> None:
    """Note that `name` is not read again: its value belongs to its new name alone."""
    setattr(name, _MOVED, True)


_IDLE = "may_do_nothing"  # an attribute of statements


def may_do_nothing(stmt: ast.Expr) -> ast.Expr:
    """Note that `stmt`, which the compiler has written, may be a call that changes nothing."""
    setattr(stmt, _IDLE, True)
    return stmt


def does_nothing(stmt: ast.Expr) -> bool:
    """Whether `stmt` may be a call that changes nothing, without being an error."""
    return getattr(stmt, _IDLE, False)


def moved_name(node: ast.expr) -> str | None:
    """The name that is read here for the last time; None for anything else."""
    return node.id if isinstance(node, ast.Name) and getattr(node, _MOVED, False) else None


def makes_list(node: ast.expr) -> bool:
    """Whether `node`, if its value is a list or a dict, makes one that nothing else refers to."""
    if isinstance(node, ast.IfExp):
        return makes_list(node.body) and makes_list(node.orelse)
    if isinstance(node, ast.BoolOp):
        return all(map(makes_list, node.values))
    if getattr(node, _FRESH, False):
        return True
    sliced = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    made = (ast.List, ast.ListComp, ast.BinOp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp)
    return sliced or isinstance(node, made)


def makes_items(node: ast.expr, t: Type) -> bool:
    """Whether nothing else, nor another item, refers to a list or dict inside the list or dict of
    type `t` that `node` makes."""
    inner = _item_type(t)
    if getattr(node, _FRESH_ITEMS, False):
        return True
    if not isinstance(inner, (ListType, DictType)):
        return inner is None or makes_list(node)
    match node:
        case ast.List(elements) | ast.Dict(_, elements):
            return all(makes_list(e) and makes_items(e, inner) for e in elements)
        case ast.ListComp(element) | ast.DictComp(_, element):
            return makes_list(element) and makes_items(element, inner)
        case ast.IfExp(_, body, orelse):
            return makes_items(body, t) and makes_items(orelse, t)
        case ast.BoolOp(_, values):
            return all(makes_items(v, t) for v in values)
        case ast.Call(_, []):  # `dict()`, `list()`
            return makes_list(node)
    return False


def _item_type(t: Type) -> Type | None:
    """The type of the items of a list, or of the values of a dict; None for anything else."""
    if isinstance(t, DictType):
        t = t.items[1]
    return t.item if isinstance(t, ListType) else None
