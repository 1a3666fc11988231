"""`x += y` of a tensor. numpy changes the array under all of its names; here `x` gets a new value.

The two are equivalent if nothing else can refer to the array: every value of the name is made by an
operation, and no other name, list, object or function gets it. For a field of an object that
changes (constructs/local_objects.py), this must hold in every function that has the object.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

import numpy as np

from ...ir import typed as T
from ...ir.types import RowsType, TensorType
from ..context import FunctionContext
from ..rows import check_length
from ..scope import Env
from .fields_call import FieldsCall
from .object_records import Snapshot
from .operations import operation_name

# An attribute of a function's tree: the fields of objects that change, as (class, field), by their
# names in the function.
FIELDS = "_acrobat_fields"
VIEWS = ("reshape", "transpose", "split")
_MAKES = ("sum", "mean", "max", "min", "clip", "dot", "cumsum", "item", "copy", "var", "std")
# A mean or a sum of ints is a number, which nothing changes; an array of ints keeps them.
_COPIES = (
    *(np.zeros, np.ones, np.zeros_like, np.ones_like, np.copy, np.dot, np.outer, np.linalg.norm),
    *(np.concatenate, np.stack, np.clip, np.sum, np.mean, np.max, np.min, np.var, np.std),
)
_SIZES = ("shape", "size", "ndim")


def check_in_place(
    ctx: FunctionContext, node: ast.AugAssign, name: str, before: T.Atom, after: T.Atom, env: Env
) -> None:
    """Report an error unless `name += value` is equivalent to binding a new value, `after`."""
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
        # numpy broadcasts the other operand, but not the one that is changed.
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
                # `x, y = a, b` is two assignments; a function no longer uses what it returns.
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
    """Whether an assignment gives its target a new array."""
    match parent:
        case FieldsCall(makes=True, closure=base) if target.id.startswith("self."):
            # The `__init__` of a base class, which may set what it gets.
            return not has_other_names(ctx, base.tree, target.id, Env())
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
            if copies(ctx.static(func, env)):
                floats = (np.float32, np.float64, float)
                return not any(
                    k.arg in ("out", "where")
                    or (k.arg == "dtype" and ctx.static(k.value, env) not in floats)
                    for k in node.keywords
                )
            return isinstance(func, ast.Attribute) and func.attr in _MAKES
    return False


def copies(function: object) -> bool:
    """Whether a function of numpy returns a new array of floats, and only reads its arguments."""
    return isinstance(function, np.ufunc) or any(function is f for f in _COPIES)


def _read(ctx: FunctionContext, parent: ast.AST, node: ast.Name, env: Env) -> bool:
    """Whether a use of the array only reads it, without giving it another name."""
    match parent:
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Return() | Snapshot():
            return True
        case ast.keyword(arg=arg):
            return arg is not None and "." in arg  # the same field, as a parameter of a function
        case ast.AugAssign(value=value):
            return value is node
        case ast.Attribute(attr=attr):
            return attr in (*_SIZES, *_MAKES)
        case ast.Call(func) if func is not node:
            operation = operation_name(ctx.static(func, env))
            if operation is None:
                found = ctx.static(func, env)
                return any(found is f for f in (len, float, int)) or copies(found)
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
    """Record which fields may have another name in a function: if they are tensors, no function may
    change them in place. Errors are reported at `at`."""
    for name, field in fields.items():
        if has_other_names(ctx, tree, name, Env()):
            note_shared(ctx, {field}, at, f"{tree.name} gives {name} another name")


def note_shared(ctx: FunctionContext, fields: set[tuple[type, str]], at: ast.AST, why: str) -> None:
    """Record fields that something else refers to while they may change: if they are tensors, no
    function may change them in place."""
    ctx.builder.shared_fields |= fields
    for cls, attr in fields & ctx.builder.changed_in_place:
        ctx.fail(
            "AC015",
            at,
            f"{why}, and a function changes it in place",
            f"`x.{attr} = x.{attr} + ...` of the {cls.__name__} there",
        )
