"""Kernels for vectors of 16, 8 and 4 floats, as far as this machine has them."""

from __future__ import annotations

import subprocess

import pytest

from acrobat.errors import OptionError
from acrobat.kernels.printers.cpu import target
from acrobat.kernels.printers.cpu.build import build_kernels
from acrobat.kernels.printers.cpu.target import CpuTarget, host_target, machine_target
from acrobat.kernels.schedules import machine_of
from tests.kernels.kernel_specs import cell, matrix_rows, own_matrix
from tests.kernels.run_kernel import run

XEON = CpuTarget("a Xeon", ("sse3", "avx", "avx2", "fma", "vaes", "avx512f", "avx512vl"), 16, 32)
LANES = (16, 8, 4)


def narrowed(monkeypatch: pytest.MonkeyPatch, machine: CpuTarget, lanes: str) -> CpuTarget:
    monkeypatch.setattr(target, "machine_target", lambda: machine)
    monkeypatch.setenv("ACROBAT_LANES", lanes)
    return host_target()


def test_less_of_a_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert narrowed(monkeypatch, XEON, "16") == XEON
    avx2 = narrowed(monkeypatch, XEON, "8")
    assert (avx2.flags, avx2.lanes, avx2.registers) == (
        ("sse3", "avx", "avx2", "fma", "vaes"),
        8,
        16,
    )
    assert narrowed(monkeypatch, XEON, "4").flags == ("sse3",)
    # Neither their objects nor their schedules meet.
    keys = {t.key for t in (XEON, avx2, host_target())}
    assert len(keys) == len({machine_of(t) for t in (XEON, avx2, host_target())}) == 3


@pytest.mark.parametrize(
    ("lanes", "text", "there"),
    [(8, "16", "4 or 8"), (16, "7", "4 or 8 or 16"), (4, "8", "4"), (16, "08", "4 or 8 or 16")],
)
def test_what_a_machine_does_not_have(
    monkeypatch: pytest.MonkeyPatch, lanes: int, text: str, there: str
) -> None:
    with pytest.raises(OptionError) as error:
        narrowed(monkeypatch, CpuTarget("", (), lanes, 16), text)
    assert str(error.value) == f"ACROBAT_LANES={text!r}: this CPU has vectors of {there} floats"


@pytest.mark.parametrize("lanes", LANES)
def test_kernels_of_every_width(monkeypatch: pytest.MonkeyPatch, lanes: int) -> None:
    if lanes > machine_target().lanes:
        pytest.skip(f"this machine has vectors of {machine_target().lanes} floats")
    monkeypatch.setenv("ACROBAT_LANES", str(lanes))
    for spec in (cell(20, 19), matrix_rows(4), own_matrix(4, 5, 12)):
        run(spec, nodes=5)


def test_narrow_kernels_have_no_wide_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of 4 floats run on every x86-64."""
    monkeypatch.setenv("ACROBAT_LANES", "4")
    (path,) = build_kernels([cell(20, 19)]).paths
    done = subprocess.run(["objdump", "-d", path], capture_output=True, text=True)
    if done.returncode or "xmm" not in done.stdout:
        pytest.skip("no disassembler for this machine")
    assert "ymm" not in done.stdout and "vfmadd" not in done.stdout
