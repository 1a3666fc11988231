"""Values of plain classes, `Hypothesis(tokens, score, h)`: immutable records of their fields."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Any

from ...ir import typed as T
from ...ir.subtypes import is_subtype
from ...ir.types import INT, NOTHING, DataRef, NamedTupleType, TupleType, Type
from ...lang.data import runs_post_init
from ..bad_hint import BadHint
from ..context import FunctionContext
from ..optional import coerced
from ..plain_classes import NO_FIELD, made_by_fields
from ..scope import Env, Recover
from ..syntax import makes_items, makes_list
from .arguments import arguments, given_arguments
from .changed_parameters import is_own
from .closure_calls import call_closure
from .dataclass_fields import parameters_of
from .initialisers import MAKES_FIELDS, initialiser
from .named_tuples import check_named_tuple
from .post_init import with_all_fields


def plain_record(ctx: FunctionContext, node: ast.Call, cls: Any, env: Env) -> T.Var:
    """`Cell(c, h)` of a dataclass, a NamedTuple or a class with `__init__`."""
    if issubclass(cls, tuple):
        check_named_tuple(ctx, node, cls)
    if hasattr(cls, "_fields") or (made_by_fields(cls) and not runs_post_init(cls)):
        parameters = parameters_of(ctx, node, cls)
        given = given_arguments(ctx, node, cls.__name__, parameters)
        atoms = arguments(ctx, node, cls.__name__, parameters, given, env)
        if None in atoms:
            raise Recover
        parts = tuple(a for a in atoms if a is not None)
        names = tuple(p.name for p in parameters)
        types = tuple(p.type or a.type for p, a in zip(parameters, parts, strict=True))
        fresh = {n for n, t in zip(names, types, strict=True) if makes_field(given.get(n), t)}
    else:
        names, parts, fresh = made_fields(ctx, node, cls, env)
        types = tuple(p.type for p in parts)
    if not names and not issubclass(cls, tuple):
        names, types, parts = (NO_FIELD,), (INT,), (T.Const(0, INT),)
    return new_record(ctx, node, ctx.builder.declarations.record(cls, types, names), parts, fresh)


def made_fields(
    ctx: FunctionContext, node: ast.Call, cls: Any, env: Env
) -> tuple[tuple[str, ...], tuple[T.Atom, ...], set[str]]:
    """`initialised` of a class that may have no `__init__`, and then no fields."""
    if cls.__init__ is not object.__init__:
        return initialised(ctx, node, cls, env)
    given_arguments(ctx, node, cls.__name__, [])
    return (), (), set()


def initialised(
    ctx: FunctionContext, node: ast.Call, cls: Any, env: Env
) -> tuple[tuple[str, ...], tuple[T.Atom, ...], set[str]]:
    """The fields that the `__init__` of a class sets, their values, and which of these are lists
    that nothing else refers to."""
    closure, names = initialiser(ctx, node, cls)
    _note_own(ctx, closure.tree, cls, names)
    made = with_all_fields(ctx, node, cls) if made_by_fields(cls) else node
    call, result = call_closure(ctx, made, closure, env)
    assert isinstance(result, TupleType)
    fields = ctx.let(call, result, node, cls.__name__)
    parts = tuple(
        ctx.let(T.GetItem(fields, i), t, node, n)
        for i, (n, t) in enumerate(zip(names, result.items, strict=True))
    )
    return names, parts, set(ctx.builder.fresh_fields.get(call.function) or ())


def _note_own(
    ctx: FunctionContext, tree: ast.FunctionDef, cls: type, names: tuple[str, ...]
) -> None:
    """Of an `__init__` that makes objects of its class: if the types of the fields are known, that
    it returns these; else that there is such a class."""
    calls = (n.func for n in ast.walk(tree) if isinstance(n, ast.Call))
    if not any(isinstance(f, ast.Name) and f.id == cls.__name__ for f in calls):
        return
    declarations = ctx.builder.declarations
    if cls in declarations.told:
        data = declarations.type_of(cls)
        assert isinstance(data, DataRef)
        fields = dict(declarations.datas[data.name].fields)
        ctx.builder.known_results[id(tree)] = TupleType(tuple(fields[n] for n in names))
    elif ctx.builder.inside[id(tree)]:
        declarations.met.nested.add(cls)
        declarations.met.note(cls, names, (NOTHING,) * len(names))


def new_record(
    ctx: FunctionContext,
    node: ast.AST,
    t: NamedTupleType,
    parts: tuple[T.Atom, ...],
    fresh: Collection[str] = (),
) -> T.Var:
    """A new object with these parts; the fields `fresh` are lists that nothing else refers to."""
    made = ctx.let(T.MakeTuple(parts), t, node, "record")
    ctx.fresh_records[made.number] = frozenset(fresh)
    return made


def new_object(
    ctx: FunctionContext,
    node: ast.AST,
    cls: type,
    names: tuple[str, ...],
    parts: tuple[T.Atom, ...],
    fresh: Collection[str] = (),
) -> T.Var:
    """A new object of a plain class: of data, if the class is a data type, whose fields have the
    types of their hints; else a record."""
    declarations = ctx.builder.declarations
    if not declarations.is_data(cls):
        t = declarations.record(cls, tuple(p.type for p in parts), names)
        return new_record(ctx, node, t, parts, fresh)
    try:
        data = declarations.type_of(cls)
    except BadHint as error:
        ctx.fail("AC004", node, str(error), error.hint)
    assert isinstance(data, DataRef)
    values = []
    given = dict(zip(names, parts, strict=True))
    for name, wanted in declarations.datas[data.name].fields:
        part = given[name]
        declarations.met.note_field(cls, name, part.type)
        value = coerced(ctx, part, wanted, node)
        if not is_subtype(value.type, wanted):
            ctx.fail(
                "AC017",
                node,
                f"{cls.__name__} takes {wanted} as {name!r}, this is {value.type}",
                f"a {wanted} wherever `{name}` is assigned",
            )
        values.append(value)
    made = ctx.let(T.Construct(data.name, tuple(values)), data, node)
    ctx.fresh_records[made.number] = frozenset(fresh)
    return made


def parts_of(ctx: FunctionContext, node: ast.AST, value: T.Var) -> dict[str, T.Var]:
    """The fields of an object of a plain class."""
    match value.type:
        case NamedTupleType(items=items, fields=names):
            return {
                name: ctx.let(T.GetItem(value, i), t, node, name)
                for i, (name, t) in enumerate(zip(names, items, strict=True))
            }
        case DataRef(owner):
            fields = ctx.builder.declarations.datas[owner].fields
            return {n: ctx.let(T.GetField(value, n), t, node, n) for n, t in fields}
    return {}


def class_of(ctx: FunctionContext, t: Type) -> type | None:
    """The plain class whose objects a type stands for; None for any other type."""
    declarations = ctx.builder.declarations
    match t:
        case NamedTupleType(name=name):
            return declarations.records.get(name)
        case DataRef(name) if declarations.datas[name].cls in declarations.adopted:
            return declarations.datas[name].cls
    return None


def note_fresh_fields(ctx: FunctionContext, returned: ast.expr, atom: T.Atom, env: Env) -> None:
    """Note which fields of a returned record are lists that nothing else refers to. An `__init__`
    returns its fields one by one."""
    known, name = ctx.builder.fresh_fields, ctx.signature.name
    cls = getattr(ctx.source.tree, MAKES_FIELDS, None)
    if cls is not None and isinstance(returned, ast.Tuple):
        if cls in ctx.builder.declarations.told and isinstance(atom.type, TupleType):
            for element, t in zip(returned.elts, atom.type.items, strict=True):
                field = ast.unparse(element).removeprefix("self.")
                ctx.builder.declarations.met.note_field(cls, field, t)
        fields = [e.id for e in returned.elts if isinstance(e, ast.Name)]
        known[name] = frozenset(f.removeprefix("self.") for f in fields if is_own(f, env))
    elif class_of(ctx, atom.type) is not None:
        found = fresh_fields(ctx, returned, atom)
        before = known.get(name, found)
        known[name] = None if found is None or before is None else before & found


def fresh_fields(ctx: FunctionContext, node: ast.expr, atom: T.Atom) -> frozenset[str] | None:
    """The fields of a record that are lists that nothing else refers to; None if something else
    may refer to the record itself. `node` is the expression of the record."""
    if not isinstance(atom, T.Var) or isinstance(node, ast.Name):
        return None
    for stmt in reversed(ctx.stmts):
        match stmt:
            case T.Let((out,), T.Call(function)) if out is atom:
                return ctx.builder.fresh_fields.get(function)
    return ctx.fresh_records.get(atom.number)


def makes_field(given: ast.expr | None, t: Type) -> bool:
    """Whether an argument makes a list that nothing else refers to; a default factory does."""
    return given is None or (makes_list(given) and makes_items(given, t))
