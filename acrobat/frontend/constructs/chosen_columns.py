"""Numbers that select parts of tensors, such as `q[:, h * d:(h + 1) * d]` for each head in turn.
The size of such a part is known only where the number is known: loops over these numbers are
unrolled, and functions are lowered for each number that they are called with."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import typed as T
from ...ir.types import RowsType, TensorType
from ...lang.model import Model
from ..context import FunctionContext
from ..function_values import Closure, FunctionValue, Named
from ..registry import SIZED_OPERATIONS
from ..scope import Env
from ..sizes import constant
from ..syntax import names_assigned, names_in, parameters
from .closures import closure_of, function_value

# Methods, and functions of numpy and of ops, that take an axis by position.
ALONG_AXES = (
    *("sum", "mean", "max", "min", "var", "std", "argmax", "cumsum", "softmax", "log_softmax"),
    *("logsumexp", "split", "concatenate", "stack", "expand_dims", "squeeze", "flip", "repeat"),
)
_NUMBERS = (
    *(ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop),
    *(ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.expr_context),
)


def chooses_parts(
    ctx: FunctionContext, body: Sequence[ast.AST], index: str, env: Env, calls: bool = True
) -> bool:
    """Whether `body` has a slice of a tensor whose bounds depend on `index`, or, with `calls`, a
    call of a function that has one for this argument."""
    own = _counted(body, {index}, also=True)
    nodes = [n for s in body for n in ast.walk(s)]
    slices = {n for node in nodes for n in _slice_names(node, own)}
    return any(_is_part(n, own, slices, env) for n in nodes) or (
        calls and any(_passes(ctx, n, own, env) for n in nodes if isinstance(n, ast.Call))
    )


def sizing_parameters(ctx: FunctionContext, tree: ast.FunctionDef) -> frozenset[str]:
    """The parameters of a function that give the size of a tensor, or where a part of it begins,
    and are never reassigned. A recursive function has none: its calls are to be batched."""
    if ctx.builder.inside[id(tree)]:
        return frozenset()  # it is recursive, through other functions
    known = ctx.builder.sizing.get(id(tree))
    if known is None:
        again = any(tree.name in names_in(s) for s in tree.body)
        names = {p.arg for p in parameters(tree)} - names_assigned(tree.body)
        known = frozenset(n for n in names if not again and _sizes(ctx, tree.body, n))
        ctx.builder.sizing[id(tree)] = known
    return known


def gives_sizes(ctx: FunctionContext, node: ast.Call, tree: ast.FunctionDef, env: Env) -> bool:
    """Whether a call passes the function `tree` a number known at compile time as a size."""
    sizing = sizing_parameters(ctx, tree)
    return any(
        constant(ctx, value, env) is not None
        for name, value in given_by_name(node, tree).items()
        if name in sizing
    )


def given_by_name(node: ast.Call, tree: ast.FunctionDef) -> dict[str, ast.expr]:
    """The arguments of a call by parameter name."""
    given = dict(zip([p.arg for p in parameters(tree)], node.args, strict=False))
    return given | {k.arg: k.value for k in node.keywords if k.arg is not None}


def _sizes(ctx: FunctionContext, body: Sequence[ast.AST], name: str) -> bool:
    own = _counted(body, {name})
    for node in (n for s in body for n in ast.walk(s)):
        if (isinstance(node, ast.Slice) or _is_slice(node)) and names_in(node) & own:
            return True
        match node:
            case ast.Call(ast.Attribute(_, operation), args) if operation in SIZED_OPERATIONS:
                if any(_is_number(a) and names_in(a) & own for a in args):
                    return True
            case ast.Call(func, args, words) if any(
                names_in(a) & own for a in _axes(func, args, words)
            ):
                return True
            case ast.For(ast.Name(index), over, inner) if names_in(over) & own:
                if _writes_out(ctx, over, inner, index):
                    return True
            case ast.ListComp(element, [ast.comprehension(ast.Name(index), over)]) if (
                names_in(over) & own
            ):
                if _writes_out(ctx, over, [element], index):
                    return True
    return False


def _axes(func: ast.expr, args: list[ast.expr], words: list[ast.keyword]) -> Sequence[ast.expr]:
    """The arguments of a call that may be an axis: `x.sum(0)`, `np.sum(x, axis=axis)`."""
    named = [k.value for k in words if k.arg in ("axis", "dim", "keepdims")]
    along = isinstance(func, ast.Attribute) and func.attr in ALONG_AXES
    return [*named, *(a for a in args if along and _is_number(a))]


def _writes_out(ctx: FunctionContext, over: ast.expr, body: Sequence[ast.AST], index: str) -> bool:
    is_range = isinstance(over, ast.Call) and ast.unparse(over.func) == "range"
    return is_range and chooses_parts(ctx, body, index, Env(), calls=False)


def _counted(body: Sequence[ast.AST], own: set[str], also: bool = False) -> set[str]:
    """`own`, and the numbers computed from them: `a = h * d`. `also`: and the numbers that a loop
    with this body counts by itself: `a = b` after `b = a + d`."""
    found = set(own)
    for node in (n for s in body for n in ast.walk(s)):
        match node:
            case ast.Assign([target], value) if _is_number(value):
                if names_in(value) & found or (also and names_in(value) and not _is_item(value)):
                    found |= {target.id} if isinstance(target, ast.Name) else names_in(target)
            case ast.AugAssign(ast.Name(name), _, value) if also and _is_number(value):
                found.add(name)
    return found


def _is_number(node: ast.expr) -> bool:
    """Whether `node` may be a number or a tuple of numbers."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return all(isinstance(n, _NUMBERS) for p in parts for n in ast.walk(p)) and not any(
        isinstance(n, ast.MatMult) for n in ast.walk(node)
    )


def _is_item(node: ast.expr) -> bool:
    return any(isinstance(n, ast.Subscript) for n in ast.walk(node))


def _is_slice(node: ast.AST) -> bool:
    """Whether `node` is `a:b` or `slice(a, b)`, without a step."""
    match node:
        case ast.Slice():
            return node.step is None
        case ast.Call(ast.Name("slice"), [_] | [_, _], []):
            return True
    return False


def _slice_names(node: ast.AST, own: set[str]) -> set[str]:
    """The name that `node` gives to a slice whose bounds are computed from `own`."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Call() as made) if _is_slice(made):
            return {name} if any(names_in(a) & own for a in made.args) else set()
    return set()


def _is_part(node: ast.AST, own: set[str], slices: set[str], env: Env) -> bool:
    if not isinstance(node, ast.Subscript):
        return False
    axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    named = any(isinstance(a, ast.Name) and a.id in slices for a in axes)
    chosen = named or any(_is_slice(a) and names_in(a) & own for a in axes)
    if not chosen or len(axes) > 1:
        return chosen  # only tensors have several axes
    match node.value:
        case ast.Name(name):
            value = env.names.get(name)
            if value is None:
                return True  # the body gives it a value
            t = value.type if isinstance(value, T.Var) else None
            return isinstance(t, TensorType) and not isinstance(t, RowsType)
        case ast.BinOp(_, ast.MatMult(), _):
            return True
    return False


def _passes(ctx: FunctionContext, node: ast.Call, own: set[str], env: Env) -> bool:
    """Whether a call passes one of `own` to a function as a size."""
    if not any(names_in(a) & own for a in (*node.args, *(k.value for k in node.keywords))):
        return False
    dotted = isinstance(node.func, (ast.Name, ast.Attribute))
    tree = tree_of(ctx, function_value(ctx, node.func, env)) if dotted else None
    if tree is None:
        return False
    sizing = sizing_parameters(ctx, tree)
    return any(
        n in sizing and names_in(value) & own for n, value in given_by_name(node, tree).items()
    )


def tree_of(ctx: FunctionContext, value: FunctionValue | None) -> ast.FunctionDef | None:
    """The source of a function of the author's; None for anything else."""
    if isinstance(value, Named) and isinstance(value.found, Model):
        value = closure_of(ctx, value.found)
    return value.tree if isinstance(value, Closure) else None
