"""The only object of a class: its fields are variables of the entry function, and the body of its
`__init__` stands where it is made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..captures import own_nodes
from ..plain_classes import made_by_fields
from ..syntax import names_in, parameters
from ..written import known, placed
from .kinds import Many
from .layout import Layout
from .program import Function, GivenUp, needed_init, own_name
from .rewriting import Rewriter

_GIVEN = "_acrobat_given"  # an attribute of statements: whether the value is a dict


def made_once(layout: Layout, stmt: ast.stmt, cls: type, outer: Rewriter) -> Iterator[ast.stmt]:
    """The statements in place of `x = Parser(words)`."""
    call = getattr(stmt, "value", None)
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) else getattr(stmt, "target", None)
    if not isinstance(call, ast.Call) or not isinstance(target, ast.Name):
        raise GivenUp
    if isinstance(stmt, ast.Assign) and len(stmt.targets) > 1:
        raise GivenUp
    if any(isinstance(a, ast.Starred) for a in call.args) or None in [k.arg for k in call.keywords]:
        raise GivenUp
    call.args = [outer.visit(a) for a in call.args]
    for keyword in call.keywords:
        keyword.value = outer.visit(keyword.value)
    layout.with_defaults(call, cls)
    number = ast.Call(known(layout.numbered[cls]), [ast.Constant(0)], [])
    made = placed(ast.Assign([target], number), stmt)
    if made_by_fields(cls):
        for name, value in _arguments(call, layout.parameters_of(cls)):
            if (cls, name) not in layout.fixed:
                yield _field_set(layout, cls, name, value, stmt)
        yield made
        return
    function = needed_init(layout.program, cls)
    if any(isinstance(n, ast.Return) for n in own_nodes(function.tree.body)):
        raise GivenUp
    tree = function.tree
    names = {own_name(function): target.id}
    rewriter = Rewriter(layout.look, layout, function)
    known_parameters = parameters(tree)[1:]
    given = dict(_arguments(call, [p.arg for p in known_parameters]))
    first: list[ast.stmt] = []
    for name, value in [*given.items(), *_defaults(rewriter, tree, given)]:
        names[name] = f"{name} of {cls.__name__}"
        if isinstance(value, ast.Name) and _may_stand_for(function, name, value.id, target.id):
            names[name] = value.id
            continue
        first.append(placed(ast.Assign([ast.Name(names[name], ast.Store())], value), stmt))
    if {p.arg for p in known_parameters} - set(names):
        raise GivenUp
    _rename(function, names, cls)
    yield from first
    yield made
    for inner in tree.body:
        match inner:
            case ast.Assign([ast.Attribute(ast.Name(owner), attr)], value) if owner == target.id:
                if (cls, attr) in layout.fixed:
                    continue
                yield _field_set(layout, cls, attr, rewriter.visit(value), inner)
            case ast.AnnAssign(ast.Attribute(ast.Name(owner), attr), _, ast.expr() as value) if (
                owner == target.id
            ):
                if (cls, attr) in layout.fixed:
                    continue
                yield _field_set(layout, cls, attr, rewriter.visit(value), inner)
            case _:
                yield from rewriter.statements([inner])


def _arguments(call: ast.Call, names: list[str]) -> list[tuple[str, ast.expr]]:
    """The arguments in the order of their evaluation, by the parameter that gets them."""
    if len(call.args) > len(names):
        raise GivenUp
    found = [*zip(names, call.args, strict=False)]
    found += [(k.arg, k.value) for k in call.keywords if k.arg is not None]
    if len({n for n, _ in found}) < len(found) or any(n not in names for n, _ in found):
        raise GivenUp
    return found


def _defaults(
    rewriter: Rewriter, tree: ast.FunctionDef, given: dict[str, ast.expr]
) -> Iterator[tuple[str, ast.expr]]:
    args = tree.args
    positional = [*args.posonlyargs, *args.args]
    pairs: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(reversed(positional), reversed(args.defaults), strict=False),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    for p, default in pairs:
        if default is None or p.arg in given:
            continue
        if not isinstance(default, (ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp)):
            raise GivenUp
        yield p.arg, rewriter.visit(default)


def _may_stand_for(function: Function, name: str, given: str, target: str) -> bool:
    """Whether a name of the entry function may stand for a parameter: `__init__` assigns neither,
    and has no such name of its own."""
    nodes = list(ast.walk(function.tree))
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    inside = {n.id for n in nodes if isinstance(n, ast.Name)} - {name}
    return name not in stored and given != target and given not in inside


def _rename(function: Function, names: dict[str, str], cls: type) -> None:
    """Give the variables of an `__init__` names that the entry function does not have."""
    nodes = [n for stmt in function.tree.body for n in ast.walk(stmt)]
    if any(isinstance(n, (ast.arg, ast.FunctionDef, ast.MatchAs, ast.MatchStar)) for n in nodes):
        raise GivenUp
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in function.local:
            node.id = names.get(node.id) or f"{node.id} of {cls.__name__}"
    function.local |= {*names.values()}
    function.local |= {f"{n} of {cls.__name__}" for n in function.local}


def _field_set(layout: Layout, cls: type, name: str, value: ast.expr, at: ast.stmt) -> ast.stmt:
    target = ast.Name(layout.field_name(cls, name), ast.Store())
    hint = layout.field_hint(cls, name)
    new: ast.stmt = ast.Assign([target], value)
    if hint is not None:
        new = ast.AnnAssign(target, known(hint), value, 1)
    kind = layout.look.fields.get((cls, name))
    if isinstance(value, ast.Name) and isinstance(kind, Many):
        setattr(new, _GIVEN, kind.is_dict)
    return placed(new, at)


def with_own_lists(body: list[ast.stmt]) -> None:
    """Let fields be lists of their own where the name that was given is not mentioned again."""
    later: set[str] = set()
    for stmt in body:
        if any(isinstance(n, (ast.FunctionDef, ast.Lambda)) for n in ast.walk(stmt)):
            later |= names_in(stmt)
    for stmt in reversed(body):
        is_dict = getattr(stmt, _GIVEN, None)
        if is_dict is not None and isinstance(stmt, (ast.Assign, ast.AnnAssign)):
            value = stmt.value
            if isinstance(value, ast.Name) and value.id not in later:
                new: ast.expr = ast.List([ast.Starred(value, ast.Load())], ast.Load())
                if is_dict:
                    new = ast.Dict([None], [value])
                stmt.value = placed(new, value)
        later |= names_in(stmt)
