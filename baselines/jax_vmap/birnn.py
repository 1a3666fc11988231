"""BiRNN: a scan from each end of a padded sentence; the backward scan keeps its initial state while
it passes the padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import softmax

from ..jax_shared.padding import bucket, lengths_of, stack_padded
from .mapped import Mapped


def flatten(instances: Sequence[list[int]]) -> list[np.ndarray]:
    """Return the words of each sentence."""
    return [np.array(words, np.int32) for words in instances]


def pad(sentences: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Return words [batch, steps] and lengths [batch]."""
    lengths = lengths_of(sentences)
    return stack_padded(sentences, bucket(int(lengths.max()))), lengths


def rnn(d: Any, xs: Any, is_word: Any, reverse: bool) -> Any:
    """Return the states at all words, [steps, H]."""

    def step(h: Any, at: Any) -> Any:
        x, real = at
        h = jnp.where(real, jnp.tanh(x @ d.w + h @ d.u + d.b), h)
        return h, h

    return lax.scan(step, jnp.zeros_like(d.b), (xs, is_word), reverse=reverse)[1]


def label(p: Any, words: Any, length: Any) -> Any:
    """Return the distributions at all words, [steps, C]."""
    xs, is_word = p.emb[words], jnp.arange(len(words)) < length
    forward = rnn(p.forward, xs, is_word, reverse=False)
    backward = rnn(p.backward, xs, is_word, reverse=True)
    return softmax(jnp.concatenate([forward, backward], axis=1) @ p.w_out + p.b_out)


def read(sentences: list[np.ndarray], labels: Any) -> list[list[np.ndarray]]:
    """Return, for each sentence, the list of its words' distributions."""
    pairs = zip(sentences, np.asarray(labels), strict=True)
    return [list(rows[: len(words)]) for words, rows in pairs]


class Batched(Mapped):
    """`label` over sentences."""

    pad, model, read = pad, label, read
