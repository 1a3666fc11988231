"""The types of a program's instances, results and data as C++ tables (graph/records.h)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.typed import DataDef
from ..ir.types import (
    INT,
    BoolType,
    DataRef,
    FloatType,
    IntType,
    ListType,
    NothingType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    leaf_types,
)
from ..layout import Layout
from ..limits import MAX_RANK
from .literals import string
from .writer import Writer


def type_tables(write: Writer, layout: Layout) -> None:
    """Data types by tag, the entry's parameters and results, and how results are put together."""
    module = layout.module
    types = _FieldTypes(module.datas)
    tables: list[str] = []
    for d in layout.datas:
        fields = [types.text(t) for _, t in d.fields] or [types.text(INT)]
        tables.append(f"static const FieldType fields_{d.tag}[] = {{{', '.join(fields)}}};")
    parameters = [types.text(t) for t in module.instance]
    results = [types.text(t) for t in module.functions[module.entry].results]
    for text, number in types.items.items():
        write(f"static const FieldType item_{number} = {text};")
    for line in tables:
        write(line)
    entries = [f"{{{string(d.name)}, {len(d.fields)}, fields_{d.tag}}}" for d in layout.datas]
    write(f"const DataType kDataType[] = {{{', '.join(entries) or '{nullptr, 0, nullptr}'}}};")
    write(f"const int kDataTypes = {len(layout.datas)};")
    write(f"const FieldType kParameter[] = {{{', '.join(parameters)}}};")
    write(f"const int kParameters = {len(parameters)};")
    write(f"const FieldType kResult[] = {{{', '.join(results)}}};")
    write(f"const int kResults = {len(results)};")
    write(f"const char kResultShape[] = {string(_shape(module.result))};")


class _FieldTypes:
    """Initialisers of `FieldType`. Types of list items are variables, `items` by their text."""

    def __init__(self, datas: Mapping[str, DataDef]) -> None:
        self.datas = datas
        self.items: dict[str, int] = {}

    def text(self, t: Type) -> str:
        """The initialiser for a value of type `t`."""
        match t:
            case IntType():
                return _field_type("i")
            case FloatType():
                return _field_type("f")
            case BoolType():
                return _field_type("b")
            case TensorType(dims):
                return _field_type("t", [d.known or 0 for d in dims])
            case DataRef(name):
                return _field_type("d", members=1 << self.datas[name].tag)
            case UnionType(members):
                return _field_type("d", members=sum(1 << self.datas[m].tag for m in members))
            case ListType(item):
                text = self.text(INT if isinstance(item, NothingType) else item)
                number = self.items.setdefault(text, len(self.items))
                return _field_type("l", item=f"&item_{number}")
            case _:
                raise AssertionError(f"{t} is no field type")


def _field_type(
    kind: str, dims: Sequence[int] = (), members: int = 0, item: str = "nullptr"
) -> str:
    assert len(dims) <= MAX_RANK
    sizes = ", ".join(map(str, [*dims, *(0 for _ in range(MAX_RANK))][:MAX_RANK]))
    return f"{{'{kind}', {len(dims)}, {{{sizes}}}, {members}ull, {item}}}"


def _shape(t: Type) -> str:
    """A result's, as `python/results.h` reads it."""
    if isinstance(t, TupleType):
        return "(" + "".join(_shape(i) for i in t.items) + ")"
    if isinstance(t, ListType) and leaf_types(t) != (t,):
        return "[" + _shape(t.item)
    return "x"
