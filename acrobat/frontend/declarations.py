"""Data types, params and signatures: from Python objects to IR types."""

from __future__ import annotations

import enum
import typing
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..ir.dims import Dim
from ..ir.names import Names
from ..ir.type_maps import member_type, substitute
from ..ir.type_queries import has_nothing, symbols
from ..ir.typed import DataDef, ParamsDef
from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    NOTHING,
    TEXT,
    DataRef,
    IntArrayType,
    ListType,
    MemberType,
    NamedTupleType,
    ParamsRef,
    RecordType,
    TupleType,
    Type,
)
from ..lang.data import is_data
from ..lang.hints import Recursive, is_union
from ..lang.made_weights import is_made, stand_ins
from ..lang.params import Sizes, has_numbers, is_params, solve_sizes
from ..lang.tensor import Tensor, TensorHint
from .assumptions import Assumptions
from .bad_hint import OR_EXAMPLES, BadHint
from .class_families import family
from .class_fields import check_is_tuple, is_named_tuple, part_hints, read_fields
from .collection_hints import collection_type
from .diagnostics import Reporter
from .literal_hint import enumeration_class, literal_type
from .met_fields import IntArray, MetFields, NotMet
from .no_type import no_type
from .object_numbers import is_number_class
from .plain_classes import compares_fields, order_of
from .plain_data import check_data, is_plain_dataclass
from .shapes_of_hints import tensor_type
from .unions import Unions
from .weight_structure import Variant, read_variants

_SCALARS: dict[object, Type] = {
    int: INT,
    float: FLOAT,
    bool: BOOL,
    str: TEXT,
    NotMet: NOTHING,
    IntArray: IntArrayType(INT),
}


class Declarations:
    """Collects the data types and params that a model reaches, each once, under a unique name."""

    def __init__(
        self,
        reporter: Reporter,
        params: Any,
        assumptions: Assumptions,
    ) -> None:
        """`params`: the weights that the model is compiled with, if they are known."""
        found = assumptions.found
        self.floats_open = assumptions.floats_open
        self.varying = assumptions.varying
        self.reporter = reporter
        self.sizes = Sizes({}, {}) if params is None else solve_sizes(params)
        if found:
            self.sizes = replace(self.sizes, shared={**found, **self.sizes.shared})
        # Dimensions are compared by number where names mean several sizes, where there are ints
        # among the weights, which are usually sizes, and where nobody has named them.
        counts = params is not None and (
            has_numbers(params) or found is not None or is_made(params)
        )
        self.by_number = counts or any(self.sizes.own.values())
        self.numbers = self.sizes.shared if self.by_number else {}
        self.variants: dict[str, Variant] = {}
        self.datas: dict[str, DataDef] = {}
        self.params: dict[str, ParamsDef] = {}
        self.names: dict[type, str] = {}
        self._free = Names((NONE.name,))
        self.unions = Unions(self)
        if params is not None:
            bind = counts or bool(self.sizes.own)
            read_variants(params, self.sizes, bind, self._variant_name, self.variants)
            self.params |= {name: v.definition for name, v in self.variants.items()}
        self._plain = stand_ins(v.definition.cls for v in self.variants.values())
        # The dimension names in the type of this name, computed on demand (`own_dimensions`).
        self.symbols: dict[str, frozenset[str]] = {}
        # Classes without @ab.data that the model makes values of.
        self.records: dict[str, type] = {}
        self.enumerations: set[type[enum.Enum]] = set()  # of ints and strings
        # Classes that cannot be used, and why: every hint that mentions one is an error.
        self.unusable: dict[type, BadHint] = {}
        # Plain dataclasses that are data types; and whether one that a hint mentions becomes one,
        # as those in the hints of the entry do.
        self.told = dict(assumptions.told)
        self.adopted = {*assumptions.adopted, *(c for c in self.told if not issubclass(c, tuple))}
        self.met = MetFields()
        self.adopts = False
        self._inside = 0  # how many classes the fields are being read of
        self.unknown: set[type] = set()  # plain dataclasses that hints mention, and are none

    def is_data(self, found: Any) -> bool:
        """Whether `found` is a class of data: with `@ab.data`, or a plain dataclass that is one
        here."""
        return is_data(found) or (isinstance(found, type) and found in self.adopted)

    @property
    def of_program(self) -> bool:
        """Whether a hint is of values that only the program makes: not of the entry function, nor
        of a field, which may be one of an object in an instance."""
        return not self.adopts and not self._inside

    def adopt(self, hint: Any) -> bool:
        """Make a plain dataclass a data type where hints may; BadHint if it cannot be one."""
        if not self.is_data(hint) and is_plain_dataclass(hint):
            if not self.adopts:
                self.unknown.add(hint)
                return False
            check_data(hint)
            self.adopted.add(hint)
        return self.is_data(hint)

    def type_of(self, hint: Any) -> Type:
        """The type that `hint` stands for; BadHint if there is none."""
        hint = self._plain.get(hint, hint) if isinstance(hint, type) else hint
        if isinstance(hint, TensorHint):
            return tensor_type(hint, self.numbers, self.varying)
        if isinstance(hint, Recursive):
            return self.unions.recursive(hint)
        if isinstance(hint, type) and hint in _SCALARS:
            return _SCALARS[hint]
        if is_number_class(hint):
            return self.record(hint, (INT,), tuple(hint.__annotations__))
        if is_named_tuple(hint):
            return self._named_tuple(hint)
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            scalar = _SCALARS.get(enumeration_class(hint))
            if scalar is not None:
                self.enumerations.add(hint)
                return member_type(scalar)
            return MemberType(self.names.get(hint) or self._unique(hint), hint)
        if typing.get_origin(hint) is typing.Literal:
            return _SCALARS[literal_type(typing.get_args(hint))]
        if self.adopt(hint):
            return DataRef(self._data(hint))
        if is_params(hint):
            return ParamsRef(self._params(hint))
        origin = typing.get_origin(hint)
        if origin is tuple:
            items = typing.get_args(hint)
            if len(items) == 2 and items[1] is Ellipsis:
                return ListType(self.type_of(items[0]), frozen=True)
            if not items or Ellipsis in items:
                raise BadHint(
                    "a tuple has a fixed number of parts, or any number of one type",
                    "`tuple[int, float]`, `tuple[int, ...]`",
                )
            return TupleType(tuple(self.type_of(i) for i in items))
        collection = collection_type(hint, self.type_of)
        if collection is not None:
            return collection
        if is_union(hint):
            return self.unions.union(typing.get_args(hint))
        if family(hint):
            return self.unions.union((hint,))
        if hint is Tensor:
            raise BadHint(
                "Tensor without a shape", f"the shape, `Float32[Tensor, 'H']`, {OR_EXAMPLES}"
            )
        raise no_type(hint)

    def _named_tuple(self, cls: type) -> Type:
        """A NamedTuple: a tuple whose parts have names."""
        check_is_tuple(cls)
        hints = dict(self.told[cls]) if cls in self.told else part_hints(cls)
        if cls in self.unusable:
            raise self.unusable[cls]
        self.unusable[cls] = BadHint(
            f"{cls.__name__} contains itself", "an @ab.data class, which may refer to itself"
        )
        try:
            items = tuple(self.type_of(h) for h in hints.values())
        finally:
            del self.unusable[cls]
        return NamedTupleType(items, cls.__name__, tuple(hints), order=order_of(cls), cls=cls)

    def record(self, cls: type, items: tuple[Type, ...], fields: tuple[str, ...]) -> NamedTupleType:
        """The type of the objects that the model makes of a class without `@ab.data`."""
        if cls not in self.names:
            self.records[self._unique(cls)] = cls
        self.met.note(cls, fields, items)
        name = self.names[cls]
        if issubclass(cls, tuple):
            return NamedTupleType(items, name, fields, order=order_of(cls), cls=cls)
        return RecordType(items, name, fields, compares_fields(cls), order=order_of(cls), cls=cls)

    def lacks_types(self) -> bool:
        """Whether a field of a data type is a list into which nothing is put."""
        return any(has_nothing(t) for d in self.datas.values() for _, t in d.fields)

    def numbered(self, t: Type | None, lookup: Callable[[str], Any]) -> Type | None:
        """`t`, in which a dimension whose name no weight has becomes the int that `lookup` finds
        under this name, if there is one."""
        if t is None or not self.variants:
            return t
        bound = {*self.sizes.shared, *(n for own in self.sizes.own.values() for n in own)}
        found: dict[str, Dim] = {}
        for symbol in symbols(t) - bound:
            number = lookup(symbol)
            if isinstance(number, int) and not isinstance(number, bool) and number > 0:
                found[symbol] = Dim.of(number)
        return substitute(t, found) if found else t

    def none(self) -> DataRef:
        """The type of None, a data class without fields."""
        if type(None) not in self.names:
            self.names[type(None)] = "None"
            self.datas["None"] = DataDef("None", len(self.datas), (), type(None))
        return NONE

    def _variant_name(self, cls: type) -> str:
        name = self._free.free(cls.__name__)
        self.names.setdefault(cls, name)
        return name

    def _unique(self, cls: type) -> str:
        self.names[cls] = self._free.free(cls.__name__)
        return self.names[cls]

    def _data(self, cls: type) -> str:
        name, new = self.reserve(cls)
        if new:
            self.read_data(name)
        return name

    def reserve(self, cls: type) -> tuple[str, bool]:
        """The name of a data type, and whether it is new: its fields, which may be of this type
        again, are then still to be read, by `read_data`."""
        if cls in self.unusable:
            raise self.unusable[cls]
        new = cls not in self.names
        if new:
            self.names[cls] = self.new_data(cls)
        return self.names[cls], new

    def new_data(self, cls: type, *, raw: str = "") -> str:
        """The name of a new data type without fields; `raw`: what a raw one is to be called."""
        name = self._free.free(raw or cls.__name__)
        self.datas[name] = DataDef(name, len(self.datas), (), cls, raw=bool(raw))
        return name

    def read_data(self, name: str) -> None:
        """Find the fields of a data type."""
        data = self.datas[name]
        self.datas[name] = replace(data, fields=self._fields(data.cls))

    def _params(self, cls: type) -> str:
        if cls in self.unusable:
            raise self.unusable[cls]
        if cls in self.names:
            if self.names[cls] not in self.params:
                raise BadHint(f"{cls.__name__} contains itself", "weights of another class")
            return self.names[cls]
        name = self._unique(cls)
        self.params[name] = ParamsDef(name, self._fields(cls), cls)
        return name

    def _fields(self, cls: type) -> tuple[tuple[str, Type], ...]:
        """The fields of `cls`; BadHint for one that it cannot have."""
        self._inside += 1
        try:
            if cls in self.told:
                told = tuple(
                    (name, self.none() if hint is type(None) else self.type_of(hint))
                    for name, hint in self.told[cls]
                )
                self.met.note(cls, tuple(n for n, _ in told), tuple(t for _, t in told))
                return told
            return read_fields(cls, self.type_of, self.numbered)
        except BadHint as error:
            self.unusable[cls] = error
            raise
        finally:
            self._inside -= 1
