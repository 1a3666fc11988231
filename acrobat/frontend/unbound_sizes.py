"""Sizes of instances that no weight tells, `N` of `tokens: Float32[Tensor, "N E"]`: each instance
may have its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..ir.span import NOWHERE
from ..ir.types import ListType, TensorType, TupleType, Type
from ..lang.diagnostics import Diagnostic
from ..lang.model import Model
from .assumptions import Assumptions
from .checks import NO_WEIGHT, bound_names
from .signatures import ModuleBuilder


def unbound_names(model: Model[..., Any], params: Any) -> frozenset[str]:
    """The names of such sizes in the hints of the entry function and of the data that instances
    consist of; none without weights."""
    if params is None:
        return frozenset()
    builder = ModuleBuilder(model, params, Assumptions())
    entry = builder.signature(model, NOWHERE)
    types = [t for _, t in entry.params[1:]] if entry is not None else []
    fields = [t for d in builder.declarations.datas.values() for _, t in d.fields]
    dims = {str(d) for t in [*types, *fields] if t is not None for d in _dims(t)}
    return frozenset(d for d in dims if d.isidentifier()) - bound_names(builder)


def is_unbound(error: Diagnostic) -> bool:
    """Whether an error says that no weight tells a size."""
    return error.code == "AC010" and error.message.startswith(NO_WEIGHT)


def _dims(t: Type) -> Iterator[Any]:
    if isinstance(t, TensorType):
        yield from t.dims
    for part in (
        [t.item] if isinstance(t, ListType) else t.items if isinstance(t, TupleType) else ()
    ):
        yield from _dims(part)
