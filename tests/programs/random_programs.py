"""Random model programs: data types, recursion, branches, loops, lists, tensor decisions.

`write_program(choose)` gives the source of a module with an entry `main(p, tree, words)`; `choose`
is a `random.Random`. Every program ends: recursion goes down the tree, loops run over the words or
count down. Values stay bounded: whatever is carried on has gone through tanh or softmax.
"""

from __future__ import annotations

import random

HEAD = """
import acrobat as ab
from acrobat import Tensor, ops


@ab.data
class Leaf:
    word: int
    x: Tensor["H"]


@ab.data
class Node:
    left: "Tree"
    right: "Tree"
    k: int


@ab.data
class Many:
    children: "list[Tree]"
    scale: float


Tree = Leaf | Node | Many


@ab.params
class P:
    emb: Tensor["V", "H"]
    w0: Tensor["H", "H"]
    w1: Tensor["2H", "H"]
    g: Tensor["H"]
    b: Tensor["H"]
"""

UNARY = ("tanh", "sigmoid", "relu", "gelu", "abs")


class _Writer:
    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.lines: list[str] = []
        self.names = 0

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def tensor(self, vectors: list[str], ints: list[str], depth: int = 2) -> str:
        """An expression of type Tensor["H"]."""
        c = self.choose
        if depth == 0 or c.random() < 0.2:
            return c.choice([*vectors, "p.b", "p.g"])
        a = self.tensor(vectors, ints, depth - 1)
        match c.randrange(10):
            case 0:
                return f"ops.{c.choice(UNARY)}({a})"
            case 1:
                return f"({a} {c.choice('+-*')} {self.tensor(vectors, ints, depth - 1)})"
            case 2:
                return f"({a} @ p.w0)"
            case 3:
                other = self.tensor(vectors, ints, depth - 1)
                return f"ops.linear(ops.concat({a}, {other}), p.w1, p.b)"
            case 4:
                return f"ops.softmax({a})"
            case 5:
                return f"ops.layer_norm({a}, p.g, p.b)"
            case 6:
                return f"({a} * {c.choice([*ints, '0.5', '-1.5'])})"
            case 7:
                return f"p.emb[{self.row(ints)}]"
            case 8:
                other = self.tensor(vectors, ints, depth - 1)
                return f"ops.where(ops.greater({a}, 0.1), {other}, p.g)"
            case _:
                return f"({a} - ops.mean({a}))"

    def row(self, ints: list[str]) -> str:
        return f"{self.choose.choice([*ints, '3'])} % 11"

    def condition(self, vectors: list[str], ints: list[str]) -> str:
        """A truth value; one in three depends on a tensor."""
        c = self.choose
        number = f"{c.choice(ints)} {c.choice(['>', '<', '==', '!='])} {c.randrange(4)}"
        match c.randrange(6):
            case 0:
                value = c.choice(["ops.sum", "ops.max", "ops.mean"])
                return f"ops.item({value}({c.choice(vectors)})) > {c.uniform(-0.4, 0.6):.5f}"
            case 1:
                return f"ops.argmax({c.choice(vectors)}) % 2 == {c.randrange(2)}"
            case 2:
                return f"{number} and {c.choice(ints)} % 3 != 1"
            case _:
                return number

    def put(self, pad: str, line: str) -> None:
        self.lines.append(pad + line)

    def statements(self, pad: str, vectors: list[str], ints: list[str], depth: int) -> None:
        """Statements that change the names of `vectors` and `ints`, or add none."""
        c = self.choose
        for _ in range(c.randrange(1, 4)):
            target = c.choice(vectors)
            match c.randrange(6 if depth else 3):
                case 0 | 1:
                    self.put(pad, f"{target} = ops.tanh({self.tensor(vectors, ints)})")
                case 2:
                    self.put(pad, f"{c.choice(ints)} = ({c.choice(ints)} * 3 + 1) % 7")
                case 3:
                    self.put(pad, f"if {self.condition(vectors, ints)}:")
                    self.statements(pad + "    ", vectors, ints, depth - 1)
                    if c.random() < 0.6:
                        self.put(pad, "else:")
                        self.statements(pad + "    ", vectors, ints, depth - 1)
                case 4:
                    i = self.name("i")
                    self.put(pad, f"for {i} in range({c.randrange(1, 4)}):")
                    self.statements(pad + "    ", vectors, [*ints, i], depth - 1)
                    if c.random() < 0.4:
                        leave = c.choice(["break", "continue"])
                        self.put(pad, f"    if {self.condition(vectors, ints)}:")
                        self.put(pad, f"        {leave}")
                        self.put(pad, f"    {target} = ops.tanh({self.tensor(vectors, ints, 1)})")
                case 5:
                    iterations = self.name("iterations")
                    self.put(pad, f"{iterations} = 0")
                    condition = self.condition(vectors, ints)
                    self.put(pad, f"while {iterations} < {c.randrange(1, 4)} and {condition}:")
                    self.put(pad, f"    {iterations} += 1")
                    self.statements(pad + "    ", vectors, ints, depth - 1)


def write_program(choose: random.Random) -> str:
    """The source of one program."""
    w = _Writer(choose)
    w.put("", "@ab.model")
    w.put("", 'def cell(p: P, a: Tensor["H"], c: Tensor["H"], n: int) -> Tensor["H"]:')
    w.statements("    ", ["a", "c"], ["n"], choose.randrange(3))
    if choose.random() < 0.5:
        w.put("    ", f"if {w.condition(['a', 'c'], ['n'])}:")
        w.put("    ", f"    return ops.tanh({w.tensor(['a'], ['n'])})")
    w.put("    ", f"return ops.tanh({w.tensor(['a', 'c'], ['n'])})")
    w.put("", "")
    # What goes down the tree: for some calls the same as in the caller, for some a constant.
    zero = "ops.zeros(p.b.shape[0])"
    down = ["up", "up", "above", zero, "p.b"]
    w.put("", "@ab.model")
    w.put("", "def walk(")
    w.put("    ", 'p: P, t: Tree, n: int, up: Tensor["H"]')
    w.put("", ') -> tuple[Tensor["H"], Tensor["H"], int]:')
    w.put("    ", f"above = ops.tanh({w.tensor(['up'], ['3'])})")
    w.put("    ", "match t:")
    w.put("        ", "case Leaf(word, x):")
    w.put("            ", f"h = cell(p, {choose.choice(['x', 'p.emb[word]'])}, above, word)")
    w.put("            ", f"g = ops.tanh({w.tensor(['x', 'above'], ['word'])})")
    w.put("            ", "m = n")
    w.put("        ", "case Node(left, right, k):")
    first, second = (choose.choice(down) for _ in range(2))
    calls = f"walk(p, left, n + 1, {first}), walk(p, right, k, {second})"
    together = f"ab.parallel({calls})" if choose.random() < 0.6 else calls
    w.put("            ", f"(a, d, i), (c, e, j) = {together}")
    w.put("            ", "h = cell(p, a, c, i + j)")
    w.put("            ", f"g = ops.tanh({w.tensor(['d', 'e', 'h'], ['i', 'j'])})")
    w.put("            ", "m = min(i, j)")
    w.put("        ", "case Many(children, scale):")
    keep = " if n > 0" if choose.random() < 0.3 else ""
    child = f"walk(p, s, i, {choose.choice(down)})"
    w.put("            ", f"parts = [{child} for i, s in enumerate(children){keep}]")
    w.put("            ", "h = p.b * scale")
    w.put("            ", "g = above")
    w.put("            ", "m = len(parts)")
    w.put("            ", "for a, d, i in parts:")
    w.put("            ", "    h = cell(p, h, a, i)")
    w.put("            ", "    g = g * 0.5 + d")
    w.statements("    ", ["h", "g"], ["m"], choose.randrange(3))
    w.put("    ", "return h, g, m")
    w.put("", "")
    w.put("", "@ab.model")
    result = 'tuple[Tensor["H"], list[Tensor["H"]], int]'
    w.put("", f"def main(p: P, t: Tree, words: list[int]) -> {result}:")
    start = choose.choice([zero, "p.b", "p.emb[len(words)]"])
    w.put("    ", f"h, other, n = walk(p, t, len(words), {start})")
    if choose.random() < 0.5:
        w.put("    ", "h = ops.tanh(h + other)")
    w.put("    ", "states = []")
    backwards = choose.choice(["words", "reversed(words)", "words[1:]"])
    w.put("    ", f"for word in {backwards}:")
    if choose.random() < 0.4:
        w.put("    ", f"    if {w.condition(['h'], ['word', 'n'])}:")
        w.put("    ", f"        {choose.choice(['continue', 'break'])}")
    if choose.random() < 0.5:
        w.put(
            "    ", f"    for i in range({choose.choice(['word % 4', 'n % 3', 'len(words) % 5'])}):"
        )
        w.put("    ", f"        h = ops.tanh({w.tensor(['h'], ['i', 'word'])})")
    w.put("    ", "    h = cell(p, h, p.emb[word], n)")
    w.put("    ", "    states.append(h)")
    w.statements("    ", ["h"], ["n"], 2)
    if choose.random() < 0.5:
        w.put("    ", "ab.phase()")
    w.put("    ", f"last = [ops.tanh({w.tensor(['s', 'h'], ['n', 'i'])}) "
          "for i, s in enumerate(states)]")  # fmt: skip
    w.put("    ", "return h, last, n")
    return HEAD + "\n\n" + "\n".join(w.lines) + "\n"
