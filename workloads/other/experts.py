"""Two layers of a sparse mixture of experts, one expert per token: Fedus, Zoph, Shazeer, "Switch
Transformers", JMLR 2022.

    y = layer_norm(x)     k = argmax(y R)     x' = x + max(softmax(y R)) * expert_k(y)

An expert is relu(y W_up + b_up) W_down + b_down. A token's weights are known only when it reaches
them; published code drops tokens beyond a capacity per expert, here none is dropped.

Our choices: eight experts twice as wide as the state; interaction between tokens, such as
attention, is left out; a softmax over 16 classes follows; sentence lengths as in XNLI. The result
of an instance is the list of its tokens' distributions.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..api import OTHER, Workload
from ..data.lengths import sentences
from ..data.source import TreeSource
from ..init import Weights

VOCABULARY, CLASSES, EXPERTS = 10_000, 16, 8


@ab.params
class Layer:
    g: Float32[Tensor, "H"]
    b: Float32[Tensor, "H"]
    router: Float32[Tensor, "H E"]
    w_up: Float32[Tensor, "E H 2H"]
    b_up: Float32[Tensor, "E 2H"]
    w_down: Float32[Tensor, "E 2H H"]
    b_down: Float32[Tensor, "E H"]


@ab.params
class Switch:
    emb: Float32[Tensor, "V H"]
    one: Layer
    two: Layer
    w_out: Float32[Tensor, "H C"]
    b_out: Float32[Tensor, "C"]


@ab.model
def mixture(p: Layer, x: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    y = ops.layer_norm(x, p.g, p.b)
    chances = ops.softmax(y @ p.router)
    k = ops.argmax(chances)
    up = ops.relu(ops.linear(y, p.w_up[k], p.b_up[k]))
    return x + ops.max(chances) * ops.linear(up, p.w_down[k], p.b_down[k])


@ab.model
def token(p: Switch, word: int) -> Float32[Tensor, "C"]:
    x = mixture(p.two, mixture(p.one, p.emb[word]))
    return ops.softmax(ops.linear(x, p.w_out, p.b_out))


@ab.model
def label(p: Switch, words: list[int]) -> list[Float32[Tensor, "C"]]:
    return [token(p, word) for word in words]


SIZES = {"tiny": {"H": 32}, "small": {"H": 256}, "large": {"H": 512}}


def make_params(size: str, seed: int, source: TreeSource) -> Switch:
    """Seeded weights of `size`."""
    h = SIZES[size]["H"]
    draw = Weights(seed, 22)

    def layer() -> Layer:
        return Layer(
            g=1 + draw.normal(0.1, h),
            b=draw.normal(0.1, h),
            router=draw.normal(1 / h**0.5, h, EXPERTS),
            w_up=draw.uniform(h, EXPERTS, h, 2 * h),
            b_up=draw.uniform(h, EXPERTS, 2 * h),
            w_down=draw.uniform(2 * h, EXPERTS, 2 * h, h),
            b_down=draw.uniform(2 * h, EXPERTS, h),
        )

    return Switch(
        emb=draw.normal(0.5, VOCABULARY, h),
        one=layer(),
        two=layer(),
        w_out=draw.uniform(h, h, CLASSES),
        b_out=draw.uniform(h, CLASSES),
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[list[int]]:
    """`batch` sentences."""
    return sentences(np.random.default_rng([seed, batch, 22]), batch, VOCABULARY)


WORKLOAD = Workload(
    name="experts",
    order=22,
    label="Mixture of experts",
    narrow_label="Ex-\nperts",
    title="Top-1 mixture of experts, two layers, XNLI sentence lengths",
    control_flow="tensor-dependent choice of weights",
    decides=True,
    study=OTHER,
    sizes=SIZES,
    model=label,
    make_params=make_params,
    make_instances=make_instances,
)
