"""Doubly recurrent network (Alvarez-Melis, Jaakkola 2017): a tree is decoded from a vector; a node's
state comes from its parent's (ancestral) and from its previous sibling's (fraternal). The topology
is predicted: whether a node has children, whether it has another sibling."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops

MAX_DEPTH, MAX_WIDTH = 3, 3


@ab.params
class GRU:
    w: Float32[Tensor, "E 3H"]
    u: Float32[Tensor, "H 3H"]


@ab.params
class DRNN:
    embed: Float32[Tensor, "V E"]
    encoder: GRU
    ancestral: GRU
    fraternal: GRU
    u_a: Float32[Tensor, "H H"]
    u_f: Float32[Tensor, "H H"]
    out: Float32[Tensor, "H V"]
    v_a: Float32[Tensor, "V"]
    v_f: Float32[Tensor, "V"]
    depth: Float32[Tensor, "H"]
    width: Float32[Tensor, "H"]


@ab.data
class Node:
    label: int
    children: list[Node]


@ab.model
def gru(p: GRU, x, h):
    n = h.shape[0]
    wx, uh = x @ p.w, h @ p.u
    r = ops.sigmoid(wx[:n] + uh[:n])
    z = ops.sigmoid(wx[n : 2 * n] + uh[n : 2 * n])
    new = ops.tanh(wx[2 * n :] + r * uh[2 * n :])
    return (1 - z) * new + z * h


@ab.model
def expand(p: DRNN, parent_state, parent_label, depth, log_probs):
    """The children of a node, from left to right."""
    children = []
    f = ops.zeros(p.u_f.shape[0])
    a = gru(p.ancestral, p.embed[parent_label], parent_state)
    more = True
    while more and len(children) < MAX_WIDTH:
        h = ops.tanh(a @ p.u_a + f @ p.u_f)
        go_down = ops.sigmoid(h @ p.depth)
        go_right = ops.sigmoid(h @ p.width)
        deeper = bool(go_down > 0.5) and depth < MAX_DEPTH
        more = go_right > 0.5
        logits = h @ p.out + deeper * p.v_a + more * p.v_f
        label = int(logits.argmax())
        log_probs[depth] += [
            ops.log_softmax(logits)[label],
            ops.log(go_down if deeper else 1 - go_down),
        ]
        below = expand(p, a, label, depth + 1, log_probs) if deeper else []
        children.append(Node(label, below))
        f = gru(p.fraternal, p.embed[label], f)
    return children


@ab.model
def decode(p: DRNN, words: list[int]):
    h = ops.zeros(p.depth.shape)
    for word in words:
        h = gru(p.encoder, p.embed[word], h)
    log_probs = {d: [] for d in range(MAX_DEPTH + 1)}
    label = int(ops.argmax(h @ p.out))
    tree = Node(label, expand(p, h, label, 1, log_probs))
    per_level = [sum(lp) / max(len(lp), 1) for lp in log_probs.values()]
    return tree, per_level
