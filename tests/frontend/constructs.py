"""Models that use every construct of the language, with instances for each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Optional, Union

import numpy as np

import acrobat as ab
from acrobat import Tensor, ops

LIMIT = 3
SCALE = 0.5


@ab.data
class Leaf:
    word: int
    x: Tensor["H"]


@ab.data
class Node:
    left: "Tree"
    right: "Tree"
    flag: bool


Tree = Leaf | Node


@ab.data
class Chain:
    n: int
    weight: float
    trees: list[Tree]
    next: Optional["Chain"]  # noqa: UP045


@ab.params
class Cell:
    w: Tensor["2H", "H"]
    b: Tensor["H"]


@ab.params
class P:
    emb: Tensor["V", "H"]
    square: Tensor["H", "H"]
    table: Tensor["V", "H", "H"]
    g: Tensor["H"]
    b: Tensor["H"]
    two: Tensor["H", 2]
    first: Cell
    second: Cell


# -- functions, data, branches ---------------------------------------------------------------------


@ab.model
def cell(c: Cell, a: Tensor["H"], d: Tensor["H"]) -> Tensor["H"]:
    return ops.tanh(ops.concat(a, d) @ c.w + c.b)


@ab.model
def recursion(p: P, t: Tree) -> tuple[Tensor["H"], int]:
    match t:
        case Leaf(word):
            return p.emb[word] * SCALE, 1
        case Node(left, right, flag):
            (a, m), (d, n) = ab.parallel(recursion(p, left), recursion(p, right))
            if flag:
                h = cell(p.first, a, d)
            elif m > n:
                h = cell(c=p.second, d=d, a=a)
            else:
                h = a - d
    return h, m + n


@ab.model
def wildcard(p: P, t: Tree) -> "Union['Leaf', 'Node']":  # noqa: UP007
    match t:
        case Node(flag=flag) as whole:
            return turned(p, whole, flag)
        case _:
            return leaf_of(p, t)


@ab.model
def turned(p: P, t: Node, flag: bool) -> Node:
    return Node(t.right, t.left, not flag)


@ab.model
def leaf_of(p: P, t: Leaf) -> Leaf:
    match t:
        case other:
            return Leaf(other.word + 1, other.x)


@ab.model
def even(p: P, n: int) -> bool:
    return True if n == 0 else odd(p, n - 1)


@ab.model
def odd(p: P, n: int) -> bool:
    if n == 0:
        return False
    return even(p, n - 1)


@ab.model
def mutual(p: P, c: Chain) -> tuple[bool, bool]:
    return even(p, c.n), odd(p, c.n + LIMIT)


# -- numbers ---------------------------------------------------------------------------------------


@ab.model
def arithmetic(p: P, c: Chain) -> tuple[int, int, int, float, float, float, bool]:
    n, w = c.n, c.weight
    m = (n - 5) // 3 + (n - 5) % 3 * 2 - -n
    m += int(-w * 7.5)
    k = min(n, m, 4) + max(n, -m) + abs(n - 9)
    x = float(n) / 4 + w * 2 - n
    x -= 1
    y = max(w, 0) + min(x, 3) + abs(-w) // 0.25 + x % 0.7
    return m, k, -9223372036854775808 + n, x, y, -x, n * w > 1.0


@ab.model
def logic(p: P, c: Chain) -> list[int]:
    n = c.n
    found: list[int] = []
    if n > 0 and 10 // n > 2:
        found.append(1)
    if n == 0 or 10 % n == 1 or not n < 7:
        found.append(2)
    if 0 < n < 5 != 4:
        found.append(3)
    if 0 < n <= 12 // n < 9:
        found.append(4)
    if (n >= 2) == (c.weight > 0.5):
        found.append(5)
    if len(c.trees) > 1 and len(found) > 0 and found[-1] > 2:
        found.append(6)
    return found


# -- loops and lists -------------------------------------------------------------------------------


@ab.model
def for_loops(p: P, c: Chain) -> tuple[list[int], Tensor["H"]]:
    seen = []
    h = p.b
    for i, (t, k) in enumerate(zip(c.trees, range(9, 0, -2), strict=False), 1):
        h, n = recursion(p, t)
        if n == 2:
            continue
        seen.append(i * 100 + n * 10 + k)
        for j in range(n):
            if j > LIMIT:
                break
            h = h * 0.5 + p.g
            seen += [j, -j]
        if len(seen) > 8:
            break
        h = h - p.g
    for i in reversed(range(2, c.n, 3)):
        seen.append(i)
    for x in reversed(seen[1:3]):
        if x > 5:
            return [x], h
    for k in range(c.n, 0, -(1 + c.n % 2)):
        seen = seen + [k]  # noqa: RUF005
    return seen, h


@ab.model
def while_loops(p: P, c: Chain) -> tuple[int, int, int]:
    n, iterations = c.n, 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        iterations += 1
        if iterations > 20:
            break
        if n == 5:
            continue
        iterations += 1
    while True:
        n += 7
        if n % 5 == 0:
            break
    while True:
        iterations += 1
        if iterations % 4 == 0:
            return n, iterations, 0
        if iterations > 90:
            return n, iterations, 1


@ab.model
def walk_down(p: P, t: Tree) -> Tensor["H"]:
    # The variable begins as one data type and becomes the union.
    now: Tree = Node(t, t, False)
    h = p.b
    for _ in range(6):
        match now:
            case Leaf(_, x):
                return h + x
            case Node(left, right, flag):
                now = left if flag else right
                h = h * 0.5
    return h


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


# -- None ------------------------------------------------------------------------------------------


@ab.model
def narrowed(p: P, c: Optional[Chain]) -> list[int]:  # noqa: UP045
    if c is None:
        return []
    found = [c.n]
    if c.next is not None and c.next.n > 0 and 9 // c.next.n > 1:
        found.append(c.next.n)
    d = c.next
    found.append(d.n if d is not None else -1)
    found += [e.n for e in [c, c.next, d, None] if e is not None]
    if not (d is None or d.next is None):
        found.append(d.next.n * 1000)
    if c.next is None:
        return found
    e = c.next.next
    if e is None:
        e = c
    else:
        found.append(77)
    found.append(e.n)
    match c.next.next:
        case None:
            found.append(-2)
        case Chain(n, _, _, after):
            found.append(n if after is None else -3)
    return found


@ab.model
def linked(p: P, c: Chain) -> tuple[int, Optional[Chain]]:  # noqa: UP045
    now: Optional[Chain] = c  # noqa: UP045
    last: Optional[Chain] = None  # noqa: UP045
    total = 0
    while now is not None:
        total = total * 2 + now.n
        last = now if now.n > 2 else last
        now = now.next
    return total, last


# -- decisions, phases -----------------------------------------------------------------------------


@ab.model
def decisions(p: P, t: Tree) -> tuple[Tensor["H"], int, float]:
    h, n = recursion(p, t)
    iterations = 0
    while ops.item(ops.max(h)) > 0.05 and iterations < 9:
        h = h * 0.7 if ops.argmax(h) % 2 == 0 else h - 0.1
        iterations += 1
    score = ops.item(h[0:1])
    if -1.0 < score < ops.item(ops.mean(h)) < 1.0:
        iterations += 100
    ab.phase()
    choice = [ops.argmax(p.square[i % 4] + h) for i in range(n)]
    ab.phase()
    return ops.softmax(h), iterations + choice[-1], score


# -- tensors ---------------------------------------------------------------------------------------


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


# -- instances -------------------------------------------------------------------------------------


def make_params() -> P:
    """Small weights: H = 4, V = 9."""
    rng = np.random.default_rng(0)

    def weight(*shape: int) -> Any:
        return rng.normal(0, 0.6, shape).astype(np.float32)

    cells = [Cell(w=weight(8, 4), b=weight(4)) for _ in range(2)]
    return P(
        emb=weight(9, 4),
        square=weight(4, 4),
        table=weight(9, 4, 4),
        g=weight(4),
        b=weight(4),
        two=weight(4, 2),
        first=cells[0],
        second=cells[1],
    )


def make_tree(rng: np.random.Generator, depth: int) -> Tree:
    """A random tree of at most `depth` levels."""
    if depth == 0 or rng.random() < 0.3:
        return Leaf(int(rng.integers(9)), rng.normal(0, 1, 4).astype(np.float32))
    return Node(make_tree(rng, depth - 1), make_tree(rng, depth - 1), bool(rng.random() < 0.5))


def make_chain(rng: np.random.Generator, length: int) -> Chain | None:
    """A random chain of `length`, None for 0."""
    after = make_chain(rng, length - 1) if length else None
    if not length:
        return None
    trees = [make_tree(rng, 3) for _ in range(rng.integers(0, 5))]
    return Chain(int(rng.integers(0, 13)), float(rng.uniform(-1, 2)), trees, after)


def make_instances() -> dict[str, list[Any]]:
    """Instances by the name of the model's instance parameter and its type."""
    rng = np.random.default_rng(1)
    chains = [make_chain(rng, 1 + n % 4) for n in range(24)]
    trees = [make_tree(rng, n % 5) for n in range(16)]
    leaves = [t for t in trees if isinstance(t, Leaf)]
    return {"Chain": chains, "Optional[Chain]": [None, *chains], "Tree": trees, "Leaf": leaves}


MODELS: dict[Callable[..., Any], str] = {
    recursion: "Tree",
    wildcard: "Tree",
    mutual: "Chain",
    arithmetic: "Chain",
    logic: "Chain",
    for_loops: "Chain",
    while_loops: "Chain",
    walk_down: "Tree",
    growing: "Chain",
    lists: "Chain",
    comprehensions: "Chain",
    changed: "Chain",
    folded: "Chain",
    keyed: "Chain",
    calculated: "Chain",
    narrowed: "Optional[Chain]",
    linked: "Chain",
    decisions: "Tree",
    pointwise: "Leaf",
    matrices: "Leaf",
    shapes: "Leaf",
}
