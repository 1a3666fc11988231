"""Loss of every dependency tree's class, by its root's state: all trees level by level, from the
deepest up.

The nodes of a level are all the children of the level above, in the order of their parents: their
sums are one `index_add`, and the gates f of all children are one product. All words are projected
beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy, embedding

TURNED = ()
# For each tree: by level, from the root, the words of the nodes, and the indices of their parents
# within the level above; and the tree's class.
Form = list[tuple[list[np.ndarray], list[np.ndarray], int]]


def flatten(instances: Sequence[Any]) -> Form:
    """Return levels and labels."""
    return [(*_levels(given.tree), given.label) for given in instances]


def _levels(tree: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
    words, parents = [], []
    level, above = [tree], [0]
    while level:
        words.append(np.array([node.word for node in level], np.int64))
        parents.append(np.array(above, np.int64))
        above = [n for n, node in enumerate(level) for _ in node.children]
        level = [child for node in level for child in node.children]
    return words, parents


def chosen(form: Form, which: np.ndarray) -> Form:
    """Select some trees by number."""
    return [form[i] for i in which]


class BatchedLoss:
    """The loss; `p` has the weights as leaves, with matrices as [in, out]."""

    def __init__(self, p: Any, form: Form) -> None:
        self.p, self.form = p, form

    def assemble(self) -> None:
        """Join each level of all trees; put all words in one array, those of the roots first."""
        self.counts: list[int] = []
        self.parents: list[torch.Tensor] = []
        words: list[np.ndarray] = []
        begins = np.zeros(len(self.form), np.int64)  # each tree's first node one level up
        for level in range(max(len(of) for of, _, _ in self.form)):
            mine = [n for n, (of, _, _) in enumerate(self.form) if level < len(of)]
            sizes = np.array([len(self.form[n][0][level]) for n in mine])
            words += [self.form[n][0][level] for n in mine]
            above = [self.form[n][1][level] + begins[n] for n in mine]
            self.parents.append(torch.from_numpy(np.concatenate(above)))
            begins[mine] = np.cumsum(sizes) - sizes
            self.counts.append(int(sizes.sum()))
        self.words = torch.from_numpy(np.concatenate(words))
        self.labels = torch.tensor([label for _, _, label in self.form])
        self.n_nodes, self.n_batches = len(self.words), len(self.counts)

    def compute(self) -> torch.Tensor:
        """Compute the losses, [trees]."""
        p = self.p.inner
        hidden = p.emb.shape[1]
        projected = torch.addmm(p.b, embedding(self.words, p.emb, sparse=True), p.w)
        h = c = projected[:0, :hidden]
        below: torch.Tensor | None = None  # the parents of the level below
        levels = zip(projected.split(self.counts), self.parents, strict=True)
        for z, parents in reversed(list(levels)):
            own, f_x = z.split([3 * hidden, hidden], 1)
            kept: Any = 0.0
            if below is not None:
                empty = z.new_zeros(len(z), hidden)
                own = torch.addmm(own, empty.index_add(0, below, h), p.u)
                f = torch.sigmoid(torch.addmm(f_x.index_select(0, below), h, p.u_f))
                kept = empty.index_add(0, below, f * c)
            i, o, u = own.chunk(3, 1)
            c = torch.sigmoid(i) * torch.tanh(u) + kept
            h = torch.sigmoid(o) * torch.tanh(c)
            below = parents
        logits = torch.addmm(self.p.b_out, h, self.p.w_out)
        return cross_entropy(logits, self.labels, reduction="none")
