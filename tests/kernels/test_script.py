"""Kernels' sources executed as Python give what TVM's own parser makes of them."""

from __future__ import annotations

import functools

import pytest
import tvm
from tvm.script import tirx

from acrobat.kernels.lowering.block import lower_block
from acrobat.kernels.printers.cpu.emit import kernel_source
from acrobat.kernels.printers.cpu.rule import choose_template
from acrobat.kernels.printers.cpu.script import run_script
from acrobat.kernels.printers.cpu.target import host_target
from tests.kernels.random_blocks import RandomBlock
from tests.selection import some


@functools.cache
def sources() -> tuple[str, ...]:
    """Kernels of random blocks."""
    found = set()
    for seed in range(40):
        drawn = RandomBlock(seed, 2 + seed % 12)
        if not drawn.outputs:
            continue
        for spec in lower_block(drawn.built.block(*drawn.outputs), True, True).kernels:
            template = choose_template(spec, host_target())
            found.add(kernel_source(spec, template, template.tiles[-1]))
    assert len(found) > 30
    return tuple(sorted(found))


@pytest.mark.slow
@pytest.mark.parametrize("part", some(range(4), always=lambda part: part == 0))
def test_the_function_is_that_of_the_parser(part: int) -> None:
    for source in sources()[part::4]:
        parsed = tvm.script.from_source(source, extra_vars={"T": tirx})
        tvm.ir.assert_structural_equal(run_script(source), parsed, map_free_vars=True)


def test_names_stay() -> None:
    source = """@T.prim_func
def main(out_: T.handle('float32'), n: T.int64):
    T.func_attr({'global_symbol': 'double', 'tirx.noalias': True})
    out = T.decl_buffer((T.int64(64),), 'float32', data=out_)
    for row in T.serial(n):
        out[row] = out[row] + out[row]
"""
    text = run_script(source).script()
    assert "for row in range(n):" in text
    assert "out[row] = out[row] + out[row]" in text
