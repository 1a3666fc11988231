"""Functions of `itertools` that are comprehensions under a name: `starmap`, `compress`,
`filterfalse`, `chain.from_iterable`, `zip_longest`, and `cycle`."""

from __future__ import annotations

import ast
import itertools

from ...ir import typed as T
from ...ir.types import INT, ListType
from ..class_methods import FLATTENED
from ..context import FunctionContext
from ..emit import int_op, length, list_op
from ..iteration_space import IterationSpace
from ..registry import Arity, iterable
from ..scope import Env
from ..written import call, known, placed
from .arguments import temporary
from .iteration import iteration_space
from .iterators import ENDLESS, flat, listed

_ITEM = "an item of itertools"


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _over(
    ctx: FunctionContext,
    node: ast.Call,
    item: ast.expr,
    generators: list[ast.comprehension],
    env: Env,
) -> IterationSpace:
    return iteration_space(ctx, placed(ast.ListComp(item, generators), node), env)


def _each(name: str, items: ast.expr, *tests: ast.expr) -> ast.comprehension:
    return ast.comprehension(ast.Name(name, ast.Store()), items, list(tests), 0)


@iterable(itertools.starmap, Arity(2, 2))
def over_starmap(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`starmap(f, pairs)`."""
    function, items = node.args
    every: list[ast.expr] = [ast.Starred(_load(_ITEM), ast.Load())]
    return _over(ctx, node, ast.Call(function, every, []), [_each(_ITEM, items)], env)


@iterable(itertools.filterfalse, Arity(2, 2))
def over_filterfalse(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`filterfalse(f, xs)`; of `None`, the items that are false."""
    function, items = node.args
    holds = _load(_ITEM)
    if not (isinstance(function, ast.Constant) and function.value is None):
        holds = ast.Call(function, [holds], [])
    test = ast.UnaryOp(ast.Not(), holds)
    return _over(ctx, node, _load(_ITEM), [_each(_ITEM, items, test)], env)


@iterable(itertools.compress, Arity(2, 2))
def over_compress(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`compress(xs, tests)`."""
    item, test = ast.Name(_ITEM, ast.Store()), ast.Name("its test", ast.Store())
    target = ast.Tuple([item, test], ast.Store())
    both = ast.comprehension(target, call(zip, *node.args), [_load("its test")], 0)
    return _over(ctx, node, _load(_ITEM), [both], env)


@iterable(FLATTENED, Arity(1, 1))
def over_from_iterable(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`chain.from_iterable(lists)`."""
    return iteration_space(ctx, flat(node.args[0]), env)


@iterable(
    itertools.zip_longest,
    Arity(1),
    keyword=lambda call, keyword: keyword.arg == "fillvalue",
    instead="`zip_longest(xs, ys, fillvalue=a)`",
)
def over_zip_longest(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`zip_longest(xs, ys, fillvalue=a)`."""
    lists = [_named(ctx, listed(a), env) for a in node.args]
    fill: ast.expr = known(None)
    for keyword in node.keywords:
        fill = keyword.value
        if not isinstance(fill, ast.Constant):
            fill = temporary(env, ast.unparse(fill), ctx.expression(fill, env), fill)
    index = "the index"
    items: list[ast.expr] = []
    for xs in lists:
        inside = ast.Compare(_load(index), [ast.Lt()], [call(len, xs)])
        items.append(ast.IfExp(inside, ast.Subscript(xs, _load(index), ast.Load()), fill))
    count = call(max, ast.List([call(len, xs) for xs in lists], ast.Load()))
    every = [_each(index, call(range, count))]
    return _over(ctx, node, ast.Tuple(items, ast.Load()), every, env)


@iterable(itertools.cycle, Arity(1, 1))
def over_cycle(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`cycle(xs)`: a loop that something else ends, such as another list in `zip`."""
    items = ctx.expression(listed(node.args[0]), env)
    assert isinstance(items.type, ListType)
    item, count = items.type.item, length(ctx, items, node)
    whole = temporary(env, ast.unparse(node), items, node)
    stop = ctx.expression(placed(ast.IfExp(whole, known(ENDLESS), known(0)), node), env)

    def turn(i: T.Atom) -> T.Atom:
        return list_op(ctx, "get", (items, int_op(ctx, "%", (i, count), node)), item, node)

    return IterationSpace(T.Const(0, INT), stop, T.Const(1, INT), turn, endless=True)


def _named(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.expr:
    return temporary(env, f"the items of {ast.unparse(node)}", ctx.expression(node, env), node)
