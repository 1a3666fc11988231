"""Kernels that are launched one by one, as PTX in the emulator, against their numpy meaning.
`python -m tests.ptx` runs all families on all architectures."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("triton")

from acrobat.kernels.printers.cuda.compile import Source
from acrobat.kernels.printers.cuda.tile import PRECISIONS, Precision
from tests.kernels.kernel_specs import cell, own_matrix
from tests.kernels.row_specs import pointwise, softmax
from tests.kernels.run_cuda import run
from tests.ptx import launched
from tests.ptx.compiled import Program
from tests.ptx.execution import launch
from tests.ptx.families import copy_kernel
from tests.ptx.launched import Arrays, Launched
from tests.ptx.machine_text import MachineText, machine_text
from tests.ptx.syntax import parse
from tests.selection import some

SMALL = {s.name: s for s in (pointwise(50), softmax(2, 17), own_matrix(1, 5, 7))}


@pytest.mark.parametrize("name", SMALL)
def test_small_kernels(name: str) -> None:
    emulator = Launched(90)
    run(SMALL[name], 1, execute=emulator)
    run(SMALL[name], 70, execute=emulator)
    assert emulator.launches == 2 and emulator.report.instructions > 0


@pytest.mark.parametrize("name", SMALL)
def test_touching_what_a_kernel_may_still_write_is_noticed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the wait, all loads of operands and all stores come too early."""
    right = machine_text

    def without_wait(source: Source) -> MachineText:
        made = right(source)
        assert made.text.count("griddepcontrol.wait;") == 1
        return MachineText(made.text.replace("griddepcontrol.wait;", ""), made.shared)

    monkeypatch.setattr(launched, "machine_text", without_wait)
    emulator = Launched(90)
    with pytest.raises(AssertionError):
        run(SMALL[name], 7, execute=emulator)
    early = [where for what, where in emulator.report.problems if "before has ended" in what]
    assert any("ld.global" in where or "cp.async" in where for where in early)
    assert any("st.global" in where for where in early)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arch", "precision"),
    some(
        [
            *((80, precision) for precision in PRECISIONS),
            *((90, precision) for precision in ("fp32", "tf32x3")),
        ],
        always=lambda arch, precision: (arch, precision) in ((80, "tf32"), (90, "tf32x3")),
    ),
)
def test_precisions(arch: int, precision: Precision) -> None:
    spec = own_matrix(16, 16, 16) if precision == "tf32" else cell(16, 20)
    tolerance = {"tf32": 1e-2, "bf16": 0.1, "tf32x3": 1e-5}.get(precision, 2e-4)
    run(spec, 20, execute=Launched(arch), precision=precision, rtol=tolerance, atol=tolerance)


@pytest.mark.slow
def test_the_emulator_rounds_to_tf32() -> None:
    """Else `test_precisions` would not notice a sum that lacks its corrections."""
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        run(own_matrix(16, 16, 16), 2, execute=Launched(80), precision="tf32", rtol=1e-4, atol=1e-4)


def test_the_kernel_that_copies() -> None:
    """The run-time's own, which is text."""
    arrays, rng = Arrays(), np.random.default_rng(0)
    source = rng.normal(size=3000).astype(np.float32)
    runs = np.array([[7, 5, 300], [1000, 400, 1], [0, 500, 0], [2000, 600, 1000]], np.uint32)
    out = np.full(2000, np.nan, np.float32)
    at = [arrays.add(a) for a in (out, source, runs)]
    program = Program(parse(copy_kernel()))
    report = launch(program, "acrobat_copy_runs", (len(runs), 1), at, arrays.find, 0, threads=128)
    assert report.problems == {}
    for begin, to, length in runs.tolist():
        out[to : to + length] = source[begin : begin + length]
    np.testing.assert_array_equal(arrays.begins[at[0]].view(np.float32), out)
