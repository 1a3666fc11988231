"""Statements around a call that changes lists: this function has to own them before, and owns what
the call gives it afterwards (constructs/out_parameters.py)."""

from __future__ import annotations

import ast

from ...ir.types import DictType
from ..context import FunctionContext
from ..places import item_type, place
from ..registry import statement
from ..scope import COLLECTIONS, ITEMS, Env
from .dict_changes import own_dict
from .evaluation_order import ChangingCall
from .out_arrays import check_given


class Owns(ast.stmt):
    """Before a call (`given`): requires that this function owns the lists `names`. After it: notes
    that it owns the changed lists. The call also reads items of the lists in `read`, and changes
    those in `in_place` in place if they are arrays."""

    # Every node of a syntax tree has these, for code that copies trees.
    _fields = ("names", "given", "read", "in_place")
    names: tuple[str, ...]
    given: bool
    read: frozenset[str]
    in_place: frozenset[str]
    call: ast.Call  # no field: it is part of the statement between


def owned(call: ChangingCall, given: bool, read: frozenset[str], by: ast.Call) -> Owns:
    """The statement before a call (`given`) or after it."""
    node = Owns()
    node.call = by
    node.names, node.given, node.read, node.in_place = call.names, given, read, call.in_place
    return node


@statement(Owns)
def owns(ctx: FunctionContext, node: Owns, env: Env) -> None:
    """Check or note that this function owns the lists that a call changes."""
    for name in node.names:
        if not node.given:
            env.owned |= {name, name + ITEMS}
            continue
        if name in node.in_place:
            check_given(ctx, node.call, name, env)
        owner = ast.copy_location(ast.Name(name, ast.Load()), node)
        t = ctx.peek(owner, env).type
        if not isinstance(t, COLLECTIONS):
            continue  # data may have methods of these names, which change nothing
        if name not in ctx.builder.numbered_fields:
            inner = next((i for i in ctx.iterated if i.startswith(f"{name}[")), None)
            if inner is not None and isinstance(item_type(t), COLLECTIONS):
                ctx.fail(
                    "AC030",
                    node,
                    f"this may change a list in {name} that a loop around runs over",
                    f"a loop over a copy, `for x in [*{name}[i]]:`",
                )
        if isinstance(t, DictType):
            own_dict(ctx, owner, env)
        else:
            place(ctx, owner, env, f"`{name} = [*{name}]` before: a list of its own")
        lent = name + ITEMS not in env.owned or name in node.read
        if lent and isinstance(item_type(t), COLLECTIONS):
            ctx.fail(
                "AC030",
                node,
                f"a list in {name} may be known by another name, under which it would change too",
                f"lists that are made where {name} is",
            )
