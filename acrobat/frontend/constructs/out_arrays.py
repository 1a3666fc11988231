"""Arrays that a function changes in place for its caller: `def fill(m, i, row): m[i] = row`.

Such a function returns the new array, too (constructs/out_parameters.py). That is the same as in
numpy if nothing else has the array, neither in the caller nor in the function.
"""

from __future__ import annotations

import ast
from typing import Any

from ...ir import typed as T
from ...ir.types import TensorType
from ..captures import CALLEE
from ..context import FunctionContext
from ..function_values import Closure
from ..scope import Env
from ..syntax import root_name
from .changed_results import arguments, changed_by, had_value
from .in_place import FIELDS, has_floats, is_alone, own_uses
from .new_results import outside

# An attribute of a function's tree: the parameters that it changes in place if they are arrays.
_IN_PLACE = "_acrobat_in_place"


def note_changes(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Note which of its changed parameters a function may change in place, before its calls are
    taken out of their statements."""
    closure = Closure(tree, ctx.source, ctx.signature.model, {})
    names = [n for n in changed_by(tree) if changes_in_place(ctx, tree, closure, n)]
    setattr(tree, _IN_PLACE, frozenset(names))


def changes_in_place(
    ctx: FunctionContext,
    tree: ast.FunctionDef,
    closure: Closure | None,
    name: str,
    seen: frozenset[tuple[int, str]] = frozenset(),
) -> bool:
    """Whether a function may change what its parameter `name` stands for, if that is an array."""
    noted: frozenset[str] | None = getattr(tree, _IN_PLACE, None)
    if noted is not None:
        return name in noted
    if (id(tree), name) in seen:
        return False
    seen |= {(id(tree), name)}
    static = None if closure is None else outside(ctx, closure)
    for node in ast.walk(tree):
        match node:
            case ast.AugAssign(ast.Name(found)) if found == name:
                return True
            case ast.Subscript(ctx=ast.Store() | ast.Del()) if root_name(node) == name:
                return True
            case ast.Call():
                callee: Any = getattr(node, CALLEE, None)
                its = None
                if callee is None and static is not None:
                    its = ctx.builder.closures.get(id(static(node.func)))
                    callee = None if its is None else its.tree
                if callee is None:
                    continue
                for parameter, value in arguments(node, callee):
                    given = isinstance(value, ast.Name) and value.id == name
                    passed = given and parameter in changed_by(callee)
                    if passed and changes_in_place(ctx, callee, its, parameter, seen):
                        return True
    return False


def check_given(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> None:
    """Report an error unless nothing else has the array `name`, which the call `node`
    changes."""
    found = env.names.get(name)
    if not isinstance(found, T.Var) or not isinstance(found.type, TensorType):
        return
    if not is_alone(ctx, name, node, env):
        ctx.fail(
            "AC015",
            node,
            f"{name}, which a call changes, may be known by another name, under which it would "
            "change too",
            f"`{name} = {name}.copy()` before: an array of its own",
        )
    if found.type.mask or not has_floats(ctx, name, node, env, items=False):
        ctx.fail(
            "AC015",
            node,
            f"{name}, which a call changes, may have ints in plain Python, and would keep ints",
            f"`{name} = 1.0 * {name}` before",
        )


def check_result(ctx: FunctionContext, node: ast.Return, env: Env) -> None:
    """Report an error if a function returns an array that it changes for its caller as part of its
    result, where it would have another name."""
    tree, value = ctx.source.tree, node.value
    names: frozenset[str] = getattr(tree, _IN_PLACE, frozenset())
    if not names or hasattr(tree, FIELDS) or not had_value(node):
        return
    assert isinstance(value, ast.Tuple)
    uses = own_uses(ctx, env)
    uses.returns = None
    for mention in ast.walk(value.elts[0]):
        if isinstance(mention, ast.Name) and mention.id in names and uses.use(mention) is None:
            found = env.names.get(mention.id)
            if isinstance(found, T.Var) and isinstance(found.type, TensorType):
                ctx.fail(
                    "AC015",
                    node,
                    f"{mention.id}, which {tree.name} changes, gets another name",
                    f"`{mention.id}.copy()`",
                )
