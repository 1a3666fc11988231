"""Sizes in the hint of a result that nothing but the returned value says: `n` in
`-> Float32[Tensor, "n h"]` of `p.emb[ids]`, which has as many rows as a list of the instance.

A function with such a hint is lowered as if it had none, and then for the hint with the sizes that
it was found to return in place of these names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ..ir.dims import Dim
from ..ir.type_queries import symbols
from ..ir.types import ANY, ListType, OptionalType, RowsType, StackType, TensorType, TupleType, Type
from .declarations import Declarations


class TwoSizesError(Exception):
    """A name in the hint of a result stands for two sizes; the message says which."""


@dataclass(frozen=True, slots=True)
class OpenHint:
    """The hint of a result, in which `names` are sizes that only the returned value says."""

    type: Type
    names: frozenset[str]

    def of(self, given: Type) -> Type:
        """The hint with the sizes of a returned value of type `given`; TwoSizesError if one name
        would have two. Where the types are not of one kind or rank, the hint stays as it is."""
        return _Sizes(self.names).filled(self.type, given)


def without_open(
    declarations: Declarations, result: Type | None, parameters: Iterable[Type | None]
) -> tuple[Type | None, OpenHint | None]:
    """The type `result` of a function's hint, or None and an open hint if it names sizes that
    neither the weights nor the parameters have."""
    if result is None or not symbols(result):
        return result, None
    fields = [t for d in declarations.params.values() for _, t in d.fields]
    known = [t for t in parameters if t is not None]
    sizes = declarations.sizes
    bound = {*sizes.shared, *(n for own in sizes.own.values() for n in own)}
    names = frozenset(symbols(result) - bound.union(*map(symbols, [*fields, *known])))
    return (None, OpenHint(result, names)) if names else (result, None)


@dataclass(slots=True)
class _Sizes:
    """What the names stand for, as far as the parts of a type that have been visited say it."""

    names: frozenset[str]
    found: dict[str, Dim] = field(default_factory=dict)

    def filled(self, hint: Type, given: Type) -> Type:
        """`hint` with the sizes of `given`."""
        match hint, given:
            case TensorType(), TensorType() if len(hint.dims) == len(given.dims):
                pairs = zip(hint.dims, given.dims, strict=True)
                dims = tuple(self.size(h, g) for h, g in pairs)
                if isinstance(given, StackType):
                    return replace(given, dims=dims)
                return RowsType(dims) if ANY in dims else TensorType(dims)
            case OptionalType(items=(there, item)), _ if not isinstance(given, OptionalType):
                return replace(hint, items=(there, self.filled(item, given)))
            case ListType(), ListType():
                return replace(hint, item=self.filled(hint.item, given.item))
            case ListType(), TupleType(items) if len(set(items)) == 1:
                return replace(hint, item=self.filled(hint.item, items[0]))
            case TupleType(), TupleType() if len(hint.items) == len(given.items):
                parts = zip(hint.items, given.items, strict=True)
                return replace(hint, items=tuple(self.filled(h, g) for h, g in parts))
        return hint

    def size(self, dim: Dim, given: Dim) -> Dim:
        """The size for `dim`, which is `given`; one that only the instance knows is any."""
        if not self.names & set(dim.symbols):
            return dim
        if given == ANY:
            return given
        left = dim.replace(self.found)
        unknown = sorted(self.names & set(left.symbols))
        if not unknown and left != given:
            raise TwoSizesError(f"{dim} is {left} in one place and {given} in another")
        if len(unknown) == 1 and left.is_linear(unknown[0]):
            value = left.solve(unknown[0], given)
            if value is None:
                raise TwoSizesError(f"no size {unknown[0]} makes {left} equal {given}")
            self.found[unknown[0]] = value
        return given
