"""BERxiT: Xin, Tang, Yu, Lin, "BERxiT: Early Exiting for BERT with Better Fine-Tuning and Extension
to Regression", EACL 2021; the encoder layer is that of BERT (Devlin et al. 2019) with the weights
shared by all layers, as in ALBERT (Lan et al. 2020).

After every layer a certainty head ("learning to exit") reads the first token; the encoder stops
when the certainty exceeds a threshold. A classifier with 16 classes follows, in a separate program
phase.

Our choices: the input is the embedded sequence, [128, H] of standard normal numbers; heads of 64
columns, feed-forward of 4 H with gelu, layer norm after the residual; one certainty head for all
layers; each instance has its own thresholds, one per layer, drawn so that about one in six stops at
the first layer. Later exits depend on the weights, because with shared layers an instance's
certainty changes little from layer to layer: exits spread over all layers, five to nine of twelve
on average. The result is the class distribution and the number of layers that ran.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .api import Workload
from .data.source import TreeSource
from .init import Weights

CLASSES = 16


@ab.data
class Sequence:
    tokens: Float32[Tensor, "S 64N"]
    thresholds: list[float]


@ab.params
class Layer:
    w_qkv: Float32[Tensor, "64N 192N"]
    b_qkv: Float32[Tensor, "192N"]
    w_o: Float32[Tensor, "64N 64N"]
    b_o: Float32[Tensor, "64N"]
    g_1: Float32[Tensor, "64N"]
    b_1: Float32[Tensor, "64N"]
    w_up: Float32[Tensor, "64N 256N"]
    b_up: Float32[Tensor, "256N"]
    w_down: Float32[Tensor, "256N 64N"]
    b_down: Float32[Tensor, "64N"]
    g_2: Float32[Tensor, "64N"]
    b_2: Float32[Tensor, "64N"]
    positions: Float32[Tensor, "S 64N"]


@ab.params
class BERxiT:
    layer: Layer
    w_certain: Float32[Tensor, "64N 1"]
    w_pool: Float32[Tensor, "64N 64N"]
    b_pool: Float32[Tensor, "64N"]
    w_class: Float32[Tensor, "64N C"]
    b_class: Float32[Tensor, "C"]


@ab.model
def encoder_layer(p: Layer, x: Float32[Tensor, "S 64N"]) -> Float32[Tensor, "S 64N"]:
    q, k, v = ops.split(ops.linear(x, p.w_qkv, p.b_qkv), 3)
    mixed = ops.linear(ops.attention(q, k, v, x.shape[1] // 64), p.w_o, p.b_o)
    x = ops.layer_norm(x + mixed, p.g_1, p.b_1)
    up = ops.gelu(ops.linear(x, p.w_up, p.b_up))
    return ops.layer_norm(x + ops.linear(up, p.w_down, p.b_down), p.g_2, p.b_2)


@ab.model
def classify(p: BERxiT, sequence: Sequence) -> tuple[Float32[Tensor, "C"], int]:
    x = sequence.tokens + p.layer.positions
    layers = 0
    for threshold in sequence.thresholds:
        x = encoder_layer(p.layer, x)
        layers += 1
        if ops.item(ops.sigmoid(x[0] @ p.w_certain)) > threshold:
            break
    ab.phase()
    pooled = ops.tanh(ops.linear(x[0], p.w_pool, p.b_pool))
    return ops.softmax(ops.linear(pooled, p.w_class, p.b_class)), layers


# H = 64 N for N heads.
SIZES = {
    "tiny": {"N": 1, "S": 16, "layers": 3},
    "small": {"N": 12, "S": 128, "layers": 12},
    "large": {"N": 16, "S": 128, "layers": 18},
}


def make_params(size: str, seed: int, source: TreeSource) -> BERxiT:
    """Seeded weights of `size`."""
    return weights(SIZES[size], seed)


def weights(dims: Mapping[str, int], seed: int) -> BERxiT:
    """Seeded weights for N heads and sequences of S tokens."""
    h, s = 64 * dims["N"], dims["S"]
    draw = Weights(seed, 6)
    layer = Layer(
        w_qkv=draw.uniform(h, h, 3 * h),
        b_qkv=draw.uniform(h, 3 * h),
        w_o=draw.uniform(h, h, h),
        b_o=draw.uniform(h, h),
        g_1=1 + draw.normal(0.1, h),
        b_1=draw.normal(0.1, h),
        w_up=draw.uniform(h, h, 4 * h),
        b_up=draw.uniform(h, 4 * h),
        w_down=draw.uniform(4 * h, 4 * h, h),
        b_down=draw.uniform(4 * h, h),
        g_2=1 + draw.normal(0.1, h),
        b_2=draw.normal(0.1, h),
        positions=draw.normal(0.1, s, h),
    )
    return BERxiT(
        layer=layer,
        w_certain=draw.normal(1 / h**0.5, h, 1),
        w_pool=draw.uniform(h, h, h),
        b_pool=draw.uniform(h, h),
        w_class=draw.uniform(h, h, CLASSES),
        b_class=draw.uniform(h, CLASSES),
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Sequence]:
    """`batch` embedded sequences and their thresholds: the logistic function of numbers from
    N(1.4, 1), so that a certainty exceeds one in six, as its logit is distributed like N(0, 1)."""
    rng = np.random.default_rng([seed, batch, 6])
    dims = SIZES[size]
    shape = (dims["S"], 64 * dims["N"])

    def thresholds() -> list[float]:
        drawn: list[float] = (1 / (1 + np.exp(-rng.normal(1.4, 1.0, dims["layers"])))).tolist()
        return drawn

    return [
        Sequence(rng.standard_normal(shape).astype(np.float32), thresholds()) for _ in range(batch)
    ]


WORKLOAD = Workload(
    name="berxit",
    order=6,
    label="BERxiT",
    title="BERxiT, early exit of a BERT encoder with shared layers",
    control_flow="tensor-dependent early exit, phases",
    decides=True,
    sizes=SIZES,
    model=classify,
    make_params=make_params,
    make_instances=make_instances,
)
