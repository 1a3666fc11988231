"""Write a program whose objects are numbers as one function: its entry, with the functions that
read or make objects inside."""

from __future__ import annotations

import ast
import dataclasses
import types
from collections import Counter
from collections.abc import Iterator

from ..captures import own_nodes
from ..plain_classes import made_by_fields
from ..syntax import mark_fresh, parameters
from ..written import call, known, own_list, placed
from .kinds import Fixed
from .layout import Layout
from .made_once import made_once, with_own_lists
from .program import Function, GivenUp, check_usable, needed_init, own_name
from .rewriting import Rewriter


def written(layout: Layout) -> ast.FunctionDef:
    """The entry function of the program that has numbers for objects."""
    program, look = layout.program, layout.look
    touched = _touched(layout)
    check_usable(program.entry)
    for key in touched:
        function = program.functions[key]
        check_usable(function)
        if function.tree.name == "__init__" and function.owner in layout.numbered:
            continue
        cls = function.owner
        name = function.tree.name
        wanted = name if cls is None else f"{cls.__name__}.{name}"
        layout.function_names[key] = layout.function_name(wanted)
    inside: list[ast.stmt] = []
    for key in touched:
        function = program.functions[key]
        if key in layout.function_names:
            inside.append(_function(layout, function, layout.function_names[key]))
    tree = program.entry.tree
    single = _single_sites(layout)
    rewriter = Rewriter(look, layout, program.entry)
    body: list[ast.stmt] = []
    for stmt in tree.body:
        cls = single.get(id(stmt))
        if cls is None:
            body += rewriter.statements([stmt])
        else:
            body += made_once(layout, stmt, cls, rewriter)
    with_own_lists(body)
    if any(p.annotation is not None and layout.mentions(p.annotation) for p in parameters(tree)):
        raise GivenUp  # instances have objects of their own
    layout.hints(program.entry, tree)
    several = [cls for cls in layout.numbered if cls not in layout.single]
    start = [s for cls in several for s in _lists(layout, cls, tree)]
    inside = [*(_init(layout, cls, tree) for cls in several), *inside]
    tree.body = [*start, *inside, *body]
    _declare(layout, tree)
    return tree


def _touched(layout: Layout) -> list[int]:
    """The functions, by identity, that have numbered objects, or call such functions."""
    program, look = layout.program, layout.look
    found = {
        key
        for key, f in program.functions.items()
        if f.owner in layout.numbered
        or any(layout.holds(look.at.get(id(n))) for n in ast.walk(f.tree))
    }
    more = True
    while more:
        callers = {k for k, f in program.functions.items() if f.calls & found} - found
        found |= callers
        more = bool(callers)
    return [key for key in program.functions if key in found]


def _single_sites(layout: Layout) -> dict[int, type]:
    """The statements that make the only object of a class."""
    found: dict[int, type] = {}
    for stmt in layout.program.entry.tree.body:
        value = getattr(stmt, "value", None)
        for cls in layout.single:
            if id(value) in layout.look.calls[cls]:
                found[id(stmt)] = cls
    return found


def _function(layout: Layout, function: Function, name: str) -> ast.FunctionDef:
    tree = function.tree
    rewriter = Rewriter(layout.look, layout, function)
    _check_defaults(rewriter, tree)
    _check_fixed(layout, function)
    tree.body = rewriter.statements(tree.body)
    _keep_names(layout, tree)
    layout.hints(function, tree)
    _known_result(tree)
    tree.name, tree.decorator_list = name, []
    return tree


def _known_result(tree: ast.FunctionDef) -> None:
    types = {"__len__": "int", "__bool__": "bool", "__contains__": "bool"}
    if tree.name in types and tree.returns is None:
        tree.returns = placed(ast.Name(types[tree.name], ast.Load()), tree.body[0])


def _check_defaults(rewriter: Rewriter, tree: ast.FunctionDef) -> None:
    """Defaults are computed once in Python, and for every call of the entry function here."""
    args = tree.args
    for default in (*args.defaults, *(d for d in args.kw_defaults if d is not None)):
        if any(isinstance(n, (ast.Call, ast.List, ast.Dict, ast.Set)) for n in ast.walk(default)):
            raise GivenUp
    args.defaults = [rewriter.visit(d) for d in args.defaults]
    args.kw_defaults = [None if d is None else rewriter.visit(d) for d in args.kw_defaults]


def _check_fixed(layout: Layout, function: Function) -> None:
    """What fields stand for has the same name in every function."""
    roots = {path.partition(".")[0] for path in layout.fixed.values()}
    if not roots:
        return
    inner = [n for n in ast.walk(function.tree) if isinstance(n, (ast.comprehension, ast.Lambda))]
    bound = {
        n.id if isinstance(n, ast.Name) else n.arg
        for each in inner
        for n in ast.walk(each.target if isinstance(each, ast.comprehension) else each.args)
        if isinstance(n, (ast.Name, ast.arg))
    }
    own = {r for r in roots & function.local if function.variables.get(r) != Fixed(r)}
    if own or roots & bound:
        raise GivenUp


def _keep_names(layout: Layout, tree: ast.FunctionDef) -> None:
    """Drop `p = self.p` where `self.p` is the `p` of the entry function, which this one reads: the
    assignment would make it a variable of this one."""
    roots = {path.partition(".")[0] for path in layout.fixed.values()}
    _DropsSame(roots).visit(tree)
    tree.body = tree.body or [placed(ast.Pass(), tree)]
    stored = {n.id for n in own_nodes(tree.body) if isinstance(n, ast.Name) and not _loads(n)}
    if stored & roots:
        raise GivenUp


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


class _DropsSame(ast.NodeTransformer):
    def __init__(self, roots: set[str]) -> None:
        self.roots = roots

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`p = p`."""
        match node:
            case ast.Assign([ast.Name(name)], ast.Name(same)) if name == same in self.roots:
                return placed(ast.Pass(), node)
        return node


def _lists(layout: Layout, cls: type, at: ast.AST) -> Iterator[ast.stmt]:
    """The empty lists of the fields of a class."""
    fields = layout.fields_of(cls)
    if not fields:
        raise GivenUp
    for name in fields:
        target = ast.Name(layout.field_name(cls, name), ast.Store())
        hint = layout.field_hint(cls, name)
        empty = ast.List([], ast.Load())
        stmt: ast.stmt = ast.Assign([target], empty)
        if hint is not None:
            stmt = ast.AnnAssign(target, known(types.GenericAlias(list, (hint,))), empty, 1)
        yield placed(stmt, at)


def _init(layout: Layout, cls: type, at: ast.AST) -> ast.FunctionDef:
    """The function that makes an object: it appends the fields, and returns the number."""
    fields = layout.fields_of(cls)
    name = layout.init_name(cls)
    if made_by_fields(cls):
        args = ast.arguments([], [], None, [], [], None, [])
        for each in dataclasses.fields(cls):
            (args.kwonlyargs if each.kw_only else args.args).append(ast.arg(each.name))
            if each.kw_only:
                args.kw_defaults.append(None)
        body: list[ast.stmt] = []
        names = {f: f for f in fields}
        values = {f: own_copy(layout, cls, f) for f in fields}
        tree = ast.FunctionDef(name, args, body, [], None)
    else:
        function = needed_init(layout.program, cls)
        tree = function.tree
        own = own_name(function)
        names = {f: f"{own}.{f}" for f in fields}
        rewriter = Rewriter(layout.look, layout, function, own, lambda f: f"{own}.{f}")
        values = {}
        _with_own_copies(layout, cls, function)
        if any(isinstance(n, ast.Return) for n in ast.walk(tree)):
            raise GivenUp
        _check_defaults(rewriter, tree)
        _check_fixed(layout, function)
        body = [s for s in rewriter.statements(tree.body) if not _sets_fixed(layout, cls, own, s)]
        layout.hints(function, tree)
        tree.name, tree.decorator_list = name, []
        tree.returns = known(layout.numbered[cls])
        (tree.args.posonlyargs or tree.args.args).pop(0)
    for f in fields:
        value = values.get(f) or ast.Name(names[f], ast.Load())
        place = ast.Attribute(ast.Name(layout.field_name(cls, f), ast.Load()), "append", ast.Load())
        call = ast.Call(place, [value], [])
        body.append(placed(ast.Expr(call), at))
    first = ast.Name(layout.field_name(cls, fields[0]), ast.Load())
    length = ast.Call(known(len), [first], [])
    number = ast.BinOp(length, ast.Sub(), ast.Constant(1))
    body.append(placed(ast.Return(ast.Call(known(layout.numbered[cls]), [number], [])), at))
    tree.body = body
    return placed(tree, at)


def own_copy(layout: Layout, cls: type, name: str) -> ast.expr | None:
    """A list or dict of the object's own that equals what a parameter is, if that is always new or
    does not change; None if it is none."""
    is_dict = layout.new.get((cls, name))
    value = ast.Name(name, ast.Load())
    if is_dict is None and (cls, name) in layout.given:
        copied = call(own_list, value)
        mark_fresh(copied)
        return copied
    if is_dict is None:
        return None
    if is_dict:
        return ast.Dict([None], [value])
    return ast.List([ast.Starred(value, ast.Load())], ast.Load())


def _with_own_copies(layout: Layout, cls: type, function: Function) -> None:
    """Let `self.xs = xs` set a list of the object's own, if `xs` is used for nothing else."""
    nodes = list(ast.walk(function.tree))
    counts = Counter(n.id for n in nodes if isinstance(n, ast.Name))
    for node in function.tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Name):
            copied = own_copy(layout, cls, node.value.id)
            name = node.value.id
            if copied is not None and (counts[name] == 1 or (cls, name) in layout.given):
                node.value = placed(copied, node.value)


def _sets_fixed(layout: Layout, cls: type, own: str, stmt: ast.stmt) -> bool:
    """Whether a statement sets a field that is always the same weights."""
    match stmt:
        case ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)):
            return any(name == f"{own}.{f}" for c, f in layout.fixed if c is cls)
    return False


def _declare(layout: Layout, tree: ast.FunctionDef) -> None:
    """Declare the fields of single objects in the functions that assign them."""
    names = {layout.field_name(c, f) for c in layout.single for f in layout.fields_of(c)}
    for inner in ast.walk(tree):
        if isinstance(inner, ast.FunctionDef) and inner is not tree:
            stored = {
                n.id
                for n in own_nodes(inner.body)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in names
            }
            if stored:
                inner.body.insert(0, placed(ast.Nonlocal(sorted(stored)), inner.body[0]))
