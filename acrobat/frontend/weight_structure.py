"""The structure of the weights that a model is compiled with: the lengths of lists, what is
missing, which sizes objects of one class have.

Objects of one class that differ in these have different types, each a *variant* of the class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..ir.typed import Const, ParamsDef
from ..ir.types import BOOL, FLOAT, INT, ParamsRef, TensorType, Type
from ..lang.hints import resolve_class_hints
from ..lang.params import Sizes, is_params
from ..lang.weight_groups import AsItIs, is_number, items_of, optional_of, values_of

_NUMBERS: Mapping[type, Type] = {int: INT, float: FLOAT, bool: BOOL}


@dataclass(frozen=True, slots=True)
class Known:
    """What is no weight, in weights for which a class has been made: a string, a function."""

    value: Any

    def __repr__(self) -> str:
        # Objects of a class that differ in one have different types.
        return repr(self.value) if isinstance(self.value, str) else f"<{id(self.value)}>"


# What a field is: a weight or nested params under the name of an IR field, a list or dict of these,
# or nothing, if it is missing; or a number or another constant.
Member = str | Const | Known | tuple["Member", ...] | Mapping[str, "Member"] | None


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of a params class: the IR's fields, what the author's fields are in terms of these,
    and which of them may be missing."""

    definition: ParamsDef
    members: Mapping[str, Member]
    optional: frozenset[str]
    sizes: Mapping[str, int]


def read_variants(
    values: Any,
    sizes: Sizes,
    bind: bool,
    unique: Callable[[type], str],
    known: dict[str, Variant],
) -> str:
    """The variant of `values`, by name; it and those of nested params are entered into `known`.
    `bind`: its types have sizes in place of dimension names. `unique` gives a class a new name."""
    return _Reader(sizes, bind, unique, known).read(values, "")


@dataclass(slots=True)
class _Reader:
    sizes: Sizes
    bind: bool
    unique: Callable[[type], str]
    known: dict[str, Variant]

    def read(self, values: Any, prefix: str) -> str:
        cls = type(values)
        own = dict(self.sizes.own.get(prefix[:-1], {}))
        fields: list[tuple[str, Type]] = []
        members: dict[str, Member] = {}
        optional: set[str] = set()
        for name, hint in resolve_class_hints(cls).items():
            if optional_of(hint) is not None:
                optional.add(name)
            members[name] = self.member(getattr(values, name), hint, name, prefix, fields)
        for name, variant in self.known.items():
            found = variant.definition
            same = (found.cls, found.fields) == (cls, tuple(fields))
            # As text: 0.0 and -0.0 are equal, and NaN is not equal to itself.
            if same and (str(dict(variant.members)), variant.sizes) == (str(members), own):
                return name
        name = self.unique(cls)
        definition = ParamsDef(name, tuple(fields), cls)
        self.known[name] = Variant(definition, members, frozenset(optional), own)
        return name

    def member(
        self, value: Any, hint: Any, path: str, prefix: str, fields: list[tuple[str, Type]]
    ) -> Member:
        inner = optional_of(hint)
        if inner is not None:
            return None if value is None else self.member(value, inner, path, prefix, fields)
        items = items_of(hint)
        if items is not None:
            hints = items(len(value))
            return tuple(
                self.member(v, h, f"{path}.{i}", prefix, fields)
                for i, (v, h) in enumerate(zip(value, hints, strict=True))
            )
        of_key = values_of(hint)
        if of_key is not None:
            return {
                k: self.member(v, of_key, f"{path}.{k}", prefix, fields) for k, v in value.items()
            }
        if hint is AsItIs:
            return Known(value)
        if is_number(hint):
            return Const(value, _NUMBERS[hint])
        fields.append((path, self.type_of(value, hint, f"{prefix}{path}", prefix)))
        return path

    def type_of(self, value: Any, hint: Any, path: str, prefix: str) -> Type:
        if is_params(hint):
            return ParamsRef(self.read(value, f"{path}."))
        if not self.bind:
            return TensorType(hint.dims)
        scope = path if "." in path[len(prefix) :] else prefix[:-1]
        return TensorType(tuple(d.bind(self.sizes.at(scope)) for d in hint.dims))
