"""Kernels that multiply tiles of bfloat16 in the CPU's matrix unit, against their meaning in
numpy."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from acrobat.kernels.lowering.weight_storage import store_weights_as
from acrobat.kernels.printers.cpu import amx
from acrobat.kernels.printers.cpu.bench import linear, tree_cell
from acrobat.kernels.printers.cpu.build import build_kernels, load_kernels, target_of
from acrobat.kernels.printers.cpu.compile import ingredients
from acrobat.kernels.printers.cpu.emit import kernel_source, packed_floats
from acrobat.kernels.printers.cpu.fit import misfit
from acrobat.kernels.printers.cpu.pack import aligned, pack_vectors, pack_weights
from acrobat.kernels.printers.cpu.rule import choose_template, schedule_by_rule
from acrobat.kernels.printers.cpu.standalone import Standalone
from acrobat.kernels.printers.cpu.target import CpuTarget, machine_target
from acrobat.kernels.schedules import kernel_key, words
from acrobat.kernels.specification.reference import run_reference
from acrobat.kernels.specification.spec import Gate, KernelSpec, Operand, Term
from acrobat.kernels.specification.weight_types import rounded_to_bf16
from acrobat.tuning.uses import tunable
from tests.kernels.kernel_specs import cell, own_matrix, unlike_gates, wide
from tests.kernels.kernel_specs import matrix_rows as rows_of_matrix
from tests.kernels.run_kernel import run
from tests.kernels.test_turned import turned
from tests.kernels.test_weight_types import plan_of

with_amx = pytest.mark.skipif(amx.why_no_matrix_unit() is not None, reason="a CPU without AMX")
AVX512 = CpuTarget("a Xeon", ("avx512f",), 16, 32, machine="x86_64")
SPECS = {
    f"{s.name}_{s.width}_{s.rows}": s
    for s in (
        cell(20, 19),
        unlike_gates(),
        turned(20, 33),
        wide(5, 1, 1),
        wide(48, 21, 2, 9),
        wide(1, 96, 3),
        wide(64, 130, 1),
        rows_of_matrix(6),
        rows_of_matrix(64),
    )
}


def of_tiles(spec: KernelSpec) -> KernelSpec:
    return replace(spec, weight_type="tiles")


@with_amx
@pytest.mark.parametrize("name", SPECS)
def test_kernels_compute_what_the_specification_means(name: str) -> None:
    """Tiles of all heights compute the same bits."""
    run(of_tiles(SPECS[name]), 13)


def outputs(spec: KernelSpec, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """What the kernel `linear` makes of rows [n, k], without what pads its record."""
    n, k = rows.shape
    arena = aligned(rows.size + 16)
    arena[: rows.size] = rows.ravel()
    arena[rows.size :] = np.nan
    offsets = {0: np.arange(n, dtype=np.int32) * k}
    out = aligned(n * spec.record).reshape(n, spec.record)
    packed = pack_weights(spec, [weights]), pack_vectors(spec, [np.zeros(spec.width, np.float32)])
    Standalone(build_kernels([spec])).run(spec, out, {0: arena}, offsets, *packed)
    return out[:, : spec.width]


@with_amx
def test_rows_do_not_see_each_other() -> None:
    """Nor what lies behind them in memory; and NaN and infinity are what they are in float32."""
    spec = of_tiles(linear(33, 20))
    rng = np.random.default_rng(0)
    rows = rng.uniform(-0.1, 0.1, (13, 33)).astype(np.float32)
    weights = rng.uniform(-0.1, 0.1, (33, 20)).astype(np.float32)
    clean = outputs(spec, rows, weights)
    assert np.isfinite(clean).all()
    rows[3, 32], rows[7, 0] = np.nan, np.inf
    rows[8, 1] = np.array([0x7F800001], np.uint32).view(np.float32)[0]  # NaN in its lower half
    got = outputs(spec, rows, weights)
    assert np.isnan(got[[3, 8]]).all()
    np.testing.assert_array_equal(abs(got[7]), 1)  # tanh
    others = [n for n in range(13) if n not in (3, 7, 8)]
    np.testing.assert_array_equal(got[others], clean[others])
    np.testing.assert_array_equal(outputs(spec, rows[5:6], weights), clean[5:6])


@with_amx
def test_rows_are_rounded_to_nearest_and_ties_to_even() -> None:
    spec = of_tiles(linear(1, 16))
    numbers = np.random.default_rng(0).uniform(-0.5, 0.5, 997).astype(np.float32)
    ties = np.array([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-23], np.float32) / 2
    rows = np.concatenate([numbers, ties, -ties])[:, None]
    got = outputs(spec, rows, np.ones((1, 16), np.float32))
    # Tell neighbours of bfloat16 apart.
    np.testing.assert_allclose(got[:, 0], np.tanh(rounded_to_bf16(rows[:, 0])), rtol=4e-6)


@with_amx
def test_what_is_too_large_or_too_small_for_it() -> None:
    """Beyond the largest bfloat16 by half a unit is infinity; subnormal numbers count as zeros."""
    spec = of_tiles(linear(1, 16))
    largest = float(np.finfo(np.float32).max)
    rows = np.array([largest, 3.38e38, -largest, 1e-39, 2e-38], np.float32)[:, None]
    one = outputs(spec, rows, np.ones((1, 16), np.float32))[:, 0]
    np.testing.assert_array_equal(one[[0, 1, 2]], [1, 1, -1])
    # Infinity times zero is NaN.
    zero = outputs(spec, rows, np.zeros((1, 16), np.float32))[:, 0]
    np.testing.assert_array_equal(np.isnan(zero), [True, False, True, False, False])
    big = outputs(spec, rows[3:], np.full((1, 16), 2.0**126, np.float32))[:, 0]
    assert big[0] == 0
    np.testing.assert_allclose(big[1], np.tanh(2e-38 * 2.0**126), rtol=4e-3)


_STATE = """
#include <immintrin.h>
#include <stdint.h>
/* The parts of the CPU's state that are in use. */
uint64_t in_use(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return (uint64_t)high << 32 | low;
}
__attribute__((target("amx-tile"))) void occupy(void) {
  static const uint8_t config[64] = {[0] = 1, [16] = 64, [48] = 16};
  _tile_loadconfig(config);
  _tile_zero(0);
}
__attribute__((target("amx-tile"))) void release(void) { _tile_release(); }
"""
_TILES = 3 << 17  # their configuration and their numbers


@with_amx
def test_a_call_leaves_nothing_behind_in_the_unit(tmp_path: Path) -> None:
    source, built = tmp_path / "state.c", tmp_path / "state.so"
    source.write_text(_STATE)
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", str(source), "-o", str(built)], check=True)
    state = ctypes.CDLL(str(built))
    state.in_use.restype = ctypes.c_uint64
    state.occupy()
    assert state.in_use() & _TILES == _TILES
    state.release()
    assert state.in_use() & _TILES == 0
    rows, weights = np.ones((13, 33), np.float32), np.ones((33, 20), np.float32)
    outputs(of_tiles(linear(33, 20)), rows, weights)
    assert state.in_use() & _TILES == 0


def test_the_reference_rounds_rows_and_weights() -> None:
    spec = of_tiles(linear(40, 8))
    rng = np.random.default_rng(0)
    x, w = (rng.uniform(-0.2, 0.2, s).astype(np.float32) for s in ((3, 40), (40, 8)))
    out = np.zeros((3, spec.record), np.float32)
    at, zeros = {0: np.arange(3) * 40}, [np.zeros(8, np.float32)]
    run_reference(spec, x.ravel(), at, {}, [w], zeros, out)
    want = np.tanh(rounded_to_bf16(x) @ rounded_to_bf16(w))
    np.testing.assert_allclose(out[:, :8], want, rtol=1e-5, atol=1e-6)
    assert abs(out[:, :8] - np.tanh(x @ w)).max() > 1e-5


@with_amx
def test_an_object_needs_nothing_else() -> None:
    (path,) = build_kernels([of_tiles(cell(20, 19))]).paths
    shown = subprocess.run(["nm", "-u", str(path)], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["U", "TVMFFIErrorSetRaisedFromCStrParts"]


@with_amx
@pytest.mark.slow
def test_kernels_with_and_without_it_in_one_process() -> None:
    specs = [replace(cell(20, 19), name="one"), replace(of_tiles(cell(20, 19)), name="other")]
    kernels, functions = load_kernels(specs)
    assert set(functions) == {k.symbol(r) for k in kernels.values() for r in k.tiles}


def test_only_its_kernels_are_compiled_for_it() -> None:
    spec = tree_cell(256)
    assert target_of(spec, AVX512) is AVX512
    special = target_of(of_tiles(spec), AVX512)
    assert special.attributes == [*AVX512.attributes, "+amx-tile", "+amx-bf16"]
    assert ingredients(special)[1] == f"{AVX512.key} amx-tile amx-bf16"
    assert machine_target().extra == ()


def test_its_kernels_are_told_apart() -> None:
    specs = [tree_cell(256), replace(tree_cell(256), weight_type="bf16"), of_tiles(tree_cell(256))]
    assert len({kernel_key(s) for s in specs}) == 3
    assert words(specs[2]) == "5 contractions of 256 columns, K = 512, products of bf16"


def test_its_schedule_is_the_rules() -> None:
    """Its sums are in memory: 12 rows of 4 vectors are more than there are registers."""
    spec = of_tiles(tree_cell(256))
    schedule = schedule_by_rule(spec, AVX512)
    assert (schedule.vectors, schedule.usual) == (4, 12)
    assert misfit(schedule, spec, AVX512) is None
    assert misfit(schedule, tree_cell(256), AVX512) is not None
    assert "do not cover 3 rows" in str(misfit(replace(schedule, tiles=(1, 12)), spec, AVX512))
    assert tunable(tree_cell(256)) and not tunable(spec)


def test_a_call_configures_the_unit_and_releases_it() -> None:
    spec = of_tiles(linear(40, 32))
    template = choose_template(spec, AVX512)
    # 40 k are padded to two tiles of 32.
    assert packed_floats(spec, template) == 64 // 2 * 32
    lines = kernel_source(spec, template, 5).splitlines()
    unit = [line for line in lines if "llvm.x86." in line]
    assert "ldtilecfg" in unit[0] and unit[0].startswith("    T.")
    assert "tilerelease" in unit[-1] and unit[-1] == lines[-1] and unit[-1].startswith("    T.")
    # Two vectors of columns: a tile of rows, and two of weights.
    assert sum("tileloadd64" in line for line in unit) == 3
    assert sum("tdpbf16ps" in line for line in unit) == 2


def test_matrices_of_nodes_and_very_long_rows_stay_float32() -> None:
    own = plan_of(own_matrix(4, 12, 24))
    assert store_weights_as(own, "tiles").kernels[0].weight_type == "fp32"
    for k, weight_type in ((8192, "tiles"), (8193, "fp32")):
        spec = linear(k, 16)
        assert spec.operands == (Operand("gathered", k),)
        assert store_weights_as(plan_of(spec), "tiles").kernels[0].weight_type == weight_type
    # Of a row of one k 31 are zeros.
    terms = tuple(Term(0, n, 1, 0, n, 0) for n in range(257))
    for most, weight_type in ((256, "tiles"), (257, "fp32")):
        spec = replace(linear(8192, 16), gates=(Gate(terms[:most]),))
        assert store_weights_as(plan_of(spec), "tiles").kernels[0].weight_type == weight_type
