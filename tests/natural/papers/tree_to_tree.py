"""Tree-to-tree translation (Chen, Liu, Song 2018): a tree-LSTM encoder, a decoder that expands a
queue of nodes, attention over all nodes of the source, and parent-attention feeding."""

from __future__ import annotations

from collections import Counter, deque

import acrobat as ab
from acrobat import Float32, Tensor, ops

EOS = 0


@ab.data
class Source:
    token: int
    left: Source | None = None
    right: Source | None = None


@ab.data
class Target:
    token: int
    left: Target | None
    right: Target | None


@ab.params
class LSTM:
    wx: Float32[Tensor, "D 4H"]
    wh: Float32[Tensor, "H 4H"]
    b: Float32[Tensor, "4H"]


@ab.params
class TreeToTree:
    source: Float32[Tensor, "V D"]
    target: Float32[Tensor, "T D"]
    w_in: Float32[Tensor, "D 3H"]
    u_left: Float32[Tensor, "H 3H"]
    u_right: Float32[Tensor, "H 3H"]
    w_f: Float32[Tensor, "D H"]
    u_f: dict[str, Float32[Tensor, "H H"]]
    left: LSTM
    right: LSTM
    attention: Float32[Tensor, "H H"]
    combine: Float32[Tensor, "2H D"]
    out: Float32[Tensor, "D T"]
    limit: int = 12


@ab.model
def encode(p: TreeToTree, node: Source | None, memory: list):
    if node is None:
        return ops.zeros(p.attention.shape[0]), ops.zeros(p.attention.shape[0])
    hl, cl = encode(p, node.left, memory)
    hr, cr = encode(p, node.right, memory)
    x = p.source[node.token]
    i, o, u = ops.split(x @ p.w_in + hl @ p.u_left + hr @ p.u_right, 3)
    fl = ops.sigmoid(x @ p.w_f + hl @ p.u_f["left"])
    fr = ops.sigmoid(x @ p.w_f + hr @ p.u_f["right"])
    c = ops.sigmoid(i) * ops.tanh(u) + fl * cl + fr * cr
    h = ops.sigmoid(o) * ops.tanh(c)
    memory.append(h)
    return h, c


@ab.model
def cell(p: LSTM, x, state):
    h, c = state
    i, f, o, g = ops.split(x @ p.wx + h @ p.wh + p.b, 4)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


@ab.model
def predict(p: TreeToTree, h, memory):
    """The token, and the attention vector that its children are fed."""
    keys = ops.stack(memory)
    weights = ops.softmax(keys @ (p.attention @ h))
    e = ops.tanh(ops.concat([weights @ keys, h]) @ p.combine)
    return int(ops.argmax(e @ p.out)), e


@ab.model
def translate(p: TreeToTree, tree: Source):
    memory = []
    state = encode(p, tree, memory)
    queue = deque([(state, "root")])
    tokens: list[int] = []
    counts = Counter()
    while queue and len(tokens) < p.limit:
        state, side = queue.popleft()
        token, e = predict(p, state[0], memory)
        tokens.append(token)
        counts[side] += 1
        if token == EOS:
            continue
        x = p.target[token] + e
        queue.append((cell(p.left, x, state), "left"))
        queue.append((cell(p.right, x, state), "right"))
    return tokens, counts["left"], counts["right"]
