"""Attempts to lower a model: with its plain classes as records, or as data types, and with the hint
`float` taken for one of tensors of rank 0, too."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from ..ir import typed as T
from ..lang.diagnostics import ModelError
from ..lang.model import Model
from .assumptions import Assumptions
from .declarations import Declarations
from .numbered_objects import Numbered
from .object_numbers import is_number_class
from .plain_data import data_with
from .signatures import ModuleBuilder
from .source import Source
from .told_fields import FieldHints, told_fields
from .typed_module import typed_module
from .written import copied

# How often a model is lowered to find what its objects are given.
MAX_TOLD = 6

# What is said of a value for which there is no type, and of one of another type.
_OF_TYPES = ("AC004", "AC008", "AC021", "AC032")
_OF_VALUES = (*_OF_TYPES, "AC017")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A model and its weights, to be lowered under one set of assumptions after the other;
    `numbered`: what the model is rewritten to, if it is."""

    model: Model[..., Any]
    params: Any
    numbered: Numbered | None = None

    def module(self, assumptions: Assumptions) -> T.Module:
        """The module; if it has errors that hints may have caused, and none of them where the hint
        `float` may be said of a tensor of rank 0, that module."""
        try:
            return self._with_data(assumptions)
        except ModelError as error:
            if not _of_floats(error):
                raise
            try:
                return self._with_data(replace(assumptions, floats_open=True))
            except ModelError as second:
                places = {(e.code, e.span) for e in second.errors}
                first = error.errors[0]
                raise (error if (first.code, first.span) in places else second) from None

    def _builder(self, assumptions: Assumptions) -> ModuleBuilder:
        builder = ModuleBuilder(self.model, self.params, assumptions)
        if self.numbered is not None:
            source = self.numbered.source
            builder.rewritten = Source(copied(source.tree), source.file, source.line, source.lines)
            builder.numbered_fields = self.numbered.fields
        return builder

    def _with_data(self, assumptions: Assumptions) -> T.Module:
        """The module; if the model has errors, and it does not have them where its plain
        dataclasses are data types, that module. Records are more than data where they fit: their
        fields change, and values say what types these have. But no type holds records of two
        classes, or such that contain each other."""
        builder = self._builder(assumptions)
        before: ModelError | None = None
        while True:
            try:
                return typed_module(builder, self.model)
            except ModelError as error:
                known = builder.declarations
                first = error
                if before is not None and not _are_gone(before, error):
                    first = before
                    break
                met = {*known.records.values(), *known.unknown}
                dataclasses = (data_with(c) for c in met if not is_number_class(c))
                new = set[type]().union(*dataclasses) - known.adopted
                if not new:
                    break
                # Errors may have kept the model from classes that the next round meets.
                before = error
                builder = self._builder(replace(assumptions, adopted=known.adopted | new))
        return self._with_told_fields(known, first, assumptions)

    def _with_told_fields(
        self, known: Declarations, first: ModelError, assumptions: Assumptions
    ) -> T.Module:
        """The module, if it has no errors where classes that do not say the types of their fields
        are data types with such as the model gives them. `known` is what an attempt without these
        met, which ended with the error `first`."""
        told: dict[type, FieldHints] = {}
        others, floats_open = known.adopted, known.floats_open
        if not known.met.nested and not any(e.code in _OF_VALUES for e in first.errors):
            raise first
        error = first
        for _ in range(MAX_TOLD):
            new = {**told, **told_fields(known, others)}
            if new == told and floats_open == known.floats_open:
                break
            told = new
            builder = self._builder(
                replace(assumptions, adopted=others, told=told, floats_open=floats_open)
            )
            module = None
            try:
                module = typed_module(builder, self.model)
            except ModelError as again:
                error = again
                floats_open |= _of_floats(error)
            known = builder.declarations
            met = told_fields(known, others)
            # A number that fits only once it is converted is another one in plain Python.
            as_told = all(met.get(c) == told[c] for c in known.met.classes if c in told)
            if module is not None and as_told and not known.lacks_types():
                return module
        # Of hints that nobody has written nothing is said.
        written = all(e.code != "AC004" for e in error.errors)
        raise error if written and _are_gone(first, error, _OF_VALUES) else first


# What is said of a value that is not of the type that a hint says.
_OF_HINTS = ("AC008", "AC017", "AC021")


def _of_floats(error: ModelError) -> bool:
    """Whether a model has errors that the hint `float` of a tensor may have caused."""
    return any(e.code in _OF_HINTS and "float" in e.message for e in error.errors)


def _are_gone(before: ModelError, now: ModelError, codes: Collection[str] = _OF_TYPES) -> bool:
    """Whether data types have made an end of all errors, which said that there is no type."""
    places = {(e.code, e.span) for e in now.errors}
    return all(e.code in codes and (e.code, e.span) not in places for e in before.errors)
