"""Recursive neural tensor network (Socher et al. 2013): trees of sentiment, a label at every node."""

from __future__ import annotations

from typing import NamedTuple, Optional

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Tree:
    word: Optional[int] = None
    children: tuple[Optional[Tree], Optional[Tree]] = (None, None)
    label: Optional[str] = None


class Output(NamedTuple):
    vector: Float32[Tensor, "H"]
    loss: float
    correct: int


LABELS = ["very negative", "negative", "neutral", "positive", "very positive"]


@ab.params
class RNTN:
    emb: Float32[Tensor, "V H"]
    tensor: Float32[Tensor, "H 2H 2H"]
    w: Float32[Tensor, "2H H"]
    b: Float32[Tensor, "H"]
    out: Float32[Tensor, "H 5"]


@ab.model
def node(p: RNTN, tree: Tree) -> Output:
    loss, correct = 0.0, 0
    if tree.word is not None:
        h = ops.tanh(p.emb[tree.word])
    else:
        left, right = tree.children
        assert left is not None and right is not None, "an inner node has two children"
        a, b = node(p, left), node(p, right)
        x = ops.concat(a.vector, b.vector)
        h = ops.tanh(ops.stack([x @ v @ x for v in p.tensor]) + x @ p.w + p.b)
        loss, correct = a.loss + b.loss, a.correct + b.correct
    scores = ops.log_softmax(h @ p.out)
    if tree.label:
        target = LABELS.index(tree.label)
        loss -= scores[target].item()
        correct += scores.argmax() == target
    return Output(h, loss, correct)
