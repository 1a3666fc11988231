"""`itertools.product`, `combinations` and `permutations`, as loops over indices inside each other.

combinations(xs, 2)  ->  [(xs[i], xs[j]) for i in range(len(xs)) for j in range(i + 1, len(xs))]
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Sequence

from ..context import FunctionContext
from ..iteration_space import IterationSpace
from ..registry import Arity, iterable
from ..scope import Env
from ..sizes import literal
from ..written import call, known, placed
from .arguments import temporary
from .iteration import iteration_space
from .iterators import listed

_MOST = 6  # items of one tuple: each is a loop inside the others

# Where the index behind `before` begins, and what it must not be.
_Indices = Callable[[Sequence[ast.expr]], tuple[ast.expr, Sequence[ast.expr]]]


def _over(
    ctx: FunctionContext, node: ast.Call, lists: Sequence[ast.expr], indices: _Indices, env: Env
) -> IterationSpace:
    """Iterate over the tuples of one item of each of `lists`, in the order of their indices."""
    names: list[ast.expr] = [ast.Name(f"index {k + 1}", ast.Load()) for k in range(len(lists))]
    generators: list[ast.comprehension] = []
    for k, xs in enumerate(lists):
        start, others = indices(names[:k])
        bounds = call(range, start, call(len, xs))
        tests: list[ast.expr] = [ast.Compare(names[k], [ast.NotEq()], [o]) for o in others]
        generators.append(
            ast.comprehension(ast.Name(f"index {k + 1}", ast.Store()), bounds, tests, 0)
        )
    items: list[ast.expr] = [
        ast.Subscript(xs, i, ast.Load()) for xs, i in zip(lists, names, strict=True)
    ]
    made = ast.ListComp(ast.Tuple(items, ast.Load()), generators)
    return iteration_space(ctx, placed(made, node), env)


def _named(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.expr:
    """A name for the list of the items of `node`, which are computed here."""
    return temporary(
        env, f"the items of {ast.unparse(node)}", ctx.expression(listed(node), env), node
    )


def _length(ctx: FunctionContext, node: ast.Call, given: ast.expr, lists: int) -> int:
    """How many items a tuple has, which must be written out."""
    count = literal(ctx, given)
    name = ast.unparse(node.func)
    if count is None or not 1 <= count * lists <= _MOST:
        ctx.fail(
            "AC017",
            given,
            f"{name} makes tuples of 1 to {_MOST} items here, as many as are written out",
            f"`{name}(xs, 2)`, or loops inside each other",
        )
    return int(count)


def _all(before: Sequence[ast.expr]) -> tuple[ast.expr, Sequence[ast.expr]]:
    return known(0), ()


def _others(before: Sequence[ast.expr]) -> tuple[ast.expr, Sequence[ast.expr]]:
    return known(0), before


def _later(before: Sequence[ast.expr]) -> tuple[ast.expr, Sequence[ast.expr]]:
    return (ast.BinOp(before[-1], ast.Add(), known(1)) if before else known(0)), ()


def _from_there(before: Sequence[ast.expr]) -> tuple[ast.expr, Sequence[ast.expr]]:
    return (before[-1] if before else known(0)), ()


@iterable(
    itertools.product,
    Arity(1, _MOST),
    keyword=lambda call, keyword: keyword.arg == "repeat",
    instead="`product(xs, ys)`, `product(xs, repeat=2)`",
)
def over_product(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`product(xs, ys)`, `product(xs, repeat=2)`."""
    times = 1
    for keyword in node.keywords:
        times = _length(ctx, node, keyword.value, len(node.args))
    return _over(ctx, node, [_named(ctx, a, env) for a in node.args] * times, _all, env)


def _of_one(ctx: FunctionContext, node: ast.Call, indices: _Indices, env: Env) -> IterationSpace:
    source, given = node.args
    count = _length(ctx, node, given, 1)
    return _over(ctx, node, [_named(ctx, source, env)] * count, indices, env)


@iterable(itertools.combinations, Arity(2, 2))
def over_combinations(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`combinations(xs, 2)`."""
    return _of_one(ctx, node, _later, env)


@iterable(itertools.combinations_with_replacement, Arity(2, 2))
def over_repeated(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`combinations_with_replacement(xs, 2)`."""
    return _of_one(ctx, node, _from_there, env)


@iterable(itertools.permutations, Arity(2, 2))
def over_permutations(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`permutations(xs, 2)`."""
    return _of_one(ctx, node, _others, env)
