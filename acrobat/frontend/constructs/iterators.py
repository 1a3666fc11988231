"""Functions of `itertools` after the `in` of a loop: `for a, b in pairwise(xs)`.

Their results are iterators, which can be read once. Here they are lists (`stand_ins`), so they may
stand only where something reads them at once: after `in`, and as the argument of `list` and the
like.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence

from ...ir import typed as T
from ...ir.types import INT
from ..context import FunctionContext
from ..emit import ONE, ZERO
from ..iteration_space import IterationSpace
from ..registry import Arity, iterable
from ..scope import Env
from ..sizes import literal
from ..stand_ins import STAND_INS
from ..syntax import MUTATING
from ..written import call, known, placed
from .arguments import temporary
from .iteration import called, iteration_space

ENDLESS = 2**62  # iterations: something else ends the loop


def listed(node: ast.expr) -> ast.expr:
    """`list(node)`, whatever `list` means in the model."""
    return placed(call(list, node), node)


def _over(
    ctx: FunctionContext, node: ast.Call, what: object, args: Sequence[ast.expr], env: Env
) -> IterationSpace:
    """Iterate over the list that the stand-in of `what` returns for these arguments."""
    made = placed(call(STAND_INS[what, len(args)], *args), node)
    return iteration_space(ctx, made, env)


@iterable(itertools.pairwise, Arity(1, 1))
def over_pairwise(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`pairwise(xs)`."""
    return _over(ctx, node, itertools.pairwise, [listed(node.args[0])], env)


def _of_accumulate(call: ast.Call, keyword: ast.keyword) -> bool:
    return (keyword.arg == "func" and len(call.args) == 1) or keyword.arg == "initial"


@iterable(
    itertools.accumulate,
    Arity(1, 2),
    keyword=_of_accumulate,
    instead="`accumulate(xs)`, `accumulate(xs, f)`, `accumulate(xs, f, initial=a)`",
)
def over_accumulate(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`accumulate(xs)`, `accumulate(xs, f, initial=a)`."""
    words = {k.arg: k.value for k in node.keywords}
    args = [listed(node.args[0]), *node.args[1:]]
    args += [words["func"]] if "func" in words else []
    if "initial" in words:
        if len(args) == 1:
            a, b = (ast.Name(n, ast.Load()) for n in "ab")
            both = ast.arguments([], [ast.arg("a"), ast.arg("b")], None, [], [], None, [])
            added = ast.Lambda(both, ast.BinOp(a, ast.Add(), b))
            args.append(ast.fix_missing_locations(ast.copy_location(added, node)))
        args.append(words["initial"])
    return _over(ctx, node, itertools.accumulate, args, env)


@iterable(
    itertools.groupby,
    Arity(1, 2),
    keyword=lambda call, keyword: keyword.arg == "key" and len(call.args) == 1,
    instead="`groupby(xs)`, `groupby(xs, key=f)`",
)
def over_groupby(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`for key, items in groupby(xs, key=f)`; the items, an iterator in Python, are read once."""
    if not _reads_groups_once(ctx.source.tree, node):
        ctx.fail(
            "AC012",
            node,
            "the items of a group can be read once only, in the iteration that gives them",
            f"`for key, items in {ast.unparse(node)}:`, with `items = list(items)` first",
        )
    words = [k.value for k in node.keywords]
    args = [listed(node.args[0]), *node.args[1:], *words]
    return _over(ctx, node, itertools.groupby, args, env)


def _reads_groups_once(tree: ast.AST, node: ast.Call) -> bool:
    """Whether the loop over `node` reads each group once at most."""
    for scope in ast.walk(tree):
        loops = [scope] if isinstance(scope, ast.For) else getattr(scope, "generators", [])
        for loop in loops:
            if not _is_at(loop.iter, node):
                continue
            match loop.target:
                case ast.Tuple([_, ast.Name(items)]):
                    once = _in_iteration(scope, items) <= 1 and _is_read_at_once(tree, scope, items)
                    return _is_listed(loop, items) or once
            return False
    return False


def _is_read_at_once(tree: ast.AST, scope: ast.AST, name: str) -> bool:
    """Whether the group `name` is read by a call or a loop in the iteration of `scope` that gives
    it: the next iteration leaves nothing of it."""
    inside = {id(n) for n in ast.walk(scope)}
    others = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name]
    outside = [n for n in others if id(n) not in inside]
    if any(isinstance(n.ctx, ast.Load) for n in outside) and not any(
        isinstance(n.ctx, ast.Store) for n in outside
    ):
        return False
    for node in ast.walk(scope):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Name) and child.id == name and isinstance(child.ctx, ast.Load):
                match node:
                    case ast.Call(ast.Attribute(attr=method)) if method in MUTATING:
                        return False
                    case ast.Call() | ast.For() | ast.comprehension() | ast.Starred():
                        pass
                    case _:
                        return False
    return True


def _in_iteration(scope: ast.AST, name: str) -> int:
    parts = scope.body if isinstance(scope, ast.For) else [scope]
    return sum(_reads(part, name) for part in parts)


def _is_at(node: ast.expr, other: ast.expr) -> bool:
    places = ((n.lineno, n.col_offset, n.end_lineno, n.end_col_offset) for n in (node, other))
    return len(set(places)) == 1


def _reads(node: ast.AST, name: str) -> int:
    """How often one iteration of the loop `node` may read a name: more than once, if an inner loop
    does, unless that loop runs over it."""
    match node:
        case ast.Name(read, ast.Load()):
            return int(read == name)
        case ast.For(iter=iterable) | ast.comprehension(iter=iterable):
            inner = sum(_reads(child, name) for child in ast.iter_child_nodes(node))
            once = _reads(iterable, name)
            return once + _MANY * (inner - once) if isinstance(node, ast.For) else inner
        case ast.While():
            return _MANY * sum(_reads(child, name) for child in ast.iter_child_nodes(node))
    return sum(_reads(child, name) for child in ast.iter_child_nodes(node))


_MANY = 2


def _is_listed(loop: ast.For | ast.comprehension, name: str) -> bool:
    """Whether the loop's first statement is `items = list(items)`."""
    match loop:
        case ast.For(body=[ast.Assign([ast.Name(target)], ast.Call(args=[ast.Name(of)])), *_]):
            return target == of == name
    return False


@iterable(itertools.takewhile, Arity(2, 2))
def over_takewhile(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`takewhile(f, xs)`."""
    return _over(ctx, node, itertools.takewhile, [node.args[0], listed(node.args[1])], env)


@iterable(itertools.dropwhile, Arity(2, 2))
def over_dropwhile(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`dropwhile(f, xs)`."""
    return _over(ctx, node, itertools.dropwhile, [node.args[0], listed(node.args[1])], env)


@iterable(itertools.islice, Arity(2, 4))
def over_islice(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`islice(xs, n)`, `islice(xs, a, b)`, `islice(xs, a, None, 2)`."""
    source, *bounds = node.args
    if len(bounds) == 1:
        bounds.insert(0, placed(known(0), node))
    start, stop = (placed(known(0), b) if _is_none(b) and b is bounds[0] else b for b in bounds[:2])
    if called(ctx, source, env) is not None and not _is_none(stop):
        with ctx.region():
            endless = iteration_space(ctx, source, env.copy()).endless
        if endless:
            stop = temporary(env, ast.unparse(stop), ctx.expression(stop, env), stop)
            source = placed(_first(source, stop), node)
    rest = [] if _is_none(stop) else [stop]
    made: ast.expr = placed(
        call(STAND_INS[itertools.islice, 2 + len(rest)], listed(source), start, *rest), node
    )
    if len(bounds) == 3 and not _is_none(bounds[2]):
        step = literal(ctx, bounds[2])
        if step is None or step < 1:
            ctx.fail("AC002", bounds[2], "a step of islice", "a number above 0, written out")
        part = ast.Slice(None, None, bounds[2])
        made = placed(ast.Subscript(made, part, ast.Load()), node)
    return iteration_space(ctx, made, env)


def _first(source: ast.expr, count: ast.expr) -> ast.expr:
    """`[x for i, x in zip(range(count), source)]`."""
    names = [ast.Name(n, ast.Store()) for n in ("the number of an item", "an item of itertools")]
    both = call(zip, call(range, count), source)
    every = ast.comprehension(ast.Tuple([*names], ast.Store()), both, [], 0)
    return ast.ListComp(ast.Name(names[1].id, ast.Load()), [every])


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


@iterable(itertools.chain, Arity(1))
def over_chain(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`chain(xs, ys)`."""
    every = [
        flat(a.value) if isinstance(a, ast.Starred) else placed(listed(a), a) for a in node.args
    ]
    parts: list[ast.expr] = [placed(ast.Starred(e, ast.Load()), node) for e in every]
    return iteration_space(ctx, ast.copy_location(ast.List(parts, ast.Load()), node), env)


def flat(lists: ast.expr) -> ast.expr:
    """`[x for xs in lists for x in xs]`."""
    inner, item = "a list of itertools", "an item of itertools"
    generators = [
        ast.comprehension(ast.Name(inner, ast.Store()), lists, [], 0),
        ast.comprehension(ast.Name(item, ast.Store()), ast.Name(inner, ast.Load()), [], 0),
    ]
    return placed(ast.ListComp(ast.Name(item, ast.Load()), generators), lists)


@iterable(itertools.repeat, Arity(2, 2))
def over_repeat(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`repeat(x, n)`."""
    value, times = node.args
    one = ast.copy_location(ast.List([value], ast.Load()), node)
    return iteration_space(ctx, ast.copy_location(ast.BinOp(one, ast.Mult(), times), node), env)


@iterable(itertools.count, Arity(0, 2), over_lists=False)
def over_count(ctx: FunctionContext, node: ast.Call, env: Env) -> IterationSpace:
    """`count()`, `count(start, step)`: a loop that something else ends."""
    given = [ctx.expression(a, env) for a in node.args]
    for source, value in zip(node.args, given, strict=True):
        if value.type != INT:
            ctx.fail("AC017", source, f"count takes ints, this is {value.type}", "an int")
    both: list[T.Atom] = [*given, *(ZERO, ONE)[len(given) :]]
    start, step = both
    if not isinstance(step, T.Const) or step.value <= 0:
        ctx.fail("AC002", node, "count() with a step that is not above 0", "`while True:`")
    return IterationSpace(start, T.Const(ENDLESS, INT), step, lambda i: i, endless=True)
