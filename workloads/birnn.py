"""A bidirectional RNN that labels every token: Schuster, Paliwal, "Bidirectional Recurrent Neural
Networks", IEEE Transactions on Signal Processing 1997.

Vanilla cells, h' = tanh(x W + h U + b), one for each direction with its own weights; the label of
a token is a softmax over 16 classes of both directions' states at the token. The classifier is a
separate program phase.

Our choices: embeddings as wide as the hidden state; a zero initial state; sentence lengths as in
XNLI, words uniform over 10,000. The result of an instance is the list of its tokens' distributions.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .api import Workload
from .data.lengths import sentences
from .data.source import TreeSource
from .init import Weights

VOCABULARY, CLASSES = 10_000, 16


@ab.params
class Direction:
    w: Float32[Tensor, "H H"]
    u: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.params
class BiRNN:
    emb: Float32[Tensor, "V H"]
    forward: Direction
    backward: Direction
    w_out: Float32[Tensor, "2H C"]
    b_out: Float32[Tensor, "C"]


@ab.model
def rnn(d: Direction, xs: list[Float32[Tensor, "H"]]) -> list[Float32[Tensor, "H"]]:
    h = ops.zeros(d.b.shape[0])
    states = []
    for x in xs:
        h = ops.tanh(x @ d.w + h @ d.u + d.b)
        states.append(h)
    return states


@ab.model
def classify(p: BiRNN, f: Float32[Tensor, "H"], b: Float32[Tensor, "H"]) -> Float32[Tensor, "C"]:
    return ops.softmax(ops.linear(ops.concat(f, b), p.w_out, p.b_out))


@ab.model
def label(p: BiRNN, words: list[int]) -> list[Float32[Tensor, "C"]]:
    xs = [p.emb[w] for w in words]
    forward, backward = ab.parallel(rnn(p.forward, xs), rnn(p.backward, xs[::-1]))
    ab.phase()
    return [classify(p, f, b) for f, b in zip(forward, reversed(backward), strict=False)]


SIZES = {"tiny": {"H": 32}, "small": {"H": 256}, "large": {"H": 512}}


def make_params(size: str, seed: int, source: TreeSource) -> BiRNN:
    """Seeded weights of `size`."""
    h = SIZES[size]["H"]
    draw = Weights(seed, 3)

    def direction() -> Direction:
        return Direction(w=draw.uniform(h, h, h), u=draw.uniform(h, h, h), b=draw.uniform(h, h))

    return BiRNN(
        emb=draw.normal(0.5, VOCABULARY, h),
        forward=direction(),
        backward=direction(),
        w_out=draw.uniform(2 * h, 2 * h, CLASSES),
        b_out=draw.uniform(2 * h, CLASSES),
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[list[int]]:
    """`batch` sentences."""
    return sentences(np.random.default_rng([seed, batch, 3]), batch, VOCABULARY)


WORKLOAD = Workload(
    name="birnn",
    order=3,
    label="BiRNN",
    narrow_label="Bi\nRNN",
    title="BiRNN token labelling, XNLI sentence lengths",
    control_flow="iteration in two directions, phases",
    sizes=SIZES,
    model=label,
    make_params=make_params,
    make_instances=make_instances,
)
