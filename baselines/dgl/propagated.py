"""Code shared by the two cells of DGL's example: messages, nodes, and the pass over a forest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dgl
import torch


class Propagated:
    """A cell over a batched graph. A workload defines `words`, which computes the fields of nodes
    before propagation (including "iou", the gates), and `reduce`, which computes "iou" and "c" of
    nodes with equal numbers of children."""

    p: Any
    words: Callable[[torch.Tensor], dict[str, torch.Tensor]]
    reduce: Callable[[Any], dict[str, torch.Tensor]]
    n_batches: int = 0

    @staticmethod
    def message(edges: Any) -> dict[str, torch.Tensor]:
        """The state of a child, sent to its parent."""
        return {"h": edges.src["h"], "c": edges.src["c"]}

    def update(self, nodes: Any) -> dict[str, torch.Tensor]:
        """The states of the nodes of a frontier."""
        self.n_batches += 1
        i, o, u = torch.chunk(nodes.data["iou"], 3, 1)
        c = torch.sigmoid(i) * torch.tanh(u) + nodes.data["c"]
        return {"h": torch.sigmoid(o) * torch.tanh(c), "c": c}

    def __call__(self, graph: Any, roots: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns (h, c) of the roots; `graph` has a "word" per node, -1 for none."""
        graph.ndata.update(self.words(graph.ndata["word"]))
        graph.ndata["c"] = torch.zeros(graph.num_nodes(), self.p.emb.shape[1])
        graph.ndata["h"] = torch.zeros_like(graph.ndata["c"])
        dgl.prop_nodes_topo(graph, self.message, self.reduce, apply_node_func=self.update)
        return graph.ndata["h"][roots], graph.ndata["c"][roots]
