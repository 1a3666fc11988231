"""Adaptive computation time inside a document encoder: Graves, "Adaptive Computation Time for
Recurrent Neural Networks", 2016 (arXiv 1603.08983).

An RNN reads each sentence, starting from zero. The document's RNN takes the sentence's last state x
and ponders: it repeats the step

    s = tanh([x, s] W + b)        p = sigmoid(s w + d)

until the sum of the p would exceed 0.99; its new state is the mean of the steps' states, weighted
by their p, except that the last one's weight is the remainder to 1.

Our choices: at most eight steps; embeddings as wide as the hidden state; random numbers of
sentences and words as in NestedRNN's documents. The result is the document's state.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..api import OTHER, Workload
from ..data.source import TreeSource
from ..init import Weights

VOCABULARY, MOST_STEPS, ENOUGH = 10_000, 8, 0.99


@ab.data
class Document:
    sentences: list[list[int]]


@ab.params
class Encoder:
    emb: Float32[Tensor, "V H"]
    w: Float32[Tensor, "H H"]
    u: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]
    w_ponder: Float32[Tensor, "2H H"]
    b_ponder: Float32[Tensor, "H"]
    w_halt: Float32[Tensor, "H 1"]
    b_halt: Float32[Tensor, "1"]


@ab.model
def read_sentence(p: Encoder, words: list[int]) -> Float32[Tensor, "H"]:
    h = ops.zeros(p.b.shape[0])
    for word in words:
        h = ops.tanh(p.emb[word] @ p.w + h @ p.u + p.b)
    return h


@ab.model
def ponder(
    p: Encoder, x: Float32[Tensor, "H"], state: Float32[Tensor, "H"]
) -> Float32[Tensor, "H"]:
    total = 0.0
    mean = ops.zeros(p.b.shape[0])
    for _ in range(MOST_STEPS):
        state = ops.tanh(ops.linear(ops.concat(x, state), p.w_ponder, p.b_ponder))
        halt = ops.item(ops.sigmoid(ops.linear(state, p.w_halt, p.b_halt)))
        if total + halt > ENOUGH:
            break
        mean = mean + state * halt
        total += halt
    return mean + state * (1.0 - total)


@ab.model
def encode(p: Encoder, document: Document) -> Float32[Tensor, "H"]:
    state = ops.zeros(p.b.shape[0])
    for x in [read_sentence(p, words) for words in document.sentences]:
        state = ponder(p, x, state)
    return state


SIZES = {
    "tiny": {"H": 32, "least": 3, "most": 6},
    "small": {"H": 256, "least": 10, "most": 20},
    "large": {"H": 512, "least": 10, "most": 20},
}


def make_params(size: str, seed: int, source: TreeSource) -> Encoder:
    """Seeded weights of `size`."""
    h = SIZES[size]["H"]
    draw = Weights(seed, 27)
    return Encoder(
        emb=draw.normal(0.5, VOCABULARY, h),
        w=draw.uniform(h, h, h),
        u=draw.uniform(h, h, h),
        b=draw.uniform(h, h),
        w_ponder=2 * draw.uniform(2 * h, 2 * h, h),
        b_ponder=draw.uniform(2 * h, h),
        w_halt=draw.normal(4 / h**0.5, h, 1),
        b_halt=draw.normal(0.1, 1) - np.float32(1),
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Document]:
    """`batch` documents."""
    rng = np.random.default_rng([seed, batch, 27])
    least, most = SIZES[size]["least"], SIZES[size]["most"]

    def sentence() -> list[int]:
        words: list[int] = rng.integers(0, VOCABULARY, rng.integers(least, most + 1)).tolist()
        return words

    return [
        Document([sentence() for _ in range(rng.integers(least, most + 1))]) for _ in range(batch)
    ]


WORKLOAD = Workload(
    name="act",
    order=27,
    label="ACT encoder",
    narrow_label="ACT\nenc.",
    title="Adaptive computation time in a document encoder",
    control_flow="tensor-dependent number of steps in nested iteration",
    decides=True,
    study=OTHER,
    sizes=SIZES,
    model=encode,
    make_params=make_params,
    make_instances=make_instances,
)
