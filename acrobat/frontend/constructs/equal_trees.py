"""`a == b` of data that may hold data of its own class, and of unions: a function of the program,
which calls itself for the fields.

    def same(a, b):
        if isinstance(a, Slash):
            if isinstance(b, Slash):
                return a.left == b.left and a.sign == b.sign
            return False
        ...
"""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.type_queries import member_names
from ...ir.types import NONE, DataRef, Type, UnionType
from ..context import FunctionContext
from ..function_values import Closure
from ..plain_classes import compares_fields
from ..scope import Env
from ..source import Source
from ..written import known, placed
from .arguments import temporary
from .closure_calls import call_closure


def equal_trees(ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom) -> T.Var | None:
    """`a == b` of data; None if it is not known to be that all fields are equal."""
    if not all(isinstance(x.type, (DataRef, UnionType)) for x in (a, b)):
        return None
    if not _are_compared(ctx, {*member_names(a.type), *member_names(b.type)}):
        return None
    tree, source = _function(ctx, node, a.type, b.type)
    env = Env()
    given: list[ast.expr] = [temporary(env, n, x, node) for n, x in (("one", a), ("other", b))]
    call = ast.copy_location(ast.Call(ast.Name(tree.name, ast.Load()), given, []), node)
    made, result = call_closure(ctx, call, Closure(tree, source, ctx.signature.model, {}), env)
    return ctx.let(made, result, node, "b")


def _are_compared(ctx: FunctionContext, names: set[str]) -> bool:
    """Whether objects of these data types are equal if they are of one class with equal fields."""
    datas = ctx.builder.declarations.datas
    classes = [datas[n].cls for n in names if n != NONE.name]
    if any(datas[n].raw for n in names) or not all(map(compares_fields, classes)):
        return False
    # `isinstance` also holds for objects of a subclass, which are never equal to one of the class.
    return not any(issubclass(c, d) for c in classes for d in classes if c is not d)


def _function(
    ctx: FunctionContext, node: ast.AST, a: Type, b: Type
) -> tuple[ast.FunctionDef, Source]:
    key = ("equal trees", a, b)
    found = ctx.builder.dispatchers.get(key)
    if found is None:
        datas = ctx.builder.declarations.datas
        body: list[ast.stmt] = []
        for name in member_names(a):
            inner: list[ast.stmt] = []
            if name in member_names(b):
                parts = [_equal(n) for n, _ in datas[name].fields]
                alike = ast.BoolOp(ast.And(), [known(True), *parts])
                inner.append(ast.If(_is(ctx, "b", name), [ast.Return(alike)], []))
            body.append(ast.If(_is(ctx, "a", name), [*inner, ast.Return(known(False))], []))
        body.append(ast.Return(known(False)))
        arguments = ast.arguments([], [ast.arg("a"), ast.arg("b")], None, [], [], None, [])
        result = ast.Name("bool", ast.Load())
        tree = ast.FunctionDef("equal", arguments, body, [], result, None)
        tree = placed(tree, node)
        source = ctx.source
        made = Source(tree, source.file, source.line, source.lines)
        found = ctx.builder.dispatchers.setdefault(key, (tree, made))
    return found


def _is(ctx: FunctionContext, variable: str, name: str) -> ast.expr:
    """`isinstance(variable, cls)`, or `variable is None`."""
    value = ast.Name(variable, ast.Load())
    if name == NONE.name:
        return ast.Compare(value, [ast.Is()], [known(None)])
    return ast.Call(known(isinstance), [value, known(ctx.builder.declarations.datas[name].cls)], [])


def _equal(field: str) -> ast.expr:
    sides = (ast.Attribute(ast.Name(v, ast.Load()), field, ast.Load()) for v in ("a", "b"))
    one, other = sides
    return ast.Compare(one, [ast.Eq()], [other])
