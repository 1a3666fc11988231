"""After the front end, a tensor whose size only the instance knows is a list, and so is an array of
ints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..ir import typed as T
from ..ir.rebuild import rebuilt
from ..ir.rewrite import map_vars
from ..ir.type_maps import bind, erased, without_int_arrays
from ..ir.types import Type


def erase_rows(function: T.Function) -> T.Function:
    """`function` with lists for such tensors, and arrays. If there are such tensors, masks become
    plain tensors, as the items of the lists are."""
    # Variable by variable: where their types differ in nothing else, the function has no tensors of
    # that kind, and keeps its masks.
    function = map_vars(function, lambda v: rebuilt(v, type=_changed(v.type, without_int_arrays)))
    results = tuple(_changed(t, without_int_arrays) for t in function.results)
    function = rebuilt(function, results=results)
    lists = _with_types(function, erased)
    return function if lists is function else _with_types(lists, lambda t: bind(t, {}))


def _with_types(function: T.Function, change: Callable[[Type], Type]) -> T.Function:
    new: dict[int, T.Var] = {}

    def change_var(var: T.Var) -> T.Var:
        if var.number not in new:
            new[var.number] = rebuilt(var, type=_changed(var.type, change))
        return new[var.number]

    function = map_vars(function, change_var)
    return rebuilt(function, results=tuple(_changed(t, change) for t in function.results))


def _changed(t: Type, change: Callable[[Type], Type]) -> Type:
    other = change(t)
    return t if other == t else other


def erased_data(data: T.DataDef) -> T.DataDef:
    """`data` with lists for such tensors and arrays in its fields."""
    fields = tuple((name, erased(without_int_arrays(t))) for name, t in data.fields)
    return data if fields == data.fields else replace(data, fields=fields)
