"""SPINN (Bowman et al. 2016): shift-reduce with a tracking LSTM."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops

SHIFT, REDUCE = "shift", "reduce"


@ab.data
class Example:
    tokens: list[int]
    transitions: list[str]


@ab.params
class SPINN:
    embed: Float32[Tensor, "60 2H"]
    w_track: Float32[Tensor, "4H 4H"]
    b_track: Float32[Tensor, "4H"]
    w_left: Float32[Tensor, "H 5H"]
    w_right: Float32[Tensor, "H 5H"]
    w_ext: Float32[Tensor, "H 5H"]
    b_reduce: Float32[Tensor, "5H"]
    out: Float32[Tensor, "H 3"]


@ab.model
def lstm(
    gates: Float32[Tensor, "4H"], c: Float32[Tensor, "H"]
) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]:
    a, i, f, o = ops.split(gates, 4)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(a)
    return ops.sigmoid(o) * ops.tanh(c), c


@ab.model
def spinn(p: SPINN, ex: Example) -> Float32[Tensor, "3"]:
    size = p.out.shape[0]
    zero = ops.zeros(size)
    buffer = [tuple(ops.split(p.embed[t], 2)) for t in reversed(ex.tokens)]
    stack = [(zero, zero), (zero, zero)]
    th, tc = zero, zero
    for transition in ex.transitions:
        top = buffer[-1][0] if buffer else zero
        x = ops.concat(top, stack[-1][0], stack[-2][0], th)
        th, tc = lstm(ops.linear(x, p.w_track, p.b_track), tc)
        if transition == SHIFT:
            stack.append(buffer.pop())
        elif transition == REDUCE:
            rh, rc = stack.pop()
            lh, lc = stack.pop()
            gates = lh @ p.w_left + rh @ p.w_right + th @ p.w_ext + p.b_reduce
            g, i, fl, fr, o = ops.split(gates, 5)
            c = ops.tanh(g) * ops.sigmoid(i) + ops.sigmoid(fl) * lc + ops.sigmoid(fr) * rc
            stack.append((ops.sigmoid(o) * ops.tanh(c), c))
        else:
            raise ValueError(f"unknown transition {transition}")
    return ops.softmax(stack[-1][0] @ p.out)
