"""Random expressions on numbers, compiled or interpreted, against Python.

python -m tests.random_expressions --count 20            # models of 100 expressions each
python -m tests.random_expressions --first 103 --executor aot
"""

from __future__ import annotations

import argparse
import ast
import itertools
import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import acrobat as ab
from tests.loading import load_text
from tests.programs.scalar_expressions import write_expressions

NUMBERS = [0, 1, -1, 3, -8, 2**53 + 1, -(2**62) - 1, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.0, -2.5, 1e-310, 1e308, 2.0**53, -(2.0**63), float("inf"), float("nan")]


def instances(m: ModuleType, choose: random.Random, ops: int, each: int) -> list[Any]:
    return [
        m.D(op, *(choose.choice(NUMBERS) for _ in range(3)), choose.choice(FLOATS),
            choose.choice(FLOATS), choose.random() < 0.5)
        for op, _ in itertools.product(range(ops), range(each))
    ]  # fmt: skip


def outcome(call: Callable[[], Any]) -> str:
    """The result's text, or what kind of error there is instead."""
    try:
        return repr(call())
    except ZeroDivisionError:
        return "division by zero"
    except (OverflowError, ValueError):  # int() of infinity and NaN
        return "int()"
    except ab.InstanceError as error:
        text = str(error)
        return next((k for k in ("division by zero", "int()") if k in text), text)


class Wide(Exception):
    """An integer left 64 bits."""


def in_64_bits(source: str) -> Callable[[Any, Any], Any]:
    """The model as plain Python, whose operations on ints raise where they leave 64 bits. An int
    constant among floats is a float."""

    class Checked(ast.NodeTransformer):
        def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
            return self.checked(self.generic_visit(node))

        def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
            if isinstance(node.operand, ast.Constant):
                return node
            return self.checked(self.generic_visit(node))

        def visit_Call(self, node: ast.Call) -> ast.AST:
            made: Any = self.generic_visit(node)
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name in ("min", "max") and len(node.args) == 3:
                return ast.Call(ast.Name("float", ast.Load()), [made], [])
            return self.checked(made) if name in ("abs", "int") else made

        def checked(self, node: Any) -> ast.AST:
            return ast.Call(ast.Name("fits", ast.Load()), [node], [])

    def fits(value: Any) -> Any:
        if type(value) is int and not -(2**63) <= value < 2**63:
            raise Wide
        return value

    tree = ast.parse(source)
    [main] = [Checked().visit(n) for n in tree.body if isinstance(n, ast.FunctionDef)]
    main.decorator_list, main.returns = [], None
    for a in main.args.args:
        a.annotation = None
    tree.body = [main]
    names: dict[str, Any] = {"fits": fits, "INF": float("inf")}
    exec(compile(ast.fix_missing_locations(tree), "plain", "exec"), names)
    return names["main"]


def try_expressions(seed: int, folder: Path, executor: str, count: int = 60, each: int = 12) -> int:
    """The number of results that were compared; those of a model of `count` expressions."""
    choose = random.Random(seed)
    source = write_expressions(choose, count)
    m = load_text(source, folder, f"expressions_{seed}_{executor}")
    plain = in_64_bits(source)
    p = m.P(b=np.zeros(2))
    fast = ab.compile(m.main, p, "cpu", ab.Options(executor=executor))
    compared = 0
    for d in instances(m, choose, count, each):
        try:
            want = outcome(partial(plain, p, d))
        except Wide:
            want = "does not fit into 64 bits"
        got = outcome(partial(lambda one: fast([one])[0], d))
        line = source.split("\n")[source.split("\n").index(f"    if d.op == {d.op}:") + 1]
        told = f"seed {seed}: {line.strip()}\n{d}\ngot {got}, want {want}"
        if want == "does not fit into 64 bits":
            assert want in got or got == "int()", told
        else:
            assert got == want, told
        compared += 1
    return compared


def main() -> None:
    """The command. An AssertionError shows the first expression that differs."""
    parser = argparse.ArgumentParser(description="Random expressions on numbers against Python")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=10, help="models")
    parser.add_argument("--executor", nargs="+", default=["aot", "vm"], choices=["aot", "vm"])
    given = parser.parse_args()
    total = 0
    for seed in range(given.first, given.first + given.count):
        for executor in given.executor:
            with tempfile.TemporaryDirectory() as folder:
                total += try_expressions(seed, Path(folder), executor, 100, 40)
    print(f"{total} results are Python's")


if __name__ == "__main__":
    main()
