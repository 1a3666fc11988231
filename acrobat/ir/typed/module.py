"""Functions, data types and weights: a whole program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..host_functions import Lookup
from ..span import NOWHERE, Span
from ..types import TupleType, Type
from .atoms import Var
from .right_hand_sides import FoldedWeight
from .statements import Region


@dataclass(frozen=True, slots=True)
class Function:
    """`results` has one type, possibly a tuple, before `flatten_tuples`, and then one per returned
    value. `body` ends every path in a Return. `is_helper`: the source has no `@ab.model`, so that
    plain Python does not notice a call of it."""

    name: str
    params: tuple[Var, ...]
    results: tuple[Type, ...]
    body: Region
    span: Span = NOWHERE
    is_helper: bool = False


RAW_VALUE = "value"


@dataclass(frozen=True, slots=True)
class DataDef:
    """An `@ab.data` class: `tag` is its number within the module, `cls` the Python class. If
    `flatten_tuples` has split a field into several (`span` into `span.0` and `span.1`), `declared`
    are the fields that the class has.

    `raw`: in Python such a value is an object of a class that is not the author's, say a string or
    a tuple, which a union tells apart from others. Its only field, RAW_VALUE, is that object."""

    name: str
    tag: int
    fields: tuple[tuple[str, Type], ...]
    cls: type
    declared: tuple[tuple[str, Type], ...] | None = None
    raw: bool = False

    @property
    def given(self) -> tuple[tuple[str, Type], ...]:
        """The fields of the Python class."""
        return self.fields if self.declared is None else self.declared

    @property
    def length(self) -> int | None:
        """The length of a raw tuple, by which it is told apart from others; None of anything
        else."""
        if not self.raw or self.cls is not tuple or not self.given:
            return None
        (_, t), *_ = self.given
        return len(t.items) if isinstance(t, TupleType) else None


@dataclass(frozen=True, slots=True)
class ParamsDef:
    """An `@ab.params` class; fields are tensors or nested params."""

    name: str
    fields: tuple[tuple[str, Type], ...]
    cls: type


@dataclass(frozen=True, slots=True)
class Module:
    """`entry` is the model given to `ab.compile`: its first parameter is the params object, the
    others make up one instance. `result` is its declared result type, tuples kept, from which
    results are rebuilt. `folded` are the weights that the compiler makes, by path; after
    `specialise` a `Weight` may name one of them. `texts` are the strings that the model mentions,
    by their numbers; `lookups` the large dicts, sets and lists of the author's module that it looks
    keys up in. `arguments` are the declared types of what an instance consists of, set once
    `flatten_tuples` has split the entry's parameters. `with_matrices` is `result` with the matrices
    whose number of rows only the instance knows, which are lists after the front end; None if there
    are none."""

    datas: Mapping[str, DataDef]
    params: Mapping[str, ParamsDef]
    functions: Mapping[str, Function]
    entry: str
    result: Type
    folded: Mapping[str, FoldedWeight] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    lookups: tuple[Lookup, ...] = ()
    arguments: tuple[Type, ...] = ()
    with_matrices: Type | None = None
