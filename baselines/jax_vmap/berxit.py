"""BERxiT: a while loop over layers, which under `vmap` runs until the last sequence is certain;
sequences that were certain before keep their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import gelu, sigmoid, softmax

from ..jax_shared.weights import split
from .mapped import Mapped

_HEAD, _EPSILON = 64, 1e-5


def flatten(instances: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return tokens [batch, S, H] and thresholds [batch, layers], float32."""
    tokens = np.stack([s.tokens for s in instances])
    return tokens, np.array([s.thresholds for s in instances], np.float32)


def pad(form: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, ...]:
    """Return the arrays as they are: there is nothing to pad."""
    return form


def norm(x: Any, g: Any, b: Any) -> Any:
    """Apply layer norm along the last axis."""
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + _EPSILON) * g + b


def layer(p: Any, x: Any) -> Any:
    """Apply one encoder layer, [S, H] to [S, H]."""
    q, k, v = (y.reshape(len(x), -1, _HEAD) for y in split(x @ p.w_qkv + p.b_qkv, 3))
    mixed = jax.nn.dot_product_attention(q, k, v).reshape(x.shape)
    x = norm(x + mixed @ p.w_o + p.b_o, p.g_1, p.b_1)
    up = gelu(x @ p.w_up + p.b_up, approximate=False)
    return norm(x + up @ p.w_down + p.b_down, p.g_2, p.b_2)


def classify(p: Any, tokens: Any, thresholds: Any) -> Any:
    """Return the class distribution and the number of layers run."""

    def go_on(state: Any) -> Any:
        _, layers, certain = state
        return ~certain & (layers < len(thresholds))

    def one(state: Any) -> Any:
        x, layers, _ = state
        x = layer(p.layer, x)
        return x, layers + 1, sigmoid(x[0] @ p.w_certain)[0] > thresholds[layers]

    x, layers, _ = lax.while_loop(go_on, one, (tokens + p.layer.positions, 0, False))
    pooled = jnp.tanh(x[0] @ p.w_pool + p.b_pool)
    return softmax(pooled @ p.w_class + p.b_class), layers


def read(_: Any, found: Any) -> list[tuple[np.ndarray, int]]:
    """Return (distribution, layers) per sequence."""
    labels, layers = (np.asarray(a) for a in found)
    return list(zip(labels, layers.tolist(), strict=True))


class Batched(Mapped):
    """`classify` over sequences."""

    pad, model, read = pad, classify, read
