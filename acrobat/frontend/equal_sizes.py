"""Sizes that have two names and are one number: `x @ w` of Tensor[I + M] and Tensor[IM, H].

Plain Python knows numbers alone, and so does the model once it has its weights. Where names say
that operands do not fit and numbers say that they do, they do: `transform.check_shapes` has the
last word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.ops import OPS, ShapeError
from ..ir.type_maps import bind
from ..ir.types import TensorType, Type

# How many sizes of one operation may have other names than those that they meet.
_MOST = 3

Attrs = Mapping[str, T.AttrValue]


def result_of(
    name: str, types: Sequence[Type], attrs: Attrs, sizes: Mapping[str, int]
) -> TensorType:
    """The type of an operation's result. ShapeError if its operands fit neither by the names of
    their sizes nor by the numbers that these stand for."""
    rule = OPS[name].result
    try:
        return rule(types, attrs)
    except ShapeError as error:
        found = None
        if sizes and _fits(name, [bind(t, sizes) for t in types], attrs):
            found = _renamed(name, types, attrs, sizes, error, _MOST)
        if found is None:
            raise
        return found


def _fits(name: str, types: Sequence[Type], attrs: Attrs) -> bool:
    try:
        OPS[name].result(types, attrs)
    except ShapeError:
        return False
    return True


def _renamed(
    name: str,
    types: Sequence[Type],
    attrs: Attrs,
    sizes: Mapping[str, int],
    error: ShapeError,
    most: int,
) -> TensorType | None:
    """The result if at most so many sizes get the names of those that they meet."""
    wrong: list[tuple[list[Type], ShapeError]] = []
    for other in _with_another_name(types, list(error.blame), sizes):
        try:
            return OPS[name].result(other, attrs)
        except ShapeError as still:
            if str(still) != str(error):
                wrong.append((other, still))
    for other, next_error in wrong if most > 1 else []:
        found = _renamed(name, other, attrs, sizes, next_error, most - 1)
        if found is not None:
            return found
    return None


def _with_another_name(
    types: Sequence[Type], blame: Sequence[int], sizes: Mapping[str, int]
) -> Iterator[list[Type]]:
    """`types` with one size of a blamed operand under the name that it has in one before it."""
    for at, later in enumerate(blame):
        t = types[later]
        if not isinstance(t, TensorType):
            continue
        for earlier in blame[:at]:
            for dim in _dims(types[earlier]):
                for axis, own in enumerate(t.dims):
                    if own != dim and own.bind(sizes) == dim.bind(sizes):
                        dims = (*t.dims[:axis], dim, *t.dims[axis + 1 :])
                        yield [*types[:later], replace(t, dims=dims), *types[later + 1 :]]


def _dims(t: Type) -> tuple[Dim, ...]:
    return t.dims if isinstance(t, TensorType) else ()
