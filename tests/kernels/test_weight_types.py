"""Weights in fewer bits: what is stored, and kernels that widen it against their meaning in
numpy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from acrobat.errors import CompilerBug
from acrobat.kernels.printers.cpu.bench import tree_cell
from acrobat.kernels.printers.cpu.build import build_kernels, what_computes
from acrobat.kernels.printers.cpu.pack import WeightPacker, pack_weights, weight_packer
from acrobat.kernels.printers.cpu.rule import schedule_by_rule, shared_floats
from acrobat.kernels.printers.cpu.target import CpuTarget, machine_target
from acrobat.kernels.schedules import kernel_key, words
from acrobat.kernels.specification.printer import print_plan
from acrobat.kernels.specification.spec import BlockPlan, KernelSpec
from acrobat.kernels.specification.verify import verify_plan
from acrobat.kernels.specification.weight_types import (
    WeightType,
    bf16_bits,
    quantised,
    rounded_to_bf16,
)
from tests.kernels.kernel_specs import cell, heads, matrix_rows, own_matrix, unlike_gates, wide
from tests.kernels.run_kernel import run
from tests.kernels.test_turned import turned
from tests.selection import some

NARROW: tuple[WeightType, ...] = ("bf16", "int8")
SPECS = {
    s.name: s
    for s in (
        cell(20, 19),
        unlike_gates(),
        turned(20, 33),
        wide(5, 1, 1),
        wide(48, 21, 2, 9),
        matrix_rows(6),
    )
}


@pytest.mark.parametrize(
    ("number", "bits"),
    [
        (1.0, 0x3F80),
        (-2.5, 0xC020),
        (0.0, 0x0000),
        (-0.0, 0x8000),
        (1 + 2**-8, 0x3F80),  # a tie, to even
        (1 + 3 * 2**-8, 0x3F82),  # a tie, to even
        (1 + 2**-8 + 2**-23, 0x3F81),
        (1 - 2**-24, 0x3F80),
        (np.inf, 0x7F80),
        (3.4028235e38, 0x7F80),  # beyond the largest
        (3.3895314e38, 0x7F7F),
        (2.0**-149, 0x0000),
        (2.0**-133, 0x0001),
    ],
)
def test_rounding_to_bfloat16(number: float, bits: int) -> None:
    array = np.array([number], np.float32)
    assert bf16_bits(array)[0] == bits
    assert bf16_bits(-array)[0] == bits ^ 0x8000
    assert rounded_to_bf16(array).view(np.uint32)[0] == bits << 16


def test_rounding_keeps_what_is_no_number() -> None:
    # Of the last, whose upper half alone would be infinite, and one that addition would wrap.
    bits = np.array([0x7FC00000, 0xFFC00001, 0x7F800001, 0xFFFFFFFF], np.uint32)
    assert np.isnan(rounded_to_bf16(bits.view(np.float32))).all()


def test_rounding_is_to_the_nearest() -> None:
    numbers = np.random.default_rng(0).normal(size=10_000).astype(np.float32)
    rounded = rounded_to_bf16(numbers)
    assert (rounded_to_bf16(rounded) == rounded).all()
    below = (bf16_bits(rounded) - np.uint16(1)).astype(np.uint32) << np.uint32(16)
    above = (bf16_bits(rounded) + np.uint16(1)).astype(np.uint32) << np.uint32(16)
    for other in (below, above):
        assert (abs(rounded - numbers) <= abs(other.view(np.float32) - numbers)).all()


def test_a_scale_for_each_column_of_all_terms() -> None:
    first = np.array([[1.0, 0.0, 254.0, -3.0], [0.5, 0.0, -1.0, 1.5]], np.float32)
    second = np.array([[-2.0, 0.0, 3.0, 0.0]], np.float32)
    whole, scale = quantised([first, second])
    np.testing.assert_array_equal(scale, np.array([2, 0, 254, 3], np.float32) / np.float32(127))
    # 63.5 and 31.75 of the first, a tie (to even) and not; -0.5 and 1.5 of the third are ties, too.
    np.testing.assert_array_equal(whole[0], [[64, 0, 127, -127], [32, 0, 0, 64]])
    np.testing.assert_array_equal(whole[1], [[-127, 0, 2, 0]])
    assert [w.dtype for w in whole] == [np.int8, np.int8]


def test_columns_that_are_not_finite_or_nearly_nothing() -> None:
    bad = np.array([[np.nan, np.inf, 1e-45, 3e38], [1.0, 1.0, 0.0, -3e38]], np.float32)
    (whole,), scale = quantised([bad])
    assert np.isnan(scale[:2]).all() and scale[2] == 0 and np.isfinite(scale[3])
    assert abs(whole.astype(int)).max() <= 127 and whole[0, 3] == 127 == -whole[1, 3]


@pytest.mark.slow
@pytest.mark.parametrize("weight_type", NARROW)
@pytest.mark.parametrize("name", SPECS)
def test_kernels_compute_what_the_specification_means(name: str, weight_type: WeightType) -> None:
    run(replace(SPECS[name], weight_type=weight_type), 13)


@pytest.mark.parametrize(
    ("lanes", "weight_type", "name"),
    some(
        [
            (lanes, t, s)
            for lanes in (8, 4)
            if lanes < machine_target().lanes
            for t in NARROW
            for s in SPECS
        ],
        always=lambda lanes, weight_type, name: name == "unlike_gates",
    ),
)
def test_with_narrower_vectors(
    monkeypatch: pytest.MonkeyPatch, lanes: int, weight_type: WeightType, name: str
) -> None:
    monkeypatch.setenv("ACROBAT_LANES", str(lanes))
    run(replace(SPECS[name], weight_type=weight_type), 13)


@pytest.mark.parametrize("name", SPECS)
def test_bfloat16_is_float32_of_rounded_weights_to_the_last_bit(name: str) -> None:
    """Both sum the same products in the same order."""
    run(replace(SPECS[name], weight_type="bf16"), 13, alike=SPECS[name])


@pytest.mark.slow
@pytest.mark.parametrize("weight_type", some(NARROW, always=lambda t: t == "int8"))
def test_weights_take_less_memory(weight_type: WeightType) -> None:
    spec = tree_cell(64)
    narrow = replace(spec, weight_type=weight_type)
    before, after = (build_kernels([s]).kernels[s.name].weight_floats for s in (spec, narrow))
    assert before == 128 * 5 * 64
    expected = {"bf16": before // 2, "int8": before // 4}[weight_type]
    # The scales of five gates for each column, a zero, and what aligns them.
    assert after - expected in ({0} if weight_type == "bf16" else range(5 * 64 + 1, 6 * 64 + 1))
    assert shared_floats(narrow) == expected


@pytest.mark.parametrize("weight_type", NARROW)
def test_weights_are_packed_anew_in_place(weight_type: WeightType) -> None:
    spec = replace(SPECS["unlike_gates"], weight_type=weight_type)
    rng = np.random.default_rng(0)
    first, second = ([rng.normal(size=s).astype(np.float32) for s in spec.weights] for _ in "ab")
    packer = weight_packer(spec)
    packed = packer(first, None)
    want = pack_weights(spec, second)
    assert not np.array_equal(packed.view(np.uint32), want.view(np.uint32))
    assert packer(second, packed) is packed
    np.testing.assert_array_equal(packed.view(np.uint32), want.view(np.uint32))


def test_kernels_of_float32_are_what_they_were() -> None:
    spec = tree_cell(256)
    assert kernel_key(spec) == "617b5ff2a0619232ff4f8baa"
    assert "weight_type" not in what_computes(spec)
    assert isinstance(weight_packer(spec), WeightPacker)


def test_types_are_told_apart() -> None:
    spec = tree_cell(256)
    kernels = [spec, *(replace(spec, weight_type=t) for t in NARROW)]
    assert len({kernel_key(s) for s in kernels}) == len(kernels)
    about = "5 contractions of 256 columns, K = 512"
    assert [words(s) for s in kernels] == [about, *(f"{about}, weights in {t}" for t in NARROW)]


def test_weights_that_fit_the_cache_as_they_are_stored_have_wide_blocks() -> None:
    """2^18 floats are what the rule takes to stay there."""
    spec, avx512 = wide(512, 768, 1), CpuTarget("a Xeon", (), 16, 32)
    as_float32 = schedule_by_rule(spec, avx512)
    as_bf16 = schedule_by_rule(replace(spec, weight_type="bf16"), avx512)
    assert as_float32.vectors == 2 < as_bf16.vectors


def plan_of(spec: KernelSpec) -> BlockPlan:
    return BlockPlan(
        block="block",
        record=spec.record,
        outputs=(0,),
        kernels=(spec,),
        operands=(tuple(("gathered", n, 0) for n in range(len(spec.indexed))),),
        weights=(tuple("abcdefgh"[: len(spec.weights)]),),
        vectors=(tuple("stuvw"[: len(spec.vectors)]),),
        scratch=spec.scratch,
    )


def test_a_plan_says_how_weights_are_stored() -> None:
    spec = replace(turned(20, 33), weight_type="bf16")
    assert "  kernel turned: rows 1, width 20, weights in bf16\n" in print_plan(plan_of(spec))


@pytest.mark.parametrize("spec", [own_matrix(4, 12, 24), heads(4, 2, 8)], ids=lambda s: s.name)
def test_matrices_of_nodes_are_float32(spec: KernelSpec) -> None:
    with pytest.raises(CompilerBug, match=f"{spec.name}: a matrix of the node's own is float32"):
        verify_plan(plan_of(replace(spec, weight_type="bf16")))
