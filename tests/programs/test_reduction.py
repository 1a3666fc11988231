"""Programs that fail are reduced to small ones that fail in the same way."""

from __future__ import annotations

import ast
import os
import random
import signal
import time
from itertools import count
from pathlib import Path

import pytest

from acrobat.vm.reference_kernels import ReferenceKernels
from tests.programs.generator.program import write_program
from tests.programs.reduction import size
from tests.shrink import ending_of, in_a_process, reduce

PROGRAM = """
import numpy as np

import acrobat as ab
from acrobat import Tensor, ops

KERNELS = "specified"


@ab.data
class Leaf:
    n: int
    x: Tensor["H"]


@ab.params
class P:
    w: Tensor["H", "H"]
    b: Tensor["H"]


@ab.model
def helper(p: P, x: Tensor["H"], n: int) -> Tensor["H"]:
    for i in range(n):
        if i > 3:
            break
        x = ops.tanh(x @ p.w)
    return x


@ab.model
def main(p: P, leaf: Leaf, n: int) -> tuple[Tensor["H"], int]:
    h = helper(p, leaf.x, leaf.n)
    if leaf.n > n:
        h = h + ops.gelu(h - p.b)
    return h, n


ONES = np.ones(3, dtype=np.float32)
WEIGHTS = P(w=np.eye(3), b=np.zeros(3))
CASES = [(main, WEIGHTS, [(Leaf(2, ONES), 1), (Leaf(1, ONES * 2), 0)], {"executor": "vm"})]
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_a_wrong_operation_is_all_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels with a gelu in them are off by one."""
    run = ReferenceKernels._kernel

    def wrong(self, plan, q, spec, batch, memory, records, scratch):  # type: ignore[no-untyped-def]
        run(self, plan, q, spec, batch, memory, records, scratch)
        if "gelu" in spec.name:
            records += 1

    monkeypatch.setattr(ReferenceKernels, "_kernel", wrong)
    assert ending_of(PROGRAM) == "other numbers"
    small = reduce(PROGRAM, ending_of)
    assert ending_of(small) == "other numbers"
    tree = ast.parse(small)
    models = [s for s in tree.body if isinstance(s, ast.FunctionDef)]
    assert [len(m.body) for m in models] == [1], small
    assert "ops.gelu(" in small and "helper" not in small
    assert size(tree) < size(ast.parse(PROGRAM)) / 2


@pytest.mark.slow
def test_a_statement_of_a_random_program_is_all_that_is_left() -> None:
    def attempt(text: str) -> str:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.While) and any(
                isinstance(n, ast.Attribute) and n.attr == "softmax" for n in ast.walk(node)
            ):
                return "a softmax in a loop"
        return ""

    sources = (write_program(random.Random(seed), "vm") for seed in count())
    small = reduce(next(s for s in sources if attempt(s)), attempt)
    assert attempt(small) and size(ast.parse(small)) < 30


@pytest.mark.slow
def test_crashes_and_hangs_are_reduced_too() -> None:
    def attempt(text: str) -> str:
        if "crash" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        while "hang" in text:
            time.sleep(0.01)
        return ""

    # Only what hangs is not to be waited for: a busy machine is slow to start a process.
    patient, hasty = in_a_process(attempt, 100), in_a_process(attempt, 1)
    assert patient("a = 1") == ""
    assert patient("crash = 1") == "ends the process (SIGKILL)"
    assert hasty("hang = 1") == "hangs"
    assert reduce("a = 1\nb = [2, crash]\nc = 3\n", patient) == "b = crash\n"
    hangs = reduce("if a:\n    hang = 3\n", lambda t: (hasty if "hang" in t else patient)(t))
    assert hangs == "hang = 0\n"


def test_a_program_that_does_not_fail_is_said_to(tmp_path: Path) -> None:
    assert ending_of(PROGRAM) == ""
