"""Dimension names are local to a function: a call binds them to the sizes of its arguments.

A function that is called with other sizes than its names have elsewhere (`x @ w` for several
layers, a list of weights, weights objects one of which lacks what another has) is lowered for each
set of sizes. Names that occur in its data types, or in the weights that it gets, keep the meaning
that they have there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..ir.dims import Dim
from ..ir.type_maps import substitute
from ..ir.type_queries import run_time_value, symbols
from ..ir.types import (
    NONE,
    DataRef,
    ListType,
    OptionalType,
    ParamsRef,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from .declarations import Declarations
from .signatures import ModuleBuilder, Signature

# For how many sets of sizes one function may be lowered.
MOST_INSTANCES = 64


class TooManySizesError(Exception):
    """A function is called at more than `MOST_INSTANCES` sets of sizes."""


def at_sizes(
    builder: ModuleBuilder, signature: Signature, given: Sequence[Type], known: Sequence[bool]
) -> Signature:
    """The signature of the function as called with arguments of these types: `signature` itself if
    its names mean the same there as everywhere, or if the arguments do not fit. `known`: for which
    arguments it is known, when the model is compiled, whether they are missing. TooManySizesError
    if it has been lowered for too many sets of sizes."""
    if any(p.type is None or p.function for p in signature.parameters):
        return signature
    declared = [p.type for p in signature.parameters if p.type is not None]
    hints = [
        NONE if k and t == NONE else h.items[1] if k and isinstance(h, OptionalType) else h
        for h, t, k in zip(declared, given, known, strict=True)
    ]
    matching = _Matching(builder)
    for hint, t in zip(hints, given, strict=True):
        matching.fix(hint, t)
    while matching.changed:
        matching.changed = False
        for hint, t in zip(hints, given, strict=True):
            matching.match(hint, t)
    types = tuple(matching.final(h, t) for h, t in zip(hints, given, strict=True))
    if types == tuple(declared):
        return signature
    key = ("sizes", id(signature.model), types)
    instance = builder.instances.get(key)
    if instance is None:
        count = sum(k[:2] == key[:2] for k in builder.instances if isinstance(k, tuple))
        if count >= MOST_INSTANCES:
            raise TooManySizesError
        instance = _instance(builder, signature, types, matching.dims)
        builder.instances[key] = instance
    return instance


def _instance(
    builder: ModuleBuilder, signature: Signature, types: Sequence[Type], dims: dict[str, Dim]
) -> Signature:
    pairs = zip(signature.parameters, types, strict=True)
    parameters = tuple(replace(p, type=t) for p, t in pairs)
    result = signature.result
    return replace(
        signature,
        name=builder.names.free(signature.model.function.__name__),
        params=tuple((p.name, p.type) for p in parameters),
        parameters=parameters,
        result=None if result is None else substitute(result, dims),
        dims=dims,
    )


def _symbols_in(declarations: Declarations, name: str) -> frozenset[str]:
    """The dimension names in a data type or in weights, and in what these contain."""
    if name not in declarations.symbols:
        found: set[str] = set()
        seen, work = {name}, [name]
        while work:
            inner = work.pop()
            definition = declarations.params.get(inner) or declarations.datas[inner]
            for _, t in definition.fields:
                found |= symbols(t)
                work += _types_in(t) - seen
                seen |= _types_in(t)
        declarations.symbols[name] = frozenset(found)
    return declarations.symbols[name]


def _types_in(t: Type) -> set[str]:
    """The data types and weights that `t` names."""
    match t:
        case DataRef(name) | ParamsRef(name):
            return {name}
        case UnionType(members):
            return set(members)
        case ListType(item):
            return _types_in(item)
        case TupleType(items):
            return set().union(*map(_types_in, items))
    return set()


@dataclass(slots=True)
class _Matching:
    """Matches hints with the types of arguments; `dims` is what the names in hints stand for."""

    builder: ModuleBuilder
    dims: dict[str, Dim] = field(default_factory=dict)
    changed: bool = True

    def fix(self, hint: Type, given: Type) -> None:
        """Fix the names that occur in data types and weights of `hint` or `given`."""
        declarations = self.builder.declarations
        work: list[Type] = [hint, given]
        while work:
            t = work.pop()
            match t:
                case ListType(item):
                    work.append(item)
                case TupleType(items):
                    work += items
                case ParamsRef(name):
                    variant = declarations.variants.get(name)
                    own = {} if variant is None or t is not given else variant.sizes
                    self.dims |= {n: Dim.of(size) for n, size in own.items()}
                    self.fixed(name)
                case DataRef(name):
                    self.fixed(name)
                case UnionType(members):
                    for name in members:
                        self.fixed(name)

    def fixed(self, name: str) -> None:
        """Fix the names in a data type or in weights, and in what these contain."""
        for symbol in _symbols_in(self.builder.declarations, name):
            self.dims.setdefault(symbol, Dim(((symbol, 1),), 0))

    def match(self, hint: Type, given: Type) -> None:
        """Bind the names of `hint` that follow from the sizes of `given`."""
        match hint, given:
            case TensorType(), TensorType() if len(hint.dims) == len(given.dims):
                for dim, size in zip(hint.dims, given.dims, strict=True):
                    self.bind(dim, size)
            case ListType(), ListType():
                self.match(hint.item, given.item)
            case OptionalType(), _ if not isinstance(given, OptionalType):
                self.match(hint.items[1], given)
            case ListType(), TupleType(items) if len(set(items)) == 1:
                self.match(hint.item, items[0])
            case TupleType(), TupleType() if len(hint.items) == len(given.items):
                for h, t in zip(hint.items, given.items, strict=True):
                    self.match(h, t)

    def bind(self, dim: Dim, size: Dim) -> None:
        open_ = [s for s in dim.symbols if s not in self.dims]
        left = dim.replace({s: d for s, d in self.dims.items() if s not in open_})
        if len(open_) != 1 or not left.is_linear(open_[0]):
            return
        value = left.solve(open_[0], size)
        if value is not None:
            self.dims[open_[0]] = value
            self.changed = True

    def fits(self, hint: Type, given: Type) -> bool:
        """Whether an item of a list of weights, by itself, fits the hint."""
        alone = _Matching(self.builder, dict(self.dims))
        alone.match(hint, given)
        return alone.final(hint, given) == given

    def final(self, hint: Type, given: Type) -> Type:
        """The type of a parameter in the function that is lowered for these arguments."""
        declarations = self.builder.declarations
        match hint, given:
            case ParamsRef(a), ParamsRef(b):
                same = declarations.params[a].cls is declarations.params[b].cls
                return given if same else hint
            case ListType(item), TupleType(items):
                return given if all(self.fits(item, t) for t in items) else hint
            case OptionalType(), _:
                return substitute(hint, self.dims)
            case TupleType(), TupleType() if len(hint.items) == len(given.items):
                pairs = zip(hint.items, given.items, strict=True)
                return replace(hint, items=tuple(self.final(h, t) for h, t in pairs))
            case TensorType(), _:
                return substitute(hint, self.dims)
            case ListType(), _ if run_time_value(hint):
                return substitute(hint, self.dims)
        return hint
