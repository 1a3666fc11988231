"""What is known in the remaining cases of a `match` after one that did not match because of one
field or part: behind `case Cond(a, b, None)`, the third field of a Cond is not None."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...ir import typed as T
from ...ir.types import NamedTupleType, OptionalType, TupleType
from ..cases import Case
from ..context import FunctionContext
from ..optional import content
from ..pattern_tree import Anything, Member, Parts, Pattern, members
from ..scope import Env
from .pattern_bindings import narrowed
from .pattern_tests import field_of, left_by, part
from .patterns import if_there


def narrow_missed(
    ctx: FunctionContext, missed: Case, rest: Sequence[Case], value: T.Var, env: Env
) -> None:
    """Narrow the field or part of `value` to which `missed` is due, if there is one, and the other
    cases take it as it is."""
    if missed.node.guard is not None:
        return
    decides = [(n, p) for n, p in _below(missed.pattern, value) if not isinstance(p, Anything)]
    if len(decides) != 1:
        return
    (name, pattern), node = decides[0], missed.pattern.node
    for case in rest:
        found = dict(_below(case.pattern, value)).get(name)
        if found is None and isinstance(case.pattern, Anything):
            continue
        if not isinstance(found, Anything):
            return
    known = env.narrowed.get(value, {})
    found_there = known.get(name) or _read(ctx, node, missed.pattern, value, name)
    left = _left(ctx, node, pattern, found_there)
    if left is not None:
        env.narrowed[value] = {**known, name: left}


def _below(pattern: Pattern, value: T.Var) -> list[tuple[str, Pattern]]:
    """The patterns of fields or parts, of one that no value fails for another reason."""
    match pattern:
        case Member(data=data, fields=fields) if members(value.type) == (data,):
            return list(fields)
        case Parts(items=items, rest=None) if type(value.type) in (TupleType, NamedTupleType):
            return [(str(i), p) for i, p in enumerate(items)]
    return []


def _read(ctx: FunctionContext, node: ast.AST, pattern: Pattern, value: T.Var, name: str) -> T.Atom:
    if isinstance(pattern, Member):
        return field_of(ctx, node, value, pattern.data, name)
    return part(ctx, node, value, int(name))


def _left(ctx: FunctionContext, node: ast.AST, pattern: Pattern, value: T.Atom) -> T.Var | None:
    """`value`, which does not match, with a type that says more; None if there is none."""
    if not isinstance(value, T.Var):
        return None
    if isinstance(value.type, OptionalType):
        return content(ctx, value, node) if if_there(pattern) is None else None
    left = left_by(pattern, value)
    return narrowed(ctx, node, value, left) if 0 < len(left) < len(members(value.type)) else None
