"""Dicts, sets and lists of the module that are too large to be written into a program:
`VOCABULARY[word]`, `VOCABULARY.get(word, 0)`, `word in STOP_WORDS`.

Python looks keys up in them while the program runs (`ir/host_functions.py`).
"""

from __future__ import annotations

import ast
import enum
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...ir import typed as T
from ...ir.host_functions import Lookup
from ...ir.types import BOOL, FLOAT, INT, NONE, TEXT, Type
from ...limits import MAX_CONSTANTS
from ..context import FunctionContext
from ..dict_lists import like
from ..emit import host_op
from ..optional import coerced, joined
from ..scope import Env
from .constants import has_numbers

_TYPES: Mapping[object, Type] = {bool: BOOL, int: INT, float: FLOAT, str: TEXT}
_KINDS: Mapping[Type | None, str] = {INT: "int", FLOAT: "float", BOOL: "bool", TEXT: "str"}


_CLASSES = (dict, OrderedDict, set, frozenset, list, tuple)


def large(ctx: FunctionContext, node: ast.expr, env: Env) -> Any | None:
    """The dict, set, list, tuple or vector of the module that `node` stands for; None if it is
    none, or small."""
    value = ctx.static(node, env)
    if isinstance(value, np.ndarray) and value.ndim == 1 and has_numbers(value):
        value = value.tolist()
    # Of exactly these classes: others may say themselves what a lookup is, as `defaultdict` does.
    return value if type(value) in _CLASSES and len(value) > MAX_CONSTANTS else None


def looked_up(
    ctx: FunctionContext, node: ast.AST, owner: ast.expr, found: Any, key: ast.expr, env: Env
) -> T.Atom | None:
    """`owner[key]`; the instance is at fault if there is no such key. None if the items are not all
    numbers, truth values or strings of one type."""
    values = found.values() if isinstance(found, Mapping) else found
    result = _type_of(values)
    if result is None:
        return None
    args, kind = _key(ctx, owner, found, key, env)
    return host_op(ctx, f"lookup.get.{kind}.{_KINDS[result]}", args, node)


def looked_up_or(
    ctx: FunctionContext, node: ast.Call, owner: ast.expr, found: Mapping[Any, Any], env: Env
) -> T.Atom | None:
    """`owner.get(key)`, `owner.get(key, default)`."""
    result = _type_of(found.values())
    if result is None or node.keywords or not 1 <= len(node.args) <= 2:
        return None
    key, *more = node.args
    args, kind = _key(ctx, owner, found, key, env)
    other: T.Atom = (
        ctx.expression(more[0], env)
        if more
        else ctx.let(T.Construct("None", ()), ctx.builder.declarations.none(), node)
    )
    other = like(result, other)
    t = joined(result, other.type)
    if t is None:
        ctx.fail(
            "AC008",
            node,
            f"a value is {result}, the default {other.type}",
            f"a default of type {result}",
        )
    if t == result and other.type != NONE:
        other = coerced(ctx, other, t, node)
        return host_op(ctx, f"lookup.or.{kind}.{_KINDS[result]}", (*args, other), node)
    there = host_op(ctx, f"lookup.has.{kind}", args, node)
    with ctx.region() as stmts:
        found_item = host_op(ctx, f"lookup.get.{kind}.{_KINDS[result]}", args, node)
        item = coerced(ctx, found_item, t, node)
    with ctx.region() as rest:
        other = coerced(ctx, other, t, node)
    out = ctx.computed("value", t, node)
    regions = T.Region(tuple(stmts), T.Yield((item,))), T.Region(tuple(rest), T.Yield((other,)))
    ctx.stmts.append(T.If((out,), there, *regions, ctx.span(node)))
    return out


def has(
    ctx: FunctionContext, node: ast.AST, owner: ast.expr, found: Any, value: T.Atom
) -> T.Atom | None:
    """`value in owner`; None if its items are not all ints or all strings."""
    wanted = _type_of(found)
    if wanted not in (INT, TEXT):
        return None
    if value.type != wanted:
        ctx.fail(
            "AC027",
            node,
            f"a comparison of {value.type} and {wanted}",
            f"a value of type {wanted}",
        )
    return host_op(ctx, f"lookup.has.{_KINDS[wanted]}", (_number(ctx, owner, found), value), node)


def _key(
    ctx: FunctionContext, owner: ast.expr, found: Any, key: ast.expr, env: Env
) -> tuple[tuple[T.Atom, T.Atom], str]:
    """The operands of a lookup, and the kind of its key."""
    wanted = _type_of(found) if isinstance(found, Mapping) else INT
    value = ctx.expression(key, env)
    if value.type != wanted or wanted not in (INT, TEXT):
        ctx.fail(
            "AC027",
            key,
            f"a key that is a {value.type}, of a dict whose keys are {wanted}",
            "a key of their type",
        )
    return (_number(ctx, owner, found), value), _KINDS[wanted]


def _number(ctx: FunctionContext, owner: ast.expr, found: Any) -> T.Const:
    """The number of a lookup of this module, which keeps what the items are now."""
    lookups = ctx.builder.lookups
    if id(found) not in lookups:
        items: Mapping[Any, Any] | Collection[Any]
        if isinstance(found, Mapping):
            items = {_plain(k): _plain(v) for k, v in found.items()}
        elif isinstance(found, Sequence):
            items = tuple(map(_plain, found))
        else:
            items = frozenset(map(_plain, found))
        lookups[id(found)] = found, Lookup(ast.unparse(owner), items)
    return T.Const(list(lookups).index(id(found)), INT)


def _plain(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        value = value.value
    return value.item() if isinstance(value, np.generic) else value


def _type_of(values: Collection[Any]) -> Type | None:
    """The one type of the language that all have."""
    kinds = {type(_plain(v)) for v in values}
    if kinds == {int, float}:
        kinds = {float}
    (kind,) = kinds if len(kinds) == 1 else (None,)
    return _TYPES.get(kind)
