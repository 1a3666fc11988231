"""Escape analysis: where a list that a function owns may get another name."""

from __future__ import annotations

import ast

from ..ir.types import DataRef, ListType, TupleType, Type, UnionType
from .scope import Env
from .syntax import has_effect


def keep_lists(env: Env, before: set[str], call: ast.Call, result: Type) -> None:
    """After a call that has been given lists, or uses them: they are still those that only `before`
    the call's names refer to, if its result has no place for a list. No function keeps its
    arguments, or changes them."""
    if not _may_hold_list(result) and not has_effect(call):
        env.owned |= before


def _may_hold_list(t: Type) -> bool:
    if isinstance(t, TupleType):
        return any(map(_may_hold_list, t.items))
    return isinstance(t, (ListType, DataRef, UnionType))
