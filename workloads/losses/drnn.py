"""Generation of given trees: the sum over the nodes of a tree of the cross-entropies of the label
and of the decisions whether the node has children and a right sibling, wherever the generator would
decide, as Alvarez-Melis and Jaakkola (ICLR 2017, section 3.3) train it.

Control flow follows the given tree; no decision depends on tensors. A node passes on the expected
embedding of the predicted label, as in inference. Trees and labels are random: six in ten nodes
have children, five in ten a sibling.
"""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from ..data.source import TreeSource
from ..drnn import (
    CLASSES,
    DRNN,
    LEVELS,
    POSITIONS,
    SIBLINGS,
    VOCABULARY,
    Seed,
    make_params,
)
from .api import Loss


@ab.data
class Absent:
    pass


@ab.data
class Given:
    label: int
    has_child: int
    has_sibling: int
    child: "Wanted"
    sibling: "Wanted"


Wanted = Absent | Given


@ab.data
class Task:
    token: int
    tree: Wanted


@ab.model
def decided(score: Float32[Tensor, "1"], given: int) -> Float32[Tensor, ""]:
    """The cross-entropy of the decision `given`, which is 1 with probability logistic(score)."""
    return ops.cross_entropy(ops.concat(ops.zeros(1), score), given)


@ab.model
def judge(
    p: DRNN,
    wanted: Wanted,
    parent: Float32[Tensor, "H"],
    parent_x: Float32[Tensor, "H"],
    before: Float32[Tensor, "H"],
    before_x: Float32[Tensor, "H"],
    level: int,
    number: int,
) -> Float32[Tensor, ""]:
    """The loss of a node, of the nodes below it, and of its siblings to the right."""
    match wanted:
        case Absent():
            return ops.sum(ops.zeros(1))
        case Given(label, has_child, has_sibling, child, sibling):
            h_a = ops.tanh(ops.linear(ops.concat(parent, parent_x), p.w_a, p.b_a))
            h_f = ops.tanh(ops.linear(ops.concat(before, before_x), p.w_f, p.b_f))
            h = ops.tanh(h_a @ p.u_a + h_f @ p.u_f)
            scores = h @ p.w_label
            x = ops.softmax(scores) @ p.labels
            total = ops.cross_entropy(scores, label)
            if level < 4:
                total = total + decided(h @ p.w_child, has_child)
            if level > 0 and number < 2:
                total = total + decided(h @ p.w_sibling, has_sibling)
            zero = ops.zeros(p.b_a.shape[0])
            if has_child == 1 and has_sibling == 1:
                below, right = ab.parallel(
                    judge(p, child, h_a, x, zero, zero, level + 1, 0),
                    judge(p, sibling, parent, parent_x, h_f, x, level, number + 1),
                )
                return total + below + right
            if has_child == 1:
                return total + judge(p, child, h_a, x, zero, zero, level + 1, 0)
            if has_sibling == 1:
                return total + judge(p, sibling, parent, parent_x, h_f, x, level, number + 1)
            return total


@ab.model
def loss(p: DRNN, task: Task) -> Float32[Tensor, ""]:
    zero = ops.zeros(p.b_a.shape[0])
    return judge(p, task.tree, p.emb[task.token], zero, zero, zero, 0, 0)


def draw_tree(rng: np.random.Generator, level: int = 0, number: int = 0) -> Given:
    """A random node, with the nodes below it and its siblings to the right."""
    has_child = level < LEVELS and rng.uniform() < 0.6
    has_sibling = level > 0 and number < SIBLINGS - 1 and rng.uniform() < 0.5
    child: Wanted = draw_tree(rng, level + 1, 0) if has_child else Absent()
    sibling: Wanted = draw_tree(rng, level, number + 1) if has_sibling else Absent()
    return Given(int(rng.integers(CLASSES)), int(has_child), int(has_sibling), child, sibling)


def make_instances(size: str, batch: int, seed: int, source: TreeSource) -> list[Task]:
    """`batch` tokens, with a tree for each."""
    rng = np.random.default_rng([seed, batch, 105])
    return [Task(int(rng.integers(VOCABULARY)), draw_tree(rng)) for _ in range(batch)]


def _bare(task: Task) -> Seed:
    """A seed whose thresholds make the generator grow the given tree."""
    child, sibling = [2.0] * POSITIONS, [2.0] * POSITIONS
    work = [(task.tree, 0)]
    while work:
        node, at = work.pop()
        if isinstance(node, Given):
            child[at] -= 3.0 * node.has_child
            sibling[at] -= 3.0 * node.has_sibling
            work += [(node.child, 3 * at + 1), (node.sibling, at + 1)]
    return Seed(task.token, child, sibling)


def decisions(task: Task) -> int:
    """The number of labels and decisions whose cross-entropies the loss sums."""
    found, work = 0, [(task.tree, 0, 0)]
    while work:
        node, level, number = work.pop()
        if isinstance(node, Given):
            found += 1 + (level < LEVELS) + (level > 0 and number < SIBLINGS - 1)
            work += [(node.child, level + 1, 0), (node.sibling, level, number + 1)]
    return found


LOSS = Loss(
    about="labels and growth of given trees",
    model=loss,
    make_params=make_params,
    make_instances=make_instances,
    inner=lambda p: p,
    bare=_bare,
    rows=decisions,
)
