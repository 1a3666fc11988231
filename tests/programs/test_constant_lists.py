"""Lists that are written out and end with zeros: g++ 12 with AVX-512 has stored some of them
without the zeros (aot/toolchain.py)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor
from tests.loading import load_text


@ab.params
class _Weights:
    v: Float32[Tensor, "H"]


_TABLE = (1, 1, 1, 1, 1, 1, 1, 0, 3, 3, 3, 0, 0, 0, 0, 0)


@ab.model
def written(
    p: _Weights, k: int
) -> tuple[list[int], list[int], list[float], list[bool], list[int], list[str]]:
    """Of four and eight words, which a vector holds, and of more."""
    return (
        [1, 1, 1, 0],
        [k, 7, 7, 7, 7, 0, 0, 0, 0, -1, -1, -1, 0, -1, -1, 0, 0],
        [0.5, 0.5, 0.5, 0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0],
        [True, True, True, True, True, True, True, False],
        [_TABLE[k], *_TABLE],
        ["b", "b", "b", "a"],
    )


_HEAD = """
import acrobat as ab
from acrobat import Float32, Tensor

@ab.params
class Weights:
    v: Float32[Tensor, "H"]

@ab.model
def lists(p: Weights, k: int) -> list[list[int]]:
    return [
"""


def test_lists_end_with_the_zeros_that_were_written() -> None:
    weights = _Weights(v=np.ones(1, np.float32))
    fast = ab.compile(written, weights)
    assert fast([0, 9]) == [written(weights, 0), written(weights, 9)]


def test_lists_of_all_lengths_up_to_sixteen(tmp_path: Path) -> None:
    wanted = [
        [value] * (n - zeros) + [0] * zeros
        for n in range(2, 17)
        for zeros in range(n)
        for value in (1, -(1 << 40))
    ]
    text = _HEAD + "".join(f"        {xs},\n" for xs in wanted) + "    ]\n"
    module = load_text(text, tmp_path, "constant_lists")
    fast = ab.compile(module.lists, module.Weights(v=np.ones(1, np.float32)))
    assert fast([0]) == [wanted]
