"""The machine code of kernels: what tests/golden/sass says of it, and what must hold of all.

`pytest tests/sass --update-golden` writes the files anew; read the diff.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("triton")

from acrobat.kernels.printers.cuda.build import build_cuda_kernels
from acrobat.kernels.printers.cuda.compile import LOCKED_TRITON, triton_version
from acrobat.kernels.printers.cuda.tile import Precision
from harness.gpu.machine_code.disassembly import Instruction, Routine, disassemble
from harness.gpu.machine_code.resources import (
    MULTIPROCESSORS,
    grid_barrier,
    heaviest,
    loads_before_polls,
    read_only,
)
from tests.sass.report import kernels_of, launched_text, persistent_text
from tests.selection import some

GOLDEN = Path(__file__).parents[1] / "golden" / "sass"
# Another release makes other code: what must hold of it is tested all the same.
locked = pytest.mark.skipif(triton_version() != LOCKED_TRITON, reason="another Triton")
ARRIVAL = [
    "BAR.SYNC.DEFER_BLOCKING", "MEMBAR.ALL.GPU", "ERRBAR", "RED.E.ADD.64.STRONG.GPU",
]  # fmt: skip
POLL = [
    "BAR.SYNC.DEFER_BLOCKING", "LDG.E.64.STRONG.GPU", "CCTL.IVALL", "STS.64",
    "BAR.SYNC.DEFER_BLOCKING", "LDS.64",
]  # fmt: skip
GRID = [
    ("mvrnn", "tiny", 90),
    *((name, "small", arch) for name in ("treelstm", "birnn", "berxit") for arch in (80, 86, 90)),
]


def cheap(name: str, size: str, arch: int) -> bool:
    """What is compiled in a few seconds."""
    return (name, size) == ("mvrnn", "tiny")


@locked
@pytest.mark.slow
@pytest.mark.parametrize(("name", "size", "arch"), some(GRID, always=cheap))
def test_the_persistent_kernel(
    name: str, size: str, arch: int, golden: Callable[[Path, str], None]
) -> None:
    golden(GOLDEN / f"{name}.{size}.sm_{arch}.txt", persistent_text(name, size, arch))


@locked
@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("arch", "precision"), [(80, "fp32"), (86, "fp32"), (90, "fp32"), (90, "tf32x3")]
)
def test_launched_kernels(
    arch: int, precision: Precision, golden: Callable[[Path, str], None]
) -> None:
    path = GOLDEN / f"treelstm.small.launched.sm_{arch}.{precision}.txt"
    golden(path, launched_text("treelstm", "small", arch, precision))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "size", "arch"), some(GRID, always=cheap))
def test_what_must_hold(name: str, size: str, arch: int) -> None:
    """A grid barrier has a release before the addition and caches emptied after a poll, between
    which steps load what they can; nothing that the launch may write is read through a cache that
    stays; main loops do not spill."""
    whole = build_cuda_kernels(kernels_of(name, size), arch, persistent=True).persistent
    assert whole is not None
    routines = disassemble(whole.cubin)
    arrival, poll = grid_barrier(routines)
    # An error of a cluster of thread blocks, which there are none of.
    assert [o.replace("REDG", "RED") for o in arrival if o != "CGAERRBAR"] == ARRIVAL
    assert poll == POLL
    for routine in routines:
        assert read_only(routine) == [], routine.name
        # Arguments, at least: where to store, and how many rows. ptxas may move them behind the
        # poll, and does so in BERxiT, whose operands are mostly the node's own: without offsets.
        if name != "berxit" and re.search(r"_r\d+$", routine.name):
            assert loads_before_polls(routine) >= 2, routine.name
        # What is live over a tile may be on the stack, but not what products need.
        loop = heaviest(routine)
        assert loop is None or loop.spills <= loop.instructions / 100, routine.name


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("arch", [80, 86, 90])
def test_loops_of_large_tiles_are_mostly_products(arch: int) -> None:
    """Those of a tree cell, at real sizes."""
    whole = build_cuda_kernels(kernels_of("treelstm", "small"), arch, persistent=True).persistent
    assert whole is not None
    shares = {r.name: loop.share for r in disassemble(whole.cubin) if (loop := heaviest(r))}
    for rows, least in ((16, 0.67), (32, 0.82)):
        assert shares[f"concat_linear_sigmoid_k0_r{rows}"] >= least, shares


def test_loops_of_a_routine() -> None:
    """An inner one, an outer one, and the branch to itself behind the end."""
    code = [Instruction("", o, t) for o, t in (
        ("MOV", ""), ("FFMA", ""), ("FADD", ""), ("BRA", "`(.L_inner)"), ("LDL.64", ""),
        ("BRA", "`(.L_outer)"), ("EXIT", ""), ("BRA", "`(.L_end)"),
    )]  # fmt: skip
    routine = Routine("r", code, {".L_outer": 0, ".L_inner": 1, ".L_end": 7})
    assert routine.loops() == [range(1, 4), range(6)]
    assert routine.innermost() == [range(1, 4)]
    loop = heaviest(routine)
    assert loop is not None and (loop.instructions, loop.products) == (3, 1)
    assert loop.spills == 0
    assert read_only(Routine("r", [Instruction("", "LDG.E.CONSTANT", "R0")])) != []


@pytest.mark.parametrize(
    ("arch", "registers", "shared", "warps", "resident"),
    [
        (90, 32, 0, 4, 16),  # 64 warps
        (90, 255, 0, 4, 2),  # registers: 8192 of a warp
        (90, 168, 0, 4, 3),
        (90, 32, 96 << 10, 4, 2),  # 228 KiB, 97 of each
        (86, 32, 49 << 10, 4, 2),
        (86, 32, 50 << 10, 4, 1),  # 100 KiB, 51 of each
        (86, 32, 0, 1, 16),  # blocks
        (80, 32, 80 << 10, 4, 2),
        (80, 32, 81 << 10, 4, 2),
        (80, 32, 82 << 10, 4, 1),
    ],
)
def test_programs_of_a_multiprocessor(
    arch: int, registers: int, shared: int, warps: int, resident: int
) -> None:
    assert MULTIPROCESSORS[arch].resident(registers, shared, warps) == resident
