"""The persistent kernel: its text, and machine code for all workloads (printers/cuda/compiled.py
has what the run-time is promised). tests/runtime/cuda/test_interpreted_persistent.py shows what it
computes."""

from __future__ import annotations

import dataclasses
import itertools
import re
from typing import Any

import pytest

import acrobat as ab
import workloads
from acrobat.kernels.printers.cuda.build import build_cuda_kernels
from acrobat.kernels.printers.cuda.compiled import CudaKernels
from acrobat.kernels.printers.cuda.persistent_kernel import COPY, SYMBOL, write_persistent_kernel
from acrobat.kernels.printers.cuda.tile import PRECISIONS, Precision
from acrobat.kernels.specification.spec import KernelSpec
from acrobat.pipeline import run_pipeline
from tests.kernels.kernel_specs import cell, heads, own_matrix
from tests.kernels.row_specs import pointwise, softmax
from tests.kernels.test_cuda_cubins import SHARED, parameters, sections
from tests.selection import some
from workloads.data.source import TreeSource

FUNCTION = re.DOTALL | re.MULTILINE


def kernels(name: str) -> list[KernelSpec]:
    workload = workloads.get(name)
    params = workload.make_params("tiny", 0, TreeSource(None))
    plans = run_pipeline(workload.model, params, ab.Options()).plans
    return [k for p in plans for k in p.kernels]


def check(built: CudaKernels) -> None:
    whole = built.persistent
    assert whole is not None and whole.symbol == SYMBOL
    assert f".text.{SYMBOL}" in sections(whole.cubin)
    # Table, first and last step, Triton's own.
    assert parameters(whole.cubin, SYMBOL) == [8, 4, 4, 8, 8]
    assert 0 <= whole.shared <= SHARED
    variants = [v for k in built.kernels.values() for v in k.variants]
    assert {v.cubin for v in variants} == {whole.cubin}
    assert {v.warps for v in variants} == {whole.warps}
    assert COPY not in {v.kind for v in variants}


# MV-RNN has matrices of a node's own. (What DRNN decides, tests/runtime/cuda runs.)
@pytest.mark.slow
@pytest.mark.parametrize("name", some(workloads.NAMES, always=lambda n: n == "mvrnn"))
def test_a_workload(name: str) -> None:
    check(build_cuda_kernels(kernels(name), 90, persistent=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arch", "workload"),
    some(
        itertools.product([80, 100], ["", "treelstm"]),
        always=lambda arch, workload: arch == 100 and not workload,
    ),
)
def test_other_architectures(arch: int, workload: str) -> None:
    specs = [own_matrix(1, 5, 7), softmax(2, 17), pointwise(50)]
    specs += kernels(workload) if workload else []
    built = build_cuda_kernels(specs, arch, persistent=True)
    assert built.arch == arch
    check(built)


@pytest.mark.slow
def test_a_called_step_begins_with_a_cta_barrier(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it touches shared memory, in which its caller may have something to do."""
    import triton

    compile, texts = triton.compile, []

    def compiled(*args: Any, **kwargs: Any) -> Any:
        result = compile(*args, **kwargs)
        texts.append(result.asm["ptx"])
        return result

    monkeypatch.setattr(triton, "compile", compiled)
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    specs = [cell(20, 33), heads(18, 3, 4), softmax(2, 17)]
    source = write_persistent_kernel(specs, "fp32")
    build_cuda_kernels(specs, 90, persistent=True)
    [ptx] = texts
    steps = re.findall(r"^\.func \S*(step_\w+?)__\S*\($.*?^{$(.*?)^}$", ptx, FUNCTION)
    assert len(steps) == sum(len(kinds) for kinds in source.kinds.values())
    found = {name: re.findall(r"bar\.sync|\.shared", text) for name, text in steps}
    assert {barriers[0] for barriers in found.values()} == {"bar.sync"}
    assert any(".shared" in barriers for barriers in found.values())


def test_every_variant_is_a_kind() -> None:
    """Those of specifications that differ in nothing but their names are the same."""
    one, other = cell(20, 33, "one"), cell(20, 33, "other")
    source = write_persistent_kernel([one, heads(18, 3, 4), other], "fp32")
    assert source.kinds["one"] == source.kinds["other"]
    found = [*source.kinds["one"], *source.kinds["heads"]]
    assert sorted(found) == list(range(1, 1 + len(found)))
    assert len(re.findall(r"^def step_", source.text, re.MULTILINE)) == len(found)
    # Every kind is reached: a call each, and as many decisions as there are calls but one.
    main = source.text[source.text.index(f"def {SYMBOL}(") :]
    calls = re.findall(r"(?:step_\w+|d\.copy_runs)\(", main)
    assert len(calls) == len(set(calls)) == 1 + len(found)
    assert main.count("if kind < ") == len(found)


def test_precision() -> None:
    texts = {p: write_persistent_kernel([cell(32, 64)], p).text for p in PRECISIONS}
    assert 'input_precision="tf32"' in texts["tf32"] and "tl.bfloat16" in texts["bf16"]
    assert 'input_precision="bf16x6"' in texts["bf16x6"]
    assert "low4 = tl.dot(" in texts["tf32x3"] and "def corrected(" in texts["tf32x3"]
    assert "tf32" not in texts["fp32"] and "bf" not in texts["fp32"]


@pytest.mark.parametrize(
    ("arch", "precision"),
    some(
        itertools.product([90, 100], ["tf32x3", "bf16x6", "tf32"]),
        always=lambda arch, precision: (arch == 100) == (precision == "bf16x6"),
    ),
)
def test_tensor_cores(arch: int, precision: Precision) -> None:
    """Their own memory (sm_100) is no matter."""
    check(build_cuda_kernels([heads(64, 2, 64)], arch, precision, persistent=True))


def test_nothing_is_compiled_twice(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    first = build_cuda_kernels([pointwise(7)], 90, persistent=True)
    assert first.build_s > 0
    again = build_cuda_kernels([pointwise(7)], 90, persistent=True)
    assert again == dataclasses.replace(first, build_s=0)
