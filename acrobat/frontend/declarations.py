"""Data types, params and signatures: from Python objects to IR types."""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Callable
from typing import Any

from ..ir.names import Names
from ..ir.span import Span
from ..ir.typed import DataDef, ParamsDef
from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    DataRef,
    ListType,
    ParamsRef,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from ..lang.data import is_data
from ..lang.hints import UnreadableHint, resolve_class_hints, said
from ..lang.params import is_params
from ..lang.tensor import Tensor, TensorHint
from ..limits import MAX_RANK
from .diagnostics import Reporter

_SCALARS: dict[object, Type] = {int: INT, float: FLOAT, bool: BOOL}
_FIELDS = "int, float, bool, Tensor[...], @ab.data classes, unions and lists of them"
_PLANNED: dict[object, str] = {
    dict: "an @ab.data class with one field per key",
    str: "an int id instead of text",
    set: "a list: `list[int]`",
}


class BadHint(Exception):
    """A hint that is no type of the language; carries message and hint for the diagnostic."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Declarations:
    """Collects the data types and params that a model reaches, each once, under a unique name."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter
        self.datas: dict[str, DataDef] = {}
        self.params: dict[str, ParamsDef] = {}
        self.names: dict[type, str] = {}
        self._free = Names((NONE.name,))
        # Classes that cannot be used, and why: every hint that mentions one says so.
        self.unusable: dict[type, BadHint] = {}

    def type_of(self, hint: Any) -> Type:
        """The type that `hint` stands for; BadHint if it is none."""
        if isinstance(hint, TensorHint):
            if len(hint.dims) > MAX_RANK:
                raise BadHint(
                    f"{hint} has rank {len(hint.dims)}, and rank {MAX_RANK} is the most: a table "
                    f"of matrices",
                    "a tensor of fewer axes, or a list of tensors",
                )
            return TensorType(hint.dims)
        if hint in _SCALARS if isinstance(hint, type) else False:
            return _SCALARS[hint]
        if is_data(hint):
            return DataRef(self._data(hint))
        if is_params(hint):
            return ParamsRef(self._params(hint))
        origin = typing.get_origin(hint)
        if origin is tuple:
            items = typing.get_args(hint)
            if not items or Ellipsis in items:
                raise BadHint(
                    "a tuple has a fixed number of parts", "name each: `tuple[int, float]`"
                )
            return TupleType(tuple(self.type_of(i) for i in items))
        if origin is list:
            (item,) = typing.get_args(hint)
            t = self.type_of(item)
            if isinstance(t, ParamsRef):
                raise BadHint(f"a list of weights ({_text(item)})", "a params class of its own")
            return ListType(t)
        if hint is list:
            raise BadHint("a list without the type of its items", "`list[int]` and the like")
        if origin in (types.UnionType, typing.Union):
            return self._union(typing.get_args(hint))
        if hint is Tensor:
            raise BadHint("Tensor without a shape", "write the shape: `Float32[Tensor, 'H']`")
        base = origin or hint
        if isinstance(base, type) and base in _PLANNED:
            raise BadHint(f"{_text(hint)} is not supported yet", f"use {_PLANNED[base]}")
        raise BadHint(
            f"{_text(hint)} is no type of the model language",
            f"use {_FIELDS}, tuple[...], or the @ab.params class",
        )

    def _union(self, members: tuple[Any, ...]) -> Type:
        names: list[str] = []
        for m in members:
            if m is type(None):
                names.append(self.none().name)
                continue
            if not is_data(m):
                if type(None) in members:
                    raise BadHint(
                        f"Optional of {_text(m)}, which is no @ab.data class",
                        "an @ab.data class with this one field, and None for the missing case",
                    )
                raise BadHint(
                    f"a union is of @ab.data classes, and {_text(m)} is none",
                    f"decorate it: `@ab.data class {_text(m)}`" if isinstance(m, type) else "",
                )
            names.append(self._data(m))
        return UnionType(tuple(dict.fromkeys(names)))

    def none(self) -> DataRef:
        """The type of None, a data class without fields."""
        if type(None) not in self.names:
            self.names[type(None)] = "None"
            self.datas["None"] = DataDef("None", len(self.datas), (), type(None))
        return NONE

    def _unique(self, cls: type) -> str:
        self.names[cls] = self._free.free(cls.__name__)
        return self.names[cls]

    def _data(self, cls: type) -> str:
        if cls in self.unusable:
            raise self.unusable[cls]
        if cls in self.names:
            return self.names[cls]
        name = self._unique(cls)
        tag = len(self.datas)
        self.datas[name] = DataDef(name, tag, (), cls)  # known before its fields: recursion
        fields = self._fields(cls, refused=(TupleType, ParamsRef))
        self.datas[name] = DataDef(name, tag, fields, cls)
        return name

    def _params(self, cls: type) -> str:
        if cls in self.unusable:
            raise self.unusable[cls]
        if cls in self.names:
            if self.names[cls] not in self.params:
                raise BadHint(f"{cls.__name__} contains itself", "weights of another class")
            return self.names[cls]
        name = self._unique(cls)
        fields = self._fields(cls, refused=())
        self.params[name] = ParamsDef(name, fields, cls)
        return name

    def _fields(self, cls: type, refused: tuple[type, ...]) -> tuple[tuple[str, Type], ...]:
        """The fields of `cls`; BadHint for one whose type is of a `refused` kind."""
        try:
            return self._read_fields(cls, refused)
        except BadHint as error:
            self.unusable[cls] = error
            raise

    def _read_fields(self, cls: type, refused: tuple[type, ...]) -> tuple[tuple[str, Type], ...]:
        try:
            hints = resolve_class_hints(cls)
        except UnreadableHint as error:
            raise BadHint(str(error), f"a field is one of {_FIELDS}") from error
        fields: list[tuple[str, Type]] = []
        for name, hint in hints.items():
            try:
                t = self.type_of(hint)
            except BadHint as error:
                raise BadHint(f"{cls.__name__}.{name}: {error}", error.hint) from error
            if is_params(cls) and not isinstance(t, (TensorType, ParamsRef)):
                listed = isinstance(t, ListType)
                raise BadHint(
                    f"{cls.__name__}.{name}: weights cannot be "
                    + ("in a list" if listed else f"a {_text(hint)}"),
                    "a field for each, or one tensor with an axis more"
                    if listed
                    else "`Float32[Tensor, ...]`, or another @ab.params class",
                )
            if isinstance(t, ListType) and has_tuple(t):
                raise BadHint(
                    f"{cls.__name__}.{name}: a field of an @ab.data class cannot be a list of "
                    f"tuples",
                    "a list of an @ab.data class, or a list for each part",
                )
            if isinstance(t, refused):
                raise BadHint(
                    f"{cls.__name__}.{name}: a field of an @ab.data class cannot be a "
                    f"{_text(hint)}",
                    f"a field is one of {_FIELDS}",
                )
            fields.append((name, t))
        return tuple(fields)


def has_tuple(t: Type) -> bool:
    """Whether there is a tuple in `t`."""
    return isinstance(t, TupleType) or (isinstance(t, ListType) and has_tuple(t.item))


def _text(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and not typing.get_origin(hint) else str(hint)


def read_hint(
    what: str,
    evaluate: Callable[[], Any],
    declarations: Declarations,
    span: Span,
) -> Type | None:
    """The type of one hint, or None with the error reported."""
    try:
        return declarations.type_of(evaluate())
    except BadHint as error:
        declarations.reporter.error("AC004", span, f"{what}: {error}", error.hint)
    except NameError as error:
        declarations.reporter.error(
            "AC011", span, f"{what}: {error}", "define or import it where the model can see it"
        )
    except Exception as error:  # whatever the author's expression raises
        declarations.reporter.error("AC004", span, f"{what}: {said(error)}", f"use {_FIELDS}")
    return None


def suggest(name: str, known: typing.Iterable[str]) -> str:
    """ "did you mean ...?" for the nearest known name, or an empty string."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean `{near[0]}`?" if near else ""
