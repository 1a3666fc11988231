"""`x += y` of a tensor. numpy changes the array, under all of its names; here it is a new value.

The two are the same where nothing else can refer to the array: every value of the name is made by
an operation, and no other name, list, object or function gets it. Of a field of an object that
changes (constructs/local_objects.py) this holds in every function that has the object.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ...ir import typed as T
from ...ir.types import RowsType, TensorType
from ..context import FunctionContext
from ..rows import check_length
from ..scope import Env
from .fields_call import FieldsCall
from .object_records import Snapshot
from .operations import operation_name

# On the tree of a function: the fields of objects that change, (class, field) by the names that
# they are there.
FIELDS = "_acrobat_fields"
VIEWS = ("reshape", "transpose", "split")
_MAKES = ("sum", "mean", "max", "min", "clip", "dot", "cumsum", "item")
_SIZES = ("shape", "size", "ndim")


def check_in_place(
    ctx: FunctionContext, node: ast.AugAssign, name: str, before: T.Atom, after: T.Atom, env: Env
) -> None:
    """An error unless `name += value` means the same as a new value, which is `after`."""
    text = f"`{name} = {ast.unparse(ast.BinOp(ast.Name(name), node.op, node.value))}`"
    if not _alone(ctx, name, env):
        ctx.error("AC015", node, "an assignment that changes a tensor in place", text)
    elif before.type != after.type:
        ctx.error(
            "AC010",
            node,
            f"an assignment in place keeps the shape: {before.type} would become {after.type}",
            text,
        )
    elif isinstance(before.type, RowsType):
        # numpy repeats the other operand, but not the one that is changed.
        check_length(ctx, node, before, after)


def _alone(ctx: FunctionContext, name: str, env: Env) -> bool:
    """Whether no array that `name` stands for has another name, as far as the syntax tells."""
    field = getattr(ctx.source.tree, FIELDS, {}).get(name)
    if field is not None:
        ctx.builder.changed_in_place.add(field)
        return field not in ctx.builder.shared_fields
    if any(name == n for n, _ in ctx.signature.params):
        return False
    return not has_other_names(ctx, ctx.source.tree, name, env)


def has_other_names(ctx: FunctionContext, tree: ast.FunctionDef, name: str, env: Env) -> bool:
    """Whether an array that `name` stands for may have another name, as far as the syntax tells."""
    parents = {id(c): n for n in ast.walk(tree) for c in ast.iter_child_nodes(n)}
    for found in ast.walk(tree):
        if isinstance(found, ast.Name) and found.id == name:
            parent = parents[id(found)]
            stored = isinstance(found.ctx, ast.Store)
            if isinstance(parent, ast.Tuple):
                # `x, y = a, b` is two assignments; what a function returns, it has no more.
                whole = parents[id(parent)]
                if not stored and isinstance(whole, ast.Return):
                    continue
                parent = _one_of(whole, parent, found)
            if not (_made(ctx, parent, found, env) if stored else _read(ctx, parent, found, env)):
                return True
        elif "." in name:
            continue  # a field is a parameter of methods
        elif isinstance(found, (ast.MatchAs, ast.MatchStar, ast.arg)) and name in (
            getattr(found, "name", None),
            getattr(found, "arg", None),
        ):
            return True
    return False


def _one_of(whole: ast.AST, targets: ast.Tuple, found: ast.Name) -> ast.AST:
    """The assignment to `found` that is part of `whole`, `x, y = a, b`; else `targets`."""
    match whole:
        case ast.Assign([target], ast.Tuple(values)) if target is targets:
            if len(values) == len(targets.elts):
                return ast.Assign([found], values[targets.elts.index(found)])
    return targets


def _made(ctx: FunctionContext, parent: ast.AST, target: ast.Name, env: Env) -> bool:
    """Whether an assignment gives its target an array of its own."""
    match parent:
        case ast.AugAssign() | FieldsCall():
            return True
        case ast.Assign(targets, value) if len(targets) == 1:
            return _fresh(ctx, value, env)
        case ast.AnnAssign(value=value) if value is not None:
            return _fresh(ctx, value, env)
    return False


def _fresh(ctx: FunctionContext, node: ast.expr, env: Env) -> bool:
    """Whether an expression makes a new array, or a number."""
    match node:
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Constant():
            return True
        case ast.IfExp(_, body, orelse):
            return _fresh(ctx, body, env) and _fresh(ctx, orelse, env)
        case ast.Call(func):
            operation = operation_name(ctx.static(func, env))
            if operation is not None:
                return operation not in VIEWS
            return isinstance(func, ast.Attribute) and func.attr in _MAKES
    return False


def _read(ctx: FunctionContext, parent: ast.AST, node: ast.Name, env: Env) -> bool:
    """Whether the array is only looked at where it is read."""
    match parent:
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Return() | Snapshot():
            return True
        case ast.keyword(arg=arg):
            return arg is not None and "." in arg  # the same field, of a function
        case ast.AugAssign(value=value):
            return value is node
        case ast.Attribute(attr=attr):
            return attr in (*_SIZES, *_MAKES)
        case ast.Call(func) if func is not node:
            operation = operation_name(ctx.static(func, env))
            if operation is None:
                return ctx.static(func, env) in (len, float, int)
            return operation not in VIEWS
        case ast.Subscript(value=value, slice=ast.Tuple() | ast.Constant() | ast.Name()):
            found = env.names.get(node.id)
            vector = isinstance(found, T.Var) and isinstance(found.type, TensorType)
            return value is node and vector and len(found.type.dims) == 1  # type: ignore
    return False


def note_other_names(
    ctx: FunctionContext,
    tree: ast.FunctionDef,
    fields: Mapping[str, tuple[type, str]],
    at: ast.AST,
) -> None:
    """Which fields may be known by another name in a function, so that no function may change them
    in place if they are tensors; errors stand at `at`."""
    for name, field in fields.items():
        if has_other_names(ctx, tree, name, Env()):
            note_shared(ctx, {field}, at, f"{tree.name} gives {name} another name")


def note_shared(ctx: FunctionContext, fields: set[tuple[type, str]], at: ast.AST, why: str) -> None:
    """Fields that somebody holds while they may change: no function may change them in place, if
    they are tensors."""
    ctx.builder.shared_fields |= fields
    for cls, attr in fields & ctx.builder.changed_in_place:
        ctx.fail(
            "AC015",
            at,
            f"{why}, and a function changes it in place",
            f"`x.{attr} = x.{attr} + ...` of the {cls.__name__} there",
        )
