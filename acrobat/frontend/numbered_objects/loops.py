"""Loops over a list that is a field of an object, and that may change meanwhile."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ..written import placed
from .inference import Inference
from .kinds import Many, Object
from .program import Function, GivenUp

Field = tuple[type, str]
_NEW = ("list", "sorted", "tuple", "set", "frozenset", "len", "sum", "max", "min", "range")


def fields_changed(look: Inference, function: Function, nodes: Iterable[ast.AST]) -> set[Field]:
    """The fields that statements or expressions change, also by the functions that they call."""
    work: list[ast.AST] = list(nodes)
    inner = dict(function.inner)
    found: set[Field] = set()
    called: set[int] = set()
    while work:
        node = work.pop()
        for part in ast.walk(node):
            found |= look.changes.get(id(part), set())
            called |= look.reached.get(id(part), set())
            if isinstance(part, ast.Name) and part.id in inner:
                work.append(inner.pop(part.id))
    functions = look.program.functions
    more = list(called)
    while more:
        one = functions.get(more.pop())
        if one is not None:
            found |= one.changes
            more += one.calls - called
            called |= one.calls
    return found


def fields_held(look: Inference, node: ast.expr) -> Iterator[Field]:
    """The fields whose lists a loop over `node` reads while it runs."""
    match node:
        case ast.List() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.BinOp():
            return
        case ast.Subscript(slice=ast.Slice()):
            return
        case ast.Call(ast.Name(name)) if name in _NEW:
            return
        case ast.Call(ast.Attribute(_, "copy"), []):
            return
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute):
            owner = look.at.get(id(part.value))
            if isinstance(owner, Object) and (owner.cls, part.attr) in look.fields:
                yield owner.cls, part.attr


def may_change(look: Inference, function: Function, node: ast.For) -> bool:
    """Whether the body of a loop may change what the loop runs over."""
    held = set(fields_held(look, node.iter))
    return bool(held) and not held.isdisjoint(fields_changed(look, function, node.body))


def check_comprehension(look: Inference, function: Function, node: ast.expr) -> None:
    """Give up if a comprehension may change what it runs over."""
    generators: list[ast.comprehension] = getattr(node, "generators")  # noqa: B009
    held = {f for g in generators for f in fields_held(look, g.iter)}
    if held and not held.isdisjoint(fields_changed(look, function, [node])):
        raise GivenUp


def owner_of(look: Inference, node: ast.For) -> ast.expr:
    """The object whose list a loop runs over; the list is the same one throughout."""
    over = node.iter
    if isinstance(over, ast.Attribute) and not node.orelse:
        owner = look.at.get(id(over.value))
        if isinstance(owner, Object) and (owner.cls, over.attr) not in look.assigned:
            kind = look.fields.get((owner.cls, over.attr))
            if isinstance(kind, Many) and not kind.is_dict:
                return over.value
    raise GivenUp


def by_index(node: ast.For, owner: ast.expr | None, items: ast.expr) -> list[ast.stmt]:
    """`for x in items` as Python runs it: the length is asked for before every iteration.
    `items` reads the list of the object called `owner_name(node)`, which is `owner`."""
    at = f"an index in {node.lineno}:{node.col_offset}"
    index = ast.Name(at, ast.Load())
    length = ast.Call(ast.Name("len", ast.Load()), [items], [])
    item = ast.Subscript(items, index, ast.Load())
    body = [
        placed(ast.Assign([node.target], item), node),
        placed(ast.AugAssign(ast.Name(at, ast.Store()), ast.Add(), ast.Constant(1)), node),
        *node.body,
    ]
    loop = ast.While(ast.Compare(index, [ast.Lt()], [length]), body, [])
    start = ast.Assign([ast.Name(at, ast.Store())], ast.Constant(0))
    first = [] if owner is None else [ast.Assign([ast.Name(owner_name(node), ast.Store())], owner)]
    return [placed(s, node) for s in (*first, start, loop)]


def owner_name(node: ast.For) -> str:
    """The name of the object whose list a loop runs over."""
    return f"an owner in {node.lineno}:{node.col_offset}"
