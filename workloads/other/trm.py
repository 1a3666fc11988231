"""A Tiny Recursive Model: Jolicoeur-Martineau, "Less is More: Recursive Reasoning with Tiny
Networks", 2025 (arXiv 2510.04871). Two layers of width 512, applied repeatedly to one puzzle.

x is the puzzle, y the answer so far, z the latent state. A step is repeated until the halting head
says that the answer is right:

    n times: z = net(x + y + z)        y = net(y + z)        halt if sigmoid(y[0] w) > threshold

A layer of the net is attention and a SwiGLU, with RMS norm after each residual. Published code runs
every puzzle of a mini-batch for the maximum number of steps, "for batching purposes".

Our choices: n = 3, as in the paper's code for puzzles where that suffices; the puzzle is given
embedded, [S, H] of standard normal numbers; each instance has its own thresholds, one per step,
drawn so that about one in four halts at each. The result is the distribution over the symbols of
every cell, and the number of steps.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..api import OTHER, Workload
from ..data.source import TreeSource
from ..init import Weights

SYMBOLS, LATENT = 10, 3


@ab.data
class Puzzle:
    cells: Float32[Tensor, "S 64N"]
    thresholds: list[float]


@ab.params
class Layer:
    w_qkv: Float32[Tensor, "64N 192N"]
    w_o: Float32[Tensor, "64N 64N"]
    g_1: Float32[Tensor, "64N"]
    w_up: Float32[Tensor, "64N 256N"]
    w_down: Float32[Tensor, "128N 64N"]
    g_2: Float32[Tensor, "64N"]


@ab.params
class Recursive:
    one: Layer
    two: Layer
    positions: Float32[Tensor, "S 64N"]
    answer: Float32[Tensor, "S 64N"]
    latent: Float32[Tensor, "S 64N"]
    w_halt: Float32[Tensor, "64N 1"]
    w_out: Float32[Tensor, "64N C"]


@ab.model
def layer(p: Layer, x: Float32[Tensor, "S 64N"]) -> Float32[Tensor, "S 64N"]:
    q, k, v = ops.split(x @ p.w_qkv, 3)
    x = ops.rms_norm(x + ops.attention(q, k, v, x.shape[1] // 64) @ p.w_o, p.g_1)
    gate, up = ops.split(x @ p.w_up, 2)
    return ops.rms_norm(x + (ops.silu(gate) * up) @ p.w_down, p.g_2)


@ab.model
def net(p: Recursive, x: Float32[Tensor, "S 64N"]) -> Float32[Tensor, "S 64N"]:
    return layer(p.two, layer(p.one, x))


@ab.model
def solve(p: Recursive, puzzle: Puzzle) -> tuple[Float32[Tensor, "S C"], int]:
    x = puzzle.cells + p.positions
    y = p.answer
    z = p.latent
    steps = 0
    for threshold in puzzle.thresholds:
        for _ in range(LATENT):
            z = net(p, x + y + z)
        y = net(p, y + z)
        steps += 1
        if ops.item(ops.sigmoid(y[0] @ p.w_halt)) > threshold:
            break
    return ops.softmax(y @ p.w_out), steps


# H = 64 N for N heads; S cells, a square.
SIZES = {
    "tiny": {"N": 1, "S": 9, "steps": 4},
    "small": {"N": 8, "S": 16, "steps": 8},
    "large": {"N": 8, "S": 81, "steps": 16},
}


def make_params(size: str, seed: int, source: TreeSource) -> Recursive:
    """Seeded weights of `size`."""
    h, s = 64 * SIZES[size]["N"], SIZES[size]["S"]
    draw = Weights(seed, 26)

    def made() -> Layer:
        return Layer(
            w_qkv=draw.uniform(h, h, 3 * h),
            w_o=draw.uniform(h, h, h),
            g_1=1 + draw.normal(0.1, h),
            w_up=draw.uniform(h, h, 4 * h),
            w_down=draw.uniform(2 * h, 2 * h, h),
            g_2=1 + draw.normal(0.1, h),
        )

    return Recursive(
        one=made(),
        two=made(),
        positions=draw.normal(0.1, s, h),
        answer=draw.normal(0.5, s, h),
        latent=draw.normal(0.5, s, h),
        w_halt=draw.normal(1 / h**0.5, h, 1),
        w_out=draw.normal(1 / h**0.5, h, SYMBOLS),
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Puzzle]:
    """`batch` embedded puzzles and their thresholds: the logistic function of numbers from N(1, 1),
    so that a halting probability exceeds one in four, as its logit is distributed like N(0, 1)."""
    rng = np.random.default_rng([seed, batch, 26])
    dims = SIZES[size]
    shape = (dims["S"], 64 * dims["N"])

    def thresholds() -> list[float]:
        drawn: list[float] = (1 / (1 + np.exp(-rng.normal(1.0, 1.0, dims["steps"])))).tolist()
        return drawn

    return [
        Puzzle(rng.standard_normal(shape).astype(np.float32), thresholds()) for _ in range(batch)
    ]


WORKLOAD = Workload(
    name="trm",
    order=26,
    label="TRM",
    title="Tiny Recursive Model with a halt per instance",
    control_flow="tensor-dependent number of steps",
    decides=True,
    study=OTHER,
    sizes=SIZES,
    model=solve,
    make_params=make_params,
    make_instances=make_instances,
)
