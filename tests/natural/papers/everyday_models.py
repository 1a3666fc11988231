"""Models of many kinds as their authors write them, with Python's standard library: iterators,
counters, ordered dicts, tables of lambdas, objects that change in lists, numpy's functions. Hints of
results are left out."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Union

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
    score: Tensor["H", "1"]


@ab.model
def rae(p: W, words: list[int]) -> Any:
    """A recursive autoencoder, which merges the pair that it can restore best."""
    nodes = [p.emb[w] for w in words]
    order = []
    while len(nodes) > 1:
        errs = []
        for i in range(len(nodes) - 1):
            c = ops.tanh(nodes[i] @ p.w + nodes[i + 1] @ p.u + p.b)
            r = c @ p.w.T - nodes[i]
            errs.append(float((r * r).sum()))
        i = errs.index(min(errs))
        order.append(i)
        nodes[i : i + 2] = [ops.tanh(nodes[i] @ p.w + nodes[i + 1] @ p.u + p.b)]
    return nodes[0], order


@ab.data
class Num:
    value: float


@ab.data
class Var:
    name: str


@ab.data
class Let:
    name: str
    value: "Expr"
    body: "Expr"


@ab.data
class Bin:
    op: str
    left: "Expr"
    right: "Expr"


Expr = Union[Num, Var, Let, Bin]


@ab.model
def evaluate(p: W, e: Expr, env: dict[str, Tensor["H"]]) -> Tensor["H"]:
    """The value of an expression with names."""
    if isinstance(e, Num):
        return p.b * e.value
    if isinstance(e, Var):
        return env.get(e.name, p.b)
    if isinstance(e, Let):
        v = evaluate(p, e.value, env)
        return evaluate(p, e.body, {**env, e.name: v})
    left, right = evaluate(p, e.left, env), evaluate(p, e.right, env)
    fn = {"+": lambda a, b: a + b, "*": lambda a, b: a * b}
    if e.op in fn:
        return ops.tanh(fn[e.op](left, right) @ p.w)
    raise ValueError(f"unknown operator {e.op}")


@ab.model
def calc(p: W, e: Expr) -> Any:
    """An expression about two known names."""
    return evaluate(p, e, {"x": p.emb[0], "y": p.emb[1]})


@ab.model
def deq(p: W, xs: list[int], tol: float = 1e-2) -> Any:
    """A fixed point, iterated until it moves little."""
    z = ops.zeros_like(p.b)
    x = sum(p.emb[i] for i in xs) / max(len(xs), 1)
    for it in range(30):
        znew = ops.tanh(z @ p.w + x)
        err = np.linalg.norm(znew - z)
        z = znew
        if err < tol:
            break
    else:
        it = -1
    return z, it


@ab.data
class KB:
    triples: list[tuple[int, int, int]]


@ab.model
def hops(p: W, kb: KB, start: int, k: int) -> Any:
    """The entities that are reached in a few steps, first come, first served."""
    adj = defaultdict(list)
    for s, r, o in kb.triples:
        adj[s].append((r, o))
    q = deque([(start, p.emb[start], 0)])
    visited = {start}
    reps = OrderedDict()
    while q:
        n, h, d = q.popleft()
        reps[n] = h
        if d >= k:
            continue
        for r, o in adj[n]:
            if o not in visited:
                visited.add(o)
                q.append((o, ops.tanh(h @ p.w + p.emb[r]), d + 1))
    tot = p.b
    for n, h in reps.items():
        tot = tot + h
    return tot, list(reps)


@ab.data
class Huff:
    word: Optional[int] = None
    vec: Optional[int] = None
    kids: tuple["Huff", ...] = ()


@ab.model
def sample_word(p: W, tree: Huff, ctx: list[int]) -> Any:
    """A walk down a Huffman tree."""
    h = functools.reduce(lambda a, i: ops.tanh(a @ p.w + p.emb[i]), ctx, p.b)
    code = ""
    logp = 0.0
    while tree.kids:
        s = float(ops.sigmoid(h @ p.emb[tree.vec]))
        go = s > 0.5
        code += "1" if go else "0"
        logp += math.log(s if go else 1 - s)
        tree = tree.kids[int(go)]
    return tree.word, code, logp


class State(NamedTuple):
    stack: list
    buf: list
    arcs: list


@ab.model
def parse(p: W, words: list[int]) -> Any:
    """A transition parser whose state is a named tuple."""
    st = State([], list(enumerate(words)), [])
    h = p.b
    while st.buf or len(st.stack) > 1:
        top = p.emb[st.stack[-1][1]] if st.stack else p.b
        nxt = p.emb[st.buf[0][1]] if st.buf else p.b
        h = ops.tanh(top @ p.w + nxt @ p.u + h)
        s = (h @ p.out)[:3]
        valid = [bool(st.buf), len(st.stack) > 1, len(st.stack) > 1]
        best = max((k for k in range(3) if valid[k]), key=lambda k: float(s[k]))
        if best == 0:
            st = st._replace(stack=st.stack + [st.buf[0]], buf=st.buf[1:])
        elif best == 1:
            *rest, a, b = st.stack
            st = st._replace(stack=rest + [b], arcs=st.arcs + [(b[0], a[0])])
        else:
            *rest, a, b = st.stack
            st = State(rest + [a], st.buf, st.arcs + [(a[0], b[0])])
    return st.arcs, h


@ab.model
def segment(p: W, xs: list[int]) -> Any:
    """Runs of equal labels."""
    hs = []
    h = p.b
    for x in xs:
        h = ops.tanh(h @ p.w + p.emb[x])
        hs.append(h)
    labels = [int(np.argmax(h @ p.out)) for h in hs]
    segs = []
    for lab, grp in itertools.groupby(zip(labels, hs), key=lambda t: t[0]):
        items = [h for _, h in grp]
        segs.append((lab, sum(items) / len(items)))
    diffs = [float(np.abs(b - a).max()) for a, b in zip(hs, hs[1:])]
    counts = Counter(labels)
    total = list(itertools.accumulate(diffs))
    return segs, counts.most_common(1), total


@dataclass
class Slot:
    key: Tensor["H"]
    age: int = 0
    uses: int = field(default=0)


@ab.model
def lru(p: W, xs: list[int], size: int) -> Any:
    """A memory that forgets the oldest slot."""
    slots = []
    outs = []
    for x in xs:
        q = ops.tanh(p.emb[x] @ p.w)
        for s in slots:
            s.age += 1
        if slots:
            sims = [float(s.key @ q) for s in slots]
            j = int(np.argmax(sims))
            if sims[j] > 0.1:
                slots[j].age = 0
                slots[j].uses += 1
                slots[j].key = 0.5 * slots[j].key + 0.5 * q
                outs.append(slots[j].key)
                continue
        if len(slots) >= size:
            oldest = max(range(len(slots)), key=lambda i: slots[i].age)
            slots.pop(oldest)
        slots.append(Slot(q))
        outs.append(q)
    return outs, [s.uses for s in slots]


class LSTMCell:
    def __init__(self, w, u, b):
        self.w, self.u, self.b = w, u, b

    def __call__(self, x, h):
        return ops.tanh(x @ self.w + h @ self.u + self.b)


@ab.model
def enc(p: W, sents: list[list[int]]) -> Any:
    """An attentive document encoder."""
    cell = LSTMCell(p.w, p.u, p.b)
    vecs = []
    for s in sents:
        h = np.zeros(p.b.shape[0], dtype=np.float32)
        for t in s:
            h = cell(p.emb[t], h)
        vecs.append(h)
    m = np.stack(vecs)
    a = ops.softmax(m @ p.score[:, 0])
    return a @ m, a


@ab.model
def pairs(p: W, toks: list[int]) -> Any:
    """An interpreter of codes with operands."""
    it = iter(toks)
    h = p.b
    n = 0
    for code in it:
        if code == 0:
            a = next(it, None)
            if a is None:
                break
            h = ops.tanh(h @ p.w + p.emb[a])
        elif code == 1:
            a, b = next(it, 3), next(it, 4)
            h = ops.tanh(h @ p.u + p.emb[a] * p.emb[b])
        else:
            n += 1
    return h, n
