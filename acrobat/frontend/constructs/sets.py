"""Sets that leave their function, or have more than one name: `{a, b}`, `set(xs)`, and what reads
them. Sets of one name alone are dicts by now (own_collections.py). Changes are in `set_changes`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.type_queries import has_nothing
from ...ir.types import SetType
from ..context import FunctionContext
from ..dict_lists import empty, lists_of
from ..iteration_space import IterationSpace
from ..registry import Arity, expression, function, iterated, method
from ..scope import Env
from ..set_values import has_any_order, in_any_order, made_set, set_of
from ..syntax import mark_fresh
from ..written import call, placed
from .arguments import temporary
from .dicts import over_dict
from .sequences import listed

OPERATORS: dict[type[ast.operator], str] = {
    ast.BitOr: "union",
    ast.BitAnd: "intersection",
    ast.Sub: "difference",
    ast.BitXor: "symmetric_difference",
}
# Of functions that take a set: nothing they return depends on the order of its items.
UNORDERED = (len, sum, min, max, any, all, sorted, set, frozenset)


def take_in_any_order(node: ast.Call, callee: object) -> None:
    """Note that the order of a set does not matter to a call, if it is of one of UNORDERED."""
    if not any(callee is f for f in UNORDERED):
        return
    match node.args:
        # Sums of floats depend on it; the first of equal keys does.
        case [ast.GeneratorExp(elt=item) | ast.ListComp(elt=item)]:
            one = isinstance(item, ast.Constant) and isinstance(item.value, int)
            name = ast.unparse(node.func)
            if not node.keywords and (one or name != "sum"):
                in_any_order(node.args[0])
        case [source]:
            in_any_order(source)


@expression(ast.Set)
def set_literal(ctx: FunctionContext, node: ast.Set, env: Env) -> T.Atom:
    """`{a, b}`, `{*s, a}`."""
    elements: list[ast.expr] = [
        placed(ast.Starred(_as_list(in_any_order(e.value)), ast.Load()), e)
        if isinstance(e, ast.Starred)
        else e
        for e in node.elts
    ]
    items = ctx.expression(ast.copy_location(ast.List(elements, ast.Load()), node), env)
    return set_of(ctx, node, items)


def _as_list(node: ast.expr) -> ast.expr:
    return placed(ast.Call(ast.Constant(list), [node], []), node)  # type: ignore[arg-type]


@expression(ast.SetComp)
def set_comprehension(ctx: FunctionContext, node: ast.SetComp, env: Env) -> T.Atom:
    """`{f(x) for x in xs}`."""
    items = in_any_order(ast.copy_location(ast.ListComp(node.elt, node.generators), node))
    return set_of(ctx, node, ctx.expression(items, env))


@function(set, Arity(0, 1))
def set_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`set()`, `set(xs)`."""
    return _made(ctx, node, env, frozen=False)


@function(frozenset, Arity(0, 1))
def frozenset_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`frozenset()`, `frozenset(xs)`."""
    return _made(ctx, node, env, frozen=True)


def _made(ctx: FunctionContext, node: ast.Call, env: Env, frozen: bool) -> T.Atom:
    mark_fresh(node)
    if not node.args:
        return made_set(ctx, empty(ctx, node), node, frozen=frozen)
    source = in_any_order(node.args[0])
    if isinstance(source, (ast.Name, ast.Attribute, ast.Subscript)):
        value = ctx.peek(source, env)
        if isinstance(value.type, SetType):
            return made_set(ctx, lists_of(ctx, value, node), node, frozen=frozen)
    return set_of(ctx, node, listed(ctx, source, env), frozen)


@iterated(SetType)
def over_set(ctx: FunctionContext, node: ast.expr, items: T.Atom) -> IterationSpace:
    """`sorted(s)`, `{f(x) for x in s}`: where the order of the items does not matter."""
    if not has_any_order(node):
        kind = "set" if has_nothing(items.type) else items.type
        ctx.fail(
            "AC017",
            node,
            f"the items of a {kind} have no order, and this depends on one",
            f"`sorted({ast.unparse(node)})`",
        )
    return over_dict(ctx, node, items)


def as_set(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Var:
    """The set of what `node` stands for."""
    value = set_(ctx, placed(call(set, node), node), env)
    assert isinstance(value, T.Var)
    return value


def combined(ctx: FunctionContext, node: ast.expr, method: str, a: T.Atom, b: T.Atom) -> T.Atom:
    """`a | b` and the like, by the names of methods; the result is of the kind of `a`."""
    assert isinstance(a.type, SetType)
    if method == "union":
        return _union(ctx, node, a, b)
    kept = _filtered(ctx, node, a, b, method == "intersection")
    if method == "symmetric_difference":
        return _union(ctx, node, kept, _filtered(ctx, node, b, a, False))
    return kept


def _union(ctx: FunctionContext, node: ast.expr, a: T.Atom, b: T.Atom) -> T.Atom:
    assert isinstance(a.type, SetType)
    env = Env()
    parts = [in_any_order(temporary(env, f"({i})", x, node)) for i, x in enumerate((a, b))]
    both = ast.BinOp(_as_list(parts[0]), ast.Add(), _as_list(parts[1]))
    return set_of(ctx, node, ctx.expression(placed(both, node), env), a.type.frozen)


def _filtered(ctx: FunctionContext, node: ast.expr, a: T.Atom, b: T.Atom, inside: bool) -> T.Atom:
    """The items of `a` that are in `b` (`inside`), or that are not."""
    assert isinstance(a.type, SetType)
    env = Env()
    own, other = (temporary(env, f"({i})", x, node) for i, x in enumerate((a, b)))
    test = ast.Compare(_item(), [ast.In() if inside else ast.NotIn()], [other])
    each = ast.comprehension(ast.Name(_ITEM, ast.Store()), in_any_order(own), [test], 0)
    items = ctx.expression(placed(ast.ListComp(_item(), [each]), node), env)
    return set_of(ctx, node, items, a.type.frozen)


def all_in(
    ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom, inside: bool = True
) -> T.Atom:
    """Whether all items of `a` are in `b`; `inside` is False: whether none is."""
    env, at = Env(), ast.copy_location(ast.Name("_", ast.Load()), node)
    own, other = (temporary(env, f"({i})", x, at) for i, x in enumerate((a, b)))
    test = ast.Compare(_item(), [ast.In() if inside else ast.NotIn()], [other])
    each = ast.comprehension(ast.Name(_ITEM, ast.Store()), in_any_order(own), [], 0)
    return ctx.expression(placed(call(all, ast.GeneratorExp(test, [each])), at), env)


_ITEM = "an item"  # not a possible name in a model


def _item() -> ast.Name:
    return ast.Name(_ITEM, ast.Load())


@method(SetType, "copy", Arity(0, 0))
def copy_(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`s.copy()`."""
    mark_fresh(node)
    return receiver


def _combination(name: str) -> None:
    @method(SetType, name, Arity(1, 1))
    def lower(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
        mark_fresh(node)
        return combined(ctx, node, name, receiver, as_set(ctx, node.args[0], env))


for _name in OPERATORS.values():
    _combination(_name)


@method(SetType, "issubset", Arity(1, 1))
def issubset(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`a.issubset(b)`."""
    return all_in(ctx, node, receiver, as_set(ctx, node.args[0], env))


@method(SetType, "issuperset", Arity(1, 1))
def issuperset(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`a.issuperset(b)`."""
    return all_in(ctx, node, as_set(ctx, node.args[0], env), receiver)


@method(SetType, "isdisjoint", Arity(1, 1))
def isdisjoint(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`a.isdisjoint(b)`."""
    return all_in(ctx, node, receiver, as_set(ctx, node.args[0], env), inside=False)
