"""Numbers, tensors and lists that may be None: `h = None` before a loop, `Optional[...]`.

Such a value is a tuple: a truth value that says whether it is there, and the value, or a
placeholder if it is not. So a plain value has to be converted where an optional one is expected:
`coerced`.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.subtypes import is_subtype, join
from ..ir.type_maps import erased
from ..ir.type_queries import has_nothing, optional_of
from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    TEXT,
    DataRef,
    ListType,
    MemberType,
    NamedTupleType,
    OptionalType,
    RecordType,
    RowsType,
    StackType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from .context import FunctionContext
from .decisions import read_number
from .emit import as_tensor, list_op, widen
from .finite_types import shallowest
from .fixed_sizes import as_unknown, fixed, size_of
from .pattern_tree import members
from .raw_values import Datas, member_for, wrapper_of
from .type_differences import one_field

_NUMBER = TensorType(())
_ZEROS: dict[Type, T.Const] = {
    INT: T.Const(0, INT),
    FLOAT: T.Const(0.0, FLOAT),
    BOOL: T.Const(False, BOOL),
}


def joined(a: Type, b: Type, datas: Datas | None = None) -> Type | None:
    """The smallest type that holds both, or None; with `datas`, a union may hold what is none of
    its data types."""
    both = join(a, b)
    if both is not None:
        return both
    for some, other in ((a, b), (b, a)):
        if datas and any(takes(datas, some, t) for _, t in member_for(datas, some, other)):
            return other
    if BOOL in (a, b) and (_is_truth(a) or _is_truth(b)):
        return BOOL
    if FLOAT in (a, b) and _NUMBER in (a, b):
        return _NUMBER
    for some, other in ((a, b), (b, a)):
        if size_of(some, other) is not None:
            return some
    if _parts_apart(a, b) and type(a) is type(b):
        assert isinstance(a, TupleType) and isinstance(b, TupleType)
        parts = [joined(x, y) for x, y in zip(a.items, b.items, strict=True)]
        named = getattr(a, "name", "") == getattr(b, "name", "")
        if named and None not in parts:
            return replace(a, items=tuple(p for p in parts if p is not None))
    for some, other in ((a, b), (b, a)):
        if some == NONE:
            return optional_of(other, of_program=True)
        if isinstance(some, OptionalType) and not isinstance(other, OptionalType):
            if other == NONE:
                return some
            inner = some.item if size_of(some.item, other) else join(some.item, other)
            return None if inner is None else optional_of(inner, of_program=True)
    return None


def remedy(a: Type, b: Type, otherwise: str) -> str:
    """What to write instead of values of types that have no common one."""
    kinds = [t.item if isinstance(t, OptionalType) else t for t in (a, b)]
    alike = one_field(kinds[0], kinds[1])
    if alike:
        return alike
    records = [str(t) for t in kinds if isinstance(t, RecordType)]
    if records and all(isinstance(t, (RecordType, DataRef, UnionType)) for t in kinds):
        names = " and ".join(dict.fromkeys(records))
        return f"`@ab.data` on {names}: a value may be of one of several such classes"
    return otherwise


def _is_truth(t: Type) -> bool:
    """Whether `t` is the result of comparing tensors of one element: a truth value once read."""
    return isinstance(t, TensorType) and t.mask and all(d == Dim.of(1) for d in t.dims)


def takes(datas: Datas, t: Type, wanted: Type) -> bool:
    """Whether a value of type `t` may be given where `wanted` is expected, once it is coerced."""
    if is_subtype(t, wanted) or (wanted == BOOL and _is_truth(t)):
        return True
    sizes = size_of(t, wanted), size_of(wanted, t)
    if (wanted == _NUMBER and t == FLOAT) or sizes != (None, None):
        return True
    if _parts_apart(t, wanted):
        assert isinstance(t, TupleType) and isinstance(wanted, TupleType)
        return all(takes(datas, p, w) for p, w in zip(t.items, wanted.items, strict=True))
    if isinstance(wanted, ListType) and type(t) is TupleType:
        return all(takes(datas, p, wanted.item) for p in t.items)
    if any(takes(datas, t, of) for _, of in member_for(datas, t, wanted)):
        return True
    if not isinstance(wanted, OptionalType):
        return False
    return t == NONE or takes(datas, t, wanted.item)


def coerced(ctx: FunctionContext, atom: T.Atom, wanted: Type | None, node: ast.AST) -> T.Atom:
    """`atom` where `wanted` is expected: converted to that type if possible, else as it is."""
    if wanted is None:
        return atom
    if wanted == BOOL and _is_truth(atom.type):
        number = read_number(ctx, atom, node)
        return ctx.let(T.Scalar("!=", (number, T.Const(0.0, FLOAT))), BOOL, node, "b")
    if wanted == _NUMBER and (plain := widen(atom, FLOAT)).type == FLOAT:
        return as_tensor(ctx, node, plain)
    size = size_of(atom.type, wanted)
    if size is not None:
        return fixed(ctx, node, atom, size)
    if size_of(wanted, atom.type) is not None:
        return as_unknown(ctx, node, atom, wanted)
    if members(wanted) and not is_subtype(atom.type, wanted):
        return _wrapped(ctx, atom, wanted, node)
    if not isinstance(wanted, OptionalType):
        return _with_parts(ctx, atom, wanted, node)
    if isinstance(atom.type, OptionalType):
        return atom
    if atom.type == NONE:
        there, value = False, missing(ctx, wanted.item, node)
    else:
        of_known = size_of(wanted.item, atom.type) is not None
        convert = coerced if of_known else _with_parts
        there, value = True, convert(ctx, atom, wanted.item, node)
        if not is_subtype(value.type, wanted.item):
            return atom
    out = ctx.computed("optional", wanted, node)
    items = (T.Const(there, BOOL), value)
    ctx.stmts.append(T.Let((out,), T.MakeTuple(items), ctx.span(node)))
    return out


def _wrapped(ctx: FunctionContext, atom: T.Atom, wanted: Type, node: ast.AST) -> T.Atom:
    """`atom` as a value of the union `wanted`, if it can be one."""
    before = wrapper_of(ctx, atom)
    if is_subtype(before.type, wanted):
        return before
    datas = ctx.builder.declarations.datas
    for name, t in member_for(datas, atom.type, wanted):
        if takes(datas, atom.type, t):
            value = coerced(ctx, atom, t, node)
            return ctx.let(T.Construct(name, (value,)), DataRef(name), node, name)
    return atom


def _parts_apart(t: Type, wanted: Type) -> bool:
    """Whether a tuple is converted to another one part by part: plain or named, of equal length, or
    objects of one class."""
    if not isinstance(t, TupleType) or not isinstance(wanted, TupleType):
        return False
    if isinstance(t, RecordType) and isinstance(wanted, RecordType):
        return t.name == wanted.name and t.fields == wanted.fields
    kinds = (type(t), type(wanted))
    named = (TupleType, NamedTupleType)
    return all(k in named for k in kinds) and len(t.items) == len(wanted.items)


def _with_parts(ctx: FunctionContext, atom: T.Atom, wanted: Type, node: ast.AST) -> T.Atom:
    """A tuple with its parts converted as `wanted` requires, or as a list; other values widened."""
    atom = widen(atom, wanted)
    t = atom.type
    if not isinstance(atom, T.Var) or not isinstance(t, TupleType) or is_subtype(t, wanted):
        return atom
    if not takes(ctx.builder.declarations.datas, t, wanted):
        return atom
    if isinstance(wanted, ListType):
        of: tuple[Type, ...] = (wanted.item,) * len(t.items)
    else:
        assert isinstance(wanted, TupleType)
        of = wanted.items
    parts = tuple(
        coerced(ctx, ctx.let(T.GetItem(atom, i), p, node, "part"), w, node)
        for i, (p, w) in enumerate(zip(t.items, of, strict=True))
    )
    if isinstance(wanted, ListType):
        return list_op(ctx, "make", parts, wanted, node)
    return ctx.let(T.MakeTuple(parts), wanted, node, "parts")


def missing(ctx: FunctionContext, t: Type, node: ast.AST) -> T.Atom:
    """Some value of type `t`, which nothing reads."""
    if t in _ZEROS:
        return _ZEROS[t]
    if t == TEXT:
        return ctx.builder.text("")
    if isinstance(t, MemberType):
        return T.Const(0, t)
    if isinstance(t, RowsType):
        empty = list_op(ctx, "make", (), erased(t), node)
        return T.Var(empty.name, t, empty.number)
    if isinstance(t, StackType):
        matrices = tuple(missing(ctx, t.matrix, node) for _ in range(t.count))
        return ctx.let(T.MakeTuple(matrices), t, node, "missing")
    if isinstance(t, TensorType):
        shape: tuple[int | Dim, ...] = t.dims
        return ctx.let(T.Op("zeros", (), (("shape", shape),)), t, node, "missing")
    if isinstance(t, ListType):
        return list_op(ctx, "make", (), t, node)
    if has_nothing(t):
        ctx.fail(
            "AC008",
            node,
            f"None on one path and a {t} on another, whose lists and dicts are still empty",
            "a hint that says what they hold: `self.items: list[int] = []`",
        )
    if isinstance(t, (DataRef, UnionType)):
        return _missing_data(ctx, t, node)
    assert isinstance(t, TupleType)
    items = tuple(missing(ctx, i, node) for i in t.items)
    return ctx.let(T.MakeTuple(items), t, node, "missing")


def _missing_data(ctx: FunctionContext, t: DataRef | UnionType, node: ast.AST) -> T.Var:
    """An object of the member that contains the fewest other objects."""
    datas = ctx.builder.declarations.datas
    name = shallowest(datas, t)
    if name is None:  # no value of this type is finite, which is an error of its own
        return T.Var("nothing", t)
    fields = tuple(missing(ctx, f, node) for _, f in datas[name].fields)
    return ctx.let(T.Construct(name, fields), DataRef(name), node, "missing")


def is_there(ctx: FunctionContext, value: T.Var, node: ast.AST) -> T.Var:
    """Whether a value is not None."""
    return ctx.let(T.GetItem(value, 0), BOOL, node, "there")


def content(ctx: FunctionContext, value: T.Var, node: ast.AST) -> T.Var:
    """The value itself, of one that is not None."""
    assert isinstance(value.type, OptionalType)
    return ctx.let(T.GetItem(value, 1), value.type.item, node, value.name)
