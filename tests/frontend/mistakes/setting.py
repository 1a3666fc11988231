"""What the programs have at hand: types, weights, functions, and a function that has a value of
every type among its parameters."""

from __future__ import annotations

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
