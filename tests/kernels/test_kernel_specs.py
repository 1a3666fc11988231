"""Kernels against the numpy reading of their specification, on random specifications."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from kernel_specs import pointwise, random_contraction, row_kernel, slot
from run_kernel import run

from acrobat.kernels.printers.cpu import math
from acrobat.kernels.printers.cpu.build import build_kernels
from acrobat.kernels.printers.cpu.pack import aligned
from acrobat.kernels.printers.cpu.standalone import Standalone
from acrobat.kernels.specification.reference import run_reference
from acrobat.kernels.specification.spec import Instr, KernelSpec, Operand, Store

FEW = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
)


@pytest.mark.parametrize("width", [1, 3, 16, 17, 50, 100])
@pytest.mark.parametrize("padded", [True, False])
def test_pointwise(width: int, padded: bool) -> None:
    code = [Instr("row", (0, 0)), Instr("row", (1, 2)), Instr("tanh", (1,))]
    code += [Instr("sigmoid", (2,)), Instr("lit", (), 0.5), Instr("mul", (4, 0))]
    run(pointwise(width, (*code, Instr("mul", (5, 3))), padded))


@FEW
@given(st.data())
def test_random_contractions(data: st.DataObject) -> None:
    run(random_contraction(data), nodes=data.draw(st.sampled_from([1, 5, 19])))


@pytest.mark.parametrize("width", [1, 3, 16, 17, 100])
@pytest.mark.parametrize("rows", [1, 5])
def test_softmax_and_layer_norm(rows: int, width: int) -> None:
    x, y = Instr("row", (0, 0, width, 1)), Instr("row", (1, 0, width, 1))
    softmax = [x, y, Instr("add", (0, 1)), Instr("rmax", (2,)), Instr("sub", (2, 3))]
    softmax += [Instr("exp", (4,)), Instr("rsum", (5,)), Instr("div", (5, 6))]
    run(row_kernel("softmax", rows, width, softmax))
    share = Instr("lit", (), 1 / width)
    norm = [x, share, Instr("rsum", (0,)), Instr("mul", (2, 1)), Instr("sub", (0, 3))]
    norm += [Instr("mul", (4, 4)), Instr("rsum", (5,)), Instr("mul", (6, 1))]
    norm += [Instr("lit", (), 1e-5), Instr("add", (7, 8)), Instr("rsqrt", (9,))]
    norm += [Instr("mul", (4, 10)), Instr("vec", (0, 0, 0, 1)), Instr("mul", (11, 12))]
    run(row_kernel("norm", rows, width, norm), rtol=1e-3 if width < 4 else 2e-4)


@pytest.mark.parametrize("width", [1, 16, 17, 40])
def test_argmax_is_the_first_of_equals(width: int) -> None:
    x = Instr("row", (0, 0, width, 1))
    run(row_kernel("argmax", 3, width, [x, Instr("rargmax", (0,))], scalar=True))
    lit = Instr("lit", (), 0.25)
    # Comparing gives 0 and 1: ties everywhere.
    ties = [x, lit, Instr("lt", (1, 0)), Instr("rargmax", (2,))]
    run(row_kernel("ties", 3, width, ties, scalar=True))


@pytest.mark.parametrize(("rows", "width"), [(3, 5), (16, 16), (4, 33)])
def test_transposed_and_broadcast_reads(rows: int, width: int) -> None:
    code = [Instr("row", (0, 0, 1, rows)), Instr("row", (1, 2, 1, 0)), Instr("row", (1, 0, 0, 1))]
    code += [Instr("mul", (0, 1)), Instr("col"), Instr("add", (2, 4)), Instr("add", (3, 5))]
    run(row_kernel("turned", rows, width, code))


def apply(fn: str, *xs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the kernel and the reference make of a function."""
    n = len(xs[0])
    spec = KernelSpec(
        name=f"apply_{fn}",
        width=n,
        record=slot(n),
        operands=(Operand("row", n),) * len(xs),
        weights=(),
        vectors=(),
        gates=(),
        epilogue=(
            *(Instr("row", (i, 0, 0, 1)) for i in range(len(xs))),
            Instr(fn, tuple(range(len(xs)))),
        ),
        stores=(Store(0, len(xs)),),
    )
    arena = aligned(len(xs) * slot(n) + 16)
    for i, x in enumerate(xs):
        arena[i * slot(n) : i * slot(n) + n] = x
    offsets = {i: np.array([i * slot(n)], np.int32) for i in range(len(xs))}
    out, want = aligned(slot(n) + 16)[: slot(n)].reshape(1, -1), np.zeros((1, slot(n)), np.float32)
    bases = dict.fromkeys(offsets, arena)
    Standalone(build_kernels([spec])).run(spec, out, bases, offsets, aligned(16), aligned(16))
    run_reference(spec, arena, offsets, {}, [], [], want)
    return out[0, :n].copy(), want[0, :n]


UNARY = sorted(math.FUNCTIONS)


@pytest.mark.parametrize("fn", UNARY)
def test_functions_of_one_operand(fn: str) -> None:
    xs = np.array(
        [-1e4, -80, -20, -3, -1, -0.3, -1e-6, 0, 1e-6, 0.3, 0.5, 1, 2, 7.5, 20, 80], np.float32
    )
    if fn in ("log", "sqrt", "rsqrt"):
        xs = np.abs(xs) + np.float32(1e-3)
    if fn == "exp":
        xs = np.clip(xs, -80, 80)
    got, want = apply(fn, xs)
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=3e-7)
    assert np.isnan(apply(fn, np.full(16, np.nan, np.float32))[0]).all()


@pytest.mark.parametrize("fn", sorted(math.OPERATORS))
def test_functions_of_several_operands(fn: str) -> None:
    rng = np.random.default_rng(0)
    xs = [rng.integers(-2, 3, 40).astype(np.float32) for _ in range(3 if fn == "select" else 2)]
    if fn == "div":
        xs[1][xs[1] == 0] = 1
    got, want = apply(fn, *xs)
    np.testing.assert_array_equal(got, want)


def test_an_object_needs_one_symbol() -> None:
    import subprocess

    spec = row_kernel("symbols", 1, 8, [Instr("row", (0, 0, 0, 1)), Instr("exp", (0,))])
    (path,) = build_kernels([spec]).paths
    listed = subprocess.run(["nm", "-u", path], capture_output=True, text=True, check=True)
    assert listed.stdout.split() in ([], ["U", "TVMFFIErrorSetRaisedFromCStrParts"])
