"""Every point-wise operation in Triton's interpreter, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from acrobat.ir.ops import POINTWISE
from acrobat.kernels.printers.cuda.emit import kernel_source, symbol
from acrobat.kernels.printers.cuda.functions import pointwise, write_functions
from acrobat.kernels.printers.cuda.parts import split
from acrobat.kernels.printers.cuda.tile_choice import choose_tiles
from tests.kernels.kernel_specs import slot
from tests.kernels.pointwise_operands import assert_keeps, operands, outside, single_operation
from tests.kernels.run_cuda import variant
from tests.kernels.run_triton import interpret


def apply(name: str, xs: list[np.ndarray]) -> np.ndarray:
    """The operation by its kernel."""
    n = len(xs[0])
    spec = single_operation(POINTWISE[name], n)
    [tile] = choose_tiles(spec, 1, "fp32")
    nothing = np.zeros(1, np.float32)
    args = [np.zeros(slot(n), np.float32), nothing, 1, nothing, nothing]
    for i in range(len(xs)):
        args += [np.concatenate(xs), np.array([i * n], np.int32)]
    text = kernel_source(spec, split(spec), tile, "fp32")
    return interpret(text, symbol(spec, tile), variant(spec, tile).grid(1, 1, True), args)[0][:n]  # type: ignore[arg-type]


@pytest.mark.parametrize("name", POINTWISE)
def test_accuracy(name: str) -> None:
    op = POINTWISE[name]
    xs = operands(op, op.cuda)
    if op.arity > 1:
        for x in xs:
            x[7:9] = np.nan
    with np.errstate(all="ignore"):
        want = op.numpy(*xs)
    assert_keeps(op.cuda, apply(name, xs), want)


@pytest.mark.parametrize("name", [op.name for op in POINTWISE.values() if op.arity == 1])
def test_what_has_no_result_is_not_a_number(name: str) -> None:
    bad = outside(POINTWISE[name])
    assert np.isnan(apply(name, [bad])).all(), bad


def test_the_far_tail_of_gelu() -> None:
    """Where it is next to nothing, and where it is next to its operand."""
    xs = np.array([-1e30, -200, -104, -90, -20, 20, 88.7, 200, 1e30, np.inf], np.float32)
    np.testing.assert_allclose(
        apply("gelu", [xs]), POINTWISE["gelu"].numpy(xs), rtol=2e-6, atol=1e-37
    )


def test_functions_are_written_before_they_are_called_and_once() -> None:
    text = write_functions(["gelu", "add", "gelu", "tanh", "load"])
    defined = [line.split("(")[0] for line in text.splitlines() if line.startswith("def ")]
    assert defined == ["def exp", "def gelu", "def tanh"]
    assert pointwise("tanh", ["v3"]) == "tanh(v3)"
    assert pointwise("maximum", ["v1", "v2"]) == "tl.where(v1 != v1, v1, tl.where(v1 > v2, v1, v2))"
