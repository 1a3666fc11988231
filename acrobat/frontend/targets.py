"""Targets of assignments: names, tuples of names."""

from __future__ import annotations

import ast
from typing import NoReturn

from ..ir import typed as T
from ..ir.type_queries import run_time_value
from ..ir.types import (
    BOOL,
    INT,
    NO_TUPLES,
    ListType,
    NothingType,
    StackType,
    TensorType,
    TupleType,
)
from ..limits import MAX_UNROLLED
from .context import FunctionContext
from .decisions import is_mask
from .emit import length, list_op, make_tuple, tensor_op
from .empty_lists import EMPTY
from .frozen_lists import thawed
from .presence import not_none
from .raw_values import known_first
from .scope import COLLECTIONS, Env
from .stacks import matrices
from .unassigned import note_assigned
from .union_parts import is_unused, parts_of_union
from .weight_parts import in_parts


def assign(
    ctx: FunctionContext, target: ast.expr, atom: T.Atom, env: Env, made: bool = False
) -> None:
    """Bind the names of `target` to `atom`; `made`: a list that has no name yet."""
    match target:
        case ast.Name(name):
            if isinstance(atom, T.Var):
                ctx.origins.setdefault(atom.number, f"assigned in line {ctx.span(target).line}")
            env.names[name] = atom
            if name in ctx.unassigned:
                note_assigned(ctx, name, atom, env)
            env.lent.pop(name, None)
            env.escape(name)
            if made and isinstance(atom.type, COLLECTIONS):
                env.owned.add(name)
        case ast.Tuple(elements) | ast.List(elements):
            if isinstance(atom.type, NothingType):
                ctx.no_item("AC025", target, "cannot unpack an item of an empty list", EMPTY)
                for element in elements:
                    assign(ctx, element, atom, env)
                return
            fault = "TypeError: cannot unpack non-iterable NoneType object"
            atom = in_parts(ctx, target, not_none(ctx, target, atom, fault=fault))
            several = parts_of_union(ctx, target, atom, elements)
            if several is not None:
                for element, part in zip(elements, several, strict=True):
                    starred = isinstance(element, ast.Starred)
                    named = element.value if isinstance(element, ast.Starred) else element
                    assign(ctx, named, part, env, made=starred)
                return
            if isinstance(atom.type, ListType):
                for element, part in _parts_of_list(ctx, target, elements, atom):
                    assign(ctx, element, part, env, made=part.type == atom.type)
                return
            if isinstance(atom.type, StackType) and atom.type.axis == 0:
                atom = make_tuple(ctx, matrices(ctx, target, atom), target)
            atom = _with_rows_apart(ctx, target, atom)
            if (
                not isinstance(atom.type, TupleType)
                or isinstance(atom.type, NO_TUPLES)
                or not isinstance(atom, T.Var)
            ):
                instead = known_first(ctx, atom.type, (tuple, list), "a tuple or a list")
                ctx.fail("AC025", target, f"cannot unpack a {atom.type}", instead)
            assert isinstance(atom.type, TupleType)
            if any(isinstance(e, ast.Starred) for e in elements):
                _assign_with_rest(ctx, target, elements, atom, env)
                return
            if len(elements) != len(atom.type.items):
                ctx.fail(
                    "AC025",
                    target,
                    f"{len(elements)} targets for the {len(atom.type.items)} parts of {atom.type}",
                    f"name {len(atom.type.items)} targets",
                )
            known = ctx.parts.get(atom.number)
            for i, element in enumerate(elements):
                name = element.id if isinstance(element, ast.Name) else "part"
                if known and _chooses(ctx, known[i]):
                    assign(ctx, element, known[i], env)
                    continue
                part = ctx.let(T.GetItem(atom, i), atom.type.items[i], element, name)
                assign(ctx, element, part, env)
        case _:
            refuse_mutation(ctx, target)


def _with_rows_apart(ctx: FunctionContext, node: ast.expr, atom: T.Atom) -> T.Atom:
    """The tuple of a tensor's rows, or of a vector's elements, if it is known how many there are;
    any other value as it is."""
    t = atom.type
    known = t.dims[0].known if type(t) is TensorType and t.dims else None
    if known is None or known > MAX_UNROLLED:
        return atom
    rows = [T.Const(i, INT) for i in range(known)]
    mask = is_mask(atom)
    parts = (tensor_op(ctx, "lookup", node, [(node, atom), (node, i)], mask=mask) for i in rows)
    return make_tuple(ctx, tuple(parts), node)


def _assign_with_rest(
    ctx: FunctionContext, node: ast.expr, elements: list[ast.expr], atom: T.Var, env: Env
) -> None:
    """`a, *rest = t` of a tuple: the rest is a list if its parts are of one type, or not read."""
    assert isinstance(atom.type, TupleType)
    types = atom.type.items
    (at,) = [i for i, e in enumerate(elements) if isinstance(e, ast.Starred)]
    behind = len(elements) - 1 - at
    if at + behind > len(types):
        ctx.fail(
            "AC025",
            node,
            f"{len(elements) - 1} targets and `*` for the {len(types)} parts of {atom.type}",
            f"at most {len(types)} targets besides",
        )
    parts = [ctx.let(T.GetItem(atom, i), t, node, "part") for i, t in enumerate(types)]
    stop = len(types) - behind
    for element, part in zip(elements[:at], parts[:at], strict=True):
        assign(ctx, element, part, env)
    for element, part in zip(elements[at + 1 :], parts[stop:], strict=True):
        assign(ctx, element, part, env)
    rest, starred = parts[at:stop], elements[at]
    assert isinstance(starred, ast.Starred)
    common = types[at] if len(set(types[at:stop])) == 1 else None
    if common is not None and run_time_value(common):
        made = list_op(ctx, "make", tuple(rest), ListType(common), node)
        assign(ctx, starred.value, made, env, made=True)
    elif not rest:
        none = ast.copy_location(ast.List([], ast.Load()), node)
        assign(ctx, starred.value, ctx.expression(none, env), env, made=True)
    elif common is not None:  # weights, which are in no list
        assign(ctx, starred.value, make_tuple(ctx, tuple(rest), node), env)
    elif not is_unused(starred):
        ctx.fail(
            "AC025", starred, f"`*` in a target, of a {atom.type}", "a name for each part, or `*_`"
        )


def _chooses(ctx: FunctionContext, part: T.Atom) -> bool:
    """Whether `part` is or contains a constant, by which weights or functions may be chosen."""
    if isinstance(part, T.Const):
        return True
    return any(_chooses(ctx, p) for p in ctx.parts.get(part.number, ()))


def _parts_of_list(
    ctx: FunctionContext, node: ast.expr, elements: list[ast.expr], items: T.Atom
) -> list[tuple[ast.expr, T.Var]]:
    """The targets and what they get from a list; one with `*` gets the list of the items that the
    others leave. The instance is at fault if there are too few items, or too many."""
    assert isinstance(items.type, ListType)
    starred = [i for i, e in enumerate(elements) if isinstance(e, ast.Starred)]
    names = len(elements) - len(starred)
    count = length(ctx, items, node)
    needed = T.Scalar(">=" if starred else "==", (count, T.Const(names, INT)))
    enough = ctx.let(needed, BOOL, node, "b")
    least = f"at least {names}" if starred else str(names)
    wrong = T.Raise(("ValueError: a list of ", f" items is unpacked into {least}"), (count,))
    regions = T.Region((), T.Yield(())), T.Region((), wrong)
    ctx.stmts.append(T.If((), enough, *regions, ctx.span(node)))
    found = []
    for i, element in enumerate(elements):
        behind = bool(starred) and i > starred[0]
        at = T.Const(i - len(elements) if behind else i, INT)
        if isinstance(element, ast.Starred):
            stop = ctx.let(T.Scalar("-", (count, T.Const(names - i, INT))), INT, node, "n")
            rest = thawed(list_op(ctx, "slice", (items, at, stop), items.type, node))
            found.append((element.value, rest))
        else:
            found.append((element, list_op(ctx, "get", (items, at), items.type.item, node)))
    return found


def refuse_mutation(ctx: FunctionContext, target: ast.expr) -> NoReturn:
    """The error for an assignment to a field or an item."""
    what = "an attribute" if isinstance(target, ast.Attribute) else "an item"
    ctx.fail(
        "AC015",
        target,
        f"assignment to {what}: values cannot be changed",
        "build a new value and give it a name",
    )
