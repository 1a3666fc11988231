"""Point-wise operations by kernels for AArch64, run by an emulator: what a conversion of a float
out of range gives, or a comparison with NaN, is another matter there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from acrobat.ir.ops import POINTWISE
from acrobat.kernels.printers.cpu.build import build_kernels
from tests.aarch64.cross import NEON, compile_cpp, emulate, machine_is, skip_without_tools
from tests.kernels.kernel_specs import slot
from tests.kernels.pointwise_operands import assert_keeps, operands, outside, single_operation

COUNT = 400
_DRIVER = Path(__file__).with_name("pointwise.cc")


def given() -> dict[str, list[np.ndarray]]:
    """Of every operation its operands; of one operand also what has no result, behind them."""
    found = {op.name: operands(op, op.cpu, COUNT) for op in POINTWISE.values()}
    bad = {op.name: outside(op) for op in POINTWISE.values() if op.arity == 1}
    return {n: [np.append(xs[0], bad[n])] if n in bad else xs for n, xs in found.items()}


def computed(given: Mapping[str, list[np.ndarray]], folder: Path) -> dict[str, np.ndarray]:
    """What the kernels make of it."""
    specs = [single_operation(POINTWISE[n], len(xs[0])) for n, xs in given.items()]
    with machine_is(NEON):
        built = build_kernels(specs)
    lines = ["#include <acrobat/cpu/tvm_abi.h>", 'extern "C" {']
    type_ = "(void*, const acrobat::PackedArg*, int32_t, acrobat::PackedArg*);"
    kernels = [built.kernels[s.name] for s in specs]
    assert all(1 in k.tiles for k in kernels)
    lines += [f"int {k.symbol(1)}{type_}" for k in kernels]
    lines += ["}", "struct Kernel {", "  acrobat::PackedKernel function;"]
    lines += ["  int operands, floats, slot, column_blocks;", "};"]
    entries = (
        f"{{{k.symbol(1)}, {len(s.operands)}, {s.width}, {slot(s.width)}, {k.column_blocks}}}"
        for k, s in zip(kernels, specs, strict=True)
    )
    lines.append(f"const Kernel kKernels[] = {{{', '.join(entries)}}};")
    (folder / "pointwise.h").write_text("\n".join(lines) + "\n")
    program = folder / "pointwise"
    compile_cpp([f"-I{folder}", _DRIVER, *built.paths], program)
    text = b"".join(x.astype("<f4").tobytes() for xs in given.values() for x in xs)
    flat = np.frombuffer(emulate(program, text), "<f4")
    ends = np.cumsum([len(xs[0]) for xs in given.values()])
    return dict(zip(given, np.split(flat, ends[:-1]), strict=True))


@pytest.mark.slow
def test_all_operations(tmp_path: Path) -> None:
    skip_without_tools()
    xs = given()
    got = computed(xs, tmp_path)
    for op in POINTWISE.values():
        bad = len(outside(op)) if op.arity == 1 else 0
        good = len(xs[op.name][0]) - bad
        with np.errstate(all="ignore"):
            want = op.numpy(*(x[:good] for x in xs[op.name]))
        assert_keeps(op.cpu, got[op.name][:good], want)
        assert np.isnan(got[op.name][good:]).all(), op.name
