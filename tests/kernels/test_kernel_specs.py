"""Kernels against the numpy reading of their specification, on random specifications."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from acrobat.kernels.printers.cpu.build import build_kernels
from acrobat.kernels.specification.spec import Instr
from tests.kernels.kernel_specs import random_contraction
from tests.kernels.row_specs import pointwise, row_kernel
from tests.kernels.run_kernel import run

FEW = settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
)
MORE = settings(FEW, max_examples=16)


@pytest.mark.parametrize("width", [1, 3, 16, 17, 50, 100])
@pytest.mark.parametrize("padded", [True, False])
def test_pointwise(width: int, padded: bool) -> None:
    code = [Instr("load", (0, 0)), Instr("load", (1, 2)), Instr("tanh", (1,))]
    code += [Instr("sigmoid", (2,)), Instr("lit", (), 0.5), Instr("mul", (4, 0))]
    run(pointwise(width, (*code, Instr("mul", (5, 3))), padded))


def random_contractions(data: st.DataObject) -> None:
    run(random_contraction(data), nodes=data.draw(st.sampled_from([1, 5, 19])))


test_few_random_contractions = FEW(given(st.data())(random_contractions))
test_random_contractions = pytest.mark.exhaustive(MORE(given(st.data())(random_contractions)))


@pytest.mark.parametrize("width", [1, 3, 16, 17, 100])
@pytest.mark.parametrize("rows", [1, 5])
def test_softmax_and_layer_norm(rows: int, width: int) -> None:
    x, y = Instr("load", (0, 0, width, 1)), Instr("load", (1, 0, width, 1))
    softmax = [x, y, Instr("add", (0, 1)), Instr("rmax", (2,)), Instr("sub", (2, 3))]
    softmax += [Instr("exp", (4,)), Instr("rsum", (5,)), Instr("div", (5, 6))]
    run(row_kernel("softmax", rows, width, softmax))
    share = Instr("lit", (), 1 / width)
    norm = [x, share, Instr("rsum", (0,)), Instr("mul", (2, 1)), Instr("sub", (0, 3))]
    norm += [Instr("mul", (4, 4)), Instr("rsum", (5,)), Instr("mul", (6, 1))]
    norm += [Instr("lit", (), 1e-5), Instr("add", (7, 8)), Instr("rsqrt", (9,))]
    norm += [Instr("mul", (4, 10)), Instr("load_shared", (0, 0, 0, 1)), Instr("mul", (11, 12))]
    run(row_kernel("norm", rows, width, norm), rtol=1e-3 if width < 4 else 2e-4)


@pytest.mark.parametrize("width", [1, 16, 17, 40])
def test_argmax_is_the_first_of_equals(width: int) -> None:
    x = Instr("load", (0, 0, width, 1))
    run(row_kernel("argmax", 3, width, [x, Instr("rargmax", (0,))], scalar=True))
    lit = Instr("lit", (), 0.25)
    # Comparing gives 0 and 1: ties everywhere.
    ties = [x, lit, Instr("less", (1, 0)), Instr("rargmax", (2,))]
    run(row_kernel("ties", 3, width, ties, scalar=True))
    # NaN in some of the rows.
    code = [x, Instr("lit", (), 0.9), Instr("sub", (1, 0)), Instr("log", (2,))]
    code += [Instr("rmax", (3,)), Instr("rargmax", (3,)), Instr("sub", (4, 5))]
    run(row_kernel("nan", 3, width, code, scalar=True))


@pytest.mark.parametrize(("rows", "width"), [(3, 5), (16, 16), (4, 33)])
def test_transposed_and_broadcast_reads(rows: int, width: int) -> None:
    code = [
        Instr("load", (0, 0, 1, rows)),
        Instr("load", (1, 2, 1, 0)),
        Instr("load", (1, 0, 0, 1)),
    ]
    code += [Instr("mul", (0, 1)), Instr("col"), Instr("add", (2, 4)), Instr("add", (3, 5))]
    run(row_kernel("turned", rows, width, code))


def test_an_object_needs_one_symbol() -> None:
    import subprocess

    spec = row_kernel("symbols", 1, 8, [Instr("load", (0, 0, 0, 1)), Instr("exp", (0,))])
    (path,) = build_kernels([spec]).paths
    listed = subprocess.run(["nm", "-u", path], capture_output=True, text=True, check=True)
    assert listed.stdout.split() in ([], ["U", "TVMFFIErrorSetRaisedFromCStrParts"])
