"""Models that use every form of control flow."""

from __future__ import annotations

from typing import Optional, Union

import acrobat as ab
from acrobat import Tensor, ops
from tests.frontend.construct_data import (
    LIMIT,
    SCALE,
    Cell,
    Chain,
    Leaf,
    Node,
    P,
    Tree,
)


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
