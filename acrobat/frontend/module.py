"""`lower_model`: a model function and everything it reaches, as a typed module."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.rewrite import calls
from ..ir.span import NOWHERE
from ..ir.type_maps import erased, substitute
from ..lang.diagnostics import ModelError
from ..lang.model import Model
from .base_case import functions_without_base_case
from .checks import check_entry, check_no_numbers, check_phases, check_symbols
from .constructs.scalar_members import check_attributes
from .constructs.string_building import check_shown
from .declarations import Declarations
from .erase_rows import erase_rows
from .finite_types import endless_fields
from .function import lower_function
from .numbered_objects import Numbered, with_numbered_objects
from .numpy_scalars import check_scalars
from .object_numbers import is_number_class
from .plain_data import data_with
from .signatures import ModuleBuilder, Signature
from .source import Source
from .told_fields import FieldHints, told_fields
from .told_sizes import SizeTold
from .written import copied


def lower_model(model: Model[..., Any], params: Any = None) -> T.Module:
    """The typed module of `model`, symbolic dimensions kept. `params` are the weights that it is
    compiled with: without them no dimension has a number. ModelError with all errors found.

    Different names may stand for the same number (`I + M` and `IM`). If shapes do not fit by name,
    numbers decide, as in plain Python; errors that both find are reported by name.
    """
    if not isinstance(model, Model):
        raise TypeError(f"ab.compile takes a function decorated with @ab.model, not {model!r}")
    try:
        return _with_sizes(model, params, None)
    except ModelError as error:
        first = error
    told = None
    for with_weights in (False, True):
        numbered = with_numbered_objects(model, with_weights)
        if numbered is None:
            continue
        try:
            return _with_sizes(numbered.model, params, numbered)
        except ModelError as second:
            if not with_weights and numbered.is_readable(second):
                told = second
    raise told or first


def _with_sizes(model: Model[..., Any], params: Any, numbered: Numbered | None) -> T.Module:
    found: dict[str, int] | None = None
    by_names: ModelError | None = None
    while True:
        try:
            return _lowered(model, params, found, numbered)
        except SizeTold as told:
            found = {**(found or {}), told.name: told.size}
        except ModelError as error:
            if params is None or (found is not None and by_names is None):
                raise
            if by_names is not None:
                raise _told(by_names, error, found or {}) from None
            by_names, found = error, {}


def _told(by_names: ModelError, by_numbers: ModelError, found: Mapping[str, int]) -> ModelError:
    """The errors that both runs found, as the first one reported them; if there are none, those of
    the second."""
    places = {(e.code, e.span) for e in by_numbers.errors}
    both = tuple(e for e in by_names.errors if (e.code, e.span) in places)
    if both:
        return ModelError(both)
    notes = tuple(f"{n} is {size}, as an operation before needs it" for n, size in found.items())
    errors = by_numbers.errors
    return ModelError(tuple(dataclasses.replace(e, notes=(*e.notes, *notes)) for e in errors))


# How often a model is lowered to find what its objects are given.
MAX_TOLD = 6

# What is said of a value for which there is no type, and of one of another type.
_OF_TYPES = ("AC004", "AC008", "AC021", "AC032")
_OF_VALUES = (*_OF_TYPES, "AC017")


def _lowered(
    model: Model[..., Any],
    params: Any,
    found: dict[str, int] | None,
    numbered: Numbered | None,
) -> T.Module:
    """The module; if it has errors that hints may have caused, and none of them where the hint
    `float` may be said of a tensor of rank 0, that module."""
    try:
        return _with_data(model, params, found, numbered, floats_open=False)
    except ModelError as error:
        if not _of_floats(error):
            raise
        try:
            return _with_data(model, params, found, numbered, floats_open=True)
        except ModelError as second:
            places = {(e.code, e.span) for e in second.errors}
            first = error.errors[0]
            raise (error if (first.code, first.span) in places else second) from None


# What is said of a value that is not of the type that a hint says.
_OF_HINTS = ("AC008", "AC017", "AC021")


def _of_floats(error: ModelError) -> bool:
    """Whether a model has errors that the hint `float` of a tensor may have caused."""
    return any(e.code in _OF_HINTS and "float" in e.message for e in error.errors)


def _with_data(
    model: Model[..., Any],
    params: Any,
    found: dict[str, int] | None,
    numbered: Numbered | None,
    floats_open: bool,
) -> T.Module:
    """The module; if the model has errors, and it does not have them where its plain dataclasses
    are data types, that module. Records are more than data where they fit: their fields change, and
    values say what types these have. But no type holds records of two classes, or such that contain
    each other."""
    of = partial(ModuleBuilder, model, params, found, floats_open=floats_open)
    builder = _builder(of(), numbered)
    before: ModelError | None = None
    while True:
        try:
            return _lowered_with(builder, model, params)
        except ModelError as error:
            known = builder.declarations
            first = error
            if before is not None and not _are_gone(before, error):
                first = before
                break
            met = {c for c in (*known.records.values(), *known.unknown) if not is_number_class(c)}
            new = set[type]().union(*map(data_with, met)) - known.adopted
            if not new:
                break
            # Errors may have kept the model from classes that the next round meets.
            before = error
            builder = _builder(of(known.adopted | new), numbered)
    return _with_told_fields(of, numbered, known, model, params, first)


def _with_told_fields(
    of: Callable[..., ModuleBuilder],
    numbered: Numbered | None,
    known: Declarations,
    model: Model[..., Any],
    params: Any,
    first: ModelError,
) -> T.Module:
    """The module, if it has no errors where classes that do not say the types of their fields are
    data types with such as the model gives them. `known` is what an attempt without these met,
    which ended with the error `first`."""
    told: dict[type, FieldHints] = {}
    others, floats_open = known.adopted, known.floats_open
    if not known.met.nested and not any(e.code in _OF_VALUES for e in first.errors):
        raise first
    error = first
    for _ in range(MAX_TOLD):
        new = {**told, **told_fields(known, others)}
        if new == told and floats_open == known.floats_open:
            break
        told = new
        builder = _builder(of(others, told=told, floats_open=floats_open), numbered)
        module = None
        try:
            module = _lowered_with(builder, model, params)
        except ModelError as again:
            error = again
            floats_open |= _of_floats(error)
        known = builder.declarations
        met = told_fields(known, others)
        # A number that fits only once it is converted is another one in plain Python.
        as_told = all(met.get(c) == told[c] for c in known.met.classes if c in told)
        if module is not None and as_told and not known.lacks_types():
            return module
    # Of hints that nobody has written nothing is said.
    written = all(e.code != "AC004" for e in error.errors)
    raise error if written and _are_gone(first, error, _OF_VALUES) else first


def _are_gone(before: ModelError, now: ModelError, codes: Collection[str] = _OF_TYPES) -> bool:
    """Whether data types have made an end of all errors, which said that there is no type."""
    places = {(e.code, e.span) for e in now.errors}
    return all(e.code in codes and (e.code, e.span) not in places for e in before.errors)


def _builder(builder: ModuleBuilder, numbered: Numbered | None) -> ModuleBuilder:
    if numbered is not None:
        source = numbered.source
        builder.rewritten = Source(copied(source.tree), source.file, source.line, source.lines)
        builder.numbered_fields = numbered.fields
    return builder


def _lowered_with(builder: ModuleBuilder, model: Model[..., Any], params: Any) -> T.Module:
    builder.lower = lower_function
    entry = builder.signature(model, NOWHERE)
    if entry is not None and not entry.takes_functions:
        builder.demand(entry)
    lowered: list[Signature] = []
    while builder.queue:
        signature = builder.queue.pop(0)
        function = lower_function(builder, signature)
        lowered.append(signature)
        if function is not None:
            builder.functions[signature.name] = function
            if signature is entry and entry.inferred:
                entry = dataclasses.replace(entry, result=function.results[0])
    if entry is not None:
        check_entry(builder, entry)
        check_no_numbers(builder, entry)
        check_scalars(builder)
        _keep_reached(builder, entry.name)
    if not builder.reporter.errors:
        check_symbols(builder, lowered)
        for name, span in functions_without_base_case(builder.functions):
            builder.reporter.error(
                "AC019",
                span,
                f"every path through {name} calls {name} again: it has no base case",
                "return without recursion on some path, such as a `case` for leaves",
            )
        check_phases(builder)
        check_shown(builder)
        check_attributes(builder)
        datas = builder.declarations.datas
        for name, field, t in endless_fields(datas):
            raw = datas[name].raw
            builder.reporter.error(
                "AC004",
                lowered[0].source.head(),
                f"no value of the type {name} is finite: "
                + (f"it is a {t}" if raw else f"{name}.{field} is a {t}"),
                "a way to end: "
                + ("`None`, or a list, in place of itself" if raw else f'`{field}: "{t} | None"`'),
            )
    builder.reporter.finish()
    assert entry is not None and entry.result is not None
    declarations = builder.declarations
    sizes = {name: Dim.of(size) for name, size in builder.sizes.items()}
    functions = {name: erase_rows(f) for name, f in builder.functions.items()}
    return T.Module(
        declarations.datas,
        declarations.params,
        functions,
        entry.name,
        erased(entry.result),
        texts=tuple(builder.texts),
        lookups=tuple(lookup for _, lookup in builder.lookups.values()),
        with_matrices=(
            substitute(entry.result, sizes) if erased(entry.result) != entry.result else None
        ),
    )


def _keep_reached(builder: ModuleBuilder, entry: str) -> None:
    """Remove the functions that only a loop's body called while the types of its variables were not
    known yet."""
    work, reached = [entry], {entry}
    while work:
        function = builder.functions.get(work.pop())
        found = {c.function for c in calls(function.body)} if function is not None else set()
        work += found - reached
        reached |= found
    builder.functions = {n: f for n, f in builder.functions.items() if n in reached}
