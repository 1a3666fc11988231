"""`lower_model`: a model function and everything it reaches, as a typed module."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..ir import typed as T
from ..lang.diagnostics import ModelError
from ..lang.model import Model
from .assumptions import Assumptions
from .data_attempts import Attempt
from .numbered_objects import with_numbered_objects
from .told_sizes import SizeTold
from .unbound_sizes import is_unbound, unbound_names


def lower_model(model: Model[..., Any], params: Any = None) -> T.Module:
    """The typed module of `model`, symbolic dimensions kept. `params` are the weights that it is
    compiled with: without them no dimension has a number. ModelError with all errors found.

    Different names may stand for the same number (`I + M` and `IM`). If shapes do not fit by name,
    numbers decide, as in plain Python; errors that both find are reported by name. If that does not
    help, sizes of instances that neither weights nor operations tell are those that each instance
    has.
    """
    if not isinstance(model, Model):
        raise TypeError(f"ab.compile takes a function decorated with @ab.model, not {model!r}")
    needed = set[str]()
    try:
        return _in_either_form(model, params, Assumptions(), needed)
    except ModelError as error:
        varying = unbound_names(model, params) - needed
        if not varying:
            raise
        try:
            return _in_either_form(model, params, Assumptions(varying=varying), needed)
        except ModelError as second:
            first = error.errors[0]
            places = {(e.code, e.span) for e in second.errors}
            stays = (first.code, first.span) in places and not is_unbound(first)
            raise (error if stays else second) from None


def _in_either_form(
    model: Model[..., Any], params: Any, assumptions: Assumptions, needed: set[str]
) -> T.Module:
    """The module of the model as it is written, or with numbers for objects. `needed` gets the
    names of sizes that operations need."""
    try:
        return _with_sizes(Attempt(model, params), assumptions, needed)
    except ModelError as error:
        first = error
    told = None
    for with_weights in (False, True):
        numbered = with_numbered_objects(model, with_weights)
        if numbered is None:
            continue
        try:
            return _with_sizes(Attempt(numbered.model, params, numbered), assumptions, needed)
        except ModelError as second:
            if not with_weights and numbered.is_readable(second):
                told = second
    raise told or first


def _with_sizes(attempt: Attempt, assumptions: Assumptions, needed: set[str]) -> T.Module:
    found: dict[str, int] | None = None
    by_names: ModelError | None = None
    while True:
        try:
            return attempt.module(dataclasses.replace(assumptions, found=found))
        except SizeTold as told:
            found = {**(found or {}), told.name: told.size}
            needed.add(told.name)
        except ModelError as error:
            if attempt.params is None or (found is not None and by_names is None):
                raise
            if by_names is not None:
                raise _told(by_names, error, found or {}) from None
            by_names, found = error, {}


def _told(by_names: ModelError, by_numbers: ModelError, found: Mapping[str, int]) -> ModelError:
    """The errors that both runs found, as the first one reported them; if there are none, those of
    the second."""
    places = {(e.code, e.span) for e in by_numbers.errors}
    both = tuple(e for e in by_names.errors if (e.code, e.span) in places)
    if both:
        return ModelError(both)
    notes = tuple(f"{n} is {size}, as an operation before needs it" for n, size in found.items())
    errors = by_numbers.errors
    return ModelError(tuple(dataclasses.replace(e, notes=(*e.notes, *notes)) for e in errors))
