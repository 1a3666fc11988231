"""Arrays of rank 0 change under all of their names, numpy's scalars do not."""

# mypy: ignore-errors

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.programs.listed_object_models import P
from tests.programs.test_library_calls import weights


@ab.model
def of_zeros(p: P, x: int) -> Any:
    t = np.zeros(())
    u = t
    t += p.b.sum()
    return t, u


@ab.model
def of_a_shape(p: P, x: int) -> Any:
    t = p.b[:1].reshape(())
    u = [t]
    t += 1.0
    return t, u


@ab.model
def of_a_number(p: P, x: int) -> Any:
    def made(h):
        return np.asarray(h.sum())

    kept = [made(p.emb[x])]
    other = kept[0]
    kept[0] += 1.0
    return kept, other


@ab.model
def squeezed(p: P, x: int) -> Any:
    t = np.squeeze(p.b[:1] * 2)
    u = t
    t += 1.0
    return t, u


@pytest.mark.parametrize(
    "model", [of_zeros, of_a_shape, of_a_number, squeezed], ids=lambda m: m.function.__name__
)
def test_an_array_with_two_names_is_refused(model: Any) -> None:
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(model, weights(P), options=ab.Options(executor="vm"))
    assert "AC015: an assignment that changes a tensor in place" in caught.value.render()


@ab.model
def of_scalars(p: P, x: int) -> Any:
    t = p.b.sum()
    u = t
    t += p.emb[x].max()
    return t, u


def test_a_scalar_with_two_names_is_not() -> None:
    p = weights(P)
    (got,) = ab.compile(of_scalars, p, options=ab.Options(executor="vm"))([2])
    np.testing.assert_allclose(got, of_scalars(p, 2), rtol=1e-5)
