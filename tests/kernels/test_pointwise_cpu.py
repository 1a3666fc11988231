"""Every point-wise operation, compiled for the CPU, against numpy."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from acrobat.ir.ops import POINTWISE
from acrobat.kernels.printers.cpu.build import build_kernels
from acrobat.kernels.printers.cpu.emit import kernel_source
from acrobat.kernels.printers.cpu.pack import aligned
from acrobat.kernels.printers.cpu.rule import choose_template
from acrobat.kernels.printers.cpu.standalone import Standalone
from acrobat.kernels.printers.cpu.target import host_target
from tests.kernels.kernel_specs import slot
from tests.kernels.pointwise_operands import assert_keeps, operands, outside, single_operation

COUNT = 400  # elements, so that kernels are small


@functools.cache
def compiled() -> Standalone:
    """All operations in one object; the width of their kernels is that of their operands."""
    specs = [single_operation(op, len(operands(op, op.cpu, COUNT)[0])) for op in POINTWISE.values()]
    return Standalone(build_kernels(specs))


def apply(name: str, xs: list[np.ndarray]) -> np.ndarray:
    """The operation by its kernel."""
    op, n = POINTWISE[name], len(xs[0])
    arena = aligned(len(xs) * slot(n) + 16)
    for i, x in enumerate(xs):
        arena[i * slot(n) : i * slot(n) + n] = x
    offsets = {i: np.array([i * slot(n)], np.int32) for i in range(len(xs))}
    out = aligned(slot(n) + 16)[: slot(n)].reshape(1, -1)
    bases = dict.fromkeys(offsets, arena)
    compiled().run(single_operation(op, n), out, bases, offsets, aligned(16), aligned(16))
    return out[0, :n].copy()


@pytest.mark.slow
@pytest.mark.parametrize("name", POINTWISE)
def test_accuracy(name: str) -> None:
    op = POINTWISE[name]
    xs = operands(op, op.cpu, COUNT)
    with np.errstate(all="ignore"):
        want = op.numpy(*xs)
    assert_keeps(op.cpu, apply(name, xs), want)


@pytest.mark.parametrize("name", [op.name for op in POINTWISE.values() if op.arity == 1])
def test_what_has_no_result_is_not_a_number(name: str) -> None:
    op = POINTWISE[name]
    bad = outside(op)
    n = len(operands(op, op.cpu, COUNT)[0])
    assert np.isnan(apply(name, [np.resize(bad, n)])[: len(bad)]).all(), bad


def test_whether_a_number_is_nan_calls_no_function() -> None:
    op = POINTWISE["maximum"]
    spec = single_operation(op, 64)
    text = kernel_source(spec, choose_template(spec, host_target()), 1)
    assert "T.reinterpret('int32'" in text and "isnan" not in text
