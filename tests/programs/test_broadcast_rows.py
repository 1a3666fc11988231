"""Point-wise operations on tensors whose sizes only the instance knows, where one has a single item
beside several: as numpy broadcasts, compiled, in every option, and in gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops

H = 4


@ab.data
class Two:
    xs: list[Float32[Tensor, "H"]]
    ys: list[Float32[Tensor, "H"]]


@ab.params
class P:
    w: Float32[Tensor, "H H"]


@ab.model
def rows(p: P, i: Two) -> Float32[Tensor, "H"]:
    """Matrices of rows: two operands, three, a chain."""
    a = ops.stack([ops.tanh(x @ p.w) for x in i.xs])
    b = ops.stack(i.ys)
    c = ops.maximum(a + b * b, a) - a
    d = (a - b) * (a - b)
    return ops.sum(ops.where(a > b, d, 0.5 * d) + c, axis=0)


@ab.model
def columns(p: P, i: Two) -> Float32[Tensor, "H"]:
    """The same, transposed."""
    c = (ops.stack(i.xs) @ p.w).T * ops.stack(i.ys).T
    return ops.sum(c, axis=1)


@ab.model
def vectors(p: P, i: Two) -> Float32[Tensor, "H"]:
    """Vectors, the sum of which is a softmax whose elements are computed eight at a time."""
    u = ops.stack([x @ (p.w @ x) for x in i.xs])
    v = ops.stack([x @ x for x in i.ys])
    return ops.softmax(u + v) @ (ops.stack(i.xs) + ops.stack(i.ys))


@ab.model
def squares(p: P, i: Two) -> Float32[Tensor, ""]:
    """Matrices both sizes of which are unknown."""
    a, b = ops.stack(i.xs), ops.stack(i.ys)
    return ops.sum(ops.tanh(a @ p.w @ a.T) * (b @ b.T))


@ab.model
def in_place(p: P, i: Two) -> Float32[Tensor, "H"]:
    m = ops.stack(i.xs) @ p.w
    m += ops.stack(i.ys)
    return ops.sum(m, axis=0)


MODELS = [rows, columns, vectors, squares]
FIT = [(1, 1), (1, 3), (3, 1), (5, 5), (9, 1), (1, 17), (17, 17)]
OPTIONS = {
    "aot": ab.Options(),
    "vm": ab.Options(executor="vm"),
    "all off": ab.Options.all_off(),
}
NAMES = [m.function.__name__ for m in MODELS]


def two(m: int, n: int) -> Two:
    rng = np.random.default_rng([m, n])
    xs: Any
    ys: Any
    xs, ys = ([rng.normal(0, 0.5, H).astype("f4") for _ in range(k)] for k in (m, n))
    return Two(xs, ys)


def weights() -> P:
    return P(w=np.random.default_rng(1).normal(0, 0.5, (H, H)).astype("f4"))


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_as_numpy_broadcasts(model: Any, options: ab.Options) -> None:
    p, instances = weights(), [two(m, n) for m, n in FIT]
    fast = ab.compile(model, p, options=options)
    for instance, result in zip(instances, fast(instances), strict=True):
        np.testing.assert_allclose(result, model(p, instance), rtol=1e-4, atol=1e-5)
    for m, n in ((2, 3), (5, 4)):
        with pytest.raises(ValueError, match="broadcast"):
            model(p, two(m, n))
        with pytest.raises(ab.InstanceError) as caught:
            fast([two(1, 2), two(m, n)])
        said = f"instances[1]: ValueError: a size of {m} meets one of {n}, in `"
        assert str(caught.value).startswith(said)


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_gradients(model: Any, executor: str) -> None:
    p, instances = weights(), [two(m, n) for m, n in FIT]
    ones = [np.ones_like(model(p, i)) for i in instances]
    fast = ab.compile(model, p, options=ab.Options(executor=executor))
    _, found = fast.vjp(instances, ones)

    def total(w: Any) -> float:
        return sum(float(np.sum(model(P(w=w), i))) for i in instances)

    step = 1e-2
    for at in np.ndindex(H, H):
        up, down = p.w.copy(), p.w.copy()
        up[at] += step
        down[at] -= step
        slope = (total(up) - total(down)) / (2 * step)
        np.testing.assert_allclose(found.w[at], slope, rtol=0.05, atol=0.1)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_what_is_changed_in_place_keeps_its_size(executor: str) -> None:
    p = weights()
    fast = ab.compile(in_place, p, options=ab.Options(executor=executor))
    for m, n in ((3, 3), (3, 1)):
        np.testing.assert_allclose(fast([two(m, n)])[0], in_place(p, two(m, n)), rtol=1e-5)
    with pytest.raises(ValueError, match="non-broadcastable output"):
        in_place(p, two(1, 3))
    with pytest.raises(ab.InstanceError) as caught:
        fast([two(1, 3)])
    said = "ValueError: a size of 1 meets one of 3, in `m += ops.stack(i.ys)`"
    assert str(caught.value) == f"instances[0]: {said}"
