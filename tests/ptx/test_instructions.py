"""Every entry of the table of instructions, on chosen values: expected values are written out, or
computed by Python's own integers and fractions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.ptx.compiled import Program
from tests.ptx.execution import launch
from tests.ptx.instructions import TABLE, entry
from tests.ptx.registers import UnknownInstruction
from tests.ptx.snippet import Snippet
from tests.ptx.syntax import parse

F: Any = np.float32
U: Any = np.uint32
S: Any = np.int32
D: Any = np.uint64
L: Any = np.int64
H: Any = np.uint16
NAN, INF, TINY = math.nan, math.inf, 1e-40
LANE = np.arange(32)

# Instruction, registers before, register, its type, and what the first threads have afterwards.
Case = tuple[str, dict[str, Any], str, type, list[Any]]

ARITHMETIC: list[Case] = [
    ("add.s32 %r0, %r1, 1", {"r1": S([2**31 - 1, -5])}, "r0", S, [-(2**31), -4]),
    ("sub.s64 %rd0, %rd1, %rd2", {"rd1": L([1, 0]), "rd2": L([2, -1])}, "rd0", L, [-1, 1]),
    ("add.f32 %r0, %r1, 0f3F800000", {"r1": F([1.5, NAN])}, "r0", F, [2.5, NAN]),
    ("mul.lo.s32 %r0, %r1, 3", {"r1": S([-7, 2**30])}, "r0", S, [-21, -(2**30)]),
    ("mul.f32 %r0, %r1, %r1", {"r1": F([3, INF])}, "r0", F, [9, INF]),
    ("div.full.f32 %r0, %r1, %r2", {"r1": F([1, 1]), "r2": F([4, 0])}, "r0", F, [0.25, INF]),
    ("div.rn.f32 %r0, %r1, %r2", {"r1": F([1, -0.0]), "r2": F([3, 5])}, "r0", F,
     [F(1) / F(3), -0.0]),
    ("and.b32 %r0, %r1, 12", {"r1": U([10, 7])}, "r0", U, [8, 4]),
    ("or.pred %p0, %p1, %p2", {"p1": [True, False], "p2": [False, False]}, "p0", bool,
     [True, False]),
    ("xor.b64 %rd0, %rd1, -1", {"rd1": D([0, 5])}, "rd0", L, [-1, -6]),
    ("min.s32 %r0, %r1, 0", {"r1": S([-3, 3])}, "r0", S, [-3, 0]),
    ("min.u32 %r0, %r1, 5", {"r1": S([-3, 3])}, "r0", U, [5, 3]),
    ("max.f32 %r0, %r1, %r2", {"r1": F([NAN, 1]), "r2": F([2, NAN])}, "r0", F, [2, 1]),
    ("max.NaN.f32 %r0, %r1, %r2", {"r1": F([NAN, 1]), "r2": F([2, 3])}, "r0", F, [NAN, 3]),
    ("neg.f32 %r0, %r1", {"r1": F([0.0, -2])}, "r0", F, [-0.0, 2]),
    ("abs.s32 %r0, %r1", {"r1": S([-4, 4])}, "r0", S, [4, 4]),
    ("not.b32 %r0, %r1", {"r1": U([0, 0xFFFFFFFE])}, "r0", U, [0xFFFFFFFF, 1]),
    ("not.pred %p0, %p1", {"p1": [True, False]}, "p0", bool, [False, True]),
    ("sqrt.rn.f32 %r0, %r1", {"r1": F([2, -1])}, "r0", F, [np.sqrt(F(2)), NAN]),
    ("rsqrt.approx.f32 %r0, %r1", {"r1": F([4, 0])}, "r0", F, [0.5, INF]),
    ("ex2.approx.f32 %r0, %r1", {"r1": F([3, -INF])}, "r0", F, [8, 0]),
    # What the product loses when it is rounded by itself.
    ("fma.rn.f32 %r0, %r1, %r1, %r2", {"r1": F([1 + 2**-12, 2]), "r2": F([-1 - 2**-11, 1])},
     "r0", F, [2**-24, 5]),
    ("mul.wide.s32 %rd0, %r1, 8", {"r1": S([-1, 2**30])}, "rd0", L, [-8, 2**33]),
    ("mul.wide.u32 %rd0, %r1, 8", {"r1": S([-1, 1])}, "rd0", D, [(2**32 - 1) * 8, 8]),
    ("mad.wide.s32 %rd0, %r1, 4, %rd1", {"r1": S([-2, 3]), "rd1": L([100, -5])}, "rd0", L, [92, 7]),
    ("mul.hi.u32 %r0, %r1, %r1", {"r1": U([2**31, 3])}, "r0", U, [2**30, 0]),
    ("mul.hi.s32 %r0, %r1, 2", {"r1": S([-1, 2**30])}, "r0", S, [-1, 0]),
    ("mad.lo.s32 %r0, %r1, %r1, 1", {"r1": S([-3, 2**16])}, "r0", S, [10, 1]),
    ("mad.lo.s64 %rd0, %rd1, 3, %rd1", {"rd1": L([-3, 2**62])}, "rd0", L, [-12, 0]),
    ("div.s32 %r0, %r1, %r2", {"r1": S([-7, 7]), "r2": S([2, -2])}, "r0", S, [-3, -3]),
    ("rem.s32 %r0, %r1, %r2", {"r1": S([-7, 7]), "r2": S([2, -2])}, "r0", S, [-1, 1]),
    ("div.u32 %r0, %r1, 2", {"r1": S([-2, 7])}, "r0", U, [2**31 - 1, 3]),
    ("shl.b32 %r0, %r1, %r2", {"r1": U([3, 3]), "r2": U([31, 32])}, "r0", U, [2**31, 0]),
    ("shl.b64 %rd0, %rd1, 40", {"rd1": D([1, 2**30])}, "rd0", D, [2**40, 0]),
    ("shr.u32 %r0, %r1, %r2", {"r1": S([-1, -1]), "r2": U([31, 40])}, "r0", U, [1, 0]),
    ("shr.s32 %r0, %r1, %r2", {"r1": S([-8, -8]), "r2": U([2, 40])}, "r0", S, [-2, -1]),
    ("bfe.u32 %r0, %r1, 4, 8", {"r1": U([0xABCD, 0])}, "r0", U, [0xBC, 0]),
    ("bfe.s32 %r0, %r1, 4, 4", {"r1": U([0x80, 0x70])}, "r0", S, [-8, 7]),
    ("bfe.s32 %r0, %r1, 28, 8", {"r1": U([0x80000000, 0x70000000])}, "r0", S, [-8, 7]),
    ("bfe.s32 %r0, %r1, 31, 1", {"r1": U([0x80000000, 0x7FFFFFFF])}, "r0", S, [-1, 0]),
]  # fmt: skip

CHOICE: list[Case] = [
    ("setp.lt.s32 %p0, %r1, 0", {"r1": S([-1, 0])}, "p0", bool, [True, False]),
    ("setp.lt.u32 %p0, %r1, 5", {"r1": S([-1, 0])}, "p0", bool, [False, True]),
    ("setp.eq.b32 %p0, %r1, -1", {"r1": S([-1, 0])}, "p0", bool, [True, False]),
    ("setp.ne.f32 %p0, %r1, %r1", {"r1": F([NAN, 1])}, "p0", bool, [False, False]),
    ("setp.neu.f32 %p0, %r1, %r1", {"r1": F([NAN, 1])}, "p0", bool, [True, False]),
    ("setp.equ.f32 %p0, %r1, 0f00000000", {"r1": F([NAN, 1])}, "p0", bool, [True, False]),
    ("setp.gtu.f32 %p0, %r1, 0f00000000", {"r1": F([NAN, -1])}, "p0", bool, [True, False]),
    ("setp.nan.f32 %p0, %r1, %r1", {"r1": F([NAN, INF])}, "p0", bool, [True, False]),
    ("setp.num.f32 %p0, %r1, %r1", {"r1": F([NAN, INF])}, "p0", bool, [False, True]),
    ("setp.ge.and.s64 %p0, %rd1, 2, %p1", {"rd1": L([2, 3]), "p1": [True, False]}, "p0", bool,
     [True, False]),
    ("selp.f32 %r0, %r1, 0f00000000, %p1", {"r1": F([5, 6]), "p1": [True, False]}, "r0", F, [5, 0]),
    ("selp.b64 %rd0, %rd1, 7, %p1", {"rd1": D([5, 6]), "p1": [False, True]}, "rd0", D, [7, 6]),
]  # fmt: skip

CONVERSION: list[Case] = [
    ("mov.b32 %r0, %r1", {"r1": U([5, 6])}, "r0", U, [5, 6]),
    ("mov.pred %p0, -1", {}, "p0", bool, [True, True]),
    ("mov.pred %p0, 0", {}, "p0", bool, [False, False]),
    ("mov.pred %p0, %p1", {"p1": [True, False]}, "p0", bool, [True, False]),
    ("mov.u32 %r0, %tid.x", {}, "r0", U, [0, 1]),
    ("mov.b32 %r0, {%rs1, %rs2}", {"rs1": H([1, 2]), "rs2": H([3, 4])}, "r0", U,
     [0x30001, 0x40002]),
    ("mov.b64 {%r0, %r1}, %rd1", {"rd1": D([2**33 + 7, 5])}, "r1", U, [2, 0]),
    ("mov.b64 {%r0, %r1}, %rd1", {"rd1": D([2**33 + 7, 5])}, "r0", U, [7, 5]),
    ("cvta.to.global.u64 %rd0, %rd1", {"rd1": D([9, 8])}, "rd0", D, [9, 8]),
    ("cvt.s64.s32 %rd0, %r1", {"r1": S([-1, 1])}, "rd0", L, [-1, 1]),
    ("cvt.u64.u32 %rd0, %r1", {"r1": S([-1, 1])}, "rd0", D, [2**32 - 1, 1]),
    ("cvt.u32.u64 %r0, %rd1", {"rd1": D([2**32 + 5, 1])}, "r0", U, [5, 1]),
    ("cvt.rn.f32.s32 %r0, %r1", {"r1": S([-3, 2**24 + 1])}, "r0", F, [-3, 2**24]),
    ("cvt.rmi.ftz.f32.f32 %r0, %r1", {"r1": F([-0.5, -TINY])}, "r0", F, [-1, -0.0]),
    ("cvt.rmi.f32.f32 %r0, %r1", {"r1": F([-0.5, -TINY])}, "r0", F, [-1, -1]),
    ("cvt.rzi.s32.f32 %r0, %r1", {"r1": F([-1.9, 3e9])}, "r0", S, [-1, 2**31 - 1]),
    ("cvt.rzi.s32.f32 %r0, %r1", {"r1": F([NAN, -INF])}, "r0", S, [0, -(2**31)]),
    ("cvt.rni.s32.f32 %r0, %r1", {"r1": F([2.5, 3.5])}, "r0", S, [2, 4]),
    # Ties go to the even one; NaN keeps no payload.
    ("cvt.rn.bf16.f32 %rs0, %r1", {"r1": U([0x3F808000, 0x3F818000])}, "rs0", H, [0x3F80, 0x3F82]),
    ("cvt.rn.bf16x2.f32 %r0, %r1, %r2", {"r1": F([1, NAN]), "r2": F([2, 1])}, "r0", U,
     [0x3F804000, 0x7FFF3F80]),
    ("cvt.f32.bf16 %r0, %rs1", {"rs1": H([0x3F80, 0xC000])}, "r0", F, [1, -2]),
    ("cvt.rna.tf32.f32 %r0, %r1", {"r1": U([0x3F801000, 0x3F800FFF])}, "r0", U,
     [0x3F802000, 0x3F800000]),
]  # fmt: skip

WARP: list[Case] = [
    ("shfl.sync.bfly.b32 %r0, %r1, 1, 31, -1", {"r1": U(LANE)}, "r0", U, [1, 0, 3, 2]),
    ("shfl.sync.idx.b32 %r0, %r1, 5, 31, -1", {"r1": U(LANE)}, "r0", U, [5, 5, 5, 5]),
    ("shfl.sync.down.b32 %r0, %r1, 2, 31, -1", {"r1": U(LANE)}, "r0", U, [2, 3, 4, 5]),
    ("shfl.sync.up.b32 %r0, %r1, 1, 0, -1", {"r1": U(LANE)}, "r0", U, [0, 0, 1, 2]),
    ("redux.sync.max.s32 %r0, %r1, -1", {"r1": S(5 - LANE)}, "r0", S, [5, 5]),
    ("redux.sync.min.u32 %r0, %r1, -1", {"r1": S(5 - LANE)}, "r0", U, [0, 0]),
    ("redux.sync.or.b32 %r0, %r1, -1", {"r1": U(1 << (LANE % 3))}, "r0", U, [7, 7]),
    ("bar.warp.sync -1", {"r0": U(LANE)}, "r0", U, [0, 1, 2]),
]
MEMORY = (  # tested below
    "ld.param.b32", "st.param.b64", "ld.global.v4.b32", "ld.global.nc.b32", "st.global.v2.b32",
    "ld.global.gpu.acquire.b64", "ld.acquire.gpu.global.b64", "ld.shared.v2.b32",
    "st.shared.b64", "ld.shared.b8", "atom.global.gpu.acq_rel.add.u64", "cp.async.cg.shared.global",
    "cp.async.commit_group", "cp.async.wait_group", "griddepcontrol.launch_dependents",
    "griddepcontrol.wait",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
)  # fmt: skip


def spread(value: Any) -> np.ndarray:
    """The first threads' values, repeated for all."""
    return np.resize(np.asarray(value), 32)


@pytest.mark.parametrize("case", [*ARITHMETIC, *CHOICE, *CONVERSION, *WARP], ids=lambda c: c[0])
def test_an_instruction(case: Case) -> None:
    text, before, register, kind, after = case
    done = Snippet(text + ";").run(**{name: spread(v) for name, v in before.items()})
    assert done.report.problems == {}
    got = done.register(register, kind)[: len(after)]
    np.testing.assert_array_equal(got, np.asarray(after, kind))
    if kind is F:  # zeros have signs
        number = ~np.isnan(got)
        np.testing.assert_array_equal(np.signbit(got[number]), np.signbit(F(after)[number]))


def test_every_entry_is_tested() -> None:
    opcodes = [c[0].split()[0] for c in (*ARITHMETIC, *CHOICE, *CONVERSION, *WARP)]
    assert {entry(o) for o in (*opcodes, *MEMORY)} == set(range(len(TABLE)))


@pytest.mark.parametrize("guard", ["@%p1", "@!%p1"])
def test_a_guarded_instruction_leaves_other_threads_alone(guard: str) -> None:
    on = LANE % 3 == 0
    done = Snippet(f"{guard} add.s32 %r0, %r1, 1;").run(r0=U(LANE * 0 + 9), r1=U(LANE), p1=on)
    changed = on if guard == "@%p1" else ~on
    np.testing.assert_array_equal(done.register("r0"), np.where(changed, LANE + 1, 9))


def test_threads_that_diverge_come_together() -> None:
    """A loop of as many rounds as a thread's number, and a branch around what the rest does."""
    text = """
    mov.b32 %r0, 0; mov.b32 %r1, 0;
    $loop: setp.ge.u32 %p0, %r1, %r2; @%p0 bra $behind;
    add.s32 %r0, %r0, %r1; add.s32 %r1, %r1, 1; bra.uni $loop;
    $behind: bar.sync 0; setp.lt.u32 %p1, %r2, 16; @%p1 bra $end;
    add.s32 %r0, %r0, 1000;
    $end: shfl.sync.bfly.b32 %r3, %r0, 16, 31, -1;
    """
    done = Snippet(text).run(r2=U(LANE))
    want = LANE * (LANE - 1) // 2 + 1000 * (LANE >= 16)
    np.testing.assert_array_equal(done.register("r0"), want)
    np.testing.assert_array_equal(done.register("r3"), want[LANE ^ 16])
    assert done.report.problems == {}


def test_a_shuffle_by_a_part_of_a_warp_is_a_problem() -> None:
    done = Snippet("@%p1 shfl.sync.bfly.b32 %r0, %r1, 1, 31, -1;").run(p1=LANE < 7, r1=U(LANE))
    [(what, where)] = done.report.problems
    assert (what, where) == (
        "a part of a warp", "@%p1 shfl.sync.bfly.b32 %r0, %r1, 1, 31, -1"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("popc.b32 %r0, %r1", "no meaning for 'popc.b32', in: popc.b32 %r0, %r1"),
        ("add.sat.s32 %r0, %r1, %r2",
         "no meaning for 'add.sat.s32', in: add.sat.s32 %r0, %r1, %r2"),
        ("@%p0 ld.local.b32 %r0, [%r1]",
         "no meaning for 'ld.local.b32', in: @%p0 ld.local.b32 %r0, [%r1]"),
        ("add.s32 %r0, %r1, %rd1", "%rd1 has 64 bits, not 32, in: add.s32 %r0, %r1, %rd1"),
        ("add.s32 %r0, %r1, %clock",
         "operand '%clock' has no meaning, in: add.s32 %r0, %r1, %clock"),
        ("add.s32 4, %r1, %r2", "'4' is not a register, in: add.s32 4, %r1, %r2"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_named(text: str, said: str) -> None:
    with pytest.raises(UnknownInstruction) as caught:
        Snippet(text + ";")
    assert str(caught.value) == said


def test_a_call_has_its_parameters() -> None:
    text = """
    .func twice(
      .param .b64 twice_param_0,
      .param .b32 twice_param_1
    )
    {
      .reg .b32 %r<2>; .reg .b64 %rd<3>;
      ld.param.b64 %rd1, [twice_param_0]; ld.param.b32 %r1, [twice_param_1];
      st.global.b32 [%rd1], %r1;
      ret;
    }
    .visible .entry main(
      .param .u64 .ptr .global .align 1 main_param_0
    )
    .reqntid 32
    {
      .reg .b32 %r<4>; .reg .b64 %rd<4>;
      ld.param.b64 %rd1, [main_param_0];
      mov.u32 %r1, %tid.x;
      mad.wide.u32 %rd2, %r1, 4, %rd1;
      mul.wide.u32 %rd3, %r1, 2;
      { // callseq 0
        .param .b64 param0;
        .param .b32 param1;
        st.param.b64 [param0], %rd2;
        st.param.b32 [param1], %rd3;
        call.uni twice, (param0, param1);
      }
      ret;
    }
    """
    words = np.zeros(40, np.uint32)
    report = launch(Program(parse(text)), "main", (1, 1), [4096], lambda a: (4096, words), 0)
    assert report.problems == {}
    np.testing.assert_array_equal(words[:32], 2 * LANE)
    np.testing.assert_array_equal(words[32:], 0)
