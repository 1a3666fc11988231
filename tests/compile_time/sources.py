"""Sources that grow in one dimension: a family is a function from a size to a module's text, whose
model is `main` and whose weights are those that `WEIGHTS` gives the shapes of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

HIDDEN = 8

_HEADER = """\
import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Leaf:
    x: Float32[Tensor, "H"]
    kind: int


@ab.data
class Node:
    left: "Leaf | Node"
    right: "Leaf | Node"


"""


def _params(weights: Mapping[str, str]) -> str:
    fields = "".join(f'    {n}: Float32[Tensor, "{d}"]\n' for n, d in weights.items())
    return f"@ab.params\nclass P:\n{fields}\n\n"


_USUAL = {"w": "H H", "u": "H H", "b": "H"}
VECTOR = 'Float32[Tensor, "H"]'


def _module(*functions: str, weights: Mapping[str, str] = _USUAL) -> str:
    return _HEADER + _params(weights) + "\n\n".join(f"@ab.model\n{f}" for f in functions)


def _main(*lines: str, result: str = "x") -> str:
    body = "".join(f"    {line}\n" for line in ("x = leaf.x", *lines, f"return {result}"))
    return f"def main(p: P, leaf: Leaf) -> {VECTOR}:\n{body}"


def chain(n: int) -> str:
    """`n` statements, each a linear layer over the one before."""
    return _module(_main(*("x = ops.tanh(ops.linear(x, p.w, p.b))" for _ in range(n))))


def mixed(n: int) -> str:
    """`n` statements of five kinds in turn, some of which need the one before the last."""
    kinds = (
        "y = x",
        "x = ops.tanh(x @ p.w + p.b)",
        "x = x * y + x",
        "x = ops.sigmoid(x) - y @ p.u",
        "x = ops.maximum(x, y) * 0.5",
    )
    return _module(_main(*(kinds[i % len(kinds)] for i in range(n))))


def pointwise(n: int) -> str:
    """`n` point-wise statements: one kernel, if it were not too large."""
    kinds = ("x = ops.tanh(x + p.b)", "x = x * 0.5 + x", "x = ops.sigmoid(x)")
    return _module(_main(*(kinds[i % len(kinds)] for i in range(n))))


def numbers(n: int) -> str:
    """`n` statements on numbers."""
    lines = (f"k = k * 3 + {i}" for i in range(n))
    return _module(_main("k = leaf.kind", *lines, "x = x * (k % 5)"))


def nested(n: int) -> str:
    """f(f(...f(x))), `n` deep."""
    f = f"def f(p: P, x: {VECTOR}) -> {VECTOR}:\n    return ops.tanh(ops.linear(x, p.w, p.b))\n"
    return _module(f, _main(f"x = {'f(p, ' * n}x{')' * n}"))


def called(n: int) -> str:
    """`n` statements that call the same function."""
    f = f"def f(p: P, x: {VECTOR}) -> {VECTOR}:\n    return ops.tanh(ops.linear(x, p.w, p.b))\n"
    return _module(f, _main(*("x = f(p, x)" for _ in range(n))))


def doubled(n: int) -> str:
    """`n` functions that each call the one before twice, one call in the other: 2^n calls."""
    functions = [
        f"def f0(p: P, x: {VECTOR}) -> {VECTOR}:\n    return ops.tanh(ops.linear(x, p.w, p.b))\n"
    ]
    for i in range(1, n + 1):
        functions.append(
            f"def f{i}(p: P, x: {VECTOR}) -> {VECTOR}:\n    return f{i - 1}(p, f{i - 1}(p, x))\n"
        )
    return _module(*functions, _main(f"x = f{n}(p, x)"))


def branching(n: int) -> str:
    """`n` functions that each add two calls of the one before, on other arguments."""
    functions = [
        f"def f0(p: P, x: {VECTOR}) -> {VECTOR}:\n    return ops.tanh(ops.linear(x, p.w, p.b))\n"
    ]
    for i in range(1, n + 1):
        functions.append(
            f"def f{i}(p: P, x: {VECTOR}) -> {VECTOR}:\n"
            f"    return f{i - 1}(p, x * 0.5) + f{i - 1}(p, x + 1.0)\n"
        )
    return _module(*functions, _main(f"x = f{n}(p, x)"))


def elifs(n: int) -> str:
    """A chain of `n` elif."""
    lines = ["k = leaf.kind"]
    for i in range(n):
        lines += [f"{'elif' if i else 'if'} k == {i}:", f"    x = x * {i}.5"]
    return _module(_main(*lines, "else:", "    x = x + 1.0"))


def returns(n: int) -> str:
    """`n` early returns."""
    lines = ["k = leaf.kind"]
    for i in range(n):
        lines += [f"if k == {i}:", f"    return x * {i}.5"]
    return _module(_main(*lines))


def decisions(n: int) -> str:
    """`n` branches on values of tensors."""
    lines = []
    for i in range(n):
        lines += [f"if ops.item(x[{i % HIDDEN}:{i % HIDDEN + 1}]) > 0.0:", "    x = x @ p.w"]
    return _module(_main(*lines))


def loops(n: int) -> str:
    """`n` loops, one after the other."""
    lines = []
    for i in range(n):
        lines += [f"for i{i} in range(leaf.kind):", "    x = ops.tanh(x @ p.w)"]
    return _module(_main(*lines))


def permuted(n: int) -> str:
    """A recursion that permutes `n` weights from level to level: as many calling contexts as there
    are permutations."""
    weights = {f"w{i}": "H H" for i in range(n)}
    params = "".join(f', w{i}: Float32[Tensor, "H H"]' for i in range(n))
    turned = ", ".join(f"w{(i + 1) % n}" for i in range(n))
    swapped = ", ".join(f"w{i}" for i in (1, 0, *range(2, n)))
    given = ", ".join(f"p.w{i}" for i in range(n))
    go = (
        f"def go(p: P, tree: Leaf | Node{params}) -> {VECTOR}:\n"
        f"    match tree:\n"
        f"        case Leaf(x, kind):\n"
        f"            return x @ w0\n"
        f"        case Node(left, right):\n"
        f"            return go(p, left, {turned}) + go(p, right, {swapped})\n"
    )
    main = f"def main(p: P, tree: Leaf | Node) -> {VECTOR}:\n    return go(p, tree, {given})\n"
    return _module(go, main, weights=weights)


def permuted_groups(n: int) -> str:
    """The same with groups of weights, of which each has to be known where it is used."""
    head = _HEADER + _params({"w": "H H"}).replace("class P", "class Group")
    groups = "".join(f"    g{i}: Group\n" for i in range(n))
    params = "".join(f", g{i}: Group" for i in range(n))
    turned = ", ".join(f"g{(i + 1) % n}" for i in range(n))
    swapped = ", ".join(f"g{i}" for i in (1, 0, *range(2, n)))
    given = ", ".join(f"p.g{i}" for i in range(n))
    return head + (
        f"@ab.params\nclass P:\n{groups}\n\n"
        f"@ab.model\ndef go(p: P, tree: Leaf | Node{params}) -> {VECTOR}:\n"
        f"    match tree:\n"
        f"        case Leaf(x, kind):\n"
        f"            return x @ g0.w\n"
        f"        case Node(left, right):\n"
        f"            return go(p, left, {turned}) + go(p, right, {swapped})\n\n\n"
        f"@ab.model\ndef main(p: P, tree: Leaf | Node) -> {VECTOR}:\n"
        f"    return go(p, tree, {given})\n"
    )


def folded(n: int) -> str:
    """`n` statements on weights alone, each of which uses the one before twice."""
    return _module(_main("w = p.b", *("w = w + w * 0.5" for _ in range(n)), "x = x + w"))


def wide(n: int) -> str:
    """A sum of `n` vectors, and a product of their concatenation."""
    parts = [f"x{i}" for i in range(n)]
    lines = [f"x{i} = ops.tanh(x * {i}.5)" for i in range(n)]
    return _module(_main(*lines, f"y = {' + '.join(parts)}", "x = y @ p.w"))


def layers(n: int) -> str:
    """A network of `n` lines or so: layers, each a function with weights of its own, some with an
    early exit, called one after the other, as a decoder's or an encoder's are when unrolled."""
    count = max(1, n // 14)
    weights: dict[str, str] = {}
    functions: list[str] = []
    lines: list[str] = []
    for i in range(count):
        weights |= {f"a{i}": "H H", f"b{i}": "H", f"c{i}": "2H H", f"d{i}": "H", f"e{i}": "H H"}
        functions.append(
            f"def layer{i}(p: P, x: {VECTOR}, h: {VECTOR}) -> {VECTOR}:\n"
            f"    gate = ops.sigmoid(ops.linear(ops.concat(x, h), p.c{i}, p.d{i}))\n"
            f"    inner = ops.tanh(ops.linear(x * gate, p.a{i}, p.b{i}))\n"
            f"    mixed = inner * gate + h * (1.0 - gate)\n"
            f"    rest = ops.relu(mixed @ p.e{i}) + x\n"
            f"    return ops.tanh(rest)\n"
        )
        lines += [f"y = layer{i}(p, x, h)", "h = x", "x = y"]
        if i % 4 == 3:
            lines += ["if ops.item(x[0:1]) > 0.99:", "    return x + h"]
    return _module(*functions, _main("h = x * 0.5", *lines), weights=weights)


def recursions(n: int) -> str:
    """`n` recursive functions, of which each calls the one before at the leaves."""
    functions = [f"def f0(p: P, tree: Leaf | Node) -> {VECTOR}:\n    return p.b\n"]
    for i in range(1, n + 1):
        functions.append(
            f"def f{i}(p: P, tree: Leaf | Node) -> {VECTOR}:\n"
            f"    match tree:\n"
            f"        case Leaf(x, kind):\n"
            f"            return x @ p.w + f{i - 1}(p, tree)\n"
            f"        case Node(left, right):\n"
            f"            return ops.tanh(f{i}(p, left) @ p.u + f{i}(p, right) * {i}.0)\n"
        )
    main = f"def main(p: P, tree: Leaf | Node) -> {VECTOR}:\n    return f{n}(p, tree)\n"
    return _module(*functions, main)


def objects(n: int) -> str:
    """`n` classes whose objects are known by two names and hold lists that grow."""
    classes = [
        f"class C{i}:\n    def __init__(self, n):\n        self.n = n\n        self.items = []\n\n"
        f"def f{i}(p, n, h):\n"
        f"    c = C{i}(n)\n"
        f"    c.items.append(n + {i})\n"
        f"    d = c\n"
        f"    d.n += len(c.items)\n"
        f"    return ops.tanh(h @ p.w) * c.n\n\n"
        for i in range(n)
    ]
    lines = ("k = leaf.kind", *(f"x = f{i}(p, k, x)" for i in range(n)))
    return _module(_main(*lines)).replace("@ab.model", f"{''.join(classes)}@ab.model")


FAMILIES: Mapping[str, Callable[[int], str]] = {
    f.__name__: f
    for f in (
        chain,
        mixed,
        pointwise,
        numbers,
        nested,
        called,
        doubled,
        branching,
        elifs,
        returns,
        decisions,
        loops,
        permuted,
        permuted_groups,
        folded,
        wide,
        layers,
        recursions,
        objects,
    )
}
