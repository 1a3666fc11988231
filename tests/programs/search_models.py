"""Searches whose beams, agendas, charts and tables start empty."""

# Models as they are written in a hurry.
# ruff: noqa: B007, B905, RUF005
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import acrobat as ab
from tests.programs.empty_list_models import P


@dataclass
class Item:
    start: int
    end: int
    label: str
    h: Any
    kids: list[Any] = field(default_factory=list)


@ab.model
def beam_search(p: P, xs: list[int]) -> Any:
    beam = [([], p.b, 0)]
    finished = []
    for step in range(len(xs)):
        candidates = []
        for tokens, h, score in beam:
            for k in (1, 3):
                t = (xs[step] * k + score) % 9
                candidates.append((tokens + [t], h @ p.w + p.emb[t], score + t))
        candidates.sort(key=lambda c: -c[2])
        beam = []
        for c in candidates[:3]:
            if c[0][-1] == 0:
                finished.append(c)
            else:
                beam.append(c)
    best = max(finished + beam, key=lambda c: c[2]) if finished or beam else None
    return best, len(finished), len(beam)


@ab.model
def agenda_search(p: P, xs: list[int]) -> Any:
    agenda = [(0, [])]
    seen = set()
    results = []
    while agenda:
        i, path = agenda.pop()
        if i in seen:
            continue
        seen.add(i)
        if i >= len(xs):
            results.append(path)
            continue
        agenda.append((i + 1, path + [xs[i]]))
        agenda.append((i + 1 + xs[i] % 3, path + [(-xs[i])]))
    return results, sorted(seen)


@ab.model
def bfs(p: P, xs: list[int]) -> Any:
    edges = {}
    for i, x in enumerate(xs):
        edges.setdefault(i, []).append(x)
        edges.setdefault(x, []).append(i)
    queue = deque([0])
    parent = {0: None}
    order = []
    while queue:
        u = queue.popleft()
        order.append(u)
        for v in edges.get(u, []):
            if v not in parent:
                parent[v] = u
                queue.append(v)
    return order, parent


@ab.model
def viterbi(p: P, xs: list[int]) -> Any:
    best = {}
    for x in xs:
        new = {}
        for tag in range(3):
            options = [(s - abs(tag - t) + x * tag, path + [tag]) for t, (s, path) in best.items()]
            if options:
                new[tag] = max(options, key=lambda o: o[0])
            else:
                new[tag] = (x * tag, [tag])
        best = new
    return [(t, s, path) for t, (s, path) in best.items()]


@ab.model
def earley_like(p: P, xs: list[int]) -> Any:
    chart = [[] for _ in range(len(xs) + 1)]
    chart[0].append((0, 0))
    for i in range(len(xs) + 1):
        for state, origin in list(chart[i]):
            if i < len(xs):
                nxt = ((state + xs[i]) % 4, origin)
                if nxt not in chart[i + 1]:
                    chart[i + 1].append(nxt)
                if xs[i] % 2 and (0, i + 1) not in chart[i + 1]:
                    chart[i + 1].append((0, i + 1))
    return chart


@ab.model
def mentions(p: P, xs: list[int]) -> Any:
    ents = []
    for i, x in enumerate(xs):
        best, best_score = None, 0
        for e, (h, members) in enumerate(ents):
            s = len(members) + (x % 2)
            if s > best_score:
                best, best_score = e, s
        if best is None or x > 4:
            ents.append((p.emb[x], [i]))
        else:
            h, members = ents[best]
            ents[best] = ((h + p.emb[x]) @ p.w, members + [i])
    return [m for _, m in ents], [h for h, _ in ents]


@ab.model
def history(p: P, xs: list[int]) -> Any:
    past = []
    h = p.b
    out = []
    for x in xs:
        if past:
            best = max(past, key=lambda q: q[0])
            h = h + best[1] @ p.w
            prev, _ = past[-1]
        else:
            prev = None
        out.append((x, prev))
        past.append((x, h))
    return h, out


@ab.model
def memo_table(p: P, xs: list[int]) -> Any:
    memo = {}

    def go(i):
        if i >= len(xs):
            return (0, [])
        if i in memo:
            return memo[i]
        take = go(i + 2)
        skip = go(i + 1)
        a = (take[0] + xs[i], [i] + take[1])
        best = a if a[0] > skip[0] else skip
        memo[i] = best
        return best

    return go(0)


@ab.model
def objects_agenda(p: P, xs: list[int]) -> Any:
    agenda = [Item(i, i + 1, "t", p.emb[x]) for i, x in enumerate(xs)]
    chart = []
    while agenda:
        item = agenda.pop(0)
        for other in chart:
            if other.end == item.start and len(chart) < 6:
                agenda.append(Item(other.start, item.end, "n", (other.h + item.h) @ p.w))
        chart.append(item)
    return [(c.start, c.end, c.label) for c in chart], [c.h for c in chart]


class Hyp:
    def __init__(self, tokens, score, h):
        self.tokens = tokens
        self.score = score
        self.h = h


@ab.model
def beam_objects(p: P, xs: list[int]) -> Any:
    beam = [Hyp([], 0, p.b)]
    done = []
    for x in xs:
        new = []
        for hyp in beam:
            for k in (x, 0):
                new.append(
                    Hyp(hyp.tokens + [(k, hyp.score)], hyp.score + k, hyp.h @ p.w + p.emb[k])
                )
        new = sorted(new, key=lambda q: -q.score)
        done += [q for q in new if q.score % 4 == 1]
        beam = [q for q in new if q.score % 4 != 1][:2]
        if not beam:
            break
    best = None
    for q in done + beam:
        if best is None or q.score > best.score:
            best = q
    return (best.tokens, best.h) if best is not None else ([], p.b)


@ab.model
def cky_fixed(p: P, xs: list[int]) -> Any:
    n = len(xs)
    chart = [[[] for _ in range(n + 1)] for _ in range(n + 1)]
    for i, x in enumerate(xs):
        chart[i][i + 1] = [(x, p.emb[x])]
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            j = i + width
            cell = []
            for k in range(i + 1, j):
                for a, g in chart[i][k]:
                    for b, h in chart[k][j]:
                        if (a + b) % 3 != 1:
                            cell.append(((a + b) % 9, (g + h) @ p.w))
            chart[i][j] = cell[:2]
    return [a for a, _ in chart[0][n]] if n else []


@ab.model
def trie(p: P, xs: list[int]) -> Any:
    nodes = [{}]
    ends = []
    cur = 0
    for x in xs:
        if x == 0:
            ends.append(cur)
            cur = 0
            continue
        if x not in nodes[cur]:
            nodes.append({})
            nodes[cur] = {**nodes[cur], x: len(nodes) - 1}
        cur = nodes[cur][x]
    return nodes, ends


@ab.model
def checkpoints(p: P, xs: list[int]) -> Any:
    saved = []
    h = p.b
    steps = []
    for i, x in enumerate(xs):
        if x == 5 and saved:
            i0, h, steps = saved.pop()
            steps = steps + [-i0]
            continue
        if x % 2:
            saved.append((i, h, steps))
        h = h @ p.w + p.emb[x]
        steps = steps + [x]
    return h, steps, len(saved)


@ab.model
def zipped(p: P, xs: list[int]) -> Any:
    left, right = [], []
    for x in xs:
        for (a, g), (b, h) in zip(left, right):
            if a == b:
                left = [(a + x, g @ p.w)]
        left.append((x, p.emb[x]))
        if x % 2:
            right.append((x, p.b))
    return [a for a, _ in left], [g for _, g in left], len(right)


MODELS = [
    beam_search,
    agenda_search,
    bfs,
    viterbi,
    earley_like,
    mentions,
    history,
    memo_table,
    objects_agenda,
    beam_objects,
    cky_fixed,
    trie,
    checkpoints,
    zipped,
]
