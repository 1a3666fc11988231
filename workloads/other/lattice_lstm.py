"""An LSTM over a word lattice: Sperber, Neubig, Niehues, Waibel, "Neural Lattice-to-Sequence Models
for Uncertain Inputs", EMNLP 2017, without lattice scores; lattices as in Zhang, Yang, "Chinese NER
Using Lattice LSTM", ACL 2018.

An arc of the lattice has a word and reads the states (h_k, c_k) of the arcs that end where it
begins, as a child-sum TreeLSTM reads children. Several arcs may read the same states: each is
computed once.

    h' = sum of h_k        i, o, u from x and h'        f_k = sigmoid(x W_f + h_k U_f + b_f)
    c  = sigmoid(i) * tanh(u) + sum of f_k * c_k / n    h = sigmoid(o) * tanh(c)

Our choices: the mean of the n kept cells instead of their sum, which grows with the number of
paths; zero states before the first arc; sentence lengths as in XNLI, with a one-character word at
every position and longer words at some. The result is (h, c) of the last arc, the sentence's end.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..api import OTHER, Workload
from ..data.lengths import sentence_lengths
from ..data.source import TreeSource
from ..init import Weights

VOCABULARY = 10_000
# Probabilities that a word of two, and of three characters begins at a position.
LONGER = (0.35, 0.15)


@ab.data
class Arc:
    """`before` are the numbers of preceding arcs in the lattice, from 1 on; 0 is the beginning."""

    word: int
    before: list[int]


@ab.data
class Lattice:
    arcs: list[Arc]


@ab.params
class LatticeLSTM:
    emb: Float32[Tensor, "V H"]
    w: Float32[Tensor, "H 4H"]
    b: Float32[Tensor, "4H"]
    u: Float32[Tensor, "H 3H"]
    u_f: Float32[Tensor, "H H"]


@ab.model
def cell(
    p: LatticeLSTM,
    x: Float32[Tensor, "H"],
    before: list[tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]],
) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]:
    i_x, o_x, u_x, f_x = ops.split(ops.linear(x, p.w, p.b), 4)
    total = ops.zeros(x.shape[0])
    kept = ops.zeros(x.shape[0])
    for h, c in before:
        total = total + h
        kept = kept + ops.sigmoid(f_x + h @ p.u_f) * c
    i_h, o_h, u_h = ops.split(total @ p.u, 3)
    c = ops.sigmoid(i_x + i_h) * ops.tanh(u_x + u_h) + kept * (1.0 / len(before))
    return ops.sigmoid(o_x + o_h) * ops.tanh(c), c


@ab.model
def encode(p: LatticeLSTM, lattice: Lattice) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]:
    zero = ops.zeros(p.u_f.shape[0])
    states = [(zero, zero)]
    for arc in lattice.arcs:
        states.append(cell(p, p.emb[arc.word], [states[k] for k in arc.before]))
    return states[-1]


SIZES = {"tiny": {"H": 32}, "small": {"H": 256}, "large": {"H": 512}}


def make_params(size: str, seed: int, source: TreeSource) -> LatticeLSTM:
    """Seeded weights of `size`."""
    h = SIZES[size]["H"]
    draw = Weights(seed, 21)
    return LatticeLSTM(
        emb=draw.normal(0.5, VOCABULARY, h),
        w=draw.uniform(h, h, 4 * h),
        b=draw.uniform(h, 4 * h),
        u=draw.uniform(h, h, 3 * h),
        u_f=draw.uniform(h, h, h),
    )


def draw_lattice(rng: np.random.Generator, length: int) -> Lattice:
    """A random lattice over `length` characters, with arcs in the order of their ends."""
    longer = rng.random((2, length)) < np.array(LONGER)[:, None]
    ending: list[list[int]] = [[0], *([] for _ in range(length))]
    arcs: list[Arc] = []
    for end in range(1, length + 1):
        for width in (1, 2, 3):
            begin = end - width
            if begin >= 0 and (width == 1 or longer[width - 2, begin]):
                arcs.append(Arc(int(rng.integers(1, VOCABULARY)), list(ending[begin])))
                ending[end].append(len(arcs))
    arcs.append(Arc(0, ending[length]))
    return Lattice(arcs)


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Lattice]:
    """`batch` lattices."""
    rng = np.random.default_rng([seed, batch, 21])
    return [draw_lattice(rng, length) for length in sentence_lengths(rng, batch)]


WORKLOAD = Workload(
    name="lattice_lstm",
    order=21,
    label="Lattice LSTM",
    narrow_label="Lattice\nLSTM",
    title="LSTM over word lattices, XNLI sentence lengths",
    control_flow="iteration over a graph, nodes shared",
    study=OTHER,
    sizes=SIZES,
    model=encode,
    make_params=make_params,
    make_instances=make_instances,
)
