"""StackRNN: a scan over the buffer from its end, then one over as many transitions as the longest
sentence takes; both actions are computed, and the chosen one is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from ..jax_shared.padding import bucket, lengths_of, stack_padded
from .mapped import Mapped


def flatten(instances: Sequence[list[int]]) -> list[np.ndarray]:
    """Return the words of each sentence."""
    return [np.array(words, np.int32) for words in instances]


def pad(sentences: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Return words [batch, steps] and lengths [batch]."""
    lengths = lengths_of(sentences)
    return stack_padded(sentences, bucket(int(lengths.max()))), lengths


def parse(p: Any, words: Any, length: Any) -> Any:
    """Return the last phrase and the greatest height of the stack."""
    steps, xs = len(words), p.emb[words]

    def look(ahead: Any, at: Any) -> Any:
        x, real = at
        new = jnp.tanh(jnp.concatenate([x, ahead]) @ p.w_buffer + p.b_buffer)
        ahead = jnp.where(real, new, ahead)
        return ahead, ahead

    real = jnp.arange(steps) < length
    # Row t has read the words from t on; after the last word the buffer is empty.
    _, ahead = lax.scan(look, p.empty_buffer, (xs, real), reverse=True)
    ahead = jnp.concatenate([ahead, p.empty_buffer[None]])
    # Rows are (phrase, state) by place on the stack; row 0 is the empty stack.
    bottom = jnp.stack([p.empty_stack, p.empty_stack])
    stack = jnp.zeros((steps + 2, *bottom.shape)).at[0].set(bottom)

    def move(carry: Any, _: Any) -> Any:
        stack, size, at, deepest = carry
        both = jnp.concatenate([stack[size, 1], ahead[at]])
        chosen = jnp.argmax(both @ p.w_action + p.b_action) == 1
        reduces = (at == length) | ((size > 1) & chosen)
        pair = jnp.concatenate([stack[size - 1, 0], stack[size, 0]])
        joined = jnp.tanh(pair @ p.w_phrase + p.b_phrase)
        phrase = jnp.where(reduces, joined, xs[jnp.minimum(at, steps - 1)])
        place = jnp.where(reduces, size - 1, size + 1)
        read = jnp.concatenate([stack[place - 1, 1], phrase])
        state = jnp.tanh(read @ p.w_stack + p.b_stack)
        # A parser that has finished writes to an extra row after the stack.
        runs = (at < length) | (size > 1)
        to = jnp.where(runs, place, steps + 1)
        stack = stack.at[to].set(jnp.stack([phrase, state]))
        size = jnp.where(runs, place, size)
        at = jnp.where(runs & ~reduces, at + 1, at)
        return (stack, size, at, jnp.maximum(deepest, size)), None

    (stack, size, _, deepest), _ = lax.scan(move, (stack, 0, 0, 0), length=2 * steps - 1)
    return stack[size, 0], deepest


def read(_: list[np.ndarray], found: Any) -> list[tuple[np.ndarray, int]]:
    """Return (phrase, greatest height) per sentence."""
    phrases, deepest = (np.asarray(a) for a in found)
    return list(zip(phrases, deepest.tolist(), strict=True))


class Batched(Mapped):
    """`parse` over sentences."""

    pad, model, read = pad, parse, read
