"""Machine code: what is compiled is what the run-time is promised (kernels/cuda/compiled.py)."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import acrobat
from acrobat.errors import ToolchainError
from acrobat.kernels.printers.cuda import compile
from acrobat.kernels.printers.cuda.build import build_cuda_kernels
from acrobat.kernels.printers.cuda.compiled import CudaVariant
from acrobat.kernels.printers.cuda.tile import Precision
from acrobat.kernels.specification.spec import KernelSpec
from tests.kernels.kernel_specs import cell, experts, heads, own_matrix, projections
from tests.kernels.row_specs import pointwise, softmax
from tests.selection import some

FAMILIES = (
    cell(20, 33),
    projections(),
    heads(18, 3, 4),
    own_matrix(1, 5, 7),
    experts(1, 103, 20, 2),
    softmax(2, 17),
)
SHARED = 99 * 1024  # what every GPU since sm_80 gives a block


def sections(cubin: Path) -> dict[str, bytes]:
    """The sections of an ELF file by name."""
    data = cubin.read_bytes()
    assert data[:4] == b"\x7fELF" and data[4] == 2
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(count)]
    text = headers[names][4]

    def name(at: int) -> str:
        return data[text + at : data.index(b"\0", text + at)].decode()

    return {name(h[0]): data[h[4] : h[4] + h[5]] for h in headers}


def parameters(cubin: Path, symbol: str) -> list[int]:
    """The sizes of a kernel's parameters in bytes, in order: its KPARAM_INFO attributes."""
    info = sections(cubin)[f".nv.info.{symbol}"]
    found: dict[int, int] = {}
    at = 0
    while at < len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        if (form, attribute) == (4, 0x17):
            _, ordinal, _, flags = struct.unpack_from("<IHHI", info, at + 4)
            found[ordinal] = flags >> 18
        at += 4 + (size if form == 4 else 0)
    return [found[i] for i in range(len(found))]


def check(spec: KernelSpec, variant: CudaVariant) -> None:
    assert f".text.{variant.symbol}" in sections(variant.cubin)
    operands = [8, 8] * len(spec.indexed)
    assert parameters(variant.cubin, variant.symbol) == [8, 8, 4, 8, 8, *operands, 8, 8]
    assert 0 <= variant.shared <= SHARED
    assert variant.warps in (1, 2, 4, 8)


@pytest.mark.slow
@pytest.mark.parametrize("arch", some([80, 90, 100], always=lambda arch: arch == 90))
def test_every_family_on_every_architecture(arch: int) -> None:
    built = build_cuda_kernels([*FAMILIES, pointwise(50)], arch)
    assert built.arch == arch
    for spec in [*FAMILIES, pointwise(50)]:
        kernel = built.kernels[spec.name]
        least = [v.least_rows for v in kernel.variants]
        assert least[0] == 1 and least == sorted(set(least))
        for variant in kernel.variants:
            check(spec, variant)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("precision", "arch"),
    some(
        [
            ("tf32x3", 80),
            ("tf32x3", 90),
            ("bf16x6", 80),
            ("bf16x6", 90),
            ("bf16x6", 100),
            ("tf32", 90),
            ("bf16", 90),
        ],
        always=lambda precision, arch: (precision, arch) == ("tf32", 90),
    ),
)
def test_tensor_cores(precision: Precision, arch: int) -> None:
    spec = cell(32, 64, "tensor_cores")
    kernel = build_cuda_kernels([spec], arch, precision).kernels[spec.name]
    for variant in kernel.variants:
        check(spec, variant)


def test_nothing_is_compiled_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    first = build_cuda_kernels([pointwise(7)], 90)
    assert first.build_s > 0
    assert build_cuda_kernels([pointwise(7)], 90).build_s == 0
    # Without Triton what is in the cache is still there.
    monkeypatch.setitem(sys.modules, "triton", None)
    assert build_cuda_kernels([pointwise(7)], 90) == dataclasses.replace(first, build_s=0)
    with pytest.raises(ToolchainError) as caught:
        build_cuda_kernels([pointwise(8)], 90)
    assert str(caught.value) == (
        "the GPU kernels are generated with Triton, which cannot be imported (import of triton "
        "halted; None in sys.modules); install it: pip install 'triton>=3.6,<3.8'"
    )


def test_another_triton_compiles_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that is installed counts, not the one that is asked for."""
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    assert compile.triton_version() == importlib.metadata.version("triton")
    first = build_cuda_kernels([pointwise(7)], 90)
    monkeypatch.setattr(compile, "triton_version", lambda: "0.1")
    again = build_cuda_kernels([pointwise(7)], 90)
    assert again.build_s > 0
    assert again.kernels != first.kernels, "machine code of its own"


def test_without_triton_the_locked_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert compile.triton_version.__wrapped__() == compile.LOCKED_TRITON


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("name", "other", "name is 'other' instead of 'k'"),
        ("num_warps", 8, "num_warps is 8 instead of 4"),
        ("num_ctas", 2, "num_ctas is 2 instead of 1"),
        ("global_scratch_size", 128, "global_scratch_size is 128 instead of 0"),
        ("profile_scratch_size", 64, "profile_scratch_size is 64 instead of 0"),
    ],
)
def test_what_the_runtime_could_not_launch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: object, said: str
) -> None:
    import triton

    metadata = {
        "name": "k",
        "num_warps": 4,
        "num_ctas": 1,
        "global_scratch_size": 0,
        "profile_scratch_size": 0,
        "shared": 16,
    }

    def made(*args: Any, **kwargs: Any) -> SimpleNamespace:
        return SimpleNamespace(asm={"cubin": b"code"}, metadata=SimpleNamespace(**metadata))

    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    monkeypatch.setattr(triton, "compile", made)
    text = "import triton\n\n\n@triton.jit\ndef k(x):\n    pass\n"
    source = compile.Source(text, "k", {"x": "*fp32"}, warps=4, arch=90, aligned=())
    before, metadata[name] = metadata[name], value
    with pytest.raises(ToolchainError) as caught:
        compile.cubin(source)
    assert str(caught.value) == (
        f"Triton {compile.triton_version()} compiled k for sm_90 to what the run-time cannot "
        f"launch: {said}; install a version that is supported: pip install 'triton>=3.6,<3.8'"
    )
    metadata[name] = before
    assert compile.cubin(source).shared == 16


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_100"])
def test_the_kernel_that_copies(tmp_path: Path, arch: str) -> None:
    """The run-time's own, which is text for the driver: from its own target on."""
    import triton

    header = Path(acrobat.__file__).parent / "runtime/include/acrobat/cuda/copy_runs.h"
    text = header.read_text().split('R"(')[1].split(')"')[0]
    source, cubin = tmp_path / "copy.ptx", tmp_path / "copy.cubin"
    source.write_text(text)
    ptxas = Path(triton.__file__).parent / "backends/nvidia/bin/ptxas"
    command: list[str | Path] = [ptxas, "-Werror", f"-arch={arch}", source, "-o", cubin]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    # Where to, where from, the runs.
    assert parameters(cubin, "acrobat_copy_runs") == [8, 8, 8]


def test_the_modules_import_no_framework() -> None:
    """They run where there is no TVM, and Triton is imported only to compile."""
    code = (
        "import sys; from acrobat.kernels.printers.cuda import build, packing; "
        "assert not {'tvm', 'torch', 'triton'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
