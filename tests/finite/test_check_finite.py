"""`Options.check_finite` says where in the model a NaN or an infinity began."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.driver.observed import run_observed
from acrobat.finite.watched import Watch
from acrobat.lang.observe import OBSERVER
from tests.loading import load_text
from tests.programs.reference_kernels import reference_kernels

MODEL = """\
import acrobat as ab
from acrobat import Float32, Tensor, ops

@ab.data
class Leaf:
    x: Float32[Tensor, "H"]
    kind: int
    f: float

@ab.data
class Node:
    left: "Leaf | Node"
    right: "Leaf | Node"

@ab.params
class Inner:
    b: Float32[Tensor, "H"]

@ab.params
class P:
    w: Float32[Tensor, "H H"]
    inner: Inner

@ab.model
def leaf(p: P, leaf: Leaf) -> Float32[Tensor, "H"]:
    h = ops.abs(leaf.x)
    if leaf.kind == 1:
        h = ops.log(h - 0.5)
    if leaf.kind == 2:
        h = ops.exp(
            h * 100.0)
    if leaf.kind == 3:
        h = (h @ p.w) * p.inner.b
    if leaf.kind == 4:
        h = h - ops.log(h * 0.0)
        h = h - h
    if leaf.kind == 5:
        h = ops.softmax(leaf.x)
    if leaf.kind == 6:
        h = h * (leaf.f * 1e200)
    if leaf.kind == 7:
        h = h * (ops.item(ops.sum(h)) / 1e-45)
    if leaf.kind == 8:
        h = ops.maximum(h, 1e39)
    if leaf.kind == 9:
        h = 1.0 / (1.0 / (h * 0.0))
    if leaf.kind == 10:
        h = leaf.x * 1.0
    return h

@ab.model
def encode(p: P, tree: Leaf | Node) -> tuple[Float32[Tensor, "H"], list[float]]:
    match tree:
        case Leaf(x, kind, f):
            return leaf(p, tree), [f]
        case Node(left, right):
            a, fs = encode(p, left)
            b, gs = encode(p, right)
            return ops.maximum(a, b), fs + gs
"""
X = np.array([0.5, 1.0, 2.0, 0.25], np.float32)
FINITE = [float(v) for v in X]


@pytest.fixture(scope="module")
def m(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load_text(MODEL, tmp_path_factory.mktemp("finite"), "finite_model")


@pytest.fixture(scope="module", params=["aot", "vm", "disabled"])
def fast(m: ModuleType, request: pytest.FixtureRequest) -> Any:
    with pytest.MonkeyPatch.context() as patch, reference_kernels():
        if request.param == "disabled":
            patch.setenv("ACROBAT_DISABLE", "1")
        executor = "vm" if request.param == "vm" else "aot"
        return ab.compile(
            m.encode, weights(m), "cpu", ab.Options(check_finite=True, executor=executor)
        )


def weights(m: ModuleType, **changes: Any) -> Any:
    b = changes.get("b", np.ones(4))
    return m.P(w=changes.get("w", np.eye(4)), inner=m.Inner(b=b))


def told(fast: Any, instances: list[Any]) -> str:
    with np.errstate(all="ignore"), pytest.raises(ab.NotFiniteError) as caught:
        fast(instances)
    return re.sub(r'File ".*?"', 'File "model.py"', str(caught.value))


CASES = {
    "log of zero": (
        1,
        {},
        """\
instances[1]: result[0] is -inf at [0]. It began here, out of finite operands:
  File "model.py", line 28
    h = ops.log(h - 0.5)
        ^^^^^^^^^^^^^^^^
  ops.log of Tensor[4] from -0.25 to 1.5: nan at [3]""",
    ),
    "several lines": (
        2,
        {},
        """\
instances[1]: result[0] is inf at [1]. It began here, out of finite operands:
  File "model.py", line 30
    h = ops.exp(
        ^^^^^^^^
  ops.exp of Tensor[4] from 25 to 200: inf at [1]""",
    ),
    "infinity that became a NaN": (
        4,
        {},
        """\
instances[1]: result[0] is nan at [0]. It began here, out of finite operands:
  File "model.py", line 35
    h = h - ops.log(h * 0.0)
            ^^^^^^^^^^^^^^^^
  ops.log of Tensor[4] from 0 to 0: -inf at [0]
It became nan here:
  File "model.py", line 36
    h = h - h
        ^^^^^
  - of Tensor[4] from inf to inf, Tensor[4] from inf to inf: nan at [0]""",
    ),
    "arithmetic on floats": (
        6,
        {"f": 1e200},
        """\
instances[1]: result[0] is inf at [0]. It began here, out of finite operands:
  File "model.py", line 40
    h = h * (leaf.f * 1e200)
             ^^^^^^^^^^^^^^
  * of 1e+200, 1e+200: inf""",
    ),
    "a number of a tensor": (
        7,
        {},
        """\
instances[1]: result[0] is inf at [0]. It began here, out of finite operands:
  File "model.py", line 42
    h = h * (ops.item(ops.sum(h)) / 1e-45)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  * of Tensor[4] from 0.25 to 2, 3.75e+45: inf at [0]""",
    ),
    "a constant beyond float32": (
        8,
        {},
        """\
instances[1]: result[0] is inf at [0]. It began here, out of finite operands:
  File "model.py", line 44
    h = ops.maximum(h, 1e39)
        ^^^^^^^^^^^^^^^^^^^^
  ops.maximum of Tensor[4] from 0.25 to 2, 1e+39: inf at [0]""",
    ),
    "a float of the instance": (
        0,
        {"f": float("nan")},
        "instances[1]: result[1][0] is nan. It came in: instances[1].f is nan",
    ),
    "a tensor of the instance": (
        10,
        {"x": [1.0, np.nan, 2.0, np.inf]},
        "instances[1]: result[0] is nan at [1]. It came in: instances[1].x is nan at [1]",
    ),
    "a NaN out of an infinity that came in": (
        5,
        {"x": [-np.inf] * 4},
        """\
instances[1]: result[0] is nan at [0]. It became nan here:
  File "model.py", line 38
    h = ops.softmax(leaf.x)
        ^^^^^^^^^^^^^^^^^^^
  ops.softmax of Tensor[4] from -inf to -inf: nan at [0]
It came in: instances[1].x is -inf at [0]""",
    ),
}


@pytest.mark.parametrize(("kind", "changes", "text"), CASES.values(), ids=CASES)
def test_it_names_the_place(
    m: ModuleType, fast: Any, kind: int, changes: dict[str, Any], text: str
) -> None:
    fine = m.Leaf(X, 0, 1.0)
    x = np.array(changes.get("x", X), np.float32)
    assert told(fast, [fine, m.Leaf(x, kind, changes.get("f", 1.0)), fine]) == text
    [(h, fs), _] = fast([m.Node(fine, fine), fine])  # and nothing is lost
    assert (h.tolist(), fs) == (FINITE, [1.0, 1.0])


def test_what_became_finite_again_is_no_fault(m: ModuleType, fast: Any) -> None:
    with np.errstate(all="ignore"):
        [(h, _)] = fast([m.Leaf(X, 9, 1.0)])
    assert h.tolist() == [0.0] * 4


def test_the_first_of_several_and_objects_that_are_shared(m: ModuleType, fast: Any) -> None:
    shared = m.Leaf(X, 2, 1.0)
    tree = m.Node(m.Node(shared, shared), m.Leaf(X, 0, 1.0))
    text = told(fast, [m.Leaf(X, 0, 1.0), tree, tree])
    assert text.startswith(
        "instances[1]: result[0] is inf at [1] (1 more of the 3 are not finite). It began here"
    )
    bad = np.array([1, np.nan, 1, 1], np.float32)
    text = told(fast, [m.Node(m.Leaf(X, 0, 1.0), m.Leaf(bad, 0, 1.0))])
    assert text.endswith("It came in: instances[0].right.x is nan at [1]")


def test_prepared_instances_are_as_they_were(m: ModuleType, fast: Any) -> None:
    if not fast.is_compiled:
        return
    x = X.copy()
    x[2] = np.nan
    inputs = fast.prepare([m.Leaf(x, 0, 1.0)])
    x[:] = 1.0
    for _ in range(2):
        with pytest.raises(ab.NotFiniteError, match=r"instances\[0\]\.x is nan at \[2\]$"):
            fast.run(inputs)
    assert inputs.count == 1 and fast.count_least_batches(inputs) >= 0


@pytest.mark.usefixtures("interpreted_kernels")
def test_weights(m: ModuleType) -> None:
    options = ab.Options(check_finite=True, executor="vm")
    bad = weights(m, b=[1.0, np.inf, 1.0, 1.0])
    text = told(ab.compile(m.encode, bad, "cpu", options), [m.Leaf(X, 3, 1.0)])
    assert text == ("instances[0]: result[0] is inf at [1]. It came in: p.inner.b is inf at [1]")
    large = weights(m, w=np.full((4, 4), 3e38))
    text = told(ab.compile(m.encode, large, "cpu", options), [m.Leaf(X, 3, 1.0)])
    assert "line 33\n" in text and "    h = (h @ p.w) * p.inner.b\n         ^^^^^^^\n" in text


@pytest.mark.slow
def test_a_deep_instance(m: ModuleType) -> None:
    """Deeper than Python's own limit."""
    fast: Any = ab.compile(m.encode, weights(m), "cpu", ab.Options(check_finite=True))
    tree = m.Leaf(X, 2, 1.0)
    for _ in range(3000):
        tree = m.Node(tree, m.Leaf(X, 0, 1.0))
    limit = sys.getrecursionlimit()
    text = told(fast, [tree])
    assert "\n    h = ops.exp(\n        ^^^^^^^^\n  ops.exp of Tensor[4] from 25 to 200: " in text
    assert sys.getrecursionlimit() == limit
    del tree


@pytest.mark.usefixtures("interpreted_kernels")
def test_it_is_off_and_costs_nothing(m: ModuleType) -> None:
    fast: Any = ab.compile(m.encode, weights(m), "cpu", ab.Options(executor="vm"))
    with np.errstate(all="ignore"):
        [(h, _)] = fast([m.Leaf(X, 2, 1.0)])
    assert np.isinf(h).any()
    assert not ab.Options().check_finite and not ab.Options.all_off().check_finite
    assert "check_finite" not in ab.Options.ladder()


def test_an_observer_sees_no_other_thread() -> None:
    assert run_observed(Watch(), lambda: type(OBSERVER.get()).__name__, 1 << 24) == "Watch"
    assert OBSERVER.get() is None


def test_the_error_is_one_of_arithmetic() -> None:
    for base in (ab.AcrobatError, ArithmeticError):
        assert issubclass(ab.NotFiniteError, base)
