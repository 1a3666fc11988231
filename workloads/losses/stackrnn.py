"""Parsing with given actions: the sum of the cross-entropies of the actions that the parser has to
choose, as Dyer et al. (ACL 2015, section 3.4) train it. Shift is 0, reduce is 1.

Control flow follows the given actions, which are those of the generator's trees; no decision
depends on tensors.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..data.generator import split_probabilities
from ..data.source import TreeSource
from ..stackrnn import Bottom, Stack, StackRNN, make_params, push, reduce, summary
from ..stackrnn import make_instances as make_sentences
from .api import Loss


@ab.data
class Parsed:
    words: list[int]
    actions: list[int]


def choices(given: Parsed) -> int:
    """The number of actions that the parser has to choose: those where both are possible."""
    found = size = at = 0
    for action in given.actions:
        found += size > 1 and at < len(given.words)
        at += action == 0
        size += 1 if action == 0 else -1
    return found


@ab.model
def loss(p: StackRNN, given: Parsed) -> Float32[Tensor, ""]:
    ahead = [p.empty_buffer]
    for word in reversed(given.words):
        read = ops.concat(p.emb[word], ahead[-1])
        ahead.append(ops.tanh(ops.linear(read, p.w_buffer, p.b_buffer)))
    stack: Stack = Bottom()
    total = ops.sum(ops.zeros(1))
    size = 0
    at = 0
    for action in given.actions:
        if size > 1 and at < len(given.words):
            both = ops.concat(summary(p, stack), ahead[len(given.words) - at])
            logits = ops.linear(both, p.w_action, p.b_action)
            total = total + ops.cross_entropy(logits, action)
        if action == 0:
            stack = push(p, stack, p.emb[given.words[at]])
            at += 1
            size += 1
        else:
            stack = reduce(p, stack)
            size -= 1
    return total


def draw_actions(rng: np.random.Generator, words: int) -> list[int]:
    """The actions of a random tree over `words` words, split like the generator's trees."""
    found: list[int] = []
    work = [words]  # spans; 0 reduces the two before it
    while work:
        span = work.pop()
        if span < 2:
            found.append(1 - span)
            continue
        left = 1 + int(rng.choice(span - 1, p=split_probabilities(span)))
        work += [0, span - left, left]
    return found


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Parsed]:
    """The sentences of the workload's mini-batch, with actions."""
    rng = np.random.default_rng([seed, batch, 107])
    return [
        Parsed(words, draw_actions(rng, len(words)))
        for words in make_sentences(size, batch, seed, source)
    ]


LOSS = Loss(
    about="every action that is to be chosen",
    model=loss,
    make_params=make_params,
    make_instances=make_instances,
    inner=lambda p: p,
    bare=lambda given: given.words,
    rows=choices,
)
