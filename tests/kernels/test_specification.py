"""Plans as text, and what the verifier refuses."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from acrobat.errors import CompilerBug
from acrobat.kernels.lowering.block import lower_block
from acrobat.kernels.specification.printer import print_plan
from acrobat.kernels.specification.spec import BlockPlan, Instr, KernelSpec
from acrobat.kernels.specification.verify import verify_plan
from tests.kernels.run_block import Builder

CELL = """\
block block: record 32, scratch 0
  output 0 at record[0]
  output 1 at record[16]
  kernel block_k0: rows 1, width 5
    x0 = gathered input 0, 4 floats
    x1 = gathered row input 0, 3 floats
    %0 = w2[j]
    %1 = sum k < 4: x0[k] * w1[k, j] + sum k < 3: x1[k] * w1[4 + k, j]
    %2 = add %1, %0
    %3 = tanh %2
    record[j] = %3
  kernel block_k1: rows 2, width 3
    x0 = gathered input 1, 6 floats
    %0 = x0[3*m + j]
    %1 = rmaxnum %0
    %2 = sub %0, %1
    %3 = exp %2
    %4 = rsum %3
    %5 = div %3, %4
    record[16 + 3*m + j] = %5
"""

PRODUCT = """\
block block: record 16, scratch 16
  output 0 at record[0]
  kernel block_k0: rows 2, width 4
    x0 = gathered input 1, 12 floats
    x1 = gathered input 0, 6 floats
    %0 = sum k < 3: x1[3*m + k] * x0[4*k + j]
    scratch[4*m + j] = %0
  kernel block_k1: rows 2, width 4
    x0 = scratch[0], 16 floats
    %0 = x0[4*m + j]
    %1 = rsum %0
    record[m] = %1
"""


def cell() -> BlockPlan:
    b = Builder()
    joined = b.op("concat", b.gathered(4), b.gathered_row(9, 3), axis=-1)
    gate = b.op("tanh", b.op("linear", joined, b.shared(7, 5), b.shared(5)))
    return lower_block(b.block(gate, b.op("softmax", b.gathered(2, 3))), True, True)


def product() -> BlockPlan:
    b = Builder()
    sums = b.op("sum", b.op("matmul", b.gathered(2, 3), b.gathered(3, 4)), axis=-1)
    return lower_block(b.block(sums), True, True)


@pytest.mark.parametrize(("plan", "text"), [(cell(), CELL), (product(), PRODUCT)])
def test_text(plan: BlockPlan, text: str) -> None:
    verify_plan(plan)
    assert print_plan(plan) == text


def changed(plan: BlockPlan, number: int, **fields: object) -> BlockPlan:
    """`plan` with another kernel `number`."""
    kernels = list(plan.kernels)
    kernels[number] = replace(kernels[number], **fields)  # type: ignore[arg-type]
    return replace(plan, kernels=tuple(kernels))


def read_at(spec: KernelSpec, offset: int) -> tuple[Instr, ...]:
    """The epilogue of `spec`, whose first instruction reads from `offset` on."""
    first, *rest = spec.epilogue
    number, _, *strides = first.args
    return (replace(first, args=(number, offset, *strides)), *rest)


def broken() -> dict[str, BlockPlan]:
    """Plans, by what is wrong with them."""
    plan, two = cell(), product()
    linear, softmax = plan.kernels
    matmul, sums = two.kernels
    (term, _), (store,) = linear.gates[0].terms, linear.stores
    gate = replace(linear.gates[0], terms=(replace(term, offset=1),))
    wide = replace(linear.gates[0], terms=(replace(term, col=1),))
    scalar = replace(store, scalar=True)
    return {
        "block_k0: it reads outside of operand 0": changed(plan, 0, gates=(gate,)),
        "block_k0: it reads outside of weight 0": changed(plan, 0, gates=(wide,)),
        "block_k0: it reads outside of vector 0": changed(plan, 0, epilogue=read_at(linear, 1)),
        "block_k1: it reads outside of operand 0": changed(plan, 1, epilogue=read_at(softmax, 1)),
        "block_k0: a store leaves the record": changed(
            plan, 0, stores=(replace(store, offset=28),)
        ),
        "block_k0: padding leaves the record": changed(
            plan, 0, stores=(replace(store, offset=24),)
        ),
        "block_k0: it stores floats of the record twice": changed(plan, 0, stores=(store, store)),
        "block_k0: it stores nothing": changed(plan, 0, stores=()),
        "block_k0: one float per row is stored of a value that differs by column": changed(
            plan, 0, stores=(scalar,)
        ),
        "block_k0: another record": replace(plan, record=48),
        "block: a record of 33 floats is not aligned": replace(plan, record=33),
        "block_k1: contractions beside reductions": changed(plan, 1, gates=linear.gates),
        "block_k0: instruction 0 needs a later one": changed(
            plan, 0, epilogue=(Instr("tanh", (3,)), *linear.epilogue[1:])
        ),
        "block_k0: it reads floats of the scratch that nothing has stored": replace(
            two, kernels=(replace(sums, name="block_k0"),), operands=two.operands[1:]
        ),
        "block_k1: another kernel of its level uses the same record": changed(
            plan, 1, stores=(replace(softmax.stores[0], offset=0),)
        ),
        "block_k0: 65 operands": changed(two, 0, operands=matmul.operands[:1] * 65),
    }


@pytest.mark.parametrize("what", broken())
def test_the_verifier_refuses(what: str) -> None:
    with pytest.raises(CompilerBug, match=f"^kernel specification {re.escape(what)}$"):
        verify_plan(broken()[what])
