"""NestedRNN: a scan over words inside a scan over sentences, both padded and masked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import sigmoid

from ..jax_shared.padding import bucket, lengths_of, stack_padded
from ..jax_shared.weights import split
from .mapped import Mapped

# The step of the buckets: loops of 20 to 40 steps are padded by less than a sixth.
_STEP = 4


def flatten(instances: Sequence[Any]) -> list[list[np.ndarray]]:
    """Return the words of each sentence of each document."""
    return [[np.array(words, np.int32) for words in d.sentences] for d in instances]


def pad(documents: list[list[np.ndarray]]) -> tuple[np.ndarray, ...]:
    """Return words [batch, sentences, words] and lengths [batch, sentences]; padding sentences have
    length 0."""
    most = bucket(max(map(len, documents)), _STEP)
    longest = bucket(max(len(words) for d in documents for words in d), _STEP)
    words = [stack_padded(d, longest) for d in documents]
    return stack_padded(words, most), stack_padded([lengths_of(d) for d in documents], most)


def encode(p: Any, document: Any, lengths: Any) -> Any:
    """Return the outer loop's last state, [H]."""
    steps = jnp.arange(document.shape[1])

    def read_word(h: Any, at: Any) -> Any:
        word, real = at
        return jnp.where(real, jnp.tanh(p.emb[word] @ p.w + h @ p.u + p.b), h), None

    def read_sentence(h: Any, at: Any) -> Any:
        words, length = at
        x, _ = lax.scan(read_word, h, (words, steps < length))
        x_r, x_z, x_n = split(x @ p.w_gru + p.b_gru, 3)
        h_r, h_z, h_n = split(h @ p.u_gru, 3)
        z = sigmoid(x_z + h_z)
        n = jnp.tanh(x_n + sigmoid(x_r + h_r) * h_n)
        return jnp.where(length > 0, (1 - z) * n + z * h, h), None

    return lax.scan(read_sentence, jnp.zeros_like(p.b), (document, lengths))[0]


def read(_: list[list[np.ndarray]], states: Any) -> list[np.ndarray]:
    """Return the last state of every document."""
    return list(np.asarray(states))


class Batched(Mapped):
    """`encode` over documents."""

    pad, model, read = pad, encode, read
