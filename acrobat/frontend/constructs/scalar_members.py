"""Attributes of members of enumerations that are ints or strings themselves: `kind.value`.

At run time such a member is its int or string, which may belong to any of the enumerations that the
model mentions. If an attribute is not the same in all that have this member, it is refused.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from typing import Any

from ...ir import typed as T
from ...ir.types import TEXT, IntType, ListType, TextType, Type
from ..cases import ends_function
from ..context import MISSING, FunctionContext
from ..emit import list_op
from ..scope import Env
from ..signatures import ModuleBuilder
from ..syntax import names_assigned
from ..written import call, placed
from .arguments import temporary
from .constants import outside_value
from .key_choice import chosen_by_key
from .literals import content

# An attribute of `kind.value`: what it was last lowered to, which is no member.
PLAIN = "_acrobat_plain"


def _may_be_member(t: Type) -> bool:
    return isinstance(t, (IntType, TextType)) and t.of_members


def attribute_of_scalar(
    ctx: FunctionContext, node: ast.Attribute, obj: T.Atom, env: Env
) -> T.Atom | None:
    """`kind.value`, `kind.name`, or a property, which is read when the model is compiled; None if
    hints do not say that `obj` is one, or no enumeration defines it."""
    if not _may_be_member(obj.type):
        return None
    known: dict[int | str, Any] = {}
    for _, m, value in _attributes(ctx.builder, obj.type, node.attr):
        known.setdefault(content(m), value)
    if not known or any(map(callable, known.values())):
        return None
    if all(type(v) is type(k) and v == k for k, v in known.items()):
        setattr(node, PLAIN, obj)
        return obj
    ctx.builder.attributes.append((ctx.span(node), obj.type, node.attr, known))
    text = ast.unparse(node.value)
    keys = list(known)
    name = temporary(env, f"the member {text}", obj, node)
    fault = f"AttributeError: no enumeration of the model gives {node.attr!r} to {text}, "

    def position(key: Any) -> ast.expr:
        return ast.Constant(keys.index(key))

    at = chosen_by_key(ctx, node, text, name, keys, position, env, fault)
    table = outside_value(ctx, node, list(known.values()), ast.unparse(node))
    assert isinstance(table.type, ListType)
    got = list_op(ctx, "get", (table, at), table.type.item, node)
    setattr(node, PLAIN, got)
    return got


def _attributes(
    builder: ModuleBuilder, t: Type, name: str
) -> Iterator[tuple[type[enum.Enum], enum.Enum, Any]]:
    """What the members of type `t` of all enumerations have as `name`."""
    for cls in sorted(builder.declarations.enumerations, key=lambda c: c.__qualname__):
        for m in cls:
            found = getattr(m, name, MISSING)
            if isinstance(m, str if t == TEXT else int) and found is not MISSING:
                yield cls, m, found


def case_of_no_member(
    ctx: FunctionContext, node: ast.Match, t: Type, env: Env
) -> ast.match_case | None:
    """A case for what is no member although hints say that it is one, which puts the instance at
    fault. None if the cases before it are not for all members of an enumeration, or if Python would
    not fail: the function does not end there, and has what every case assigns without them."""
    if not _may_be_member(t):
        return None
    named: set[Any] = set()
    for case in node.cases:
        alternatives = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else []
        for pattern in alternatives or [case.pattern]:
            match pattern:
                case ast.MatchAs(None) if case.guard is None:
                    return None
                case ast.MatchValue(value) if case.guard is None:
                    named.add(ctx.static(value, env))
    classes = {type(m) for m in named}
    cls = classes.pop() if len(classes) == 1 else None
    if not isinstance(cls, enum.EnumType) or {*cls.__members__.values()} != named:
        return None
    assigned = set.intersection(*(names_assigned(c.body) for c in node.cases))
    if assigned <= set(env.names) and not ends_function(ctx, node):
        return None
    message = f"{ast.unparse(node.subject)} is no member of {cls.__qualname__}"
    fault = ast.Raise(call(ValueError, ast.Constant(message)))
    return placed(ast.match_case(ast.MatchAs(), None, [fault]), node)


def check_attributes(builder: ModuleBuilder) -> None:
    """Report attributes that are ambiguous: of an int or a string that is a member of several
    enumerations, with different ones."""
    for span, t, name, known in builder.attributes:
        for cls, m, found in _attributes(builder, t, name):
            if known.get(content(m), found) != found:
                builder.reporter.error(
                    "AC014",
                    span,
                    f"{name!r} of {content(m)!r}, which is a member of {cls.__qualname__} and of "
                    f"another enumeration, where it is another one",
                    f"an `Enum` that derives from no {t}, or members with values of their own",
                )
                break
