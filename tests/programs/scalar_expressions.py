"""Random expressions on numbers and truth values, within the language."""

from __future__ import annotations

import random

INTS = ["0", "1", "-1", "2", "3", "-7", "10", "1000003", "9007199254740993", "9223372036854775807"]
FLOATS = ["0.0", "-0.0", "0.5", "-1.5", "3.0", "1e-300", "1e300", "9007199254740992.0", "INF"]
COMPARED = ["<", "<=", ">", ">=", "==", "!="]


def int_expression(choose: random.Random, depth: int) -> str:
    """An int."""
    if depth == 0:
        return choose.choice(["d.n", "d.m", "d.k", choose.choice(INTS)])
    a, b = int_expression(choose, depth - 1), int_expression(choose, depth - 1)
    match choose.randrange(9):
        case 0 | 1 | 2:
            return f"({a} {choose.choice(['+', '-', '*'])} {b})"
        case 3 | 4:
            return f"({a} {choose.choice(['//', '%'])} {b})"
        case 5:
            return f"{choose.choice(['min', 'max'])}({a}, {b})"
        case 6:
            return f"({a} if {bool_expression(choose, depth - 1)} else {b})"
        case 7:
            return f"int({float_expression(choose, depth - 1)})"
        case _:
            return choose.choice([f"(-{a})", f"abs({a})", f"int({a})"])


def float_expression(choose: random.Random, depth: int) -> str:
    """A float."""
    if depth == 0:
        return choose.choice(["d.x", "d.y", "d.x", "d.y", choose.choice(FLOATS)])
    a, b = float_expression(choose, depth - 1), float_expression(choose, depth - 1)
    n = int_expression(choose, depth - 1)
    match choose.randrange(9):
        case 0 | 1:
            return f"({a} {choose.choice(['+', '-', '*', '/', '//', '%'])} {b})"
        case 2:
            return f"({a} {choose.choice(['+', '-', '*', '/', '//', '%'])} {n})"
        case 3:
            return f"({n} {choose.choice(['+', '-', '*', '/', '//', '%'])} {a})"
        case 4:
            return f"({n} / {int_expression(choose, depth - 1)})"
        case 5:
            return f"{choose.choice(['min', 'max'])}({a}, {b}, {choose.choice(['0', '2', a])})"
        case 6:
            return f"({a} if {bool_expression(choose, depth - 1)} else {b})"
        case 7:
            return f"float({choose.choice([a, n])})"
        case _:
            return choose.choice([f"(-{a})", f"abs({a})"])


def bool_expression(choose: random.Random, depth: int) -> str:
    """A truth value."""
    if depth == 0:
        return choose.choice(["d.c", "True", f"(d.n {choose.choice(COMPARED)} d.x)"])
    kinds = [int_expression, float_expression]
    a, b, c = (choose.choice(kinds)(choose, depth - 1) for _ in range(3))
    p, q = bool_expression(choose, depth - 1), bool_expression(choose, depth - 1)
    match choose.randrange(6):
        case 0 | 1:
            return f"({a} {choose.choice(COMPARED)} {b})"
        case 2:
            return f"({a} {choose.choice(COMPARED)} {b} {choose.choice(COMPARED)} {c})"
        case 3:
            return f"({p} {choose.choice(['and', 'or'])} {q})"
        case 4:
            return f"(not {p})"
        case _:
            return f"({p} {choose.choice(['<', '==', '!='])} {q})"


HEADER = """\
import acrobat as ab
from acrobat import Float32, Tensor

INF = float("inf")

@ab.data
class D:
    op: int
    n: int
    m: int
    k: int
    x: float
    y: float
    c: bool

@ab.params
class P:
    b: Float32[Tensor, "2"]

@ab.model
def main(p: P, d: D) -> tuple[int, float, bool]:
    i, f, b = 0, 0.0, False
"""
KINDS = {"i": int_expression, "f": float_expression, "b": bool_expression}


def write_expressions(choose: random.Random, count: int) -> str:
    """A model that computes expression `op` of the instance, one of `count`."""
    lines = [HEADER]
    for op in range(count):
        out = choose.choice(list(KINDS))
        expression = KINDS[out](choose, choose.randrange(1, 4))
        lines += [f"    if d.op == {op}:\n", f"        {out} = {expression}\n"]
    return "".join([*lines, "    return i, f, b\n"])
