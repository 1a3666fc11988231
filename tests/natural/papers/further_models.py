"""Further models as their authors write them: charts, shortest paths, filters, scenes of objects,
interpreters with frames, taggers, pipelines of functions. Hints of results are left out."""

# ruff: noqa: E731

from __future__ import annotations

import functools
import heapq
import itertools
import math
import operator
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

import acrobat as ab
from acrobat import Tensor, ops


@ab.params
class W:
    emb: Tensor["50", "H"]
    w: Tensor["H", "H"]
    u: Tensor["H", "H"]
    b: Tensor["H"]
    out: Tensor["H", "6"]


def score(p, a, b):
    return float(ops.tanh(p.emb[a] @ p.w) @ p.emb[b])


@ab.model
def cky(p: W, words: list[int]) -> Any:
    """The best binary tree over words."""
    n = len(words)
    best = np.full((n + 1, n + 1), -np.inf)
    split = np.zeros((n + 1, n + 1), dtype=int)
    for i in range(n):
        best[i, i + 1] = 0.0
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length
            for k in range(i + 1, j):
                s = best[i, k] + best[k, j] + score(p, words[i], words[k])
                if s > best[i, j]:
                    best[i, j], split[i, j] = s, k

    def build(i, j):
        if j - i == 1:
            return [words[i]]
        k = int(split[i, j])
        return build(i, k) + [-1] + build(k, j)

    return best[0, n], build(0, n) if n > 0 else []


@ab.model
def dijkstra(p: W, edges: dict[int, list[int]], src: int) -> Any:
    """Shortest paths with learned costs."""
    dist = {src: 0.0}
    prev = {}
    pq = [(0.0, src)]
    done = set()
    while pq:
        d, u = heapq.heappop(pq)
        if u in done:
            continue
        done.add(u)
        for v in edges.get(u, []):
            nd = d + abs(float(p.emb[u] @ p.emb[v])) + 0.1
            if v not in dist or nd < dist[v]:
                dist[v] = nd
                prev[v] = u
                heapq.heappush(pq, (nd, v))
    h = p.b
    for v in sorted(dist):
        h = ops.tanh(h @ p.w + p.emb[v] * dist[v])
    return h, {k: prev[k] for k in sorted(prev)}


@ab.model
def kalman(p: W, zs: list[float]) -> Any:
    """A Kalman filter and smoother."""
    x, P = 0.0, 1.0
    q, r = 0.01, float(ops.sigmoid(p.b[0])) + 0.1
    xs, Ps = np.empty(len(zs)), np.empty(len(zs))
    for t, z in enumerate(zs):
        P = P + q
        K = P / (P + r)
        x += K * (z - x)
        P *= 1 - K
        xs[t], Ps[t] = x, P
    smoothed = [float(v) for v in xs]
    for t in range(len(zs) - 2, -1, -1):
        G = Ps[t] / (Ps[t] + q)
        smoothed[t] += G * (smoothed[t + 1] - smoothed[t])
    return smoothed, P


@ab.data
class Shape:
    color: int


@ab.data
class Circle(Shape):
    r: float

    def area(self):
        return math.pi * self.r**2


@ab.data
class Rect(Shape):
    w: float
    h: float

    def area(self):
        return self.w * self.h


@ab.model
def scene(p: W, shapes: list[Union[Circle, Rect]]) -> Any:
    """Shapes of a scene, by their colours."""
    by_color = defaultdict(list)
    for s in shapes:
        by_color[s.color].append(s.area())
    h = p.b
    for c, areas in sorted(by_color.items()):
        h = ops.tanh(h @ p.w + p.emb[c] * (sum(areas) / len(areas)))
    biggest = max(shapes, key=lambda s: s.area(), default=None)
    return h, (biggest.color if biggest is not None else -1)


@ab.model
def textcnn(p: W, words: list[int], width: int) -> Any:
    """Convolution over windows of words."""
    xs = [p.emb[w] for w in words]
    pad = [np.zeros_like(p.b)] * (width - 1)
    xs = xs + pad
    feats = []
    for i in range(len(words)):
        win = xs[i : i + width]
        feats.append(ops.relu(sum(win) @ p.w / width))
    pooled = np.max(np.stack(feats), axis=0)
    top = np.argsort(-(pooled @ p.out))[:2] if False else [int(np.argmax(pooled @ p.out))]
    return pooled, top


@dataclass
class Frame:
    pc: int = 0
    acc: Tensor["H"] = None
    locals: dict = field(default_factory=dict)


@ab.model
def vmrun(p: W, code: list[tuple[str, int]]) -> Any:
    """An interpreter with frames."""
    frames = [Frame(0, p.b)]
    steps = 0
    while frames and steps < 40:
        steps += 1
        f = frames[-1]
        if f.pc >= len(code):
            break
        op, arg = code[f.pc]
        f.pc += 1
        if op == "emb":
            f.acc = ops.tanh(f.acc @ p.w + p.emb[arg])
        elif op == "mul":
            f.acc = f.acc * p.emb[arg]
        elif op == "jmpneg" and float(f.acc[0]) < 0 and arg > f.pc:
            f.pc = arg
    return frames[0].acc, steps


@ab.model
def early(p: W, xs: list[int], ys: list[int]) -> Any:
    """Iterations until they have converged."""
    h, mean, m2 = p.b, 0.0, 0.0
    for n, (x, y) in enumerate(zip(xs, ys), 1):
        h = ops.tanh(h @ p.w + p.emb[x] - p.emb[y])
        v = float(h.sum())
        d = v - mean
        mean += d / n
        m2 += d * (v - mean)
        if n > 1 and math.sqrt(m2 / (n - 1)) < 0.05:
            status = "converged"
            break
    else:
        status = "ran out"
    return h, round(mean, 4), status


@ab.model
def tagger(p: W, words: list[str]) -> Any:
    """Tags of words, and their runs."""
    vocab = {w: i for i, w in enumerate(sorted({w.lower() for w in words}))}
    ids = [vocab[w.lower()] for w in words]
    feats = [f"{w[0]}{len(w) % 10}" for w in words]
    hs = list(itertools.accumulate(ids, lambda h, i: ops.tanh(h @ p.w + p.emb[i]), initial=p.b))[1:]
    tags = [int((h @ p.out).argmax()) for h in hs]
    spans = [(k, len(list(g))) for k, g in itertools.groupby(tags)]
    return tags, spans, " ".join(feats), Counter(tags).most_common(1)


@ab.model
def pipeline(p: W, xs: list[int]) -> Any:
    """Functions that are composed."""
    f1 = lambda h: ops.tanh(h @ p.w)
    f2 = lambda h: h + p.b
    hs = map(lambda x: f2(f1(p.emb[x])), filter(lambda x: x % 2, xs))
    return functools.reduce(operator.add, hs, p.b)
