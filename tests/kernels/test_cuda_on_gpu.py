"""The cubins on a GPU, where there is one: what the interpreter cannot show."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU here", allow_module_level=True)

import acrobat as ab  # noqa: E402
import workloads  # noqa: E402
from acrobat.ir.ops import POINTWISE  # noqa: E402
from acrobat.kernels.printers.cuda.tile import Precision  # noqa: E402
from acrobat.kernels.specification.spec import Instr, KernelSpec  # noqa: E402
from acrobat.pipeline import run_pipeline  # noqa: E402
from tests.kernels.kernel_specs import (  # noqa: E402
    cell,
    heads,
    load,
    matrix_rows,
    own_matrix,
    projections,
    unlike_gates,
)
from tests.kernels.launch import on_gpu  # noqa: E402
from tests.kernels.row_specs import layer_norm, pointwise, row_kernel, softmax, transpose  # noqa: E402
from tests.kernels.run_cuda import run  # noqa: E402
from workloads.data.source import TreeSource  # noqa: E402
from workloads.results import flatten  # noqa: E402

SPECS = {
    "cell": cell(50, 33),
    "large cell": cell(256, 256),
    "unlike gates": unlike_gates(),
    "rows": matrix_rows(20),
    "own matrix": own_matrix(20, 33, 70),
    "own matrix of a vector": own_matrix(1, 64, 64),
    "heads": heads(128, 8, 64),
    "projections": projections(),
    "softmax": softmax(5, 100),
    "long softmax": softmax(2, 4100),
    "layer norm": layer_norm(5, 768),
    "transpose": transpose(40, 70),
    "pointwise": pointwise(1030),
}
MODES: tuple[Literal["launches", "persistent"], ...] = ("launches", "persistent")
# Relative and absolute errors, of sums of up to 512 products.
TOLERANCE = {
    "fp32": (2e-4, 1e-4),
    "tf32x3": (2e-4, 1e-4),
    "bf16x6": (2e-4, 1e-4),
    "tf32": (3e-2, 3e-2),
    "bf16": (0.2, 0.2),
}


@pytest.mark.parametrize("nodes", [1, 7, 64, 1000])
@pytest.mark.parametrize("name", SPECS)
def test_families(name: str, nodes: int) -> None:
    if SPECS[name].record * nodes > 1 << 22:
        nodes = 9
    run(SPECS[name], nodes, rtol=2e-4, atol=1e-4, execute=on_gpu)


@pytest.mark.parametrize("precision", ["tf32x3", "bf16x6", "tf32", "bf16"])
@pytest.mark.parametrize("name", ["cell", "large cell", "own matrix", "heads"])
def test_tensor_cores(name: str, precision: Precision) -> None:
    rtol, atol = TOLERANCE[precision]
    run(SPECS[name], 70, rtol=rtol, atol=atol, precision=precision, execute=on_gpu)


@pytest.mark.parametrize("name", [op.name for op in POINTWISE.values() if op.arity == 1])
def test_functions(name: str) -> None:
    """As accurate as their records promise."""
    op, code = POINTWISE[name], [load(0)]
    if op.domain[0] == 0:
        code += [Instr("abs", (0,)), Instr("lit", (), 1e-3), Instr("add", (1, 2))]
    elif op.cuda.within[0] < -80:
        code += [Instr("lit", (), 80.0), Instr("mul", (0, 1))]
    code.append(Instr(name, (len(code) - 1,)))
    spec = row_kernel(name, 1, 1000, code)
    run(spec, 100, rtol=op.cuda.relative, atol=op.cuda.absolute or 1e-37, execute=on_gpu)


def kernels(name: str, size: str) -> list[KernelSpec]:
    workload = workloads.get(name)
    params = workload.make_params(size, 0, TreeSource(None))
    plans = run_pipeline(workload.model, params, ab.Options()).plans
    return list({dataclasses.replace(k, name=""): k for p in plans for k in p.kernels}.values())


@pytest.mark.parametrize("size", ["tiny", "small"])
@pytest.mark.parametrize("name", workloads.NAMES)
def test_kernels_of_a_workload(name: str, size: str) -> None:
    for spec in kernels(name, size):
        for nodes in (1, 2) if spec.rows * spec.width > 10_000 else (1, 5, 70):
            run(spec, nodes, rtol=2e-4, atol=1e-3 if size == "small" else 1e-4, execute=on_gpu)


@pytest.mark.parametrize("batch", [1, 64])
@pytest.mark.parametrize("size", ["tiny", "small"])
@pytest.mark.parametrize("name", workloads.NAMES)
def test_persistent_kernels(
    name: str, size: str, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The results of single launches, again and again: a race would show as a difference between
    runs. Sums are taken in another order, so that they agree to rounding."""
    monkeypatch.delenv("ACROBAT_LIBCUDA")  # which keeps other tests off the GPU
    if name == "berxit" and size == "small":
        batch = min(batch, 4)  # 12 layers, 128 words
    workload = workloads.get(name)
    params = workload.make_params(size, 0, TreeSource(None))
    instances = workload.make_instances(size, batch, 0, TreeSource(None))
    want, got = (
        ab.compile(workload.model, params, "cuda", ab.Options(gpu_mode=mode)) for mode in MODES
    )
    expected = [flatten(r) for r in want(instances)]
    first = [flatten(r) for r in got(instances)]
    for (structure, arrays), (found, ours) in zip(expected, first, strict=True):
        assert found == structure
        for x, y in zip(arrays, ours, strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-3, atol=1e-3)
    for _ in range(20):
        for (_, arrays), (_, again) in zip(first, map(flatten, got(instances)), strict=True):
            for x, y in zip(arrays, again, strict=True):
                np.testing.assert_array_equal(y, x)
