"""The work of the compiler grows with the source, and no faster; what it makes stays right.

`python -m tests.compile_time` is the same with kernels, C++ and a clock.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
import acrobat.vm.program
from acrobat.driver.run import Compilation
from acrobat.ir import typed as T
from acrobat.ir.rewrite import statements
from acrobat.limits import MAX_BLOCK_OPERATIONS, MAX_CONTEXTS, MAX_INSTRUCTIONS, MAX_PROGRAM
from acrobat.pipeline import run_pipeline
from acrobat.vm.reference_kernels import ReferenceKernels
from tests.compile_time.load import Loaded, load
from tests.compile_time.sources import FAMILIES, HIDDEN, VECTOR

# Families with a size at which a quadratic pass is seen in twice the size.
GROWING = {
    "chain": 30,
    "mixed": 40,
    "pointwise": 60,
    "numbers": 60,
    "called": 40,
    "elifs": 30,
    "returns": 30,
    "decisions": 20,
    "loops": 20,
    "folded": 40,
    "wide": 40,
    "layers": 112,
    "recursions": 8,
    "objects": 10,
}


@pytest.fixture(autouse=True)
def unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    """As users compile."""
    monkeypatch.delenv("ACROBAT_VERIFY", raising=False)


def compiled(program: Loaded) -> Compilation:
    return run_pipeline(program.main, program.weights, ab.Options())


def work(program: Loaded) -> int:
    """How many functions are called to compile it: the same on every machine."""
    count = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        compiled(program)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.slow
@pytest.mark.parametrize(("family", "size"), GROWING.items())
def test_work_grows_with_the_source(family: str, size: int, tmp_path: Path) -> None:
    small, large = (work(load(FAMILIES[family](n), tmp_path)) for n in (size, 2 * size))
    assert large < 2.2 * small


@pytest.mark.slow
def test_blocks_and_kernels_are_bounded(tmp_path: Path) -> None:
    for family, size in {"mixed": 160, "pointwise": 160, "wide": 160, "branching": 7}.items():
        done = compiled(load(FAMILIES[family](size), tmp_path))
        assert all(len(b.ops) <= MAX_BLOCK_OPERATIONS for b in done.module.blocks)
        kernels = [k for plan in done.plans for k in plan.kernels]
        assert all(len(k.epilogue) <= MAX_INSTRUCTIONS for k in kernels)


def test_layers_share_their_kernels(tmp_path: Path) -> None:
    """Of what is computed by statement after statement, little is computed again."""
    done = compiled(load(FAMILIES["mixed"](200), tmp_path))
    ops = sum(len(b.ops) for b in done.module.blocks)
    assert sum(len(k.epilogue) for plan in done.plans for k in plan.kernels) < 4 * ops


def inlined_sizes(done: Compilation) -> list[int]:
    """The statements of every function that is left."""
    inlined = done.stages["inline_calls"]
    assert isinstance(inlined, T.Module)
    return [sum(1 for _ in statements(f.body)) for f in inlined.functions.values()]


def test_large_functions_stay_calls(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "acrobat"):
        sizes = inlined_sizes(compiled(load(FAMILIES["doubled"](12), tmp_path)))
    assert sizes == [9, 2048]
    assert caplog.messages[0] == (
        "main: calls of f9 are not inlined, for the program would grow too large (more than 2000 "
        "statements each)"
    )


def test_the_whole_program_has_a_budget(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lines = "".join(f"    x = g{i}(p, x)\n" for i in range(4))
    source = FAMILIES["doubled"](8)
    several = [source.partition("@ab.model\ndef main")[0]]
    for i in range(4):
        calls = "f8(p, " * 3 + "x" + ")" * 3
        several.append(f"@ab.model\ndef g{i}(p: P, x: {VECTOR}) -> {VECTOR}:\n    return {calls}\n")
    main = f"@ab.model\ndef main(p: P, leaf: Leaf) -> {VECTOR}:\n    x = leaf.x\n{lines * 3}"
    program = load("\n\n".join([*several, main + "    return x\n"]), tmp_path)
    with caplog.at_level(logging.INFO, "acrobat"):
        sizes = inlined_sizes(compiled(program))
    assert sum(sizes) <= MAX_PROGRAM and len(sizes) > 1
    assert "main: calls of " in caplog.messages[0]


def test_a_program_within_the_limits_is_inlined(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "acrobat"):
        assert len(inlined_sizes(compiled(load(FAMILIES["doubled"](7), tmp_path)))) == 1
    assert "inlined" not in caplog.text


def test_contexts_are_bounded(tmp_path: Path) -> None:
    few = compiled(load(FAMILIES["permuted"](4), tmp_path))
    assert len(few.typed.functions) == 1 + 4 * 3 * 2
    assert 4 * 3 * 2 <= MAX_CONTEXTS < 5 * 4 * 3 * 2
    assert len(compiled(load(FAMILIES["permuted"](5), tmp_path)).typed.functions) == 2


def test_groups_of_weights_that_change_places(tmp_path: Path) -> None:
    program = load(FAMILIES["permuted_groups"](6), tmp_path)
    with pytest.raises(ab.ModelError) as caught:
        compiled(program)
    assert caught.value.msg == (
        "AC008: go is called with more than 512 sets of weights, and would be copied for each of "
        "them"
    )
    assert caught.value.text is not None and caught.value.text.startswith("def go(p: P, tree:")


RIGHT = {
    "chain": 150,
    "mixed": 120,
    "pointwise": 300,
    "nested": 90,
    "called": 256,
    "doubled": 11,
    "branching": 9,
    "elifs": 120,
    "returns": 60,
    "decisions": 20,
    "loops": 10,
    "permuted": 5,
    "permuted_groups": 3,
    "folded": 64,
    "wide": 150,
    "layers": 400,
    "recursions": 6,
}


# Where a limit is looked up, and one that every small program reaches.
SMALL = {
    "acrobat.kernels.lowering.block.MAX_INSTRUCTIONS": 6,
    "acrobat.kernels.lowering.grouping.MAX_INSTRUCTIONS": 6,
    "acrobat.kernels.lowering.context.MAX_RECOMPUTED": 2,
    "acrobat.transform.helpers.open_run.MAX_BLOCK_OPERATIONS": 3,
    "acrobat.transform.helpers.choose_inlined.MAX_INLINED": 8,
    "acrobat.transform.helpers.choose_inlined.MAX_PROGRAM": 20,
    "acrobat.analysis.parameter_reuse.MAX_CONTEXTS": 2,
}
REACHED = {
    "mixed": 24,
    "pointwise": 20,
    "doubled": 4,
    "branching": 4,
    "elifs": 6,
    "returns": 6,
    "decisions": 4,
    "permuted": 3,
    "wide": 20,
    "layers": 112,
    "recursions": 3,
}


@pytest.mark.parametrize(("family", "size"), REACHED.items())
def test_limits_that_are_reached_change_no_result(
    family: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, limit in SMALL.items():
        monkeypatch.setattr(name, limit)
    check_results(family, size, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize(("family", "size"), RIGHT.items())
def test_results(family: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_results(family, size, tmp_path, monkeypatch)


def check_results(family: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same as plain Python, on several instances."""
    program = load(FAMILIES[family](size), tmp_path)
    monkeypatch.setattr(acrobat.vm.program, "Kernels", ReferenceKernels)
    options = ab.Options(executor="vm")
    fast = ab.compile(program.main, program.weights, target="cpu", options=options)
    instances = list(_instances(program, family))
    for got, instance in zip(fast(instances), instances, strict=True):
        want = program.main(program.weights, instance)
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-4)


def _instances(program: Loaded, family: str) -> Iterator[Any]:
    rng = np.random.default_rng(1)

    def leaf(kind: int) -> Any:
        return program.leaf(rng.normal(0, 0.5, HIDDEN).astype(np.float32), kind)

    if family in ("permuted", "permuted_groups", "recursions"):
        yield leaf(0)
        yield program.node(program.node(leaf(1), leaf(2)), program.node(leaf(3), leaf(4)))
        return
    yield from map(leaf, (0, 1, 5))
