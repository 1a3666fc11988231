"""StackRNN: a recursion through the buffer from its end, then one with a call per transition;
buffer and stack are an instance's own tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from .program import array, own_row, row, with_row
from .sequences import OverSequences, flatten

__all__ = ["Program", "flatten"]


class Program(OverSequences):
    """The program that gives the last phrase and the greatest height of the stack."""

    def define(self, context: Any) -> Any:
        """Return `parse`, batched."""
        p, tables = self.p, self.tables
        width, longest = p.emb.shape[1], self.longest()
        vector, number = array(width), array(dtype=np.int32)
        buffer = array(longest + 1, width)

        def word(at: Any) -> Any:
            return row(p.emb, row(tables.word, at))

        def join(a: Any, b: Any, w: Any, bias: Any) -> Any:
            return tf.tanh(tf.concat([a, b], axis=1) @ w + bias)

        def look(at: Any, after: Any) -> Any:
            return join(word(at), after, p.w_buffer, p.b_buffer)

        def filled(begin: Any, value: Any, rows: int) -> Any:
            return tf.tile(value[None, None], [tf.size(begin), rows, 1])

        def empty_buffer(begin: Any) -> Any:
            return filled(begin, p.empty_buffer, longest + 1)

        def empty_stack(begin: Any) -> Any:
            return filled(begin, p.empty_stack, longest + 1)

        def reduces(states: Any, size: Any, ahead: Any, at: Any, end: Any, begin: Any) -> Any:
            both = tf.concat([own_row(states, size), own_row(ahead, at - begin)], axis=1)
            chosen = tf.argmax(both @ p.w_action + p.b_action, axis=1) == 1
            return (at == end) | ((size > 1) & chosen)

        def joined(phrases: Any, size: Any) -> Any:
            pair = own_row(phrases, size - 1), own_row(phrases, size)
            return join(*pair, p.w_phrase, p.b_phrase)

        def read(states: Any, place: Any, phrase: Any) -> Any:
            return join(own_row(states, place - 1), phrase, p.w_stack, p.b_stack)

        @context.batch(type_inference=lambda _: buffer)
        def look_ahead(begin: Any, at: Any, after: Any, ahead: Any) -> Any:
            if at > begin:
                before = look(at - 1, after)
                seen = with_row(ahead, at - 1 - begin, before)
                found = look_ahead(begin, at - 1, before, seen)
            else:
                found = ahead
            return found

        @context.batch(type_inference=lambda _: (vector, number))
        def move(
            begin: Any,
            end: Any,
            ahead: Any,
            phrases: Any,
            states: Any,
            size: Any,
            at: Any,
            deepest: Any,
        ) -> Any:
            if (at < end) | (size > 1):
                if reduces(states, size, ahead, at, end, begin):
                    phrase = joined(phrases, size)
                    place = size - 1
                    after = at
                else:
                    phrase = word(at)
                    place = size + 1
                    after = at + 1
                state = read(states, place, phrase)
                last, most = move(
                    begin,
                    end,
                    ahead,
                    with_row(phrases, place, phrase),
                    with_row(states, place, state),
                    place,
                    after,
                    tf.maximum(deepest, place),
                )
            else:
                last = own_row(phrases, size)
                most = deepest
            return last, most

        @context.batch(type_inference=lambda _: (vector, number))
        def parse(begin: Any, end: Any) -> Any:
            nothing = empty_buffer(begin)
            ahead = look_ahead(begin, end, nothing[:, 0], nothing)
            bottom = empty_stack(begin)
            none = tf.zeros_like(begin)
            last, most = move(begin, end, ahead, bottom, bottom, none, begin, none)
            return last, most

        return parse

    def depth(self) -> int:
        """Count one call per transition (2 n - 1 for n words), one after, and the outermost one."""
        return 2 * self.longest() + 1

    def results(self, values: Any) -> list[tuple[np.ndarray, int]]:
        """Return (phrase, greatest height) per sentence."""
        phrases, deepest = values
        return list(zip(phrases, deepest.tolist(), strict=True))
