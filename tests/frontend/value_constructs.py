"""Models that use every kind of value: lists, dicts, numbers, tensors."""

from __future__ import annotations

import math

import acrobat as ab
from acrobat import Tensor, ops
from tests.frontend.construct_data import (
    Chain,
    Leaf,
    Node,
    P,
    Tree,
)
from tests.frontend.control_constructs import recursion


@ab.model
def growing(p: P, c: Chain) -> tuple[list[Tensor["H"]], list[list[int]], list[Tree]]:
    states = []
    rows: list[list[int]] = []
    kept = []
    for t in c.trees:
        h, n = recursion(p, t)
        states.append(h)
        rows.append([i for i in range(n)])  # noqa: C416
        match t:
            case Leaf():
                kept.append(Leaf(n, h))
            case Node():
                kept.append(Node(t, t, True))
    return states, rows, kept


@ab.model
def lists(p: P, c: Chain) -> list[int]:
    xs, ys = [], [c.n, 2, 3]
    xs.append(4)
    a, d = c.n, c.n + 2
    xs = [*xs, 7, *ys[a:d], *ys[-2:], *ys[:-1]] + ys[::-1]  # noqa: RUF005
    ys = xs[2:99] + xs[5:1]
    pairs = [(1, (2, 3)), (4, (5, 6))]
    for i, (j, k) in pairs:
        ys.append(i * j - k)
    return [len(xs), xs[-1], xs[c.n % 3], pairs[1][1][0], *ys]


@ab.model
def comprehensions(p: P, c: Chain) -> tuple[list[int], list[tuple[int, Tensor["H"]]], list[float]]:
    word = 100
    squares = [word * word for word in range(c.n, -3, -2)]
    states = [(n + i, h) for i, (h, n) in enumerate([recursion(p, t) for t in c.trees]) if n < 3]
    inner = [len([j for j in range(i) if j != 1 if 6 // (j - 1) > 0]) for i in range(c.n)]
    weights = [c.weight * w for w, _ in zip(inner, states, strict=False)]
    return [word, *squares, *inner], states, weights


@ab.model
def changed(p: P, c: Chain) -> tuple[list[int], list[list[int]], list[float]]:
    xs, seen = [c.n, 5, 1] * 2, [c.weight, -c.weight, 0.25]
    rows: list[list[int]] = [[] for _ in range(3)]
    while xs:
        x = xs.pop()
        rows[x % 3].append(x)
        if xs and (y := xs.pop(0)) > 2:
            rows[0].insert(0, y)
            rows[-1] += [y, *rows[0]]
    rows[1].extend(i for i in range(c.n % 4))
    xs.append(3)
    xs[0] += 2
    xs, seen[1] = xs + [7, 8], 0.5  # noqa: RUF005
    del xs[1]
    seen.sort()
    xs.reverse()
    first, *middle, last = [*xs, *[len(r) for r in rows for _ in r if 3 in r or r == [c.n]], c.n]
    xs[0] += first - last + len(middle)
    return xs, rows, sorted(seen, reverse=True)


@ab.model
def keyed(p: P, c: Chain) -> tuple[Tensor["H"], list[int]]:
    """Dicts, and an order by a key."""
    found = {}
    for i in range(5):
        found[i % 3, "odd" if i % 2 else "even"] = p.b * i
    h = found[0, "even"]
    for (n, text), x in found.items():
        h = h + x if text == "odd" else h - x * n
    return h, sorted([3, 1, 2], key=lambda n: -n)


@ab.model
def folded(p: P, c: Chain) -> tuple[list[int], list[float], list[bool]]:
    xs = [c.n, *range(5, 0, -1)]
    found = [sum(xs), max(xs), min(x * x for x in xs), sum(x > 2 for x in xs), max([], default=4)]
    found += [round(c.weight), divmod(c.n, 3)[1], sum([2, 3], c.n), int(c.n > 2) + True]
    good = [any(x > 9 for x in xs if x != 10), all(xs), bool(c.n), not xs, not c.weight]
    return found, [sum([c.weight, 0.5]), round(c.weight, 1)], good


@ab.model
def calculated(p: P, c: Chain) -> tuple[list[float], list[int], list[bool]]:
    x = c.weight / 3
    y = abs(x) + 0.5
    one = [math.acos(x), math.acosh(1 + y), math.asin(x), math.asinh(x), math.atan(x)]
    one += [math.atanh(x), math.cos(x), math.cosh(x), math.degrees(x), math.erf(x), math.erfc(x)]
    one += [math.exp(x), math.expm1(x), math.fabs(x), math.log(y), math.log10(y), math.log1p(y)]
    one += [math.log2(y), math.radians(x), math.sin(x), math.sinh(x), math.sqrt(y), math.tan(x)]
    one += [math.tanh(x), math.atan2(x, y), math.copysign(y, x), math.fmod(x, y), math.pow(y, x)]
    one += [math.log(c.n + 1, 3), x**2, y**-0.5, c.n**-2 if c.n else 0.0, float(c.n > 2)]
    n = c.n
    bits = [n & 3, n | 8, n ^ 5, n << 2, n >> 1, ~n, +n, n**3, math.floor(x), math.ceil(x)]
    truths = [math.isfinite(x), math.isinf(x / 3), math.isnan(x), (n > 2) & (x > 0), (n > 2) ^ True]
    return one, [*bits, math.trunc(x * 9)], truths


@ab.model
def pointwise(p: P, t: Leaf) -> Tensor["H"]:
    x, n = t.x, t.word
    y = ops.sigmoid(x) + ops.relu(-x) * ops.gelu(x) - ops.tanh(x) / 2.0
    y = ops.maximum(y, 0.1 * x) + ops.minimum(x, n) + ops.abs(x) * n
    y = ops.where(ops.greater(y, x), y, ops.where(ops.less(x, p.b), p.g, 1.5))
    y = ops.exp(y * -0.1) + ops.log(ops.abs(y) + 1) + ops.sqrt(x * x)
    return ops.add(a=y, b=ops.sub(1, x)) + ops.mul(x, y) + ops.div(y, 3) + ops.neg(x)


@ab.model
def matrices(p: P, t: Leaf) -> tuple[Tensor["H", "H"], Tensor["H"], Tensor[()], Tensor["H", 2]]:
    m = ops.outer(t.x, p.g) + p.square
    m = ops.softmax(m @ ops.transpose(m)) * p.b + p.table[t.word % 5]
    v = m @ t.x + t.x @ m + ops.linear(t.x, m) + ops.linear(x=p.b, b=p.g, w=m)
    v = v + ops.sum(m, 0) + ops.mean(m, axis=-1) - ops.max(m, axis=0) * ops.max(m)
    v = ops.layer_norm(v, p.g, p.b) + m[0] + m[t.word % 4]
    v = ops.rms_norm(v, p.g) + ops.log_softmax(v) * ops.logsumexp(v)
    rows = ops.concat(m[0:1], m[1:], axis=0)
    two = ops.transpose(ops.stack(rows[1], rows[2]))
    m = ops.attention(rows, m, ops.layer_norm(m, p.g, p.b), 2)
    return m, v, v @ v + ops.sum(m) * v[1], two


@ab.model
def rowwise(p: P, c: Chain) -> tuple[Tensor["H"], Tensor["H"]]:
    rows = ops.stack([p.b, *[recursion(p, t)[0] for t in c.trees]])
    return ops.sum(rows * p.g, axis=0), ops.max(rows, axis=0)


@ab.model
def shapes(p: P, t: Leaf) -> tuple[Tensor["2H"], Tensor["H", "H"], Tensor["H"], int]:
    a, d = ops.split(p.first.w[0] * 2.0, 1)[0], ops.split(n=2, x=ops.concat(t.x, p.b))[1]
    z = ops.zeros(2 * p.b.shape[0])
    z = z + ops.concat(a, d)
    half = p.b.shape[0] // 1
    wide = ops.reshape(ops.concat(p.square, p.square), 2 * half, p.b.shape[-1])
    one = ops.one_hot(t.word % 4, p.b.shape[0]) + ops.one_hot(n=p.b.shape[0], index=0)
    parts = ops.split(wide[:half], 1)
    count = len(parts_of(p)) + p.two.shape[-1]
    return z + one[t.word % 4], parts[0] + wide[0:half], z[:half] + wide[:, 0:half][1], count


@ab.model
def parts_of(p: P) -> list[Tensor["H"]]:
    return [p.b, p.g, *[p.b * float(i) for i in range(2)]]
