"""The joint loss of all exits: all sequences layer by layer, with torch's own attention and layer
norm; the losses of all layers' exits are computed together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import (
    binary_cross_entropy_with_logits,
    cross_entropy,
    gelu,
    layer_norm,
    scaled_dot_product_attention,
)

from ..berxit import HEAD

TURNED = ()
# Tokens [n, S, H], exits [n, layers], classes [n].
Form = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def flatten(instances: Sequence[Any]) -> Form:
    """Return the instances as tensors."""
    return (
        torch.from_numpy(np.stack([given.tokens for given in instances])),
        torch.tensor([given.exits for given in instances], dtype=torch.float32),
        torch.tensor([given.label for given in instances]),
    )


def chosen(form: Form, which: np.ndarray) -> Form:
    """Select some sequences by number."""
    tokens, exits, labels = (part[torch.from_numpy(which)] for part in form)
    return tokens, exits, labels


class BatchedLoss:
    """The loss; `p` has the weights as leaves, with matrices as [in, out]."""

    def __init__(self, p: Any, form: Form) -> None:
        self.p = p
        self.tokens, self.exits, self.labels = form
        self.n_batches = self.exits.shape[1]
        self.n_nodes = self.exits.numel()

    def assemble(self) -> None:
        """Do nothing: the input is rectangular."""

    def compute(self) -> torch.Tensor:
        """Compute the losses, [n]."""
        p = self.p
        n, layers = self.exits.shape
        x = self.tokens + p.layer.positions
        firsts: list[torch.Tensor] = []
        for _ in range(layers):
            x = self.layer(x)
            firsts.append(x[:, 0])
        heads = torch.stack(firsts, 1).flatten(0, 1)
        pooled = torch.tanh(torch.addmm(p.b_pool, heads, p.w_pool))
        classes = torch.addmm(p.b_class, pooled, p.w_class)
        terms = cross_entropy(classes, self.labels.repeat_interleave(layers), reduction="none")
        odds = (heads @ p.w_certain)[:, 0]
        terms = terms + binary_cross_entropy_with_logits(
            odds, self.exits.flatten(), reduction="none"
        )
        return terms.view(n, layers).sum(1)

    def layer(self, x: torch.Tensor) -> torch.Tensor:
        """Apply one encoder layer, [n, S, H] to [n, S, H]."""
        p = self.p.layer
        n, s, h = x.shape
        flat = x.reshape(n * s, h)
        heads = torch.addmm(p.b_qkv, flat, p.w_qkv).view(n, s, 3, h // HEAD, HEAD)
        q, k, v = heads.permute(2, 0, 3, 1, 4)
        mixed = scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(n * s, h)
        flat = layer_norm(flat + torch.addmm(p.b_o, mixed, p.w_o), (h,), p.g_1, p.b_1)
        up = gelu(torch.addmm(p.b_up, flat, p.w_up))
        down = torch.addmm(p.b_down, up, p.w_down)
        return layer_norm(flat + down, (h,), p.g_2, p.b_2).view(n, s, h)
