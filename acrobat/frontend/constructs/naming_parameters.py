"""Parameters that name weights: `name` in

    def linear(p, name, x):
        return x @ p[name + ".weight"] + p[name + ".bias"]

Which weights these are is known only where the string is, so the function is lowered for each
string that it is called with."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from ...ir import typed as T
from ...ir.types import BOOL, INT, TEXT
from ..context import FunctionContext
from ..scope import Env
from ..syntax import names_in, parameters
from .chosen_columns import given_by_name, sizing_parameters, tree_of
from .closures import function_value
from .methods_by_name import methods_named
from .weight_fields import known_text


def is_lowered_for(
    ctx: FunctionContext, tree: ast.FunctionDef, parameter: str, value: T.Atom
) -> bool:
    """Whether a function is lowered for each value of a parameter that is known when the model is
    compiled, as `value` may be: a number that is a size, or a name of weights or part of one."""
    if not isinstance(value, T.Const) or value.type not in (INT, BOOL, TEXT):
        return False
    if value.type != TEXT and parameter in sizing_parameters(ctx, tree):
        return True
    name = parameter if value.type == TEXT else _NUMBER + parameter
    return name in _naming(ctx, tree) and ctx.builder.inside[id(tree)] <= _DEEPEST


def gives_names(ctx: FunctionContext, node: ast.Call, tree: ast.FunctionDef, env: Env) -> bool:
    """Whether a call passes the function `tree` a name of weights."""
    naming = _naming(ctx, tree)
    return any(
        name in naming and known_text(ctx, value, env) is not None
        for name, value in given_by_name(node, tree).items()
    )


def passes_name(
    ctx: FunctionContext, node: ast.Call, names: Collection[str], are_texts: bool
) -> bool:
    """Whether a call passes a name of weights that is computed from one of `names`, the strings or
    the numbers of a loop."""
    texts, numbers = (set(names), set[str]()) if are_texts else (set[str](), set(names))
    given = [*node.args, *(k.value for k in node.keywords)]
    if not any(names_in(a) & (texts | numbers) for a in given):
        return False
    return any(
        (n in _naming(ctx, called) and _is_text(a, texts, numbers))
        or (_NUMBER + n in _naming(ctx, called) and bool(names_in(a) & numbers))
        for called, passed in _called(ctx, node)
        for n, a in passed.items()
    )


# A recursion may count weights, `layer(p, x, i + 1)`, but a string may also become longer with each
# call for ever: from here on, what it is is not known when the model is compiled.
_DEEPEST = 24
# Marks a parameter whose numbers are parts of such names, `f"layer{i}"`.
_NUMBER = "number "


def _naming(ctx: FunctionContext, tree: ast.FunctionDef) -> frozenset[str]:
    """The parameters whose strings, or (marked) whose numbers, may name weights."""
    known = ctx.builder.naming.get(id(tree))
    if known is None:
        ctx.builder.naming[id(tree)] = frozenset()  # while calls of itself are looked at
        names = {p.arg for p in parameters(tree)}
        texts = {n for n in names if _names_weights(ctx, tree.body, {n}, set())}
        numbers = {_NUMBER + n for n in names if _names_weights(ctx, tree.body, set(), {n})}
        numbers |= {_NUMBER + n for n in names if any(_counts(ctx, s, n) for s in tree.body)}
        known = ctx.builder.naming[id(tree)] = frozenset(texts | numbers)
    return known


def _names_weights(
    ctx: FunctionContext, body: Sequence[ast.AST], texts: set[str], numbers: set[str]
) -> bool:
    """Whether weights may be named by one of `texts`, or by a string with one of `numbers`."""
    nodes = [n for s in body for n in ast.walk(s)]
    texts = set(texts)
    for node in nodes:
        match node:
            case ast.Assign([ast.Name(name)], value) if _is_text(value, texts, numbers):
                texts.add(name)
    keys = (found for n in nodes for found in _keys(ctx, n))
    return any(
        _is_text(key, texts, numbers) or (is_number and bool(names_in(key) & numbers))
        for key, is_number in keys
    )


def _counts(ctx: FunctionContext, body: ast.AST, name: str) -> bool:
    """Whether loops in `body` count to `name` and name weights by their numbers."""
    for node in ast.walk(body):
        match node:
            case ast.For(ast.Name(index), ast.Call(ast.Name("range"), bounds), inner):
                named: Sequence[ast.AST] = inner
            case ast.ListComp(
                element, [ast.comprehension(ast.Name(index), ast.Call(ast.Name("range"), bounds))]
            ):
                named = [element]
            case _:
                continue
        if any(name in names_in(b) for b in bounds):
            return _names_weights(ctx, named, set(), {index})
    return False


def _is_text(node: ast.expr, texts: set[str], numbers: set[str]) -> bool:
    """Whether an expression is one of these strings, or computed from one."""
    if names_in(node) & texts:
        return True
    if any(names_in(n.test) & numbers for n in ast.walk(node) if isinstance(n, ast.IfExp)):
        return any(_makes_text(n) or _is_string(n) for n in ast.walk(node))
    return any(names_in(n) & numbers for n in ast.walk(node) if _makes_text(n))


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _makes_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Call) and ast.unparse(node.func) == "str"
    )


def _keys(ctx: FunctionContext, node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """What names something in `node`: `p[key]`, `p.get(key)`, `key in p`, `getattr(p, key)`, and
    arguments that name weights in a function that is called; and whether it may be a number, which
    that function puts into a name."""
    match node:
        case ast.Subscript(_, key, ast.Load()) if not isinstance(key, (ast.Slice, ast.Tuple)):
            yield key, False
        case ast.Compare(key, [ast.In() | ast.NotIn()]):
            yield key, False
        case ast.Call(ast.Name("getattr" | "hasattr"), [_, key, *_]):
            yield key, False
        case ast.Call(ast.Attribute(_, "get"), [key, *_]):
            yield key, False
        case ast.Return(ast.JoinedStr() | ast.BinOp() as text):  # of `def key(name)`
            yield text, False
        case ast.Call():
            for called, given in _called(ctx, node):
                naming = _naming(ctx, called)
                for n, a in given.items():
                    if n in naming or _NUMBER + n in naming:
                        yield a, _NUMBER + n in naming


def _called(
    ctx: FunctionContext, node: ast.Call
) -> Iterator[tuple[ast.FunctionDef, dict[str, ast.expr]]]:
    """The functions that `node` may call, a local one and methods of this name among them, with
    their arguments by parameter."""
    match node.func:
        case ast.Name(name) | ast.Attribute(_, name):
            pass
        case _:
            return
    called = tree_of(ctx, function_value(ctx, node.func, Env()))
    if called is not None:
        yield called, given_by_name(node, called)
    elif isinstance(node.func, ast.Name):
        for inner in ast.walk(ctx.source.tree):
            if isinstance(inner, ast.FunctionDef) and inner.name == name:
                yield inner, given_by_name(node, inner)
    else:
        of_object = ast.Call(node.func, [node.func.value, *node.args], node.keywords)
        for method in methods_named(ctx, name):
            yield method, given_by_name(of_object, method)
