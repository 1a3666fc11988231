"""NestedRNN: all documents in step, sentence by sentence. One product projects the inputs of a
sentence of every document; a scan runs over its words, and the GRU's step follows."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import sigmoid

from ..jax_shared.padding import bucket, lengths_of, stack_padded
from ..jax_shared.weights import split

# The step of the buckets for sentence lengths, which are 20 to 40 words.
_STEP = 4


def flatten(instances: Sequence[Any]) -> list[list[np.ndarray]]:
    """Return the words of each sentence of each document."""
    return [[np.array(words, np.int32) for words in d.sentences] for d in instances]


@functools.partial(jax.jit, donate_argnums=0)
def sentence(states: Any, p: Any, words: Any, lengths: Any) -> Any:
    """Read one sentence of the first documents: `words` [documents, words], of which `lengths` are
    real; a document without words keeps its state."""
    n = len(words)
    start = states[:n]
    real = jnp.arange(words.shape[1])[:, None] < lengths

    def word(h: Any, at: Any) -> Any:
        x, is_word = at
        return jnp.where(is_word[:, None], jnp.tanh(x + h @ p.u), h), None

    inner, _ = lax.scan(word, start, (p.emb[words.T] @ p.w + p.b, real))
    x_r, x_z, x_n = split(inner @ p.w_gru + p.b_gru, 3)
    h_r, h_z, h_n = split(start @ p.u_gru, 3)
    z = sigmoid(x_z + h_z)
    new = (1 - z) * jnp.tanh(x_n + sigmoid(x_r + h_r) * h_n) + z * start
    new = jnp.where(lengths[:, None] > 0, new, start)
    return lax.dynamic_update_slice_in_dim(states, new, 0, 0)


class Batched:
    """The model over documents, sorted from the most sentences to the fewest."""

    def __init__(self, params: Any, documents: list[list[np.ndarray]]) -> None:
        self.p, self.documents = params, documents

    def assemble(self) -> None:
        """Sort by the number of sentences, and pad one sentence of each document at a time."""
        order = sorted(range(len(self.documents)), key=lambda i: -len(self.documents[i]))
        self.place = {i: k for k, i in enumerate(order)}
        self.rows, self.calls = bucket(len(order), 8), []
        nothing = np.zeros(0, np.int32)
        for number in range(len(self.documents[order[0]])):
            read = [self.documents[i][number] for i in order if len(self.documents[i]) > number]
            read += [nothing] * (bucket(len(read), 8) - len(read))
            lengths = lengths_of(read)
            self.calls.append((stack_padded(read, bucket(int(lengths.max()), _STEP)), lengths))

    def compute(self) -> Any:
        """Compute the last states, [documents, H], and padding, in the sorted order."""
        self.states = jnp.zeros((self.rows, self.p.b.shape[0]))
        for words, lengths in self.calls:
            self.states = sentence(self.states, self.p, words, lengths)
        return self.states

    def results(self) -> list[np.ndarray]:
        """Return the last state of every document."""
        states = np.asarray(self.states)
        return [states[self.place[i]] for i in range(len(self.documents))]
