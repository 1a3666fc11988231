"""The limits of a mini-batch on a GPU, against counts by hand."""

from __future__ import annotations

import pytest

from acrobat.kernels.specification.spec import Gate, Instr, KernelSpec, Operand, Store, Term
from harness.gpu.limits import batch_bytes, limits_of, main, node_bytes
from workloads.data.source import find_source

H = 32


def cell(rows: int = 1) -> KernelSpec:
    """tanh(x W + h U + b) in two gates, which read the same x: the second one has no h."""
    x, h = Term(0, 0, H, weight=0, row_stride=H), Term(1, 0, H, weight=1)
    return KernelSpec(
        name="cell",
        width=H,
        record=2 * H * rows,
        operands=(Operand("gathered", H * rows), Operand("gathered", H)),
        weights=((H, 2 * H), (H, H)),
        vectors=(H,),
        gates=(Gate((x, h)), Gate((Term(0, 0, H, weight=0, col=H, row_stride=H),))),
        epilogue=(
            Instr("acc", (0,)),
            Instr("load_shared", (0, 0)),
            Instr("add", (0, 1)),
            Instr("tanh", (2,)),
            Instr("acc", (1,)),
        ),
        stores=(Store(0, 3, row_stride=H), Store(H * rows, 4, row_stride=H)),
        rows=rows,
    )


@pytest.mark.parametrize("rows", [1, 5])
def test_bytes_of_a_kernel(rows: int) -> None:
    # x, the one row of h, and what is stored.
    assert node_bytes(cell(rows)) == 4 * (rows * H + H + 2 * rows * H)
    assert batch_bytes(cell(rows)) == 4 * (3 * H * H + H)
    assert cell(rows).flops == 2 * rows * 3 * H * H


@pytest.mark.slow
def test_a_mini_batch(capsys: pytest.CaptureFixture[str]) -> None:
    """A TreeLSTM has a kernel for leaves and one for inner nodes: i, o, u of a word, and five gates
    of two children."""
    found = limits_of("treelstm", "tiny", 7)
    trees = find_source().sample(7, 0, 18_000)
    inner = sum(len(t.left) // 2 for t in trees)
    words = {w for t in trees for w, left in zip(t.word, t.left, strict=True) if left < 0}
    assert found.flops == 2 * (3 * H * H * len(words) + 5 * 2 * H * H * inner)
    assert found.launches == 1 + max(t.heights()[-1] for t in trees)
    assert found.waits == 0
    assert found.bytes > 4 * found.launches * 3 * H * H
    assert (found.launch_us, found.flop_us) == (2.0 * found.launches, found.flops / 67e6)
    main(["--workloads", "treelstm", "--sizes", "tiny", "--batches", "7"])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"| treelstm | tiny, 7 | {found.launches} | 0 | 0.00 ")


@pytest.mark.slow
def test_decisions_are_waits() -> None:
    assert limits_of("drnn", "tiny", 3).waits > 0
