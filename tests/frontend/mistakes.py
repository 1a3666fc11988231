"""Programs that are not in the model language, by kind of mistake.

`programs()` gives (kind, source of a module whose model is called `f`). Most are a few lines inside
of one function that has a value of every type at hand (`HEAD`); some are modules.
"""

# ruff: noqa: E501  (each entry is a program on one line)

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator

IMPORTS = "import numpy as np\n\nimport acrobat as ab\nfrom acrobat import Float32, Tensor, ops\n"
TYPES = """
SCALE = 2.5
NAMES = ["a", "b"]
TABLE = {"a": 1}


@ab.data
class Leaf:
    word: int


@ab.data
class Node:
    left: "Tree"
    right: "Tree"


Tree = Leaf | Node


@ab.data
class Chain:
    x: Tensor["H"]
    next: "Chain | None"


@ab.data
class Many:
    items: "list[Tree]"
    flags: "list[list[int]]"


@ab.params
class Inner:
    v: Tensor["H"]


@ab.params
class P:
    emb: Tensor["V", "H"]
    w: Tensor["H", "H"]
    b: Tensor["H"]
    z: Tensor["2H"]
    one: Inner
    two: Inner


def plain(x):
    return x


@ab.model
def cell(p: P, x: Tensor["H"], n: int) -> Tensor["H"]:
    return x * n + p.b


@ab.model
def use(q: Inner, x: Tensor["H"]) -> Tensor["H"]:
    return x + q.v


@ab.model
def pair(p: P, t: Leaf) -> tuple[int, Tensor["H"]]:
    return t.word, p.b
"""
PARAMETERS = (
    'p: P, t: Leaf, u: Tree, o: "Chain | None", s: Many, xs: list[int], n: int, k: float, c: bool, '
    'x: Tensor["H"], m: Tensor["H", "H"]'
)
HEAD = f'{IMPORTS}{TYPES}\n\n@ab.model\ndef f({PARAMETERS}) -> Tensor["H"]:\n'


def in_function(body: str) -> str:
    """A module whose `f` has these statements; it returns `p.b` if they do not return."""
    lines = textwrap.dedent(body).strip("\n").split("\n")
    if not lines[-1].startswith(("return", "raise")):
        lines.append("return p.b")
    return HEAD + "".join(f"    {line}\n" for line in lines)


def module(text: str) -> str:
    """A module with these definitions behind the types of the others."""
    return f"{IMPORTS}{TYPES}\n\n{textwrap.dedent(text).strip()}\n"


# A legal expression of every type.
VALUES = {
    "int": "n",
    "float": "k",
    "bool": "c",
    "vector": "x",
    "matrix": "m",
    "list": "xs",
    "tuple": "(n, k)",
    "data": "t",
    "union": "u",
    "optional": "o",
    "None": "None",
    "str": "'text'",
    "weights": "p.one",
    "function": "plain",
    "model": "cell",
    "class": "Leaf",
    "module": "ops",
}
NUMBERS = {"int", "float"}
TENSORS = {"vector", "matrix"}

# Lines of a function, by kind of mistake. One mistake in each entry.
BODIES: dict[str, list[str]] = {
    "statement": [
        "with open('x'):\n    pass",
        "with ab.phase() as q, plain(n):\n    pass",
        "try:\n    n = 1\nexcept ValueError:\n    n = 2",
        "try:\n    n = 1\nfinally:\n    n = 2",
        "try:\n    n = 1\nexcept* ValueError:\n    n = 2",
        "global SCALE\nSCALE = 3.0",
        "import math",
        "from math import pi",
        "del n",
        "del xs[0]",
        "assert n > 0",
        "assert n > 0, 'n is wrong'",
        "raise ValueError",
        "raise ValueError('no') from None",
        "def g(a):\n    return a\nreturn g(p.b)",
        "def g(a: int) -> int:\n    return a",
        "async def g():\n    pass",
        "class A:\n    pass",
        "@ab.data\nclass A:\n    a: int",
        "print(n)",
        "n",
        "n + 1",
        "cell(p, x, n)",
        "ops.tanh(x)",
        "[cell(p, x, i) for i in xs]",
        "None if c else n",
        "y: int",
        "y: int = x",
        "y: Tensor['2H'] = x",
        "y: Unknown = x",
        "y: 'str' = x",
        "y: list = xs",
        "for i in xs:\n    pass\nelse:\n    n = 1",
        "while c:\n    c = False\nelse:\n    n = 1",
        "return p.b\nn = 1\nreturn p.b",
        "if c:\n    return p.b\nelse:\n    return x\nreturn p.b",
        "for i in xs:\n    break\n    n = i",
        "for i in xs:\n    continue\n    n = i",
        "while True:\n    return p.b\nreturn x",
    ],
    "expression": [
        "g = lambda a: a",
        "y = (lambda: n)()",
        "y = {'a': n}",
        "y = {n: k}",
        "y = {}",
        "y = {n, 2}",
        "y = {i for i in xs}",
        "y = {i: i for i in xs}",
        "y = (i for i in xs)",
        "y = sum(i for i in xs)",
        "y = sum(xs)",
        "y = sorted(xs)",
        "y = list(xs)",
        "y = tuple(xs)",
        "y = dict(a=n)",
        "y = set(xs)",
        "y = any(xs)",
        "y = all([c, c])",
        "y = map(plain, xs)",
        "y = list(map(plain, xs))",
        "y = round(k)",
        "y = pow(n, 2)",
        "y = divmod(n, 2)",
        "y = str(n)",
        "y = bool(n)",
        "y = complex(n)",
        "y = isinstance(u, Leaf)",
        "y = hasattr(t, 'word')",
        "y = getattr(t, 'word')",
        "y = type(t)",
        "y = id(t)",
        "y = hash(t)",
        "y = input()",
        "y = eval('n')",
        "y = open('x')",
        "y = super()",
        "y = iter(xs)",
        "y = next(xs)",
        "y = f'{n}'",
        "y = f'{n}' 'b'",
        "y = 'text'",
        "y = b'bytes'",
        "y = 1j",
        "y = ...",
        "y = (z := n)",
        "if (z := n) > 2:\n    pass",
        "y = [z := n, 2]",
        "y = [i for i in xs for j in xs]",
        "y = [async_ for async_ in plain]",
        "y = not n",
        "y = n and k",
        "y = x or x",
        "y = n or 3",
        "y = c and x",
        "y = n if x else k",
        "y = n if k else k",
        "y = n if c else x",
        "y = p.one if c else p.two",
        "y = t if c else n",
        "y = [n, x]",
        "y = [n, None]",
        "y = [t, n]",
        "y = [p.one, p.two]",
        "y = [[p.one]]",
        "y = [(p.one, 1)]",
        "y = [p]",
        "y = [q for q in [p.one, p.two]]",
        "y = [*n]",
        "y = [*x, n]",
        "y = (*xs, n)",
        "y = *xs, n",
        "y = n in xs",
        "y = n not in xs",
        "y = n is k",
        "y = n is not 3",
        "y = n is None",
        "y = t is None",
        "y = u is not None",
        "y = xs == xs",
        "y = t == t",
        "y = (n, k) == (n, k)",
        "y = x == x",
        "y = x < x < x",
        "y = 0.0 < x < 1.0",
        "y = n < k < x",
        "y = n < t",
        "y = c < n",
        "y = o == None",
        "y = -c",
        "y = -xs",
        "y = -t",
        "y = +n",
        "y = ~n",
        "y = +x",
        "y = n if n is None else n",
        "y = NAMES",
        "y = NAMES[0]",
        "y = TABLE['a']",
        "y = np.pi + x + unknown",
        "y = np",
        "y = ops",
        "y = __name__",
        "y = print",
    ],
    "name": [
        "y = unknown",
        "y = unknown(n)",
        "y = unknown.tanh(x)",
        "y = unknown[0]",
        "y = cel(p, x, n)",
        "y = Nod(t, t)",
        "y = y + 1",
        "n = m1\nm1 = 2",
        "if c:\n    y = n\nz = y",
        "for i in xs:\n    y = i\nz = y",
        "for i in xs:\n    pass\nz = i",
        "while n > 0:\n    y = n\n    n = n - 1\nz = y",
        "match u:\n    case Leaf(word):\n        y = 1\n    case _:\n        pass\nz = y",
        "match u:\n    case Leaf(word):\n        pass\n    case _:\n        pass\nz = word",
        "y = [i for i in xs]\nz = i",
        "if c:\n    y = n\nelse:\n    y = x\nz = y",
        "if c:\n    y = p.one\nelse:\n    y = p.two\nz = use(y, x)",
        "if c:\n    y = xs\nelse:\n    y = [x]\nz = y",
        "y = n\nfor i in xs:\n    y = x",
        "y = p.one\nfor i in xs:\n    x = use(y, x)\n    y = p.two",
        "for q in [p.one, p.two]:\n    x = use(q, x)",
        "for q, i in zip([p.one, p.two], xs):\n    x = use(q, x)",
        "qs = []\nqs.append(p.one)",
        "qs = []\nqs += [p.two]",
        "ops = n\ny = ops.tanh(x)",
        "len = n\ny = len(xs)",
        "cell = x\ny = cell(p, x, n)",
        "Leaf = n\ny = Leaf(n)",
    ],
    "field": [
        "y = t.wrod",
        "y = p.bias",
        "y = p.one.w",
        "y = u.word",
        "y = u.left",
        "y = o.x",
        "y = o.next.x",
        "y = n.real",
        "y = k.imag",
        "y = c.real",
        "y = x.T",
        "y = x.shape",
        "y = x.size",
        "y = x.dtype",
        "y = x.sum()",
        "y = x.mean(0)",
        "y = xs.length",
        "y = (n, k).first",
        "y = t.word.x",
        "y = t()",
        "y = t.word()",
        "y = p()",
        "y = n()",
        "y = x()",
        "y = xs()",
        "y = p.b.foo()",
        "y = Leaf.word",
        "y = cell.name",
        "y = ops.tanh",
        "y = ops.tahn(x)",
        "y = ops.nosuch.thing(x)",
        "y = ab.phase",
        "y = ab.paralel(cell(p, x, n))",
        "y = ab.compile(cell, p)",
        "y = np.tanh(x)",
        "y = np.zeros(3)",
        "y = np.random.normal()",
        "y = np.linalg.norm(x)",
        "y = t.__class__",
        "y = t.__dict__",
        "y = p.__dict__",
    ],
    "change": [
        "t.word = 3",
        "t.word += 1",
        "s.items[0] = t",
        "xs[0] = 1",
        "xs[0] += 1",
        "xs[:] = xs",
        "x[0] = 1.0",
        "x[0:2] += 1.0",
        "p.b = x",
        "x += x",
        "x -= 1.0",
        "x *= 2.0",
        "h = x\nh += x",
        "xs.append(1)",
        "ys = xs\nys.append(1)",
        "ys = [1]\nzs = ys\nys.append(1)",
        "ys = [1]\nys.append(x)",
        "ys = [1]\nys.append()",
        "ys = [1]\nys.append(1, 2)",
        "ys = [1]\nys.append(x=1)",
        "ys = [1]\nfor y in ys:\n    ys.append(y)",
        "ys = [1]\nys.extend(xs)",
        "ys = [1]\nys.pop()",
        "ys = [1]\nys.sort()",
        "ys = [1]\nys.insert(0, 1)",
        "ys = [1]\nys.clear()",
        "ys = [1]\nys.reverse()",
        "ys = [1]\nz = ys.append(1)",
        "ys = [1]\nz = ys.pop()",
        "ys = [1]\nys += [x]",
        "ys = [1]\nys += n",
        "ys = [1]\nys *= 2",
        "ys = [1]\nys -= ys",
        "s.items.append(t)",
        "n, t.word = 1, 2",
        "(n, xs[0]) = 1, 2",
        "for t.word in xs:\n    pass",
        "for xs[0] in xs:\n    pass",
        "y = [0 for xs[0] in xs]",
        "n.x: int = 1",
        "setattr(t, 'word', 1)",
        "t.word: int = 3",
    ],
    "unpacking": [
        "a, d = n",
        "a, d = x",
        "a, d = xs",
        "a, d = t",
        "a, d = n, k, c",
        "a, d, e = n, k",
        "a, (d, e) = n, k",
        "a, *d = n, k, c",
        "*a, = n, k",
        "[a, d] = n",
        "a, d = pair(p, t), 1, 2",
        "a, d, e = pair(p, t)",
        "a, d = ops.split(p.z, 3)",
        "a, d, e = ops.split(p.z, 2)",
        "for a, d in xs:\n    pass",
        "for a, d in enumerate(xs, 1, 2):\n    pass",
        "for a, d, e in zip(xs, xs):\n    pass",
        "for i, (a, d) in enumerate(xs):\n    pass",
        "y = [a for a, d in xs]",
    ],
    "loop": [
        "for i in n:\n    pass",
        "for i in x:\n    pass",
        "for i in t:\n    pass",
        "for i in u:\n    pass",
        "for i in o:\n    pass",
        "for i in (n, k):\n    pass",
        "for i in p:\n    pass",
        "for i in 'abc':\n    pass",
        "for i in range():\n    pass",
        "for i in range(k):\n    pass",
        "for i in range(1, 2, 3, 4):\n    pass",
        "for i in range(0, n, 0):\n    pass",
        "for i in range(stop=n):\n    pass",
        "for i in range(x):\n    pass",
        "for i in enumerate(n):\n    pass",
        "for i in enumerate():\n    pass",
        "for i in enumerate(xs, start=k):\n    pass",
        "for i in enumerate(xs, first=1):\n    pass",
        "for i in zip():\n    pass",
        "for i in zip(xs, n):\n    pass",
        "for a, d in zip(xs, xs, strict=True):\n    pass",
        "for i in reversed(n):\n    pass",
        "for i in reversed(zip(xs, xs)):\n    pass",
        "for i in reversed(enumerate(xs)):\n    pass",
        "for i in reversed():\n    pass",
        "for i in map(plain, xs):\n    pass",
        "for i in filter(plain, xs):\n    pass",
        "for i in sorted(xs):\n    pass",
        "for i in NAMES:\n    pass",
        "for i in xs.items():\n    pass",
        "r = range(n)",
        "r = zip(xs, xs)",
        "r = enumerate(xs)",
        "r = reversed(xs)",
        "while n:\n    n = n - 1",
        "while x:\n    pass",
        "while xs:\n    pass",
        "while o:\n    pass",
        "while True:\n    pass",
        "while True:\n    n = n + 1",
        "while True:\n    if c:\n        continue\n    n = n + 1",
        "async for i in xs:\n    pass",
        "y = [x for _ in range(0, n, k)]",
        "y = [i for i in range(0, 9, n)]",
    ],
    "condition": [
        f"if {value}:\n    pass" for kind, value in VALUES.items() if kind not in ("bool",)
    ]
    + [
        "if ops.sum(x) > 0.0:\n    pass",
        "if ops.less(x, x):\n    pass",
        "if x > 0:\n    pass",
        "if x.any():\n    pass",
        "if ops.item(x) > 0.0:\n    pass",
        "if ops.argmax(m) > 0:\n    pass",
        "if ops.item(n) > 0:\n    pass",
        "if len(x) > 2:\n    pass",
        "if p.b.shape[0] > 2:\n    pass",
        "if not x:\n    pass",
        "if n = 2:\n    pass".replace(" = ", " == x and c == "),
        "if u is Leaf:\n    pass",
        "if t is t:\n    pass",
        "if c and n:\n    pass",
        "if c is True:\n    pass",
    ],
    "match": [
        "match u:\n    case Leaf(word):\n        pass",
        "match u:\n    case Node(left, right):\n        pass",
        "match u:\n    case Leaf(a, d):\n        pass\n    case _:\n        pass",
        "match u:\n    case Leaf(wrod=a):\n        pass\n    case _:\n        pass",
        "match u:\n    case Leaf(3):\n        pass\n    case _:\n        pass",
        "match u:\n    case Node(Leaf(a), d):\n        pass\n    case _:\n        pass",
        "match u:\n    case Leaf() | Node():\n        pass",
        "match u:\n    case Leaf():\n        pass\n    case Leaf():\n        pass\n    case _:\n        pass",
        "match u:\n    case _:\n        pass\n    case Leaf():\n        pass".replace(
            "case _", "case Node() as v"
        ).replace("case Leaf", "case Node"),
        "match u:\n    case Leaf(word) if word > 3:\n        pass\n    case _:\n        pass",
        "match u:\n    case Chain():\n        pass\n    case _:\n        pass",
        "match u:\n    case Unknown():\n        pass\n    case _:\n        pass",
        "match u:\n    case int():\n        pass\n    case _:\n        pass",
        "match u:\n    case None:\n        pass\n    case _:\n        pass",
        "match u:\n    case [a, d]:\n        pass\n    case _:\n        pass",
        "match u:\n    case {'a': d}:\n        pass\n    case _:\n        pass",
        "match u:\n    case 'text':\n        pass\n    case _:\n        pass",
        "match u:\n    case True:\n        pass\n    case _:\n        pass",
        "match u:\n    case ops.tanh():\n        pass\n    case _:\n        pass",
        "match n:\n    case 1:\n        pass\n    case _:\n        pass",
        "match k:\n    case 1.0:\n        pass\n    case _:\n        pass",
        "match x:\n    case _:\n        pass",
        "match xs:\n    case [a]:\n        pass\n    case _:\n        pass",
        "match (n, k):\n    case (a, d):\n        pass",
        "match u, u:\n    case (Leaf(), Leaf()):\n        pass\n    case _:\n        pass",
        "match p:\n    case _:\n        pass",
        "match o:\n    case Chain(x, next):\n        pass",
        "match o:\n    case None:\n        pass",
        "match t:\n    case Node():\n        pass\n    case _:\n        pass",
        "match u:\n    case Leaf(word=1):\n        pass\n    case _:\n        pass",
        "match u:\n    case Leaf(word, word=a):\n        pass\n    case _:\n        pass",
        "match 3:\n    case _:\n        pass",
        "match unknown:\n    case _:\n        pass",
    ],
    "call": [
        "y = cell(p, x)",
        "y = cell(p, x, n, 1)",
        "y = cell()",
        "y = cell(x, p, n)",
        "y = cell(p, n, x)",
        "y = cell(p, x, k)",
        "y = cell(p, x, c)",
        "y = cell(p, p.z, n)",
        "y = cell(p, m, n)",
        "y = cell(p, x, n=n, n2=1)",
        "y = cell(p, x, m=n)",
        "y = cell(p, x, x=x)",
        "y = cell(*xs)",
        "y = cell(p, *(x, n))",
        "y = cell(**TABLE)",
        "y = cell(p, x, None)",
        "y = cell(p, x, [n])",
        "y = cell(p.one, x, n)",
        "y = use(p, x)",
        "y = use(p.b, x)",
        "y = pair(p, u)",
        "y = pair(p, o)",
        "y = pair(p, n)",
        "y = plain(n)",
        "y = Leaf()",
        "y = Leaf(1, 2)",
        "y = Leaf(k)",
        "y = Leaf(x)",
        "y = Leaf(wrod=1)",
        "y = Leaf(1, word=2)",
        "y = Node(t)",
        "y = Node(t, n)",
        "y = Node(left=t)",
        "y = Node(t, o)",
        "y = Chain(p.z, None)",
        "y = Chain(x, t)",
        "y = Many([n], [[1]])",
        "y = Many([t], [1])",
        "y = P(b=x)",
        "y = Inner(v=x)",
        "y, z = ab.parallel(n, k)",
        "y, z = ab.parallel(cell(p, x, n), x)",
        "y = ab.parallel()",
        "y = ab.parallel(cell)",
        "y = ab.parallel(plain(n))",
        "y = ab.parallel(ops.tanh(x))",
        "y = ab.parallel(*[cell(p, x, n)])",
        "y, z = ab.parallel(cell(p, x, n), q=cell(p, x, n))",
        "ab.phase(1)",
        "y = ab.phase()",
        "if c:\n    ab.phase()",
        "for i in xs:\n    ab.phase()",
        "y = [ab.phase() for i in xs]",
        "y = len()",
        "y = len(xs, xs)",
        "y = len(n)",
        "y = len(t)",
        "y = len((n, k))",
        "y = len(obj=xs)",
        "y = min(n)",
        "y = min(xs)",
        "y = max(x, x)",
        "y = max(n, k, x)",
        "y = max(n, c)",
        "y = max(n, k, key=plain)",
        "y = abs(x)",
        "y = abs(c)",
        "y = abs(t)",
        "y = abs()",
        "y = int(x)",
        "y = int('3')",
        "y = int(n, 2)",
        "y = float(x)",
        "y = float('inf')",
        "y = float(c)",
        "y = float()",
    ],
    "operation": [
        "y = ops.tanh()",
        "y = ops.tanh(x, x)",
        "y = ops.tanh(n)",
        "y = ops.tanh(xs)",
        "y = ops.tanh(t)",
        "y = ops.tanh(y=x)",
        "y = ops.tanh(x, axis=0)",
        "y = ops.add(x)",
        "y = ops.add(x, p.z)",
        "y = ops.add(n, k)",
        "y = ops.maximum(x, m @ p.z)",
        "y = ops.where(c, x, x)",
        "y = ops.where(x, x)",
        "y = ops.where(x > 0, x, x)",
        "y = ops.linear(x, p.b, p.b)",
        "y = ops.linear(p.z, p.w, p.b)",
        "y = ops.linear(x, p.w, p.z)",
        "y = ops.linear(x)",
        "y = ops.matmul(x, p.z)",
        "y = ops.concat()",
        "y = ops.concat(x, n)",
        "y = ops.concat([x, x])",
        "y = ops.concat(x, m)",
        "y = ops.concat(x, x, axis=1)",
        "y = ops.concat(x, x, axis=n)",
        "y = ops.concat(m, p.emb)[0:1] + ops.concat(m, p.emb, axis=7)",
        "y = ops.stack()",
        "y = ops.stack(x, p.z)",
        "y = ops.stack(m, m)",
        "y = ops.stack([x, x])",
        "y = ops.stack(n, n)",
        "y = ops.split(x)",
        "y = ops.split(x, 0)",
        "y = ops.split(x, -1)",
        "y = ops.split(x, n)",
        "y = ops.split(x, 2)",
        "y = ops.split(n, 2)",
        "y = ops.split(x, 2, 1)",
        "y = ops.softmax(n)",
        "y = ops.softmax(p.emb[0][0])",
        "y = ops.layer_norm(x)",
        "y = ops.layer_norm(x, p.z, p.b)",
        "y = ops.layer_norm(x, m, p.b)",
        "y = ops.sum(n)",
        "y = ops.sum(x, 2)",
        "y = ops.sum(x, axis=k)",
        "y = ops.sum(x, axis=n)",
        "y = ops.sum(xs)",
        "y = ops.mean()",
        "y = ops.max(x, x)",
        "y = ops.argmax(m)",
        "y = ops.argmax(n)",
        "y = ops.argmax(x, 0)",
        "y = ops.item(x)",
        "y = ops.item(n)",
        "y = ops.item(m)",
        "y = ops.one_hot(k, 3)",
        "y = ops.one_hot(n, n)",
        "y = ops.one_hot(n)",
        "y = ops.one_hot(n, 0)",
        "y = ops.one_hot(n, -3)",
        "y = ops.zeros(n)",
        "y = ops.zeros(k)",
        "y = ops.zeros(0)",
        "y = ops.zeros(-1)",
        "y = ops.zeros(x)",
        "y = ops.zeros(p.b.shape)",
        "y = ops.zeros((2, 3))",
        "y = ops.zeros(p.b.shape[1])",
        "y = ops.zeros(p.b.shape[0] - p.z.shape[0])",
        "y = ops.zeros(p.b.shape[0] // 0)",
        "y = ops.reshape()",
        "y = ops.reshape(x)",
        "y = ops.reshape(x, n)",
        "y = ops.reshape(x, 7)",
        "y = ops.reshape(x, -1)",
        "y = ops.reshape(x, 0)",
        "y = ops.reshape(n, 1)",
        "y = ops.reshape(m, p.b.shape[0], p.z.shape[0])",
        "y = ops.transpose(x)",
        "y = ops.transpose(n)",
        "y = ops.outer(x, m)",
        "y = ops.outer(x)",
        "y = ops.attention(x, x, x, 1)",
        "y = ops.attention(m, m, m)",
        "y = ops.attention(m, m, m, 0)",
        "y = ops.attention(m, m, m, n)",
        "y = ops.attention(m, m, p.emb, 1)",
        "y = ops.attention(m, m, m, 1, 2)",
    ],
    "item": [
        "y = n[0]",
        "y = k[0]",
        "y = t[0]",
        "y = u[0]",
        "y = p[0]",
        "y = None[0]",
        "y = (n, k)[n]",
        "y = (n, k)[2]",
        "y = (n, k)[-3]",
        "y = (n, k)[0:1]",
        "y = (n, k)[x]",
        "y = xs[k]",
        "y = xs[x]",
        "y = xs['a']",
        "y = xs[0, 1]",
        "y = xs[0][0]",
        "y = xs[::2]",
        "y = xs[1::-1]",
        "y = xs[k:]",
        "y = xs[:x]",
        "y = x[k]",
        "y = x['a']",
        "y = x[x]",
        "y = x[None]",
        "y = x[xs]",
        "y = x[c]",
        "y = x[...]",
        "y = x[::2]",
        "y = x[n:]",
        "y = x[:n]",
        "y = x[2:1]",
        "y = x[3:3]",
        "y = x[0:99999]",
        "y = x[:-99999]",
        "y = x[0, 0]",
        "y = x[:, 0:1]",
        "y = m[0, 0]",
        "y = m[0:1, 0:1]",
        "y = m[:, 0]",
        "y = m[:, ::2]",
        "y = m[:, 0:1, 0]",
        "y = p.emb[t]",
        "y = p.emb[k]",
        "y = p.emb[n][n][n]",
        "y = [][0]",
        "y = [] + 1",
        "y = []\nz = y[0]",
        "y = p.b.shape[0] * n",
        "y = p.b.shape[n]",
        "y = p.b.shape[5]",
        "y = n.shape[0]",
        "y = len(p.b.shape)",
        "d = p.b.shape[0]\ny = d + n",
    ],
    "number": [
        "y = 9223372036854775808",
        "y = -9223372036854775809",
        "y = 10**30",
        "y = 99999999999999999999 + n",
        "y = n ** 2",
        "y = n & 1",
        "y = n | 1",
        "y = n ^ 1",
        "y = n << 1",
        "y = n >> 1",
        "y = x ** 2",
        "y = x // 2",
        "y = x % 2",
        "y = k @ k",
        "y = n @ x",
        "y = xs @ x",
        "n **= 2",
        "n <<= 1",
        "n @= 2",
    ],
    "shape": [
        "y = x + p.z",
        "y = x @ p.z",
        "y = p.z @ p.w",
        "y = m + p.emb",
        "y = m @ p.emb",
        "y = x + ops.split(p.z, 1)[0]",
        "y = ops.concat(x, x) + x",
        "y = ops.stack(x, x) @ ops.stack(x, x)",
        "y = x[0:2] + x[0:3]",
        "y = ops.reshape(p.z, 2, p.b.shape[0]) + ops.outer(x, p.z)",
    ],
    "result": [
        "return",
        "return None",
        "return n",
        "return k",
        "return p.z",
        "return m",
        "return [x]",
        "return x, x",
        "return p",
        "return p.one",
        "return t",
        "return cell",
        "return 'text'",
        "return ops.zeros(1)",
        "return x if c else p.z",
        "return lambda: x",
        "return (yield x)",
        "if c:\n    return x\nelse:\n    return n",
    ],
}

# Whole modules, by kind of mistake.
MODULES: dict[str, list[str]] = {
    "end": [
        f"@ab.model\ndef f(p: P, n: int) -> int:\n    {body}"
        for body in (
            "pass",
            "m = n",
            "'only a docstring'",
            "if n > 0:\n        return n",
            "for i in range(n):\n        return i",
            "while n > 0:\n        return n",
            "if n > 0:\n        return n\n    elif n < 0:\n        return 1",
            "for i in range(n):\n        if i > 2:\n            return i",
            "while True:\n        if n > 1:\n            break",
        )
    ],
    "recursion": [
        "@ab.model\ndef f(p: P, n: int) -> int:\n    return f(p, n)",
        "@ab.model\ndef f(p: P, n: int) -> int:\n    return f(p, n - 1) + 1",
        "@ab.model\ndef f(p: P, n: int) -> int:\n    return g(p, n)\n\n\n"
        "@ab.model\ndef g(p: P, n: int) -> int:\n    return f(p, n)",
        "@ab.model\ndef f(p: P, n: int) -> int:\n    if n > 0:\n        return f(p, n)\n    return f(p, 1)",
        "@ab.model\ndef f(p: P, n: int) -> int:\n    while True:\n        n = f(p, n)",
        "@ab.model\ndef f(p: P, n: int) -> int:\n    a, c = ab.parallel(f(p, n), f(p, 1))\n    return a",
        "@ab.model\ndef f(p: P, u: Tree) -> int:\n    match u:\n        case Leaf():\n"
        "            return f(p, u)\n        case Node(left, right):\n            return f(p, left)",
    ],
    "signature": [
        "@ab.model\ndef f(p: P, n) -> int:\n    return 1",
        "@ab.model\ndef f(p, n: int) -> int:\n    return 1",
        "@ab.model\ndef f(p: P, n: int):\n    return 1",
        "@ab.model\ndef f() -> int:\n    return 1",
        "@ab.model\ndef f(p: P) -> int:\n    return 1",
        "@ab.model\ndef f(n: int) -> int:\n    return 1",
        "@ab.model\ndef f(n: int, p: P) -> int:\n    return 1",
        "@ab.model\ndef f(p: P, q: P) -> int:\n    return 1",
        "@ab.model\ndef f(p: P, n: int = 3) -> int:\n    return 1",
        "@ab.model\ndef f(p: P, *, n: int = 3) -> int:\n    return 1",
        "@ab.model\ndef f(p: P, *n: int) -> int:\n    return 1",
        "@ab.model\ndef f(p: P, **n: int) -> int:\n    return 1",
        "@ab.model\ndef f(p: P, n: int, *rest: int, **more: int) -> int:\n    return 1",
        "@ab.model\nasync def f(p: P, n: int) -> int:\n    return 1",
        "@ab.model\ndef f(p: P, n: int) -> int:\n    yield 1",
        "@ab.model\ndef f(p: P, n: int) -> int:\n    yield from [1]\n    return 1",
        "@ab.model\nasync def f(p: P, n: int) -> int:\n    return await n",
        "@ab.model\ndef f(p: P, n: tuple[int, int]) -> int:\n    return 1",
        "@ab.model\ndef f(p: P, n: list[tuple[int, int]]) -> int:\n    return 1",
        "@ab.model\ndef f(p: P, n: int) -> P:\n    return p",
        "@ab.model\ndef f(p: P, n: int) -> Inner:\n    return p.one",
        "@ab.model\ndef f(p: P, n: int) -> tuple[int, P]:\n    return 1, p",
        "f = ab.model(lambda p, n: n)",
        "class A:\n    @ab.model\n    def f(self, p: P, n: int) -> int:\n        return 1\n\n\nf = A.f",
        "class A:\n    @ab.model\n    @staticmethod\n    def f(p: P, n: int) -> int:\n        return 1\n\n\nf = A.f",
        "@ab.model\n@plain\ndef f(p: P, n) -> int:\n    return 1",
        "@plain\n@ab.model\ndef f(p: P, n) -> int:\n    return 1",
        "@ab.model\nclass f:\n    pass",
        "@ab.model\n@ab.model\ndef f(p: P, n: int) -> int:\n    return 1",
        "f = ab.model(3)",
        "fs = [\n    ab.model(lambda p, n: n),\n]\nf = fs[0]",
        "f = ab.model(np.tanh)",
        "f = ab.model(len)",
        "import functools\n\nf = ab.model(functools.partial(plain, 1))",
        "@ab.model()\ndef f(p: P, n: int) -> int:\n    return 1",
        "@ab.data\ndef f(p: P, n: int) -> int:\n    return 1",
        "@ab.params\ndef f(p: P, n: int) -> int:\n    return 1",
        "@ab.model\ndef f[T](p: P, n: T) -> T:\n    return n"
        if False
        else "from typing import TypeVar\n\nT = TypeVar('T')\n\n\n@ab.model\ndef f(p: P, n: T) -> T:\n    return n",
        "@ab.model\ndef give(p: P, n: int) -> Inner:\n    if n > 1:\n        return p.one\n    return p.two\n\n\n"
        "@ab.model\ndef f(p: P, n: int, x: Tensor['H']) -> Tensor['H']:\n    return use(give(p, n), x)",
        "@ab.model\ndef give(p: P, n: int) -> tuple[Inner, int]:\n    if n > 1:\n        return p.one, 1\n    return p.two, 2\n\n\n"
        "@ab.model\ndef f(p: P, n: int, x: Tensor['H']) -> Tensor['H']:\n    q, k = give(p, n)\n    return use(q, x)",
        "@ab.model\ndef g(p: P, n: int) -> int:\n    ab.phase()\n    return n\n\n\n"
        "@ab.model\ndef f(p: P, n: int) -> int:\n    return g(p, n)",
        "@ab.model\ndef f(p: P, n: int) -> int:\n    ab.phase()\n    if n > 1:\n        return f(p, n - 1)\n    return 1",
    ],
}

# Hints that are no types of the language, for a parameter, a result, a local, fields.
HINTS = [
    "str", "bytes", "complex", "object", "None", "type", "dict", "dict[str, int]", "set[int]",
    "frozenset[int]", "list", "tuple", "tuple[int, ...]", "tuple[()]", "list[str]", "list[list]",
    "list[Inner]", "'list[Unknown]'", "'Unknown'", "'int +'", "'1'", "'Leaf.word'", "3", "'n'", "...",
    "int | None", "int | float", "Leaf | int", "Leaf | Inner", "'Leaf | None | int'", "list[int] | None",
    "np.ndarray", "np.float32", "Tensor", "Float32", "Tensor['-H']", "Tensor['H*H']",
    "Tensor['K']", "Tensor['H', 'K']", "Tensor[0]", "Tensor[-1]", "Tensor['0H']", "Float32[Tensor, '2 * ']",
    "typing.Any", "typing.Union[int, str]", "typing.Optional[int]", "typing.Dict[int, int]",
    "typing.Callable", "typing.Callable[[int], int]", "typing.Sequence[int]", "typing.Iterator[int]",
    "typing.Literal[1]", "typing.Final[int]", "typing.ClassVar[int]", "typing.Self", "typing.Never",
    "typing.Annotated[int, 'H']", "typing.NewType('Id', int)", "typing.TypeVar('T')", "collections.abc.Sequence[int]",
    "enum.Enum", "plain", "cell", "ops", "Tree()", "[int]", "(int, int)", "lambda: int", "'list[' * 3", "Leaf(1)",
]  # fmt: skip

DECLARATIONS = [
    "@ab.data\nclass D:\n    a = 3",
    "@ab.data\nclass D:\n    a: int\n    b = 3",
    "@ab.data\nclass D(Leaf):\n    a: int",
    "@ab.data\nclass D(int):\n    a: int",
    "@ab.data\nclass D(Leaf, Node):\n    a: int",
    "D = ab.data(3)",
    "D = ab.data(plain)",
    "@ab.data()\nclass D:\n    a: int",
    "@ab.data(frozen=True)\nclass D:\n    a: int",
    "@ab.data\nclass D:\n    a: int = 3\n    b: int",
    "@ab.data\nclass D:\n    a: 'list[int]' = []",
    "@ab.params\nclass D:\n    w: int",
    "@ab.params\nclass D:\n    w: list[Tensor['H']]",
    "@ab.params\nclass D:\n    w: 'Unknown'",
    "@ab.params\nclass D:\n    w: Leaf",
    "@ab.params\nclass D:\n    w = 3",
    "@ab.params\nclass D(P):\n    w: Tensor['H']",
    "D = ab.params(3)",
    "D = ab.params(plain)",
    "@ab.params()\nclass D:\n    w: Tensor['H']",
]


def programs() -> Iterator[tuple[str, str]]:
    """Every program with its kind; no two are the same."""
    for kind, bodies in BODIES.items():
        for body in bodies:
            yield kind, in_function(body)
    for kind, texts in MODULES.items():
        for text in texts:
            yield kind, module(text)
    yield from _operators()
    yield from _hints()
    for text in DECLARATIONS:
        use = "@ab.model\ndef f(p: P, d: D) -> int:\n    return 1"
        if "params" in text:
            use = "@ab.model\ndef f(p: D, d: int) -> int:\n    return 1"
        yield "declaration", module(f"{text}\n\n\n{use}")
        two = "@ab.model\ndef g(p: P, d: D) -> int:\n    return 1\n\n\n" + use.replace(
            "return 1", "return g(p, d)"
        )
        if "class" in text and "params" in text:
            two = two.replace("g(p: P, d: D)", "g(p: D, d: int)")
        yield "declaration in two functions", module(f"{text}\n\n\n{two}")


def _operators() -> Iterator[tuple[str, str]]:
    """Every operator on every two kinds of values that it is not for."""
    numbers, tensors = NUMBERS, TENSORS
    for op, (a, b) in itertools.product(
        ("+", "*", "//", "<", "=="), itertools.product(VALUES, repeat=2)
    ):
        both = {a, b}
        if both <= numbers or (op in "+*" and both <= numbers | tensors):
            continue
        if (op == "+" and a == b == "list") or (op == "==" and a == b == "bool"):
            continue
        if not both & {"int", "vector", "list", "union", "None"}:
            continue  # enough of each kind
        yield "operator", in_function(f"y = {VALUES[a]} {op} {VALUES[b]}")


def _hints() -> Iterator[tuple[str, str]]:
    uses = (
        "@ab.model\ndef f(p: P, a: {}) -> int:\n    return 1",
        "@ab.model\ndef f(p: P, n: int) -> {}:\n    return 1",
        "@ab.model\ndef f(p: P, n: int) -> int:\n    a: {} = n\n    return 1",
        "@ab.data\nclass D:\n    a: {}\n\n\n@ab.model\ndef f(p: P, d: D) -> int:\n    return 1",
    )
    imports = "import collections.abc\nimport enum\nimport typing\n\n"
    for hint, use in itertools.product(HINTS, uses):
        text = use.format(hint)
        yield "hint", module(imports + "from __future__ import annotations\n\n"[:0] + text)
