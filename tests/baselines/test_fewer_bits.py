"""Variants that round what float32 does not: what they compute, what they say of it, and by how
much they may be off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import baselines
import workloads
from acrobat.kernels.printers.cpu import amx
from baselines.acrobat import TOLERANCE
from baselines.api import Problem, Supported, Unsupported
from harness.cell import Cell
from harness.contender import empty_row
from workloads.data.source import TreeSource
from workloads.results import flatten

SOURCE = TreeSource(None)


def problem(workload: str, variant: str) -> Problem:
    made = workloads.get(workload)
    params = made.make_params("tiny", 0, SOURCE)
    instances = made.make_instances("tiny", 3, 0, SOURCE)
    return Problem(workload, "tiny", 3, 0, "cpu", 1, variant, params, instances)


def error_of(system: Any, given: Problem) -> float:
    """The largest error of one run against plain Python."""
    system.prepare(given)
    system.run()
    want = workloads.get(given.workload).reference(given.params, given.instances)
    return max(
        float(np.abs(np.asarray(x) - np.asarray(y)).max())
        for a, b in zip(want, system.outputs(), strict=True)
        for x, y in zip(flatten(a)[1], flatten(b)[1], strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("stored", ["bf16", "int8"])
def test_acrobat_with_stored_weights(stored: str) -> None:
    record = baselines.record("acrobat")
    given = problem("treelstm", f"weights={stored}")
    system: Any = record.implementation()
    assert 1e-6 < error_of(system, given) < record.rounds(given.variant) == TOLERANCE[stored]
    assert system.breakdown().precision == f"fp32, weights {stored}"


@pytest.mark.skipif(amx.why_no_matrix_unit() is not None, reason="a CPU without AMX")
def test_acrobat_with_products_of_bfloat16() -> None:
    record = baselines.record("acrobat")
    given = problem("treelstm", "precision=bf16")
    system: Any = record.implementation()
    assert 1e-6 < error_of(system, given) < record.rounds(given.variant) == TOLERANCE["products"]
    assert system.breakdown().precision == "bf16"


def test_a_cpu_without_products_of_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows say so; in a configuration for several machines the variant may stay."""
    monkeypatch.setattr(amx, "_cpu_flags", lambda: frozenset({"avx512f"}))
    system = baselines.record("acrobat").implementation
    assert system.supports(problem("treelstm", "precision=bf16")) == Unsupported(
        "acrobat, variant 'precision=bf16': Options.precision='bf16': this CPU has no AMX; for "
        "bfloat16 weights and float32 products pass weights='bf16', or target='cuda'"
    )


@pytest.mark.parametrize("name", ["treelstm", "mvrnn", "birnn", "stackrnn"])
def test_pytorch_in_bfloat16(name: str) -> None:
    pytest.importorskip("torch")
    record = baselines.record("torch_batched")
    system: Any = record.implementation()
    given = problem(name, "bf16")
    supported = system.supports(given)
    if isinstance(supported, Unsupported):
        pytest.skip(supported.reason)
    error = error_of(system, given)
    # StackRNN decides by numbers: an instance that decides otherwise has another result.
    assert 1e-5 < error < (1.0 if name == "stackrnn" else record.rounds("bf16"))
    assert system.breakdown().precision == "bf16"


def test_pytorch_on_a_cpu_without_products_of_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: False, raising=False)
    system = baselines.record("torch_batched").implementation
    assert system.supports(problem("treelstm", "bf16")) == Unsupported(
        "torch_batched, variant 'bf16': PyTorch has no products of bfloat16 on this CPU"
    )
    assert system.supports(problem("treelstm", "full")) == Supported()


def test_pytorch_in_float32_says_so() -> None:
    pytest.importorskip("torch")
    system: Any = baselines.record("torch_batched").implementation()
    assert error_of(system, problem("treelstm", "full")) < 1e-5
    assert system.breakdown().precision == "fp32"


def test_where_bfloat16_was_not_tried() -> None:
    refusal = baselines.record("torch_batched").implementation.supports(problem("drnn", "bf16"))
    assert refusal == Unsupported(
        "torch_batched has no variant 'bf16' of drnn: it was tried with treelstm, mvrnn, birnn, "
        "stackrnn"
    )


@pytest.mark.parametrize(
    ("system", "variant", "tolerance"),
    [
        ("acrobat", "full", 1e-4),
        ("acrobat", "off+hoisting", 1e-4),
        ("acrobat", "weights=bf16", 1e-2),
        ("acrobat", "weights=int8,scheduler=agenda", 5e-2),
        ("acrobat", "nonsense", 1e-4),
        ("torch_batched", "full", 1e-4),
        ("torch_batched", "bf16", 0.1),
        ("dynet", "autobatch1", 1e-4),
    ],
)
def test_rows_have_the_tolerance_of_their_variant(
    system: str, variant: str, tolerance: float
) -> None:
    cell = Cell("treelstm", "tiny", 1, 1, "cpu", 0, "generated", ((system, variant),))
    assert empty_row(cell, system, variant, "generated", {}).tolerance == tolerance
