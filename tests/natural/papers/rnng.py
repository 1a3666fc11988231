"""Recurrent neural network grammar (Dyer et al. 2016), encoder side: actions NT(label), GEN(word), REDUCE."""

from __future__ import annotations

from typing import Literal, Optional

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Action:
    kind: Literal["NT", "GEN", "REDUCE"]
    arg: int = 0


@ab.data
class Entry:
    vector: Float32[Tensor, "H"]
    label: Optional[int]


@ab.params
class RNNG:
    words: Float32[Tensor, "40 H"]
    labels: Float32[Tensor, "8 H"]
    w_fwd: Float32[Tensor, "2H H"]
    w_bwd: Float32[Tensor, "2H H"]
    w_compose: Float32[Tensor, "2H H"]
    b: Float32[Tensor, "H"]
    w_stack: Float32[Tensor, "2H H"]
    out: Float32[Tensor, "H 3"]


@ab.model
def compose(
    p: RNNG, label: Float32[Tensor, "H"], children: list[Float32[Tensor, "H"]]
) -> Float32[Tensor, "H"]:
    fwd = label
    for x in children:
        fwd = ops.tanh(ops.concat(fwd, x) @ p.w_fwd)
    bwd = label
    for x in children[::-1]:
        bwd = ops.tanh(ops.concat(bwd, x) @ p.w_bwd)
    return ops.tanh(ops.linear(ops.concat(fwd, bwd), p.w_compose, p.b))


@ab.model
def parse(p: RNNG, actions: list[Action]) -> Float32[Tensor, "3"]:
    stack: list[Entry] = []
    summary = p.b
    for action in actions:
        if action.kind == "NT":
            stack.append(Entry(p.labels[action.arg], action.arg))
        elif action.kind == "GEN":
            stack.append(Entry(p.words[action.arg], None))
        else:
            children = []
            while stack[-1].label is None:
                children.append(stack.pop().vector)
            nt = stack.pop()
            children.reverse()
            stack.append(Entry(compose(p, nt.vector, children), None))
        summary = ops.tanh(ops.concat(summary, stack[-1].vector) @ p.w_stack)
    return ops.log_softmax(summary @ p.out)
