"""StackRNN: a shift-reduce parser after Dyer, Ballesteros, Ling, Matthews, Smith, "Transition-Based
Dependency Parsing with Stack Long Short-Term Memory", ACL 2015, with RNN cells instead of LSTMs.

The stack holds phrases; every stack cell also has the state of an RNN that has read the phrases
from the bottom up to it, so that popping returns to an earlier state. An RNN reads the buffer from
its end, so that every position has a summary of the remaining words. A classifier on the two
summaries chooses between shift (the next word becomes a phrase) and reduce (the two topmost phrases
become one) if both are possible; the parse ends when one phrase is left and the buffer is
empty.

Our choices: two actions without labels; embeddings as wide as the hidden state; sentence lengths as
in XNLI. The result is the last phrase and the largest number of phrases on the stack.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .api import Workload
from .data.lengths import sentences
from .data.source import TreeSource
from .init import Weights

VOCABULARY = 10_000


@ab.data
class Bottom:
    pass


@ab.data
class Cell:
    phrase: Float32[Tensor, "H"]
    state: Float32[Tensor, "H"]
    below: "Stack"


Stack = Bottom | Cell


@ab.params
class StackRNN:
    emb: Float32[Tensor, "V H"]
    w_stack: Float32[Tensor, "2H H"]
    b_stack: Float32[Tensor, "H"]
    w_buffer: Float32[Tensor, "2H H"]
    b_buffer: Float32[Tensor, "H"]
    w_phrase: Float32[Tensor, "2H H"]
    b_phrase: Float32[Tensor, "H"]
    w_action: Float32[Tensor, "2H 2"]
    b_action: Float32[Tensor, "2"]
    empty_stack: Float32[Tensor, "H"]
    empty_buffer: Float32[Tensor, "H"]


@ab.model
def push(p: StackRNN, stack: Stack, phrase: Float32[Tensor, "H"]) -> Stack:
    match stack:
        case Bottom():
            below = p.empty_stack
        case Cell(_, state, _):
            below = state
    state = ops.tanh(ops.linear(ops.concat(below, phrase), p.w_stack, p.b_stack))
    return Cell(phrase, state, stack)


@ab.model
def reduce(p: StackRNN, stack: Stack) -> Stack:
    match stack:
        case Bottom():
            return stack
        case Cell(right, _, rest):
            match rest:
                case Bottom():
                    return stack
                case Cell(left, _, below):
                    both = ops.concat(left, right)
                    phrase = ops.tanh(ops.linear(both, p.w_phrase, p.b_phrase))
                    return push(p, below, phrase)


@ab.model
def summary(p: StackRNN, stack: Stack) -> Float32[Tensor, "H"]:
    match stack:
        case Bottom():
            return p.empty_stack
        case Cell(_, state, _):
            return state


@ab.model
def phrase_of(p: StackRNN, stack: Stack) -> Float32[Tensor, "H"]:
    match stack:
        case Bottom():
            return p.empty_stack
        case Cell(phrase, _, _):
            return phrase


@ab.model
def parse(p: StackRNN, words: list[int]) -> tuple[Float32[Tensor, "H"], int]:
    ahead = [p.empty_buffer]
    for word in reversed(words):
        read = ops.concat(p.emb[word], ahead[-1])
        ahead.append(ops.tanh(ops.linear(read, p.w_buffer, p.b_buffer)))
    stack: Stack = Bottom()
    size = 0
    deepest = 0
    at = 0
    while at < len(words) or size > 1:
        action = 0
        if at == len(words):
            action = 1
        elif size > 1:
            both = ops.concat(summary(p, stack), ahead[len(words) - at])
            action = ops.argmax(ops.linear(both, p.w_action, p.b_action))
        if action == 0:
            stack = push(p, stack, p.emb[words[at]])
            at += 1
            size += 1
            deepest = max(deepest, size)
        else:
            stack = reduce(p, stack)
            size -= 1
    return phrase_of(p, stack), deepest


SIZES = {"tiny": {"H": 32}, "small": {"H": 256}, "large": {"H": 512}}


def make_params(size: str, seed: int, source: TreeSource) -> StackRNN:
    """Seeded weights of `size`."""
    h = SIZES[size]["H"]
    draw = Weights(seed, 7)
    return StackRNN(
        emb=draw.normal(0.5, VOCABULARY, h),
        w_stack=draw.uniform(2 * h, 2 * h, h),
        b_stack=draw.uniform(2 * h, h),
        w_buffer=draw.uniform(2 * h, 2 * h, h),
        b_buffer=draw.uniform(2 * h, h),
        w_phrase=draw.uniform(2 * h, 2 * h, h),
        b_phrase=draw.uniform(2 * h, h),
        w_action=draw.normal(2 / h**0.5, 2 * h, 2),
        b_action=draw.normal(0.1, 2),
        empty_stack=draw.normal(0.5, h),
        empty_buffer=draw.normal(0.5, h),
    )


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[list[int]]:
    """`batch` sentences."""
    return sentences(np.random.default_rng([seed, batch, 7]), batch, VOCABULARY)


WORKLOAD = Workload(
    name="stackrnn",
    order=7,
    label="StackRNN",
    narrow_label="Stack\nRNN",
    title="StackRNN shift-reduce parser, XNLI sentence lengths",
    control_flow="tensor-dependent transitions",
    decides=True,
    sizes=SIZES,
    model=parse,
    make_params=make_params,
    make_instances=make_instances,
)
