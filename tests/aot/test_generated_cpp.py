"""Generated programs are C++ without warnings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab
import workloads
from acrobat.aot.literals import floating, integer, string
from tests.aot.generated import complaints, generated
from workloads.data.source import TreeSource

Load = Callable[[str], ModuleType]

MODEL = """
BIGGEST, LEAST = float("inf"), -(2**63)

@ab.params
class P:
    w: Tensor["H", "H"]
    b: Tensor["H"]

@ab.model
def f(p: P, n: int, s: float) -> Tensor["H"]:
    return p.b if n <= 0 else ops.tanh(f(p, n - 1, s) @ p.w) * s

@ab.model
def main(p: P, xs: list[float]) -> tuple[Tensor["H"], float, int]:
    _ = f(p, len(xs), 0.5)
    _ = f(p, len(xs), 0.1)
    best = -BIGGEST
    for x in xs:
        best = max(best, x)
    least = min({})
    return f(p, 2, 0.1), best, least + LEAST
""".format(", ".join(["len(xs)", *map(str, range(40))]))


@pytest.mark.slow
def test_no_warnings(load_model: Load, tmp_path: Path) -> None:
    m = load_model(MODEL)
    sources = [generated(m.main, m.P(w=np.eye(4), b=np.ones(4)))]
    for name, options in (("drnn", ab.Options()), ("stackrnn", ab.Options.all_off())):
        workload = workloads.get(name)
        params = workload.make_params("tiny", 0, TreeSource(None))
        sources.append(generated(workload.model, params, options))
    assert complaints(sources, tmp_path) == ""


@pytest.mark.slow
def test_constants_of_a_model_are_exact(load_model: Load) -> None:
    m = load_model(MODEL)
    params = m.P(w=np.eye(4), b=np.ones(4))
    instances = [[], [1.5, -2.0], [float("nan"), 1.0]]
    for got, xs in zip(ab.compile(m.main, params)(instances), instances, strict=True):
        want = m.main(params, xs)
        np.testing.assert_allclose(got[0], want[0], rtol=1e-5)
        np.testing.assert_equal(got[1:], want[1:])


def test_literals() -> None:
    assert integer(-(2**63)) == "int64_t{-9223372036854775807 - 1}"
    assert (floating(0.5), floating(-0.0)) == ("double{0.5}", "double{-0.0}")
    assert floating(0.1) == "double{0x1.999999999999ap-4}"
    assert floating(float("-inf")) == "-__builtin_inf()"
    assert string('a"\\\n\U00010000?') == '"a\\042\\134\\012\\360\\220\\200\\200\\077"'
