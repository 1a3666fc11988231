"""Matrices of a warp: from and to shared memory, and products on tensor cores."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ptx.instructions.conversion import from_bfloat16, to_bfloat16
from tests.ptx.snippet import Snippet

LANE = np.arange(32)
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("turned", [False, True])
def test_matrices_of_shared_memory(turned: bool) -> None:
    """Row r of matrix m is at the address of thread 8 m + r; the thread has two neighbours of a
    row, or of a column."""
    halves = RNG.permutation(4 * 64).astype(np.uint16).reshape(4, 8, 8)
    body = f"""
    st.shared.v4.b32 [%r0], {{%r4, %r5, %r6, %r7}};
    bar.sync 0;
    ldmatrix.sync.aligned.m8n8.x4{".trans" if turned else ""}.shared.b16
      {{%r8, %r9, %r10, %r11}}, [%r1+16];
    """
    rows = halves.reshape(32, 8).view(np.uint32)  # a row for each thread
    # They lie in another order, 16 bytes into shared memory.
    place = np.argsort(RNG.permutation(32))
    done = Snippet(body).run(
        r0=(16 + 16 * place).astype(np.uint32), r1=(16 * place).astype(np.uint32),
        **{f"r{4 + n}": np.ascontiguousarray(rows[:, n]) for n in range(4)},
    )  # fmt: skip
    assert done.report.problems == {}
    for m in range(4):
        matrix = halves[m].T if turned else halves[m]
        want = matrix[LANE // 4][LANE, np.array([2 * (LANE % 4), 2 * (LANE % 4) + 1])].T
        got = done.register(f"r{8 + m}").view(np.uint16).reshape(32, 2)
        np.testing.assert_array_equal(got, want)


def test_stores_of_matrices_are_the_opposite() -> None:
    body = """
    stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r2, %r3};
    bar.sync 0;
    ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r4, %r5}, [%r1];
    ld.shared.b32 %r6, [%r7];
    """
    first, second = (RNG.integers(0, 2**32, 32, dtype=np.uint32) for _ in range(2))
    done = Snippet(body).run(
        r1=(16 * LANE).astype(np.uint32), r2=first, r3=second, r7=(4 * LANE).astype(np.uint32)
    )
    np.testing.assert_array_equal(done.register("r4"), first)
    np.testing.assert_array_equal(done.register("r5"), second)
    # Row 0 of the first matrix is what threads 0 to 3 had.
    np.testing.assert_array_equal(done.register("r6"), first)


@pytest.mark.parametrize("kind", ["tf32", "bf16"])
def test_products_on_tensor_cores(kind: str) -> None:
    """Fragments as the PTX ISA draws them."""
    k = 8 if kind == "tf32" else 16
    a, b = RNG.normal(size=(16, k)).astype(np.float32), RNG.normal(size=(k, 8)).astype(np.float32)
    c = RNG.normal(size=(16, 8)).astype(np.float32)
    group, place = LANE // 4, LANE % 4
    if kind == "tf32":
        left = [a[group + 8 * (n % 2), place + 4 * (n // 2)].view(np.uint32) for n in range(4)]
        right = [b[place + 4 * n, group].view(np.uint32) for n in range(2)]
        a, b = ((x.view(np.uint32) & 0xFFFFE000).view(np.float32) for x in (a, b))
    else:
        a, b = (from_bfloat16(to_bfloat16(x.ravel())).reshape(x.shape) for x in (a, b))

        def word(low: np.ndarray, high: np.ndarray) -> np.ndarray:
            return np.asarray(to_bfloat16(low) | to_bfloat16(high).astype(np.uint32) << 16)

        left, right = [], []
        for n in range(4):
            row, column = group + 8 * (n % 2), 2 * place + 8 * (n // 2)
            left.append(word(a[row, column], a[row, column + 1]))
        for n in range(2):
            row = 2 * place + 8 * n
            right.append(word(b[row, group], b[row + 1, group]))
    added = [c[group + 8 * (n // 2), 2 * place + n % 2] for n in range(4)]
    body = f"""
    mma.sync.aligned.m16n8k{k}.row.col.f32.{kind}.{kind}.f32
      {{%r0, %r1, %r2, %r3}}, {{%r4, %r5, %r6, %r7}}, {{%r8, %r9}}, {{%r10, %r11, %r12, %r13}};
    """
    values = dict(enumerate([*left, *right, *added], start=4))
    done = Snippet(body).run(**{f"r{n}": v for n, v in values.items()})
    want = a @ b + c
    for n in range(4):
        got = done.register(f"r{n}", np.float32)
        np.testing.assert_allclose(got, want[group + 8 * (n // 2), 2 * place + n % 2], rtol=1e-5)
