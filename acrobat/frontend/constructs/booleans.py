"""`and`, `or`, `a if c else b`: an operand is evaluated only where its value is needed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import pairwise

from ...ir import typed as T
from ...ir.type_queries import run_time_value
from ...ir.types import BOOL, INT, NONE, NothingType, TensorType
from ..conditions import condition, only_truth
from ..context import FunctionContext
from ..decisions import is_mask, mask_holds
from ..emit import widened
from ..escaping import may_hold_list
from ..lazily import BOUND, Path, join_paths
from ..narrowing import may_tell_truth, narrow, tells_type
from ..optional import coerced, joined, remedy
from ..registry import expression
from ..scope import Env, Recover
from ..syntax import names_in, owner_name, viewed
from ..type_differences import difference
from ..unsettled import everywhere
from .number_beside import instead, iterated_type, with_numbers
from .weight_fields import known_test

# Syntax that may fail, suspend or not terminate: not to be evaluated where its value is not needed.
_NOT_ALWAYS = (
    ast.Call,
    ast.Div,
    ast.FloorDiv,
    ast.Mod,
    ast.Pow,
    ast.LShift,
    ast.RShift,
    ast.Subscript,
)
_OVERFLOWS = ("+", "-", "*", "neg")  # of ints


@expression(ast.BoolOp)
def boolean(ctx: FunctionContext, node: ast.BoolOp, env: Env) -> T.Atom:
    """`a and b`, `a or b`; a type test on the left narrows types on the right."""
    name = "and" if isinstance(node.op, ast.And) else "or"
    shorter = _without_known(ctx, node, env)
    if shorter is not None:
        return shorter
    if not only_truth(node):
        saved = env.copy()
        with ctx.region() as stmts:
            first = ctx.peek(node.values[0], env)
        if first.type != BOOL and not isinstance(first.type, (TensorType, NothingType)):
            ctx.stmts.extend(stmts)
            if may_hold_list(first.type):  # the value may be this operand itself
                named = isinstance(node.values[0], ast.Name)
                give = env.escape if named else env.hand_out
                give(owner_name(node.values[0]) or viewed(node.values[0]) or "")
            return _one_of(ctx, node, first, env)
        env.restore(saved)  # it is evaluated again
    result = _operand(ctx, node, node.values[0], env)
    tests: list[ast.expr] = []  # type tests on the left
    bound: dict[str, Callable[[FunctionContext], T.Var]] = {}
    for left, value in pairwise(node.values):
        tests += [left] if tells_type(left) or may_tell_truth(left) else []
        if isinstance(result, T.Const) and result.value is (name == "or"):
            break  # the operands that follow are never evaluated
        inner = env.copy()
        with ctx.region() as stmts:
            inner.names.update((n, read(ctx)) for n, read in bound.items())
            for before in tests:
                stmts += narrow(ctx, before, name == "and", inner, names_in(value))
            path = Path(stmts, inner)
            atom = _operand(ctx, node, value, inner)
        if isinstance(result, T.Const):  # which decides nothing
            env.owned &= inner.owned
            ctx.stmts.extend(stmts)
            env.names.update({n: inner.names[n] for n in env.names})
            result = atom
        else:
            result = decided(ctx, node, name, result, value, path, atom, env)
        if isinstance(atom, T.Const) and atom.value is (name == "or"):
            break
        bound |= getattr(node, BOUND, {}) if name == "and" else {}
    setattr(node, BOUND, bound)
    return result


def _one_of(ctx: FunctionContext, node: ast.BoolOp, first: T.Atom, env: Env) -> T.Atom:
    """`a or b`, `a and b` as a value: `a` if it decides, else `b`."""
    name = f"({ast.unparse(node.values[0])})"  # a name that no model can use
    left = ast.copy_location(ast.Name(name, ast.Load()), node.values[0])
    more = node.values[1:]
    rest = more[0] if len(more) == 1 else ast.copy_location(ast.BoolOp(node.op, more), node)
    if first.type == NONE:
        return ctx.expression(rest, env) if isinstance(node.op, ast.Or) else first
    both = (left, rest) if isinstance(node.op, ast.Or) else (rest, left)
    choice = ast.copy_location(ast.IfExp(left, *both), node)
    env.names[name] = first
    try:
        return ctx.expression(choice, env)
    finally:
        env.names.pop(name, None)


def _without_known(ctx: FunctionContext, node: ast.BoolOp, env: Env) -> T.Atom | None:
    """The value of `node` if tests of weights decide operands at compile time; else None."""
    decides = isinstance(node.op, ast.Or)
    known = [known_test(ctx, v, env) for v in node.values]
    if not only_truth(node):
        return _of_rest(ctx, node, known, env)
    if decides in known:
        return None if known_test(ctx, node, env) is None else T.Const(decides, BOOL)
    rest = [v for v, k in zip(node.values, known, strict=True) if k is None]
    if len(rest) == len(node.values):
        return None
    if len(rest) > 1:
        return condition(ctx, ast.copy_location(ast.BoolOp(node.op, rest), node), env)
    return condition(ctx, rest[0], env) if rest else T.Const(not decides, BOOL)


def _of_rest(
    ctx: FunctionContext, node: ast.BoolOp, known: Sequence[bool | None], env: Env
) -> T.Atom | None:
    """`p.heads or 4`: one of the operands, where some are known to be true or false."""
    rest: list[ast.expr] = []
    for value, truth in zip(node.values, known, strict=True):
        if truth is None or value is node.values[-1]:
            rest.append(value)
        elif truth is isinstance(node.op, ast.Or):
            rest.append(value)
            break
    if len(rest) == len(node.values):
        return None
    left = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(node.op, rest), node)
    return ctx.expression(left, env)


def _operand(ctx: FunctionContext, node: ast.BoolOp, value: ast.expr, env: Env) -> T.Atom:
    """An operand as a bool: its truth if nothing else matters; else its value, which must be
    a bool."""
    if only_truth(node):
        return condition(ctx, value, env)
    atom = ctx.peek(value, env)
    atom = mask_holds(ctx, value, atom) if is_mask(atom) else atom
    if atom.type != BOOL:
        text = f" {'and' if isinstance(node.op, ast.And) else 'or'} ".join(
            f"bool({ast.unparse(v)})" for v in node.values
        )
        chosen = ast.unparse(node.values[0])
        ctx.fail(
            "AC018",
            value,
            f"`and`/`or` of a {atom.type}, which would give one of its sides",
            f"`{text}`, or a choice: `{chosen} if {chosen} else ...`",
        )
    return atom


def decided(
    ctx: FunctionContext,
    node: ast.expr,
    name: str,
    known: T.Atom,
    source: ast.expr,
    path: Path,
    atom: T.Atom,
    env: Env,
) -> T.Var:
    """`known and atom` or `known or atom`, as `name` says. `path` computes `atom`, the value of
    `source`; it runs only where `known` does not decide, unless that makes no difference."""
    out = ctx.computed("b", BOOL, node)
    apart = any(map(_needs_known, path.stmts)) or path.changed()
    if not apart and not any(isinstance(n, _NOT_ALWAYS) for n in ast.walk(source)):
        env.owned &= path.env.owned
        ctx.stmts.extend(path.stmts)
        ctx.stmts.append(T.Let((out,), T.Scalar(name, (known, atom)), ctx.span(node)))
        return out
    skipped = Path([], env.copy())
    outs, (bound, kept) = join_paths(ctx, node, env, (path, skipped))
    evaluated = T.Region(tuple(path.stmts), T.Yield((atom, *bound)))
    rest = T.Region(tuple(skipped.stmts), T.Yield((T.Const(name == "or", BOOL), *kept)))
    branches = (evaluated, rest) if name == "and" else (rest, evaluated)
    ctx.stmts.append(T.If((out, *outs), known, *branches, ctx.span(node)))
    return out


def _needs_known(stmt: T.Stmt) -> bool:
    """Whether `stmt` may fail, or be invalid, where the operand before it already decides."""
    if not isinstance(stmt, T.Let):
        return True  # a branch, which may contain either
    match stmt.rhs:
        case T.Scalar(op):
            return op in _OVERFLOWS and stmt.outs[0].type == INT
        case T.Narrow() | T.Call():  # also of a method whose object is a set of names
            return True
    return False


@expression(ast.IfExp)
def conditional(ctx: FunctionContext, node: ast.IfExp, env: Env) -> T.Atom:
    """`a if c else b`."""
    known = known_test(ctx, node.test, env)
    if known is not None:
        return ctx.expression(node.body if known else node.orelse, env)
    cond = condition(ctx, node.test, env)
    if isinstance(cond, T.Const):
        inner = env.copy()
        ctx.stmts += narrow(ctx, node.test, bool(cond.value), inner)
        value = ctx.expression(node.body if cond.value else node.orelse, inner)
        env.owned &= inner.owned
        return value
    values: list[T.Atom] = []
    paths: list[Path] = []
    for holds, branch in ((True, node.body), (False, node.orelse)):
        inner = env.copy()
        with ctx.region() as stmts:
            stmts += narrow(ctx, node.test, holds, inner, names_in(branch))
            paths.append(Path(stmts, inner))
            try:
                values.append(ctx.expression(branch, inner))
            except Recover:
                # A recursive call whose result type is not known: the other branch may give it.
                if not ctx.builder.asked & {ctx.signature.name, *ctx.builder.unfinished}:
                    raise
    if len(values) < 2:
        if not values:
            raise Recover
        return values[0]
    values = widened(values)
    declarations, types = ctx.builder.declarations, (values[0].type, values[1].type)
    t = joined(*types, declarations.datas) or declarations.unions.of_numbers(*types)
    t = t or iterated_type(node, *types, declarations.datas)
    whole = None if t else with_numbers(ctx, node, values[0].type, values[1].type)
    t = t or whole
    if t is None:
        ctx.fail(
            "AC008",
            node,
            f"the branches are {values[0].type} and {values[1].type}"
            + difference(values[0].type, values[1].type),
            remedy(
                values[0].type,
                values[1].type,
                instead(values[0].type, values[1].type, "give both branches the same type"),
            ),
        )
    if not run_time_value(t):
        ctx.fail(
            "AC008",
            node,
            f"a branch chooses between weights of type {t}",
            "`if` around the operations, each with its own weight",
        )
    for i, path in enumerate(paths):
        with ctx.region() as more:
            if whole is not None:
                values[i] = everywhere(ctx, node, values[i], whole)
            values[i] = coerced(ctx, values[i], t, node)
        path.stmts += more
    outs, bound = join_paths(ctx, node, env, (paths[0], paths[1]))
    regions = [
        T.Region(tuple(path.stmts), T.Yield((value, *more)))
        for path, value, more in zip(paths, values, bound, strict=True)
    ]
    out = T.Var("chosen", t)
    ctx.stmts.append(T.If((out, *outs), cond, regions[0], regions[1], ctx.span(node)))
    return out
