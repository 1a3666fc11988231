"""`lower_model`: a model function and everything it reaches, as a typed module."""

from __future__ import annotations

from typing import Any

from ..ir import typed as T
from ..ir.span import NOWHERE
from ..lang.model import Model
from .base_case import functions_without_base_case
from .checks import check_entry, check_phases, check_symbols
from .finite_types import endless_fields
from .function import lower_function
from .signatures import ModuleBuilder, Signature


def lower_model(model: Model[..., Any]) -> T.Module:
    """The typed module of `model`, symbolic dimensions kept. ModelError with all errors found."""
    if not isinstance(model, Model):
        raise TypeError(f"ab.compile takes a function decorated with @ab.model, not {model!r}")
    builder = ModuleBuilder(model)
    entry = builder.signature(model, NOWHERE)
    lowered: list[Signature] = []
    while builder.queue:
        signature = builder.queue.pop(0)
        function = lower_function(builder, signature)
        lowered.append(signature)
        if function is not None:
            builder.functions[signature.name] = function
    if entry is not None:
        check_entry(builder, entry)
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
        for name, field, t in endless_fields(builder.declarations.datas):
            builder.reporter.error(
                "AC004",
                lowered[0].source.head(),
                f"no value of the type {name} is finite: {name}.{field} is a {t}",
                f'a way to end: `{field}: "{t} | None"`',
            )
    builder.reporter.finish()
    assert entry is not None and entry.result is not None
    declarations = builder.declarations
    return T.Module(
        declarations.datas, declarations.params, builder.functions, entry.name, entry.result
    )
