"""The cases of a `match`, resolved for the type of its subject."""

from __future__ import annotations

import ast

from ...ir.types import Type
from ..cases import Case
from ..context import FunctionContext
from ..guard_effects import is_copy
from ..pattern_tree import OneOf, Pattern
from ..scope import Env, Recover
from .pattern_types import resolve
from .patterns import NothingToMatch


def cases_of(ctx: FunctionContext, node: ast.Match, t: Type, env: Env) -> tuple[list[Case], bool]:
    """The cases for a subject of type `t`, and whether others are left out because the item type of
    a list is not known yet. Raises Recover, after reporting errors, if a case is wrong."""
    cases: list[Case] = []
    wrong = omitted = dropped = False
    for case in node.cases:
        try:
            if is_copy(case):
                pattern = _possible(ctx, case.pattern, t, env)
                dropped |= pattern is None
            else:
                pattern = resolve(ctx, case.pattern, t, env)
            if pattern is not None:
                cases.append(Case(pattern, case))
        except NothingToMatch:
            omitted = True  # an enclosing loop may still determine the item type
        except Recover:
            wrong = True
    if wrong or not (cases or dropped):
        raise Recover  # with a wrong case, coverage cannot be checked
    return cases, omitted


def _possible(ctx: FunctionContext, node: ast.pattern, t: Type, env: Env) -> Pattern | None:
    """What of a pattern can match values of type `t`; None if nothing can, because cases above have
    taken these members of a union."""
    errors = ctx.reporter.errors
    found: list[Pattern] = []
    for one in node.patterns if isinstance(node, ast.MatchOr) else [node]:
        before = len(errors)
        try:
            found.append(resolve(ctx, one, t, env))
        except NothingToMatch:
            raise
        except Recover:
            if any(e.code != "AC006" for e in errors[before:]):
                raise
            del errors[before:]
    if len(found) > 1:
        return OneOf(node, tuple(found))
    return found[0] if found else None
