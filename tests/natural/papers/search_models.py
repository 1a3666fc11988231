"""Models that search, count and move about, as their authors write them: heaps, sets, dicts, records
that are sorted by a key, members of an enumeration. Hints of results are left out."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from typing import Any

import acrobat as ab
from acrobat import Tensor, ops


@ab.params
class W:
    emb: Tensor["50", "H"]
    w: Tensor["H", "H"]
    u: Tensor["H", "H"]
    b: Tensor["H"]
    out: Tensor["H", "6"]
    score: Tensor["H", "1"]


@ab.model
def best_first(p: W, edges: dict[int, list[int]], start: int, goal: int) -> Any:
    """Best-first search over a graph, by costs that the model computes."""
    frontier = [(0.0, start)]
    seen = set()
    h = p.b
    order = []
    while frontier:
        cost, node = heapq.heappop(frontier)
        if node in seen:
            continue
        seen.add(node)
        order.append(node)
        h = ops.tanh(h @ p.w + p.emb[node])
        if node == goal:
            break
        for nxt in edges.get(node, []):
            if nxt not in seen:
                step = abs(float((ops.tanh(p.emb[nxt] @ p.u) @ p.score)[0]))
                heapq.heappush(frontier, (cost + step, nxt))
    return h, order


@ab.data
class Graph:
    nodes: list[int]
    adj: dict[int, list[int]]
    labels: dict[str, int]


@ab.model
def gnn(p: W, g: Graph) -> Any:
    """Two rounds of messages along the edges of a graph."""
    h = {v: p.emb[v] for v in g.nodes}
    for _ in range(2):
        new = {}
        for v in g.nodes:
            msgs = [h[u] @ p.w for u in g.adj.get(v, []) if u in h]
            m = sum(msgs) if msgs else p.b * 0.0
            new[v] = ops.tanh(h[v] @ p.u + m)
        h = new
    total = ops.zeros_like(p.b)
    for name, v in g.labels.items():
        if v in h:
            total = total + h[v] * (1.0 + 0.1 * len(name))
    return total, sorted(h.keys())


@ab.data
class Node:
    word: int
    left: "Node | None" = None
    right: "Node | None" = None

    def is_leaf(self) -> bool:
        return self.left is None and self.right is None

    def size(self) -> int:
        return 1 + (self.left.size() if self.left else 0) + (self.right.size() if self.right else 0)


@ab.model
def tree(p: W, t: Node) -> Any:
    """A tree whose nodes have none, one or two children."""
    if t.is_leaf():
        return p.emb[t.word]
    hs = [tree(p, c) for c in (t.left, t.right) if c is not None]
    h = sum(hs) / len(hs)
    return ops.tanh(h @ p.w + p.emb[t.word] * (1 / t.size()))


@dataclass
class Hyp:
    tokens: list
    h: Tensor["H"]
    logp: float = 0.0

    @property
    def done(self):
        return bool(self.tokens) and self.tokens[-1] == 5

    def key(self):
        return self.logp / max(1, len(self.tokens))


@ab.model
def beam(p: W, start: int, width: int, steps: int) -> Any:
    """Beam search over hypotheses that are objects."""
    beams = [Hyp([], p.emb[start])]
    for _ in range(steps):
        cand = []
        for hyp in beams:
            if hyp.done:
                cand.append(hyp)
                continue
            logits = ops.log_softmax(hyp.h @ p.out)
            for k in range(6):
                cand.append(
                    Hyp(
                        hyp.tokens + [k],
                        ops.tanh(hyp.h @ p.w + p.emb[k]),
                        hyp.logp + float(logits[k]),
                    )
                )
        cand.sort(key=lambda c: c.key(), reverse=True)
        beams = cand[:width]
        if all(b.done for b in beams):
            break
    best = max(beams, key=Hyp.key)
    return best.tokens, best.h


@ab.model
def bag(p: W, text: str) -> Any:
    """The five most frequent words of a text."""
    counts = defaultdict(int)
    for tok in text.lower().replace(",", " ").split():
        tok = tok.strip("!?.")
        if not tok:
            continue
        counts[tok] += 1
    h = p.b
    for tok, c in sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))[:5]:
        h = ops.tanh(h @ p.w + math.log1p(c) * p.emb[sum(ord(ch) for ch in tok) % 50])
    return h, max(counts.values(), default=0), dict(counts)


class Move(Enum):
    UP = (0, -1)
    DOWN = (0, 1)
    LEFT = (-1, 0)
    RIGHT = (1, 0)


@ab.model
def agent(p: W, grid: list[str], steps: int) -> Any:
    """An agent that moves on a map made of strings."""
    x, y = 0, 0
    h = p.b
    path = []
    for t in range(steps):
        legal = []
        for m in Move:
            dx, dy = m.value
            if (
                0 <= x + dx < len(grid[0])
                and 0 <= y + dy < len(grid)
                and grid[y + dy][x + dx] != "#"
            ):
                legal.append(m)
        if not legal:
            break
        q = [float((h @ p.w + p.emb[i]) @ p.u[:, 0]) for i, m in enumerate(Move)]
        best = max(legal, key=lambda m: q[list(Move).index(m)])
        dx, dy = best.value
        x, y = x + dx, y + dy
        path.append(best.name)
        h = ops.tanh(h @ p.w + p.emb[ord(grid[y][x]) % 50])
        if grid[y][x] == "G":
            break
    return path, h, (x, y)
