"""The types of a program's instances, results and data as C++ tables (graph/records.h)."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.host_functions import HOST_FUNCTIONS
from ..ir.type_queries import ClassAndNames, class_and_names, has_arrays, leaf_types
from ..ir.typed import DataDef
from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    TEXT,
    BoolType,
    DataRef,
    DictType,
    FloatType,
    IntType,
    KeyedType,
    ListType,
    MemberType,
    NothingType,
    OptionalType,
    QueueType,
    SetType,
    TensorType,
    TextType,
    TupleType,
    Type,
    UnionType,
)
from ..layout import Layout
from ..limits import MAX_RANK
from .literals import string
from .writer import Writer

# Of what a function that is left to Python takes and returns.
_KINDS = {INT: "i", FLOAT: "f", BOOL: "b", TEXT: "s"}


def type_tables(write: Writer, layout: Layout) -> None:
    """Write data types by tag, the entry's parameters and results, and how results are built."""
    module = layout.module
    types = _FieldTypes(layout)
    shapes = _Shapes(layout)
    tables: list[str] = []
    for d in layout.datas:
        fields = [types.text(t) for _, t in d.fields] or [types.text(INT)]
        tables.append(_table(f"fields_{d.tag}", fields))
        if _has_sources(d):
            tables.append(_table(f"sources_{d.tag}", types.sources([t for _, t in d.given])))
    parameters = types.sources(module.arguments)
    parts = [i for i, t in enumerate(module.arguments) for _ in leaf_types(t)]
    results = [types.text(t) for t in module.functions[module.entry].results]
    for text, number in types.items.items():
        write(f"static const FieldType item_{number} = {text};")
    for line in tables:
        write(line)
    entries = [_data_type(d, shapes) for d in layout.datas]
    write(f"const DataType kDataType[] = {{{', '.join(entries) or '{}'}}};")
    write(f"const int kDataTypes = {len(layout.datas)};")
    write(f"const FieldType kParameter[] = {{{', '.join(parameters)}}};")
    write(f"const int kParameters = {len(parameters)};")
    write(f"const int kParameterOf[] = {{{', '.join(map(str, parts))}}};")
    write(f"const int kArguments = {len(module.arguments)};")
    write(f"const FieldType kResult[] = {{{', '.join(results)}}};")
    write(f"const int kResults = {len(results)};")
    write(f"const char kResultShape[] = {string(shapes.text(module.result))};")
    # A string's size says where it ends, since it may contain a zero.
    texts = [f"{{{string(t)}, {len(_utf8(t))}}}" for t in module.texts]
    write(f"const Text kText[] = {{{', '.join(texts) or '{}'}}};")
    write(f"const int kTexts = {len(texts)};")
    write(f"const bool kHasTexts = {'true' if _has_texts(layout) else 'false'};")
    kinds = [_host_function(name) for name in layout.host_functions]
    write(f"const HostFunction kHostFunction[] = {{{', '.join(kinds) or '{}'}}};")
    write(f"const int kHostFunctions = {len(kinds)};")


def _host_function(name: str) -> str:
    function = HOST_FUNCTIONS[name]
    args, result = "".join(_KINDS[t] for t in function.args), _KINDS[function.result]
    return f"{{{string(args)}, '{result}'}}"


def _table(name: str, fields: Sequence[str]) -> str:
    return f"static const FieldType {name}[] = {{{', '.join(fields)}}};"


def _data_type(d: DataDef, shapes: _Shapes) -> str:
    fields, sources, shape = f"fields_{d.tag}", f"fields_{d.tag}", "nullptr"
    if _has_sources(d):
        sources = f"sources_{d.tag}"
    if d.declared is not None:
        shape = string("".join(shapes.text(t) for _, t in d.declared))
    return f"{{{string(d.name)}, {len(d.fields)}, {fields}, {sources}, {len(d.given)}, {shape}}}"


def _has_sources(d: DataDef) -> bool:
    """Whether the fields of a data type are not what Python's objects have."""
    return d.declared is not None or any(has_arrays(t) for _, t in d.fields)


def _has_texts(layout: Layout) -> bool:
    """Whether there are strings besides those that the model mentions."""
    if any(HOST_FUNCTIONS[f].result == TEXT for f in layout.host_functions):
        return True
    module = layout.module
    work = [*module.instance, *module.functions[module.entry].results]
    work += [t for d in layout.datas for _, t in d.fields]
    while work:
        t = work.pop()
        if t == TEXT:
            return True
        if isinstance(t, ListType):
            work.append(t.item)
    return False


def _utf8(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


class _FieldTypes:
    """Initialisers of `FieldType`. Types that others refer to become variables; `items` maps their
    text to their numbers."""

    def __init__(self, layout: Layout) -> None:
        self.datas, self.enumerations = layout.module.datas, layout.enumerations
        self.classes = _classes(layout)
        self.items: dict[str, int] = {}

    def text(self, t: Type, given: bool = False) -> str:
        """The initialiser for a value of type `t`; `given`: as an instance has it, where lists may
        be arrays."""
        match t:
            case IntType():
                return _field_type("i")
            case FloatType():
                return _field_type("f")
            case BoolType():
                return _field_type("b")
            case TextType():
                return _field_type("s")
            case MemberType():
                return _field_type("e", [len(self.datas) + self.enumerations.index(t)])
            case TensorType(dims):
                return _field_type("t", [d.known or 0 for d in dims])
            case DataRef(name):
                return _field_type("d", members=1 << self.datas[name].tag)
            case UnionType(members):
                return _field_type("d", members=sum(1 << self.datas[m].tag for m in members))
            case ListType(item):
                text = self.text(INT if isinstance(item, NothingType) else item, given)
                if given and t.along is not None:
                    return _field_type("m", [t.along], item=self.variable(text))
                return _field_type("l", [1] if t.frozen else (), item=self.variable(text))
            case _:
                raise AssertionError(f"{t} is no field type")

    def sources(self, types: Sequence[Type]) -> list[str]:
        """The initialisers for the leaves of `types`: for each leaf, what a Python object of the
        whole type must be, and how to get the leaf from it."""
        return [s for t in types for s in self._sources(t)]

    def _sources(self, t: Type) -> list[str]:
        match t:
            case OptionalType():
                value = [_field_type("!", item=self.variable(s)) for s in self._sources(t.item)]
                return [_field_type("?"), *value]
            case DictType(items=(keys, values)):
                parts = (("<", keys), (">", values))
                of_set = [int(isinstance(t, SetType))]
                return [
                    _field_type(kind, of_set, item=self.variable(s))
                    for kind, part in parts
                    for s in self._sources(part)
                ]
            case KeyedType(items):
                number = self.classes[dict, t.keys]
                return [
                    _field_type("#", (number, i), item=self.variable(s))
                    for i, item in enumerate(items)
                    for s in self._sources(item)
                ]
            case TupleType(items):
                return [
                    _field_type("(", (i, len(items)), item=self.variable(s))
                    for i, item in enumerate(items)
                    for s in self._sources(item)
                ]
            case ListType(item) if leaf_types(t) != (t,):
                return [_field_type("l", item=self.variable(s)) for s in self._sources(item)]
        return [self.text(t, given=True)]

    def variable(self, text: str) -> str:
        """The address of a variable with this initialiser."""
        return f"&item_{self.items.setdefault(text, len(self.items))}"


def _classes(layout: Layout) -> dict[ClassAndNames, int]:
    """The numbers of classes whose objects are tuples, and of dicts with known keys."""
    first = len(layout.datas) + len(layout.enumerations)
    return {c: first + i for i, c in enumerate(layout.tuple_classes)}


def _field_type(
    kind: str, dims: Sequence[int] = (), members: int = 0, item: str = "nullptr"
) -> str:
    assert len(dims) <= MAX_RANK
    sizes = ", ".join(map(str, [*dims, *(0 for _ in range(MAX_RANK))][:MAX_RANK]))
    return f"{{'{kind}', {len(dims)}, {{{sizes}}}, {members}ull, {item}}}"


class _Shapes:
    """The shapes of results, in the form that `python/results.h` reads."""

    def __init__(self, layout: Layout) -> None:
        self.classes = _classes(layout)

    def text(self, t: Type) -> str:
        """The shape of a value of type `t`."""
        if isinstance(t, OptionalType):
            return f"<x{self.text(t.item)}>"
        if isinstance(t, DictType):
            kind = "q" if isinstance(t, QueueType) else ""
            if isinstance(t, SetType):
                kind = "f" if t.frozen else "s"
            return "{" + kind + "".join(map(self.text, t.items)) + "}"
        if isinstance(t, TupleType):
            parts = "(" + "".join(map(self.text, t.items)) + ")"
            made_of = class_and_names(t)
            return parts if made_of is None else f"@{self.classes[made_of]}{parts}"
        if isinstance(t, ListType) and leaf_types(t) != (t,):
            return ("T" if t.frozen else "[") + self.text(t.item)
        return "x"
