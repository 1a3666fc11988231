"""Deep biaffine dependency parser (Dozat, Manning 2017): a bidirectional LSTM, scores of arcs and
labels by biaffine attention; cycles of the greedy tree are broken as Chu and Liu do, one by one."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class LSTM:
    w: Float32[Tensor, "D+H 4H"]
    b: Float32[Tensor, "4H"]


@ab.params
class Parser:
    words: Float32[Tensor, "V E"]
    tags: Float32[Tensor, "T E"]
    root: Float32[Tensor, "2E"]
    layers: list[tuple[LSTM, LSTM]]
    arc_head: Float32[Tensor, "2H A"]
    arc_dep: Float32[Tensor, "2H A"]
    rel_head: Float32[Tensor, "2H R"]
    rel_dep: Float32[Tensor, "2H R"]
    arc: Float32[Tensor, "A+1 A"]
    rel: Float32[Tensor, "L R+1 R+1"]


@ab.data
class Token:
    word: int
    tag: int
    head: int
    rel: int


@ab.model
def run(p: LSTM, xs, backward=False):
    h = c = ops.zeros(p.b.shape[0] // 4)
    out = []
    for x in reversed(xs) if backward else xs:
        i, f, o, g = ops.split(ops.concat([x, h]) @ p.w + p.b, 4)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        out.append(h)
    if backward:
        out.reverse()
    return out


def mlp(x, w):
    return ops.leaky_relu(x @ w, 0.1)


def with_one(x):
    return ops.concat([x, ops.ones(1)])


def find_cycle(heads: list[int]) -> list[int]:
    """The tokens of a cycle, or none; the root is 0 and its own head."""
    done = {0}
    for start in range(1, len(heads)):
        path = []
        at = start
        while at not in done and at not in path:
            path.append(at)
            at = heads[at]
        if at in path:
            return path[path.index(at) :]
        done.update(path)
    return []


@ab.model
def parse(p: Parser, sentence: list[Token]):
    xs = [p.root] + [ops.concat(p.words[t.word], p.tags[t.tag]) for t in sentence]
    for fwd, bwd in p.layers:
        xs = [ops.concat(a, b) for a, b in zip(run(fwd, xs), run(bwd, xs, backward=True))]
    heads = ops.stack([with_one(mlp(x, p.arc_head)) for x in xs])
    loss = 0.0
    tree = [0]
    scores = []
    for i, token in enumerate(sentence, 1):
        s = heads @ (p.arc @ mlp(xs[i], p.arc_dep))
        loss += ops.cross_entropy(s, token.head)
        scores.append(s)
        tree.append(int(ops.argmax(s)))
        h, d = with_one(mlp(xs[token.head], p.rel_head)), with_one(mlp(xs[i], p.rel_dep))
        labels = ops.stack([h @ w @ d for w in p.rel])
        loss += ops.cross_entropy(labels, token.rel)
    for _ in sentence:
        cycle = find_cycle(tree)
        if not cycle:
            break
        best, dep, head = -1e9, 0, 0
        for i in cycle:
            for j in range(len(xs)):
                gain = scores[i - 1][j] - scores[i - 1][tree[i]]
                if j not in cycle and gain > best:
                    best, dep, head = gain, i, j
        tree[dep] = head
    return loss / len(sentence), tree[1:]
