"""Transition-based dependency parser with a stack LSTM (Dyer et al. 2015): greedy, arc-standard."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops

SHIFT, LEFT, RIGHT = range(3)


@ab.data
class Entry:
    index: int
    vector: Float32[Tensor, "H"]
    state: Float32[Tensor, "H"]
    memory: Float32[Tensor, "H"]


@ab.params
class Parser:
    emb: Float32[Tensor, "V H"]
    lstm: Float32[Tensor, "2H 4H"]
    bias: Float32[Tensor, "4H"]
    compose: Float32[Tensor, "2H H"]
    relation: Float32[Tensor, "2 H"]
    act: Float32[Tensor, "2H 3"]
    empty: Float32[Tensor, "H"]


@ab.model
def push(p: Parser, stack: list[Entry], index: int, x: Float32[Tensor, "H"]) -> list[Entry]:
    match stack:
        case [*_, Entry(state=h, memory=c)]:
            pass
        case _:
            h, c = p.empty, ops.zeros_like(p.empty)
    i, f, o, g = ops.split(ops.concat(x, h) @ p.lstm + p.bias, 4)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return [*stack, Entry(index, x, ops.sigmoid(o) * ops.tanh(c), c)]


@ab.model
def parse(p: Parser, words: list[int]) -> tuple[list[int], list[int]]:
    heads = [-1] * len(words)
    stack: list[Entry] = []
    buffer = [(i, p.emb[w]) for i, w in enumerate(words)][::-1]
    actions = []
    while buffer or len(stack) > 1:
        top = stack[-1].state if stack else p.empty
        ahead = buffer[-1][1] if buffer else p.empty
        scores = ops.concat(top, ahead) @ p.act
        allowed = {SHIFT: len(buffer) > 0, LEFT: len(stack) > 1, RIGHT: len(stack) > 1}
        action = max((a for a in allowed if allowed[a]), key=lambda a: float(scores[a]))
        actions.append(action)
        match action, stack:
            case 1, [*rest, second, first]:
                heads[second.index] = first.index
                x = ops.tanh(ops.concat(first.vector, second.vector) @ p.compose + p.relation[0])
                stack = push(p, rest, first.index, x)
            case 2, [*rest, second, first]:
                heads[first.index] = second.index
                x = ops.tanh(ops.concat(second.vector, first.vector) @ p.compose + p.relation[1])
                stack = push(p, rest, second.index, x)
            case _:
                i, x = buffer.pop()
                stack = push(p, stack, i, x)
    return heads, actions
