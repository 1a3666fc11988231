"""Methods that are found by the name of an argument's class, as visitors do:

    getattr(self, "visit_" + type(node).__name__)(node)

is a branch for each class that the argument may be of.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from ...ir import typed as T
from ...ir.types import DataRef, NamedTupleType, Type, UnionType
from ..context import FunctionContext
from ..object_numbers import is_number_class
from ..pattern_tree import members
from ..scope import Env
from ..written import copied, known, placed

_OF_STRINGS = {"lower", "upper", "casefold", "capitalize", "format", "replace", "removesuffix"}


def visit(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom | None:
    """The call of a method that is found by the name of a class; None for any other call."""
    match node.func:
        case ast.Call(func, [receiver, name, *default], []) if len(default) < 2:
            subject = class_named(name)
            if subject is None or ctx.static(func, env) is not getattr:
                return None
        case _:
            return None
    owners_type = _type(ctx, receiver, env)
    owners = _classes(ctx, owners_type)
    classes = _classes(ctx, _type(ctx, subject, env))
    if len(owners) != 1 or not classes or any(map(is_number_class, (*owners, *classes))):
        return None
    (owner,) = owners
    fields = _fields(ctx, owners_type)
    classes.sort(key=lambda cls: -len(cls.__mro__))
    calls: list[ast.expr] = []
    for cls in classes:
        method = _text(ctx, name, cls, env)
        if method is None or method in fields:
            return None
        func = ast.Attribute(receiver, method, ast.Load())
        if not hasattr(owner, method):
            if not default:
                ctx.fail(
                    "AC014",
                    node,
                    f"{owner.__name__} has no {method!r} for a {cls.__name__}",
                    f"`def {method}(self, ...)`, or what to call instead as a third argument",
                )
            func = default[0]
        calls.append(ast.Call(func, node.args, node.keywords))
    return ctx.expression(placed(copied(_by_class(subject, classes, calls)), node), env)


def name_of_class(ctx: FunctionContext, node: ast.Attribute, env: Env) -> T.Atom | None:
    """The string `type(x).__name__`; None for any other attribute."""
    subject = _subject(node)
    classes = [] if subject is None else _classes(ctx, _type(ctx, subject, env))
    if subject is None or not classes or any(map(is_number_class, classes)):
        return None
    classes.sort(key=lambda cls: -len(cls.__mro__))
    names: list[ast.expr] = [ast.Constant(cls.__name__) for cls in classes]
    return ctx.expression(placed(copied(_by_class(subject, classes, names)), node), env)


def _by_class(subject: ast.expr, classes: list[Any], values: list[ast.expr]) -> ast.expr:
    """The value for the class of `subject`. `isinstance` holds for subclasses, too, which therefore
    come first."""
    found = values[-1]
    for cls, value in zip(reversed(classes[:-1]), reversed(values[:-1]), strict=True):
        test = ast.Call(ast.Name("isinstance", ast.Load()), [subject, known(cls)], [])
        found = ast.IfExp(test, value, found)
    return found


def class_named(node: ast.expr) -> ast.expr | None:
    """The x of `type(x).__name__` or `x.__class__.__name__` in `node`; None if there is none, or
    more than one."""
    found = [s for n in ast.walk(node) if (s := _subject(n)) is not None]
    return found[0] if len(found) == 1 else None


def _subject(node: ast.AST) -> ast.expr | None:
    match node:
        case ast.Attribute(ast.Call(ast.Name("type"), [subject], []), "__name__") | ast.Attribute(
            ast.Attribute(subject, "__class__"), "__name__"
        ) if isinstance(subject, ast.Name):
            return subject
    return None


def _type(ctx: FunctionContext, node: ast.expr, env: Env) -> Type | None:
    """The type of a name; None for anything else."""
    if not isinstance(node, ast.Name) or node.id not in env.names:
        return None
    with ctx.region():
        return ctx.peek(node, env).type


def _classes(ctx: FunctionContext, t: Type | None) -> list[Any]:
    """The author's classes that values of a type may be of; none if it has other values."""
    declarations = ctx.builder.declarations
    match t:
        case DataRef() | UnionType():
            found = [declarations.datas[m].cls for m in members(t)]
            return [] if type(None) in found else found
        case NamedTupleType(name=name) if name in declarations.records:
            return [declarations.records[name]]
    return []


def _fields(ctx: FunctionContext, t: Type | None) -> tuple[str, ...]:
    match t:
        case DataRef(name):
            return tuple(n for n, _ in ctx.builder.declarations.datas[name].fields)
        case NamedTupleType(fields=names):
            return names
    return ()


class _Named(ast.NodeTransformer):
    """Puts in the name of a class."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if _subject(node) is not None:
            return ast.copy_location(ast.Constant(self.name), node)
        return self.generic_visit(node)


def _text(ctx: FunctionContext, node: ast.expr, cls: type, env: Env) -> str | None:
    """The name of a method for a class; None if it needs more than the name of the class."""
    named = _Named(cls.__name__).visit(copy.deepcopy(node))
    for part in ast.walk(named):
        match part:
            case ast.Constant(str() | int()) | ast.JoinedStr() | ast.FormattedValue():
                pass
            case ast.BinOp(op=ast.Add() | ast.Mod()) | ast.operator() | ast.expr_context():
                pass
            case ast.Call(ast.Attribute(), _, []):
                pass
            case ast.Attribute(_, method) if method in _OF_STRINGS:
                pass
            case _:
                return None
    code = compile(ast.Expression(ast.fix_missing_locations(named)), "<name>", "eval")
    try:
        found = eval(code, {"__builtins__": {}})
    except Exception:  # the author's expression may raise anything; plain Python does so, too
        return None
    return found if isinstance(found, str) and found.isidentifier() else None
