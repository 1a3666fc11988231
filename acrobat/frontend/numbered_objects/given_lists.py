"""Lists that calls give to objects and that nothing changes: `self.points = points`, where
`Tree(points[:middle])` makes the object, may set a list of the object's own that equals it."""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Iterator

from ..plain_classes import made_by_fields
from ..syntax import names_mutated, parameters, parents_of
from .inference import Inference
from .program import Function, needed_init, static

# Functions of Python that only read a list.
_READING = ("len", "sorted", "sum", "max", "min", "enumerate", "zip", "list", "tuple", "set")


def given_lists(look: Inference, cls: type) -> frozenset[str]:
    """The parameters of a class that are fields which do not change once the object is made, and
    that every call gives a list which nothing changes, or a string or tuple."""
    if made_by_fields(cls):
        fields = [f for f in dataclasses.fields(cls) if f.init]
        positional = [f.name for f in fields if not f.kw_only]
        kept = {f.name: [f.name] for f in fields}
    else:
        init = needed_init(look.program, cls)
        positional = [p.arg for p in [*init.tree.args.posonlyargs, *init.tree.args.args][1:]]
        kept = {}
        for name, attr in _kept(init.tree):
            kept.setdefault(name, []).append(attr)
        kept = {n: f for n, f in kept.items() if _only_read(look, init, n, init=True)}
    found: set[str] = set()
    for name, names in kept.items():
        if any((cls, f) in look.changed for f in names):
            continue
        calls = look.calls[cls].values()
        if all(_unchanged(look, f, _given(c, positional, name), cls) for c, f in calls):
            found.add(name)
    return frozenset(found)


def _kept(tree: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The parameters of an `__init__` that are fields as they are, and these fields."""
    own = {p.arg for p in parameters(tree)}
    for node in tree.body:
        match node:
            case ast.Assign([ast.Attribute(_, attr)], ast.Name(name)) if name in own:
                yield name, attr
            case ast.AnnAssign(ast.Attribute(_, attr), _, ast.Name(name)) if name in own:
                yield name, attr


def _given(call: ast.Call, positional: list[str], name: str) -> ast.expr | None:
    given = dict(zip(positional, call.args, strict=False))
    return ({k.arg: k.value for k in call.keywords} | given).get(name)


def _is_new(function: Function, node: ast.expr | None) -> bool:
    """Whether an expression makes a list, or is a part of a string or tuple."""
    match node:
        case ast.List() | ast.ListComp() | ast.Subscript(_, ast.Slice()):
            return True
        case ast.BinOp(left, ast.Add(), right):
            return any(isinstance(n, (ast.List, ast.ListComp)) for n in (left, right))
        case ast.Call(func):
            found = static(function, func)
            return found is list or found is sorted
    return False


def _unchanged(look: Inference, function: Function, node: ast.expr | None, cls: type) -> bool:
    """Whether an argument is a list that nothing changes from there on."""
    if not isinstance(node, ast.Name):
        return _is_new(function, node)
    given = {p.arg for p in parameters(function.tree)}
    if node.id in given and function is not look.program.entry:
        return False  # the caller may change it
    return _only_read(look, function, node.id, init=False, cls=cls)


def _only_read(
    look: Inference, function: Function, name: str, init: bool, cls: type | None = None
) -> bool:
    """Whether a function does nothing with a variable but read it, give it to objects of `cls`, or
    assign it a new list; in an `__init__`, set fields to it, too."""
    tree, up = function.tree, parents_of(function.tree)
    if name in names_mutated(tree.body) or any(
        isinstance(n, (ast.Global, ast.Nonlocal)) and name in n.names for n in ast.walk(tree)
    ):
        return False
    makers = set(look.calls[cls]) if cls is not None else set[int]()
    mentions = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name]
    return all(_is_read(function, n, up, init, makers) for n in mentions)


def _is_read(
    function: Function, node: ast.Name, up: dict[int, ast.AST], init: bool, makers: set[int]
) -> bool:
    parent = up[id(node)]
    match parent, up.get(id(parent)):
        case ast.Tuple(targets), ast.Assign([target], ast.Tuple(values)) if target is parent:
            pairs = zip(targets, values, strict=False)
            return len(targets) == len(values) and any(
                t is node and _is_new(function, v) for t, v in pairs
            )
    match parent:
        case ast.Assign([target], value) if target is node:
            return _is_new(function, value)
        case ast.AnnAssign(target, _, value) if target is node:
            return _is_new(function, value)
        case ast.Assign([ast.Attribute()]) | ast.AnnAssign(ast.Attribute()):
            return init
        case ast.Subscript(value, _, ast.Load()):
            return value is node
        case ast.For(_, over) | ast.comprehension(_, over):
            return over is node
        case ast.Compare() | ast.BinOp() | ast.UnaryOp(ast.Not()):
            return True
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            return test is node
        case ast.Call(func) if func is not node:
            found = static(function, func)
            reads = any(found is getattr(builtins, n) for n in _READING)
            return reads or id(parent) in makers
    return False
