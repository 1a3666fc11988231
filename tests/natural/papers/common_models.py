"""Models of common kinds as their authors write them: stacked LSTMs, differential equations, hidden
Markov models, graph attention, state machines, expressions, coverage, edit distance. Hints of
results are left out."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Tensor, ops


@ab.params
class LSTM:
    wx: Tensor["H", "4H"]
    wh: Tensor["H", "4H"]
    b: Tensor["4H"]


@ab.params
class W:
    emb: Tensor["50", "H"]
    w: Tensor["H", "H"]
    u: Tensor["H", "H"]
    b: Tensor["H"]
    out: Tensor["H", "6"]
    fwd: list[LSTM]
    bwd: list[LSTM]


def lstm_step(cell, x, state):
    h, c = state
    z = x @ cell.wx + h @ cell.wh + cell.b
    n = len(h)
    i, f, g, o = z[:n], z[n : 2 * n], z[2 * n : 3 * n], z[3 * n :]
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * np.tanh(g)
    return ops.sigmoid(o) * np.tanh(c), c


@ab.model
def bilstm(p: W, words: list[int]) -> Any:
    """Stacked bidirectional LSTMs."""
    xs = [p.emb[w] for w in words]
    for f, b in zip(p.fwd, p.bwd):
        zero = (np.zeros_like(p.b), np.zeros_like(p.b))
        hs, s = [], zero
        for x in xs:
            s = lstm_step(f, x, s)
            hs.append(s[0])
        gs, s = [], zero
        for x in reversed(xs):
            s = lstm_step(b, x, s)
            gs.insert(0, s[0])
        xs = [h + g for h, g in zip(hs, gs)]
    return xs[-1], np.stack(xs).mean(axis=0)


@ab.model
def ode(p: W, x0: int, t1: float) -> Any:
    """An ordinary differential equation with adaptive steps."""

    def f(t, y):
        return ops.tanh(y @ p.w + t * p.b)

    y, t, h = p.emb[x0], 0.0, 0.1
    steps = 0
    while t < t1 - 1e-9 and steps < 50:
        h = min(h, t1 - t)
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        ynew = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        err = float(np.abs(ynew - (y + h * k1)).max())
        if err < 0.05 or h < 1e-2:
            y, t = ynew, t + h
            h *= 1.5
        else:
            h /= 2
        steps += 1
    return y, steps


@ab.model
def hmm(p: W, obs: list[int]) -> Any:
    """The forward algorithm of a hidden Markov model."""
    logA = ops.log_softmax(p.u, axis=-1)
    logB = ops.log_softmax(p.w)
    n = p.b.shape[0]
    alpha = [float(p.b[i]) for i in range(n)]
    for o in obs:
        alpha = [
            ops.logsumexp(np.array([alpha[i] + float(logA[i, j]) for i in range(n)]))
            + logB[j, o % n]
            for j in range(n)
        ]
        alpha = [float(a) for a in alpha]
    m = max(alpha)
    return m + math.log(sum(math.exp(a - m) for a in alpha))


@ab.model
def gat(p: W, nodes: list[int], edges: list[tuple[int, int]]) -> Any:
    """Attention over the neighbours in a graph."""
    h = [p.emb[n] @ p.w for n in nodes]
    nbrs = [[] for _ in nodes]
    for a, b in edges:
        nbrs[a].append(b)
        nbrs[b].append(a)
    out = []
    for i, hi in enumerate(h):
        js = sorted(set(nbrs[i] + [i]))
        scores = [hi @ (p.u @ h[j]) / math.sqrt(len(hi)) for j in js]
        mx = max(scores)
        es = [np.exp(s - mx) for s in scores]
        z = sum(es)
        out.append(sum(e / z * h[j] for e, j in zip(es, js)))
    return out[0], len(out)


class Mode(Enum):
    IDLE = auto()
    READ = auto()
    DONE = auto()


@ab.model
def machine(p: W, tape: list[int]) -> Any:
    """A machine with states."""
    mode, pos, h = Mode.IDLE, 0, p.b
    log = []
    while mode != Mode.DONE:
        if mode is Mode.IDLE:
            mode = Mode.READ if tape else Mode.DONE
        elif mode is Mode.READ:
            if pos >= len(tape):
                mode = Mode.DONE
                continue
            h = ops.tanh(h @ p.w + p.emb[tape[pos]])
            gate = ops.sigmoid(h[0]).item()
            pos += 1 if gate > 0.5 else 2
        log.append(mode.name)
    return h, log


@ab.model
def rpn(p: W, tokens: list[str]) -> Any:
    """An expression in reverse Polish notation."""
    binary = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "max": lambda a, b: np.maximum(a, b),
    }
    unary = {"neg": lambda a: -a, "tanh": np.tanh}
    stack = []
    for tok in tokens:
        if tok in binary:
            b, a = stack.pop(), stack.pop()
            stack.append(binary[tok](a, b))
        elif tok in unary:
            stack.append(unary[tok](stack.pop()))
        else:
            stack.append(p.emb[int(tok)])
    assert len(stack) == 1, "bad expression"
    return stack.pop()


@ab.data
class Tree:
    label: int
    children: list["Tree"] = field(default_factory=list)


@ab.model
def updown(p: W, root: Tree) -> Any:
    """Messages up and down a tree."""
    order = []
    queue = deque([(root, -1)])
    while queue:
        node, parent = queue.popleft()
        order.append((node.label, parent))
        me = len(order) - 1
        for ch in node.children:
            queue.append((ch, me))
    up = [p.emb[word] for word, _ in order]
    for i in range(len(order) - 1, 0, -1):
        par = order[i][1]
        up[par] = ops.tanh(up[par] + up[i] @ p.w)
    down = [up[0]]
    for i in range(1, len(order)):
        down.append(ops.tanh(up[i] + down[order[i][1]] @ p.u))
    return sum(down) / len(down)


@ab.model
def moe(p: W, xs: list[int], k: int) -> Any:
    """A mixture of the best experts."""
    ys = []
    for x in xs:
        h = p.emb[x]
        g = ops.softmax(h @ p.out)
        top = sorted(range(6), key=lambda e: -float(g[e]))[:k]
        z = sum(float(g[e]) for e in top)
        y = sum((float(g[e]) / z) * ops.tanh(h @ p.w * (e + 1)) for e in top)
        ys.append(y)
    return np.mean(ys, axis=0), [int(t) for t in top]


@ab.model
def copynet(p: W, src: list[int], max_len: int = 6) -> Any:
    """A decoder with coverage."""
    enc = np.stack([ops.tanh(p.emb[s] @ p.w) for s in src])
    cov = np.zeros(len(src))
    h = enc.mean(axis=0)
    out = []
    prev = 0
    for _ in range(max_len):
        h = ops.tanh(h @ p.u + p.emb[prev])
        att = ops.softmax(enc @ h - cov)
        cov = cov + att
        ctx = att @ enc
        logits = (h + ctx) @ p.out
        prev = int(logits.argmax())
        if prev == 0 and out:
            break
        out.append(prev)
    return out, cov


@ab.model
def edit(p: W, a: list[int], b: list[int]) -> Any:
    """An edit distance with learned costs."""
    D = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            if i == 0 or j == 0:
                D[i][j] = float(i + j)
            else:
                c = 1 - float(ops.tanh(p.emb[a[i - 1]] @ p.emb[b[j - 1]]))
                D[i][j] = min(D[i - 1][j] + 1, D[i][j - 1] + 1, D[i - 1][j - 1] + c)
    return D[-1][-1]


@dataclass(frozen=True)
class Config:
    layers: int = 2
    act: str = "tanh"
    residual: bool = True


CFG = Config()


@ab.model
def mlp(p: W, x: int) -> Any:
    """Layers by a configuration."""
    act = {"tanh": ops.tanh, "relu": ops.relu}[CFG.act]
    h = p.emb[x]

    def layer(h):
        y = act(h @ p.w + p.b)
        return h + y if CFG.residual else y

    for _ in range(CFG.layers):
        h = layer(h)
    return h


@ab.model
def slots(p: W, fields: dict[str, list[int]]) -> Any:
    """Fields by their names."""
    vecs = {
        name: sum((p.emb[t] for t in toks), np.zeros_like(p.b)) for name, toks in fields.items()
    }
    norm = {k: v / max(1.0, float(np.linalg.norm(v))) for k, v in vecs.items()}
    names = sorted(norm, key=lambda n: (-len(fields[n]), n))
    h = p.b
    for name in names:
        h = ops.tanh(h @ p.w + norm[name])
    return h, names, {n: len(fields[n]) for n in names}
