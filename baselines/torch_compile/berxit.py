"""BERxiT: an encoder layer is one region, with torch's own attention. The certainty and the
classifier are products with one row per sequence, which are not compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import layer_norm, scaled_dot_product_attention

from ..torch_batched import berxit
from ..torch_batched.weights import Weights
from .regions import region
from .weights import table

# The regions are functions from tensors to tensors, so they can be CUDA graphs.
GRAPHS = True


class Compiled(berxit.Batched):
    """The encoder with early exit, and the classifier."""

    def __init__(
        self, params: Any, form: tuple[torch.Tensor, np.ndarray], weights: Weights
    ) -> None:
        super().__init__(params, form, weights)
        self.layer = region(EncoderLayer(self))


class EncoderLayer(nn.Module):
    def __init__(self, net: berxit.Batched) -> None:
        super().__init__()
        self.length, self.hidden = net.tokens.shape[1:]
        self.qkv, self.mix, self.up, self.down = net.qkv, net.mix, net.up, net.down
        self.norms = nn.ParameterList([table(t) for norm in net.norms for t in norm])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        s, h, g = self.length, self.hidden, self.norms
        flat = x.view(-1, h)
        parts = self.qkv(flat).view(-1, s, 3, h // berxit.HEAD, berxit.HEAD)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = scaled_dot_product_attention(q, k, v)
        mixed = self.mix(mixed.transpose(1, 2).reshape(-1, h))
        flat = layer_norm(mixed + flat, (h,), g[0], g[1])
        return layer_norm(self.down(self.up(flat)) + flat, (h,), g[2], g[3]).view(-1, s, h)
