"""A model function and everything it reaches, lowered once under given assumptions."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.rewrite import calls
from ..ir.span import NOWHERE
from ..ir.type_maps import erased, substitute, without_int_arrays
from ..lang.model import Model
from .base_case import functions_without_base_case
from .checks import check_entry, check_no_matrices, check_no_numbers, check_phases, check_symbols
from .constructs.scalar_members import check_attributes
from .constructs.string_building import check_shown
from .erase_rows import erase_rows, erased_data
from .finite_types import endless_fields
from .function import lower_function
from .numpy_scalars import check_scalars
from .signatures import ModuleBuilder, Signature


def typed_module(builder: ModuleBuilder, model: Model[..., Any]) -> T.Module:
    """The module of `model`; ModelError with all errors found."""
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
        check_no_matrices(builder, entry)
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
    result = without_int_arrays(entry.result)
    sizes = {name: Dim.of(size) for name, size in builder.sizes.items()}
    functions = {name: erase_rows(f) for name, f in builder.functions.items()}
    return T.Module(
        {name: erased_data(d) for name, d in declarations.datas.items()},
        declarations.params,
        functions,
        entry.name,
        erased(result),
        texts=tuple(builder.texts),
        lookups=tuple(lookup for _, lookup in builder.lookups.values()),
        with_matrices=substitute(result, sizes) if erased(result) != result else None,
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
