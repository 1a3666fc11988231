"""The loss of labels and growth of given trees, wave by wave: the first children and the next
siblings of the previous wave's nodes. As the trees are given, the waves are known in advance; the
losses of all nodes are computed together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, embedding

from workloads.drnn import LEVELS, SIBLINGS

TURNED = ()
# Columns of a tree's nodes: the wave; the node of the previous wave that it follows; whether it is
# that node's child (or its sibling); its label; and whether it has children and a sibling: 0 or 1,
# or -1 if it cannot have them.
WAVE, FROM, IS_CHILD, LABEL, CHILD, SIBLING = range(6)
# For each tree: its token, and its nodes, int64 [n, 6], wave by wave.
Form = list[tuple[int, np.ndarray]]


def flatten(instances: Sequence[Any]) -> Form:
    """Return tokens and nodes."""
    return [(task.token, _nodes(task.tree)) for task in instances]


def chosen(form: Form, which: np.ndarray) -> Form:
    """Select some trees by number."""
    return [form[i] for i in which]


def _nodes(tree: Any) -> np.ndarray:
    rows: list[tuple[int, ...]] = []
    wave, number_of_wave = [(tree, 0, 0, 0, 0)], 0
    while wave:
        following = []
        for i, (node, came_from, is_child, level, number) in enumerate(wave):
            child = node.has_child if level < LEVELS else -1
            sibling = node.has_sibling if level > 0 and number < SIBLINGS - 1 else -1
            rows.append((number_of_wave, came_from, is_child, node.label, child, sibling))
            if node.has_child:
                following.append((node.child, i, 1, level + 1, 0))
            if node.has_sibling:
                following.append((node.sibling, i, 0, level, number + 1))
        wave, number_of_wave = following, number_of_wave + 1
    return np.array(rows, np.int64)


class BatchedLoss:
    """The loss; `p` has the weights as leaves, with matrices as [in, out]."""

    def __init__(self, p: Any, form: Form) -> None:
        self.p, self.form = p, form

    def assemble(self) -> None:
        """Find, for every wave, the nodes of the previous wave that have a child in it, and those
        that have a sibling in it; children come first."""
        nodes = np.concatenate([rows for _, rows in self.form])
        tree = np.repeat(np.arange(len(self.form)), [len(rows) for _, rows in self.form])
        self.tokens = torch.tensor([token for token, _ in self.form])
        self.waves: list[tuple[torch.Tensor, torch.Tensor]] = []
        order = [np.flatnonzero(nodes[:, WAVE] == 0)]
        for number in range(1, int(nodes[:, WAVE].max()) + 1):
            mine = np.flatnonzero(nodes[:, WAVE] == number)
            mine = mine[np.argsort(1 - nodes[mine, IS_CHILD], kind="stable")]
            # Maps a node, as its tree and its rank within the tree's wave, to its position in the
            # previous wave, where children come before siblings.
            before = {
                (int(tree[n]), rank): at for at, (n, rank) in enumerate(_ranked(order[-1], tree))
            }
            rows = np.array([before[int(tree[n]), int(nodes[n, FROM])] for n in mine])
            children = int(nodes[mine, IS_CHILD].sum())
            self.waves.append(
                (torch.from_numpy(rows[:children]), torch.from_numpy(rows[children:]))
            )
            order.append(mine)
        every = np.concatenate(order)
        self.labels = torch.from_numpy(nodes[every, LABEL])
        self.further = torch.from_numpy(nodes[every][:, [CHILD, SIBLING]])
        self.trees = torch.from_numpy(tree[every])
        self.n_nodes, self.n_batches = len(nodes), len(order)

    def compute(self) -> torch.Tensor:
        """Compute the losses, [trees]."""
        p = self.p
        hidden = p.emb.shape[1]
        predict = torch.cat((p.u_a, p.u_f))
        outputs = torch.cat((p.w_label, p.w_child, p.w_sibling), 1)
        n_labels = p.w_label.shape[1]
        first_child = torch.tanh(p.b_f)
        root = embedding(self.tokens, p.emb, sparse=True)
        h_a = torch.tanh(torch.addmm(p.b_a, root, p.w_a[:hidden]))
        h_f = first_child.expand(len(root), hidden)
        scores: list[torch.Tensor] = []
        for down, right in (*self.waves, (None, None)):
            h = torch.tanh(torch.cat((h_a, h_f), 1) @ predict)
            scores.append(h @ outputs)
            if down is None or right is None:
                break
            x = torch.softmax(scores[-1][:, :n_labels], 1) @ p.labels
            ancestral = torch.cat((h_a.index_select(0, down), x.index_select(0, down)), 1)
            fraternal = torch.cat((h_f.index_select(0, right), x.index_select(0, right)), 1)
            made_a = torch.tanh(torch.addmm(p.b_a, ancestral, p.w_a))
            made_f = torch.tanh(torch.addmm(p.b_f, fraternal, p.w_f))
            h_a = torch.cat((made_a, h_a.index_select(0, right)))
            h_f = torch.cat((first_child.expand(len(down), hidden), made_f))
        every = torch.cat(scores)
        terms = cross_entropy(every[:, :n_labels], self.labels, reduction="none")
        given = self.further.clamp(min=0).to(every.dtype)
        odds = binary_cross_entropy_with_logits(every[:, n_labels:], given, reduction="none")
        terms = terms + torch.where(self.further < 0, 0.0, odds).sum(1)
        return terms.new_zeros(len(self.form)).index_add(0, self.trees, terms)


def _ranked(wave: np.ndarray, tree: np.ndarray) -> list[tuple[int, int]]:
    """Return a wave's nodes in order, each with its rank, by number, among those of its tree."""
    ranks: dict[int, int] = {}
    counts: dict[int, int] = {}
    for n in sorted(wave.tolist()):
        of = int(tree[n])
        ranks[n] = counts.get(of, 0)
        counts[of] = ranks[n] + 1
    return [(n, ranks[n]) for n in wave.tolist()]
