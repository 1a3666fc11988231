"""How rows are cut into tiles: all of them, by heights that exist, with the same bits for each."""

from __future__ import annotations

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from acrobat.kernels.printers.calling_convention import tile_plan
from acrobat.kernels.printers.cpu.rule import join_of
from tests.selection import some

EIGHT = tuple(range(1, 9))


@pytest.mark.parametrize(
    ("tiles", "usual"),
    [(EIGHT, 8), (EIGHT, 6), ((*EIGHT, 12), 12), ((1, 2, 3, 4, 5, 6), 6)],
)
def test_a_plan_covers_all_rows_by_heights_that_exist(tiles: tuple[int, ...], usual: int) -> None:
    for n in range(120):
        plan = tile_plan(n, tiles, usual, join_of(usual))
        assert sum(height * count for height, count in plan) == n
        assert all(height in tiles and count > 0 for height, count in plan)
        assert len({height for height, _ in plan}) == len(plan)


@pytest.mark.parametrize(
    ("n", "usual", "plan"),
    [
        (9, 12, [(5, 1), (4, 1)]),
        (11, 12, [(6, 1), (5, 1)]),
        (12, 12, [(12, 1)]),
        (13, 12, [(7, 1), (6, 1)]),
        (16, 12, [(12, 1), (4, 1)]),
        (64, 12, [(12, 5), (4, 1)]),
        (74, 12, [(12, 5), (7, 2)]),
        (7, 6, [(7, 1)]),
        (8, 6, [(8, 1)]),
        (9, 6, [(6, 1), (3, 1)]),
        (12, 6, [(6, 2)]),
        (64, 6, [(6, 10), (4, 1)]),
    ],
)
def test_the_rest_is_shared_out(n: int, usual: int, plan: list[tuple[int, int]]) -> None:
    assert tile_plan(n, (*EIGHT, 12), usual, join_of(usual)) == plan


@ab.params
class Layer:
    w: Float32[Tensor, "K H"]
    b: Float32[Tensor, "H"]
    positions: Float32[Tensor, "M K"]


@ab.data
class Matrix:
    rows: Float32[Tensor, "M K"]


@ab.model
def layer(p: Layer, x: Matrix) -> Float32[Tensor, "M H"]:
    return ops.tanh(ops.linear(x.rows + p.positions, p.w, p.b))


# Vectors; tiles over several nodes; nodes cut by themselves, one of them by an odd height.
@pytest.mark.slow
@pytest.mark.parametrize("m", some([1, 2, 5, 7, 24, 64], always=lambda m: m in (1, 5, 64)))
def test_every_number_of_nodes_gives_the_bits_of_one_alone(m: int) -> None:
    rng = np.random.default_rng(m)

    def draw(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32)

    params = Layer(w=draw(48, 32), b=draw(32), positions=draw(m, 48))
    instances = [Matrix(draw(m, 48)) for _ in range(40)]
    for threads in (1, 2):
        fast = ab.compile(layer, params, "cpu", ab.Options(threads=threads))
        alone = [fast([x])[0] for x in instances]
        np.testing.assert_allclose(alone[0], layer(params, instances[0]), rtol=1e-5, atol=1e-6)
        for n in range(1, 41):
            for got, want in zip(fast(instances[:n]), alone, strict=False):
                np.testing.assert_array_equal(got, want)


@pytest.mark.slow
def test_more_rows_than_go_through_all_column_blocks_together() -> None:
    rng = np.random.default_rng(0)
    k, h, count = 2048, 128, 150  # rows at once: 60
    w = rng.standard_normal((k, h)).astype(np.float32)
    params = Layer(w=w, b=np.zeros(h, np.float32), positions=np.zeros((1, k), np.float32))
    rows = rng.standard_normal((count, 1, k)).astype(np.float32) / 64
    for threads in (1, 2):
        fast = ab.compile(layer, params, "cpu", ab.Options(threads=threads))
        got = np.stack(fast([Matrix(x) for x in rows]))
        np.testing.assert_allclose(got, np.tanh(rows @ w), rtol=1e-4, atol=1e-5)
