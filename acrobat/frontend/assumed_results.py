"""Results that are assumed of recursive functions while these are lowered.

A function without a hint for its result is lowered until the result type that its recursive calls
assume holds. Other functions that it calls, and that call it, were then lowered for the narrower
types, too: they are forgotten, and lowered again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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
