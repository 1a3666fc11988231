"""Kernels for vectors of 16, 8 and 4 floats, as far as this machine has them."""

from __future__ import annotations

import subprocess

import pytest

from acrobat.errors import OptionError
from acrobat.kernels.printers.cpu import target
from acrobat.kernels.printers.cpu.build import build_kernels
from acrobat.kernels.printers.cpu.rule import schedule_by_rule
from acrobat.kernels.printers.cpu.target import CpuTarget, describe, host_target, machine_target
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


NEOVERSE = """\
processor\t: 0
BogoMIPS\t: 243.75
Features\t: fp asimd evtstrm aes crc32 atomics fphp asimdhp asimdrdm lrcpc asimddp {more}
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: 0xd0c
CPU revision\t: 1

processor\t: 1
Features\t: none
"""


def test_a_machine_of_aarch64(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (describe("aarch64", NEOVERSE.format(more=m)) for m in ("ssbs", "ssbs sve"))
    assert (one.model, one.machine, one.lanes, one.registers) == (
        "AArch64 0x41 0xd0c",
        "aarch64",
        4,
        32,
    )
    assert one.flags == ("crc", "lse", "rdm", "rcpc", "dotprod", "fullfp16", "aes")
    # What the system hides must not be used, though LLVM knows that such a CPU has it.
    assert "-sve" in one.attributes and "-sve" not in other.attributes
    assert "-dotprod" not in one.attributes and one.key != other.key
    # As many registers as with AVX-512, so tiles of as many vectors.
    narrow, wide = (schedule_by_rule(cell(512, 512), t) for t in (one, XEON))
    assert (narrow.lanes, narrow.vectors, narrow.tiles) == (4, wide.vectors, wide.tiles)
    assert narrowed(monkeypatch, one, "4") == one
    with pytest.raises(OptionError) as error:
        narrowed(monkeypatch, one, "8")
    assert str(error.value) == "ACROBAT_LANES='8': this CPU has vectors of 4 floats"


def test_a_machine_of_x86_64() -> None:
    flags = "pni avx avx2 fma avx512f avx512vl sve"
    info = f"vendor_id\t: A\nmodel\t\t: 1\nmodel name\t: B\nstepping\t: 2\nflags\t\t: {flags}\n"
    machine = describe("x86_64", info)
    assert (machine.model, machine.lanes, machine.registers) == ("B 1", 16, 32)
    assert machine.flags == ("sse3", "avx", "avx2", "fma", "avx512f", "avx512vl")
    assert "-sve" not in machine.attributes and "-avx512bw" in machine.attributes
    assert describe("riscv64", "").attributes == []


@pytest.mark.slow
@pytest.mark.parametrize("lanes", LANES)
def test_kernels_of_every_width(monkeypatch: pytest.MonkeyPatch, lanes: int) -> None:
    if lanes > machine_target().lanes:
        pytest.skip(f"this machine has vectors of {machine_target().lanes} floats")
    monkeypatch.setenv("ACROBAT_LANES", str(lanes))
    for spec in (cell(20, 19), matrix_rows(4), own_matrix(4, 5, 12)):
        run(spec, nodes=5)


@pytest.mark.slow
def test_narrow_kernels_have_no_wide_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of 4 floats run on every x86-64."""
    monkeypatch.setenv("ACROBAT_LANES", "4")
    (path,) = build_kernels([cell(20, 19)]).paths
    done = subprocess.run(["objdump", "-d", path], capture_output=True, text=True)
    if done.returncode or "xmm" not in done.stdout:
        pytest.skip("no disassembler for this machine")
    assert "ymm" not in done.stdout and "vfmadd" not in done.stdout
