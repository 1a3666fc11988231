"""Uses of weights that the instance chooses: `p.experts[k](x)`, `x @ p.cells[kind].w`.

The weights that an operation reads must be known when the model is compiled, so a use of chosen
weights becomes a branch for each of them: `p.experts[0](x) if k == 0 else p.experts[1](x)`. The
nodes of a branch batch like all others.
"""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.type_queries import run_time_value
from ..context import MISSING, FunctionContext
from ..joined_weights import read_again
from ..scope import Env
from ..weight_choice import WeightChoice
from .arguments import temporary
from .chosen_weights import Write, chosen_weights, of_weights
from .key_choice import placed, written

# Arguments that cost nothing to evaluate again, or are not values.
_AS_THEY_ARE = (ast.Name, ast.Constant, ast.Lambda, ast.Starred, ast.GeneratorExp)


def by_choice(
    ctx: FunctionContext, node: ast.expr, choice: WeightChoice, write: Write, env: Env
) -> T.Atom:
    """The value of the expression that `write` makes for the chosen weights; errors are reported at
    `node`."""
    selector = temporary(env, f"the choice of {choice.texts[0]}", choice.selector, node)
    names = [
        temporary(env, text, read_again(ctx, w, node), node)
        for text, w in zip(choice.texts, choice.weights, strict=True)
    ]
    chosen = write(names[-1])
    for key, name in reversed(list(zip(choice.keys, names, strict=True))[:-1]):
        test = ast.Compare(selector, [ast.Eq()], [written(key)])
        chosen = ast.IfExp(test, write(name), chosen)
    return ctx.expression(placed(chosen, node), env)


def attribute_of_chosen(ctx: FunctionContext, node: ast.Attribute, env: Env) -> T.Atom | None:
    """`w.name` of chosen weights; None if `node` is not a field of chosen weights."""
    choice = chosen_weights(ctx, node.value, env)
    if choice is None:
        return None
    return by_choice(ctx, node, choice, lambda w: ast.Attribute(w, node.attr, ast.Load()), env)


def item_of_chosen(ctx: FunctionContext, node: ast.Subscript, env: Env) -> T.Atom | None:
    """`w[0]` of chosen weights, or a tensor that is itself chosen from a list of weights; None if
    `node` is neither."""
    choice = chosen_weights(ctx, node.value, env)
    if choice is not None:
        return by_choice(ctx, node, choice, lambda w: ast.Subscript(w, node.slice, ast.Load()), env)
    choice = chosen_weights(ctx, node, env)
    if choice is None or not all(run_time_value(w.type) for w in choice.weights):
        return None
    return by_choice(ctx, node, choice, lambda w: w, env)


def call_with_chosen(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom | None:
    """A call of chosen weights or of one of their methods, or a call with them as an argument; None
    if `node` is no such call."""
    found = _chosen_in(ctx, node.func, env)
    if found is not None:
        of_func, write_func = found
        args = [_evaluated_once(ctx, a, env) for a in node.args]
        words = _words(ctx, node.keywords, env)
        return by_choice(ctx, node, of_func, lambda w: ast.Call(write_func(w), args, words), env)
    parts = [*node.args, *(k.value for k in node.keywords)]
    for i, part in enumerate(parts):
        found = _chosen_in(ctx, part, env)
        if found is not None:
            return _call_with(ctx, node, i, found, env)
    return None


def _call_with(
    ctx: FunctionContext, node: ast.Call, at: int, found: tuple[WeightChoice, Write], env: Env
) -> T.Atom:
    """A call whose argument `at`, keyword arguments included in the count, is of chosen weights."""
    choice, write_part = found
    args: list[ast.expr | None] = [
        None if i == at else _evaluated_once(ctx, a, env) for i, a in enumerate(node.args)
    ]
    behind = len(args)
    names = [k.arg for k in node.keywords]
    values = [
        None if i + behind == at else _evaluated_once(ctx, k.value, env)
        for i, k in enumerate(node.keywords)
    ]

    def write(w: ast.expr) -> ast.expr:
        part = write_part(w)
        words = [ast.keyword(n, v or part) for n, v in zip(names, values, strict=True)]
        return ast.Call(node.func, [a or part for a in args], words)

    return by_choice(ctx, node, choice, write, env)


def _words(ctx: FunctionContext, words: list[ast.keyword], env: Env) -> list[ast.keyword]:
    return [ast.keyword(w.arg, _evaluated_once(ctx, w.value, env)) for w in words]


def product_with_chosen(ctx: FunctionContext, node: ast.BinOp, env: Env) -> T.Atom | None:
    """`x @ w` with a chosen weight; None if `node` is no such product."""
    if not isinstance(node.op, ast.MatMult):
        return None
    op, left, right = node.op, node.left, node.right
    found = _chosen_in(ctx, right, env)
    if found is not None:
        other = _evaluated_once(ctx, left, env)
        choice, write = found
        return by_choice(ctx, node, choice, lambda w: ast.BinOp(other, op, write(w)), env)
    found = _chosen_in(ctx, left, env)
    if found is not None:
        other = _evaluated_once(ctx, right, env)
        choice, write = found
        return by_choice(ctx, node, choice, lambda w: ast.BinOp(write(w), op, other), env)
    return None


def _chosen_in(ctx: FunctionContext, node: ast.expr, env: Env) -> tuple[WeightChoice, Write] | None:
    """The choice that `node`, or the object that it is a field of, stands for, and a function that
    writes `node` for one of its weights."""
    choice = chosen_weights(ctx, node, env)
    if choice is not None:
        return choice, lambda w: w
    if not isinstance(node, ast.Attribute):
        return None
    inner = _chosen_in(ctx, node.value, env)
    if inner is None:
        return None
    choice, write = inner
    return choice, lambda w: ast.Attribute(write(w), node.attr, ast.Load())


def _evaluated_once(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.expr:
    """A name for the value of `node`; `node` itself if it may be evaluated again, or is known when
    the model is compiled."""
    if isinstance(node, _AS_THEY_ARE) or ctx.static(node, env) is not MISSING:
        return node
    if of_weights(node, env) and not isinstance(node, ast.Subscript):
        return node
    if chosen_weights(ctx, node, env) is not None:
        return node
    value = ctx.expression(node, env)
    return temporary(env, f"({ast.unparse(node)})", value, node)
