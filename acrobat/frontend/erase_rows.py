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
    function = _with_types(function, without_int_arrays)
    lists = _with_types(function, erased)
    return function if lists is function else _with_types(lists, lambda t: bind(t, {}))


def _with_types(function: T.Function, change: Callable[[Type], Type]) -> T.Function:
    new: dict[int, T.Var] = {}

    def changed(t: Type) -> Type:
        other = change(t)
        return t if other == t else other

    def change_var(var: T.Var) -> T.Var:
        if var.number not in new:
            new[var.number] = rebuilt(var, type=changed(var.type))
        return new[var.number]

    function = map_vars(function, change_var)
    return rebuilt(function, results=tuple(map(changed, function.results)))


def erased_data(data: T.DataDef) -> T.DataDef:
    """`data` with lists for such tensors and arrays in its fields."""
    fields = tuple((name, erased(without_int_arrays(t))) for name, t in data.fields)
    return data if fields == data.fields else replace(data, fields=fields)
