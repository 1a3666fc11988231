"""Names: local variables, and numbers of the module."""

from __future__ import annotations

import ast
import enum

from ...ir import typed as T
from ..context import MISSING, FunctionContext
from ..function_values import Closure, FunctionTable, Named, Partial
from ..kept_functions import as_member
from ..plain_classes import is_plain_class
from ..registry import expression
from ..scope import COLLECTIONS, Conflict, Env, Poison, Recover, Size, Undefined, Unsettled
from ..sizes import size_as_number
from ..suggestions import suggest
from ..unassigned import assigned, message
from ..unsettled import answered, refuse
from ..weight_choice import WeightChoice
from .constants import is_small_array, outside_value
from .literals import number, plain


@expression(ast.Name)
def name(ctx: FunctionContext, node: ast.Name, env: Env) -> T.Atom:
    """`x`: a local variable, or a value that the module or the enclosing function defines."""
    binding = env.names.get(node.id)
    asked = ctx.asked[0] is node
    match binding:
        case Unsettled():
            return answered(ctx, node, binding, asked, env)
        case T.Var() | T.Const():
            if isinstance(binding.type, COLLECTIONS):
                env.escape(node.id)
            return assigned(ctx, node, binding, env) if node.id in ctx.unassigned else binding
        case Poison():
            raise Recover
        case Named() | Closure() | Partial() | FunctionTable():
            if node.id.startswith("self.") and not isinstance(binding, FunctionTable):
                member = as_member(ctx, binding)
                if member is not None:
                    return member
            ctx.fail(
                "AC002",
                node,
                f"{node.id!r} is a function, which is not a value here",
                "a call of it, or an argument of a function that calls it",
            )
        case WeightChoice(texts=texts):
            ctx.fail(
                "AC002",
                node,
                f"{node.id!r} is one of {len(texts)} weights, chosen at run time",
                f"what is done with it: a call, `{node.id}(x)`, or a field of it",
            )
        case Size(dim):
            return size_as_number(ctx, node, dim)
        case Undefined(span):
            ctx.builder.missed.add((span, node.id))
            ctx.fail(
                "AC009",
                node,
                message(node.id, span),
                f"assign {node.id} on every path, or before the branch",
            )
        case Conflict():
            refuse(ctx, node, node.id, binding)
    return _outside(ctx, node, env)


def _outside(ctx: FunctionContext, node: ast.Name, env: Env) -> T.Atom:
    """The value of a name that is not local."""
    value = plain(ctx.static(node, env))
    if isinstance(value, (tuple, list, dict, enum.Enum, enum.EnumType)):
        return outside_value(ctx, node, value, node.id)
    if isinstance(value, (bool, int, float)):
        return number(ctx, node, value, f"{node.id} = {value}")
    if isinstance(value, str):
        return ctx.builder.text(value)
    if is_plain_class(type(value)) or is_small_array(value):
        return outside_value(ctx, node, value, node.id)
    if value is MISSING:
        if node.id in ctx.locals:
            ctx.fail(
                "AC009", node, f"{node.id!r} is used before it is assigned", "assign it before"
            )
        known = [*env.names, *ctx.locals, *ctx.scope.frames, *ctx.scope.module]
        ctx.fail(
            "AC011",
            node,
            f"the name {node.id!r} is not defined",
            suggest(node.id, known) or "define it, or import it at the top of the module",
        )
    ctx.fail(
        "AC002",
        node,
        f"{node.id!r} is a {type(value).__name__} of the module, which a model cannot read",
        "pass it in as part of the weights or of the instance",
    )
