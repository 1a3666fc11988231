"""An RNN loop inside a GRU loop, over documents of sentences: a hierarchical encoder as in Yang et
al., "Hierarchical Attention Networks for Document Classification", NAACL 2016, without attention.

The inner vanilla RNN reads the words of a sentence; the outer GRU (Cho et al. 2014) takes the inner
RNN's last state as its input, and its own state is the initial state of the next sentence's inner
RNN: neither loop can be unrolled away.

Our choices: both trip counts are uniform in [20, 40] (tiny: [3, 6]), words uniform over 10,000,
embeddings as wide as the hidden state. The result of an instance is the outer loop's last state.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .api import Workload
from .data.source import TreeSource
from .init import Weights

VOCABULARY = 10_000


@ab.data
class Document:
    sentences: list[list[int]]


@ab.params
class NestedRNN:
    emb: Float32[Tensor, "V H"]
    w: Float32[Tensor, "H H"]
    u: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]
    w_gru: Float32[Tensor, "H 3H"]
    u_gru: Float32[Tensor, "H 3H"]
    b_gru: Float32[Tensor, "3H"]


@ab.model
def read_sentence(p: NestedRNN, words: list[int], h: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    for word in words:
        h = ops.tanh(p.emb[word] @ p.w + h @ p.u + p.b)
    return h


@ab.model
def gru(p: NestedRNN, x: Float32[Tensor, "H"], h: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    x_r, x_z, x_n = ops.split(ops.linear(x, p.w_gru, p.b_gru), 3)
    h_r, h_z, h_n = ops.split(h @ p.u_gru, 3)
    z = ops.sigmoid(x_z + h_z)
    n = ops.tanh(x_n + ops.sigmoid(x_r + h_r) * h_n)
    return (1.0 - z) * n + z * h


@ab.model
def encode(p: NestedRNN, document: Document) -> Float32[Tensor, "H"]:
    h = ops.zeros(p.b.shape[0])
    for words in document.sentences:
        h = gru(p, read_sentence(p, words, h), h)
    return h


SIZES = {
    "tiny": {"H": 32, "least": 3, "most": 6},
    "small": {"H": 256, "least": 20, "most": 40},
    "large": {"H": 512, "least": 20, "most": 40},
}


def make_params(size: str, seed: int, source: TreeSource) -> NestedRNN:
    """Seeded weights of `size`."""
    h = SIZES[size]["H"]
    draw = Weights(seed, 4)
    return NestedRNN(
        emb=draw.normal(0.5, VOCABULARY, h),
        w=draw.uniform(h, h, h),
        u=draw.uniform(h, h, h),
        b=draw.uniform(h, h),
        w_gru=draw.uniform(h, h, 3 * h),
        u_gru=draw.uniform(h, h, 3 * h),
        b_gru=draw.uniform(h, 3 * h),
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Document]:
    """`batch` documents."""
    rng = np.random.default_rng([seed, batch, 4])
    least, most = SIZES[size]["least"], SIZES[size]["most"]

    def sentence() -> list[int]:
        words: list[int] = rng.integers(0, VOCABULARY, rng.integers(least, most + 1)).tolist()
        return words

    return [
        Document([sentence() for _ in range(rng.integers(least, most + 1))]) for _ in range(batch)
    ]


WORKLOAD = Workload(
    name="nestedrnn",
    order=4,
    label="NestedRNN",
    narrow_label="Nested\nRNN",
    title="RNN inside a GRU, 20 to 40 iterations each",
    control_flow="nested iteration",
    sizes=SIZES,
    model=encode,
    make_params=make_params,
    make_instances=make_instances,
)
