"""SPINN with predicted transitions: Bowman, Gauthier, Rastogi, Gupta, Manning, Potts, "A Fast
Unified Model for Parsing and Sentence Understanding", ACL 2016.

A shift-reduce parser that builds a TreeLSTM. At every step the tracking LSTM reads the next word of
the buffer and the two topmost phrases of the stack; its state determines the choice between shift
(the word becomes a phrase) and reduce (the two phrases become one) if both are possible, and is
part of the input of the reduction:

    i, o, u, f_l, f_r from [h_l, h_r, tracking h]
    c = sigmoid(i) * tanh(u) + sigmoid(f_l) * c_l + sigmoid(f_r) * c_r      h = sigmoid(o) * tanh(c)

Our choices: a tracking state a quarter as wide as a phrase; a missing word or phrase reads as zero;
sentence lengths as in XNLI. The result is the last phrase's h, and the largest number of phrases on
the stack.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..api import OTHER, Workload
from ..data.lengths import sentences
from ..data.source import TreeSource
from ..init import Weights

VOCABULARY = 10_000


@ab.data
class Bottom:
    pass


@ab.data
class Cell:
    h: Float32[Tensor, "H"]
    c: Float32[Tensor, "H"]
    below: "Stack"


Stack = Bottom | Cell


@ab.params
class Spinn:
    emb: Float32[Tensor, "V H"]
    w_word: Float32[Tensor, "H 2H"]
    b_word: Float32[Tensor, "2H"]
    w_track: Float32[Tensor, "3H+D 4D"]
    b_track: Float32[Tensor, "4D"]
    w_reduce: Float32[Tensor, "2H+D 5H"]
    b_reduce: Float32[Tensor, "5H"]
    w_action: Float32[Tensor, "D 2"]
    b_action: Float32[Tensor, "2"]


@ab.model
def top(p: Spinn, stack: Stack) -> Float32[Tensor, "H"]:
    match stack:
        case Bottom():
            return ops.zeros(p.emb.shape[1])
        case Cell(h, _, _):
            return h


@ab.model
def rest(stack: Stack) -> Stack:
    match stack:
        case Bottom():
            return stack
        case Cell(_, _, below):
            return below


@ab.model
def track(
    p: Spinn,
    word: Float32[Tensor, "H"],
    stack: Stack,
    h: Float32[Tensor, "D"],
    c: Float32[Tensor, "D"],
) -> tuple[Float32[Tensor, "D"], Float32[Tensor, "D"]]:
    x = ops.concat(word, top(p, stack), top(p, rest(stack)), h)
    i, o, u, f = ops.split(ops.linear(x, p.w_track, p.b_track), 4)
    c = ops.sigmoid(i) * ops.tanh(u) + ops.sigmoid(f) * c
    return ops.sigmoid(o) * ops.tanh(c), c


@ab.model
def reduce(p: Spinn, stack: Stack, tracking: Float32[Tensor, "D"]) -> Stack:
    match stack:
        case Bottom():
            return stack
        case Cell(h_r, c_r, under):
            match under:
                case Bottom():
                    return stack
                case Cell(h_l, c_l, below):
                    x = ops.concat(h_l, h_r, tracking)
                    i, o, u, f_l, f_r = ops.split(ops.linear(x, p.w_reduce, p.b_reduce), 5)
                    c = ops.sigmoid(i) * ops.tanh(u)
                    c = c + ops.sigmoid(f_l) * c_l + ops.sigmoid(f_r) * c_r
                    return Cell(ops.sigmoid(o) * ops.tanh(c), c, below)


@ab.model
def parse(p: Spinn, words: list[int]) -> tuple[Float32[Tensor, "H"], int]:
    # Every word's h and c, concatenated.
    embedded = [ops.linear(p.emb[word], p.w_word, p.b_word) for word in words]
    stack: Stack = Bottom()
    t_h = ops.zeros(p.w_action.shape[0])
    t_c = ops.zeros(p.w_action.shape[0])
    size = 0
    deepest = 0
    at = 0
    while at < len(words) or size > 1:
        word = ops.zeros(p.emb.shape[1])
        if at < len(words):
            word, _ = ops.split(embedded[at], 2)
        t_h, t_c = track(p, word, stack, t_h, t_c)
        action = 0
        if at == len(words):
            action = 1
        elif size > 1:
            action = ops.argmax(ops.linear(t_h, p.w_action, p.b_action))
        if action == 0:
            h, c = ops.split(embedded[at], 2)
            stack = Cell(h, c, stack)
            at += 1
            size += 1
            deepest = max(deepest, size)
        else:
            stack = reduce(p, stack, t_h)
            size -= 1
    return top(p, stack), deepest


SIZES = {
    "tiny": {"H": 32, "D": 8},
    "small": {"H": 256, "D": 64},
    "large": {"H": 512, "D": 128},
}


def make_params(size: str, seed: int, source: TreeSource) -> Spinn:
    """Seeded weights of `size`; those for the actions are large, so that parses differ."""
    h, d = SIZES[size]["H"], SIZES[size]["D"]
    draw = Weights(seed, 25)
    return Spinn(
        emb=draw.normal(0.5, VOCABULARY, h),
        w_word=2 * draw.uniform(h, h, 2 * h),
        b_word=draw.uniform(h, 2 * h),
        w_track=2 * draw.uniform(3 * h + d, 3 * h + d, 4 * d),
        b_track=draw.uniform(3 * h + d, 4 * d),
        w_reduce=2 * draw.uniform(2 * h + d, 2 * h + d, 5 * h),
        b_reduce=draw.uniform(2 * h + d, 5 * h),
        w_action=draw.normal(8 / d**0.5, d, 2),
        b_action=draw.normal(0.01, 2),
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[list[int]]:
    """`batch` sentences."""
    return sentences(np.random.default_rng([seed, batch, 25]), batch, VOCABULARY)


WORKLOAD = Workload(
    name="spinn",
    order=25,
    label="SPINN",
    title="SPINN with predicted transitions, XNLI sentence lengths",
    control_flow="tensor-dependent transitions",
    decides=True,
    study=OTHER,
    sizes=SIZES,
    model=parse,
    make_params=make_params,
    make_instances=make_instances,
)
