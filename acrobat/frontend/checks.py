"""Checks that need all functions of a module: the entry, phases, the names of dimensions."""

from __future__ import annotations

from ..ir import typed as T
from ..ir.rewrite import calls
from ..ir.type_maps import erased
from ..ir.type_queries import has_arrays, leaf_types, member_names, run_time_value, symbols
from ..ir.types import (
    DataRef,
    DictType,
    ListType,
    ParamsRef,
    RecordType,
    TupleType,
    Type,
    UnionType,
)
from .object_numbers import is_number_class
from .signatures import ModuleBuilder, Signature
from .syntax import parameters


def check_entry(builder: ModuleBuilder, entry: Signature) -> None:
    name = entry.model.function.__name__
    if entry.result is not None and not run_time_value(entry.result):
        builder.reporter.error(
            "AC023",
            entry.source.head(),
            f"the entry function {name} cannot return a {entry.result}",
            "numbers, vectors, @ab.data values and tuples of them",
        )
    for p, arg in zip(entry.parameters, parameters(entry.source.tree), strict=True):
        if p.function:
            builder.reporter.error(
                "AC023",
                entry.source.span(arg),
                f"the parameter {p.name!r} of the entry function {name} cannot be a function",
                f"an entry function that calls {name} with it",
            )
    types = [t for _, t in entry.params]
    if None in types or entry.takes_functions:
        return
    if not types or not isinstance(types[0], ParamsRef):
        builder.reporter.error(
            "AC023",
            entry.source.head(),
            f"the first parameter of the entry function {name} is not the weights",
            "`def model(p: <an @ab.params class>, instance: <type>) -> ...`",
        )
    elif len(types) < 2:
        builder.reporter.error(
            "AC023",
            entry.source.head(),
            f"the entry function {name} takes no instance",
            "a second parameter: what one instance of the mini-batch is",
        )
    for (param, t), node in zip(entry.params[1:], entry.source.tree.args.args[1:], strict=False):
        if t is not None and not run_time_value(t):
            builder.reporter.error(
                "AC023",
                entry.source.span(node),
                f"the parameter {param!r} of the entry function {name} cannot be a {t}",
                "one @ab.params class, with a field for each",
            )
        elif t is not None and _has_long_keys(builder, t):
            builder.reporter.error(
                "AC023",
                entry.source.span(node),
                f"the parameter {param!r} of the entry function {name} has a dict or a set of "
                "tuples of any length",
                "a list of pairs, `list[tuple[tuple[int, ...], int]]`, of which the model makes it",
            )


def _has_long_keys(builder: ModuleBuilder, t: Type) -> bool:
    """Whether a value of an instance has keys that are tuples of any length."""
    datas = builder.declarations.datas
    work, seen = [t], set[str]()
    while work:
        match work.pop():
            case DictType(items=(ListType(key), values)):
                if any(isinstance(leaf, ListType) for leaf in leaf_types(key)):
                    return True
                work.append(values)
            case ListType(item):
                work.append(item)
            case TupleType(items):
                work += items
            case DataRef() | UnionType() as of:
                new = {*member_names(of)} - seen
                seen |= new
                work += [f for n in new for _, f in datas[n].fields]
    return False


def check_no_numbers(builder: ModuleBuilder, entry: Signature) -> None:
    """The entry function cannot return objects for which the program has numbers."""
    work = [] if entry.result is None else [entry.result]
    while work:
        t = work.pop()
        if isinstance(t, ListType):
            work.append(t.item)
        elif isinstance(t, RecordType) and is_number_class(builder.declarations.records[t.name]):
            builder.reporter.error(
                "AC023",
                entry.source.head(),
                f"the entry function {entry.name} returns a {t} that is known by several names",
                f"what is asked of it, `return x.{_field_of(builder, t.name)}`",
            )
        elif isinstance(t, TupleType):
            work += t.items


def check_no_matrices(builder: ModuleBuilder, entry: Signature) -> None:
    """The entry function cannot return data with a matrix that has any number of rows."""
    datas = builder.declarations.datas
    if not any(has_arrays(erased(t)) for d in datas.values() for _, t in d.fields):
        return
    work, seen = [] if entry.result is None else [entry.result], set[str]()
    while work:
        t = work.pop()
        if isinstance(t, ListType):
            work.append(t.item)
        elif isinstance(t, TupleType):
            work += t.items
        elif isinstance(t, (DataRef, UnionType)):
            new = {*member_names(t)} - seen
            seen |= new
            fields = [(n, field, f) for n in sorted(new) for field, f in datas[n].fields]
            work += [f for *_, f in fields]
            for name, field, f in fields:
                if has_arrays(erased(f)):
                    builder.reporter.error(
                        "AC023",
                        entry.source.head(),
                        f"the entry function {entry.name} returns a {name}, and {name}.{field} has "
                        "a size that only the instance knows",
                        f"the parts that are wanted: `return x.{field}`",
                    )


def _field_of(builder: ModuleBuilder, name: str) -> str:
    """A field of a class whose objects have numbers."""
    fields = sorted(f for f in builder.numbered_fields if f.startswith(f"{name}."))
    return fields[0].partition(".")[2]


def check_phases(builder: ModuleBuilder) -> None:
    """A phase begins once per instance: an entry function that begins one must not be called."""
    entry = builder.signatures[id(builder.entry)]
    assert entry is not None
    called = {c.function for f in builder.functions.values() for c in calls(f.body)}
    for stmt in builder.functions[entry.name].body.stmts:
        if isinstance(stmt, T.Let) and isinstance(stmt.rhs, T.NextPhase) and entry.name in called:
            builder.reporter.error(
                "AC029",
                stmt.span,
                f"ab.phase() in {entry.name}, which is also called",
                f"an entry function that calls {entry.name}, and then begins the phase",
            )


# How an error about such a dimension begins.
NO_WEIGHT = "no weight has the dimension"


def bound_names(builder: ModuleBuilder) -> set[str]:
    """The dimensions that weights name."""
    fields = [t for d in builder.declarations.params.values() for _, t in d.fields]
    return set(builder.declarations.sizes.shared).union(*map(symbols, fields))


def check_symbols(builder: ModuleBuilder, signatures: list[Signature]) -> None:
    """Every named dimension of a signature must be bound by a weight."""
    bound = bound_names(builder)
    for data in builder.declarations.datas.values():
        for name, t in data.fields:
            for symbol in sorted(symbols(t) - bound):
                builder.reporter.error(
                    "AC010",
                    signatures[0].source.head(),
                    f"{NO_WEIGHT} {symbol!r} of {data.name}.{name}",
                    "a dimension of a weight, a number, or a name alone",
                )
    for s in signatures:
        hints = [t for _, t in s.params if t is not None] + ([s.result] if s.result else [])
        for symbol in sorted(set().union(*map(symbols, hints)) - bound):
            builder.reporter.error(
                "AC010",
                s.source.head(),
                f"{NO_WEIGHT} {symbol!r} of a hint of {s.name}",
                "a dimension of a weight, a number, or a name alone",
            )
    for span, name, t in builder.hints:
        for symbol in sorted(symbols(t) - bound):
            builder.reporter.error(
                "AC010",
                span,
                f"{NO_WEIGHT} {symbol!r} of the hint of {name!r}",
                "a dimension of a weight, a number, or a name alone",
            )
