"""A model of one instance over a mini-batch of padded arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import jax


class Mapped:
    """`jit(vmap(model))` over a mini-batch. The workload provides `pad` (form -> arrays with the
    instances along their first axes), `model` (weights and one instance's arrays -> values) and
    `read` (form and values -> results)."""

    pad: ClassVar[Callable[..., tuple[Any, ...]]]
    model: ClassVar[Callable[..., Any]]
    read: ClassVar[Callable[..., list[Any]]]

    def __init__(self, params: Any, form: Any) -> None:
        self.params, self.form = params, form

        def of_batch(params: Any, arrays: tuple[Any, ...]) -> Any:
            return jax.vmap(lambda one: type(self).model(params, *one))(arrays)

        self.batched = jax.jit(of_batch)

    def assemble(self) -> None:
        """Make the padded arrays."""
        self.arrays = type(self).pad(self.form)

    def compute(self) -> Any:
        """Compute all instances at once."""
        self.values = self.batched(self.params, self.arrays)
        return self.values

    def results(self) -> list[Any]:
        """Return the results by instance."""
        return type(self).read(self.form, self.values)
