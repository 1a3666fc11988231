"""Results that are graphs of shared data are made once per object, not once per mention."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from tests.programs.reference_kernels import reference_kernels
from tests.runtime.kept_models import Leaf, Node, Vector


@ab.params
class Weights:
    w: Float32[Tensor, "H"]


@ab.model
def doubled(p: Weights, x: Vector, *, times: int) -> tuple[Leaf | Node, list[Leaf | Node]]:
    leaf = Leaf(ops.tanh(x * p.w))
    made: Leaf | Node = leaf
    all_of_them: list[Leaf | Node] = [leaf]
    for _ in range(times):
        made = Node(made, made)
        all_of_them = [*all_of_them, made]
    return made, all_of_them


@pytest.fixture(scope="module", params=["aot", "vm"])
def fast(request: pytest.FixtureRequest) -> Any:
    executor: Literal["aot", "vm"] = request.param
    options = ab.Options(executor=executor, threads=1)
    with reference_kernels():
        return ab.compile(doubled, Weights(w=np.arange(4.0)), "cpu", options)  # type: ignore[arg-type]


def test_what_is_shared_is_one_object(fast: Any) -> None:
    x = np.ones(4, np.float32)
    (made, every), (other, _) = fast([(x, 60), (x, 3)])
    for below in reversed(every):
        assert made is below
        made = made.left if isinstance(made, Node) else made
    np.testing.assert_allclose(made.x, np.tanh(np.arange(4)), atol=1e-6)
    assert other.left is other.right and isinstance(other.left.left.left, Leaf)
    # Another instance's are its own: who writes to an array changes no other result.
    assert other.left.left.left is not made
    other.left.left.left.x[:] = 7  # type: ignore[index]
    np.testing.assert_allclose(made.x, np.tanh(np.arange(4)), atol=1e-6)
