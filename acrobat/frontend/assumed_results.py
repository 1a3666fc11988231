"""Results that are assumed of recursive functions while these are lowered.

A function without a hint for its result is lowered until the result type that its recursive calls
assume holds. Other functions that it calls, and that call it, were then lowered for the narrower
types, too: they are forgotten, and lowered again.

The first result that is assumed is what the function returns on paths without such calls. If every
path goes through other functions, as in the levels of a grammar, these have errors, which stand
until the result is known, and what they return on their other paths is taken meanwhile. So it is
with a function that needs an item of a list that is still empty, such as a method of a parser whose
stack starts empty: a loop around lowers the call again once it knows what is put into the list.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..ir import typed as T
from ..ir.type_queries import has_nothing, nesting
from ..lang.diagnostics import Diagnostic
from ..limits import MAX_TYPE_DEPTH
from .optional import joined
from .signatures import ModuleBuilder, Signature


@contextmanager
def lowering(builder: ModuleBuilder, key: Any, name: str) -> Iterator[None]:
    """While the function `name`, called as `key` says, is lowered inside `with`."""
    outer, builder.assumes = builder.assumes, set()
    builder.unfinished.add(name)
    try:
        yield
    finally:
        builder.unfinished.discard(name)
        found = builder.assumes - {name}
        builder.assumes = outer | found
        builder.relies[key] = found


def note_call(builder: ModuleBuilder, key: Any, called: Signature) -> None:
    """Note that what is being lowered calls a function which has been lowered, or is being."""
    builder.assumes |= builder.relies.get(key, set())
    if called.name in builder.unfinished:
        builder.assumes.add(called.name)


def forget(builder: ModuleBuilder, name: str) -> None:
    """Forget the functions that were lowered for a result of the function `name` that was too
    narrow."""
    for key in [k for k, names in builder.relies.items() if name in names]:
        del builder.relies[key]
        builder.instances.pop(key, None)


def to_the_end(builder: ModuleBuilder, key: Any, signature: Signature) -> T.Function | None:
    """Lower a function until the result type that its recursive calls assume is a fixed point; it
    starts as the type returned on paths without such a call."""
    name, result = signature.name, signature.result
    before = len(builder.reporter.errors)
    while True:
        builder.asked.discard(name)
        builder.failed.clear()
        lowered: T.Function | None = builder.lower(builder, signature)
        found = builder.told.get(name) if name in builder.asked else result
        told = lowered.results[0] if lowered is not None else builder.told.get(name)
        if signature.inferred and result is not None and told is not None:
            found = joined(result, told)
        if found is None or found == result:
            return lowered
        # These errors come from a result type that was unknown or too narrow.
        del builder.reporter.errors[before:]
        if nesting(found) > MAX_TYPE_DEPTH:
            builder.reporter.error(
                "AC032",
                signature.source.head(),
                f"{signature.source.tree.name} returns a list with what it returns in it: its type "
                "has no end",
                "an @ab.data class that refers to itself",
            )
            return None
        forget(builder, name)
        result = found
        signature = dataclasses.replace(signature, result=result)
        builder.instances[key] = signature


def provisional(
    builder: ModuleBuilder, key: Any, signature: Signature, errors: list[Diagnostic]
) -> Signature | None:
    """The result of a function with errors, if the result of a recursion around it is not known
    yet, or it gets a list that is still empty: what it returns on paths without errors."""
    told = builder.told.get(signature.name) if signature.inferred else signature.result
    if told is None:
        return None
    found = dataclasses.replace(signature, result=told)
    if signature.inferred and builder.asked & builder.unfinished:
        builder.failed[key] = found, tuple(errors)
        return found
    empty = any(t is not None and has_nothing(t) for _, t in signature.params)
    return found if empty and any(e.of_nothing for e in errors) else None


def failed_before(builder: ModuleBuilder, key: Any) -> Signature | None:
    """What `provisional` has said about a function if none has been lowered since; its errors are
    reported again: a loop may have deleted them."""
    if key not in builder.failed or not builder.asked & builder.unfinished:
        return None
    found, errors = builder.failed[key]
    builder.reporter.errors += errors
    return found
