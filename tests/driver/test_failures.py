"""A pass that fails names itself, its stage and the source that it was at."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.driver.dump import Dump
from acrobat.driver.failure import naming
from acrobat.driver.records import Context, Stage
from acrobat.driver.run import run_stages
from acrobat.ir import typed as T
from acrobat.pipeline import PIPELINE

Load = Callable[[str], ModuleType]

MODEL = """
@ab.params
class P:
    w: Tensor["H", "H"]

@ab.model
def f(p: P, x: Tensor["H"]) -> Tensor["H"]:
    y = x @ p.w
    return ops.tanh(y)
"""

REPORT = (
    "This is a fault of the compiler, not of the model. Please report it with the model; "
    "ACROBAT_DUMP=<folder> writes what every pass made, ACROBAT_DISABLE=1 runs the model as plain "
    "Python."
)


def with_pass(name: str, function: Callable[[T.Module], T.Module]) -> tuple[Stage, ...]:
    """The pipeline with another function for one pass."""
    return tuple(
        replace(
            stage,
            passes=tuple(
                replace(p, function=function) if p.name == name else p for p in stage.passes
            ),
        )
        for stage in PIPELINE
    )


def run(stages: tuple[Stage, ...], load_model: Load) -> Any:
    m = load_model(MODEL)
    context = Context(ab.Options(), m.P(w=np.eye(3, dtype=np.float32)))
    return run_stages(stages, m.f, context, None)


def fails_at_the_tanh(module: T.Module) -> T.Module:
    for stmt in module.functions["f"].body.stmts:
        if isinstance(stmt, T.Let) and isinstance(stmt.rhs, T.Op) and stmt.rhs.name == "tanh":
            raise KeyError("rows")
    return module


def test_the_pass_the_stage_and_the_statement(load_model: Load) -> None:
    with pytest.raises(ab.CompilerBug) as caught:
        run(with_pass("prune_dead", fails_at_the_tanh), load_model)
    message = re.sub(r"/\S*/", "", str(caught.value))
    assert message == (
        "the pass prune_dead (stage: normal form) failed, at model_1.py:12:12: "
        f"KeyError: 'rows'\n{REPORT}"
    )
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_pass_that_breaks_an_invariant(load_model: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgets_the_weight(module: T.Module) -> T.Module:
        f = module.functions["f"]
        body = replace(f.body, stmts=f.body.stmts[1:])
        return replace(module, functions={"f": replace(f, body=body)})

    stages = with_pass("speculate", forgets_the_weight)
    with pytest.raises(ab.CompilerBug) as caught:
        run(stages, load_model)
    assert str(caught.value).startswith("the pass speculate (stage: concurrency) failed, at ")
    assert "is used where it is not defined" in str(caught.value)
    # Nobody looks unless asked to.
    monkeypatch.delenv("ACROBAT_VERIFY")
    assert run(stages, load_model).module.entry == "f"


def test_without_any_statement_there_is_no_place() -> None:
    with pytest.raises(ab.CompilerBug) as caught, naming("order_blocks", "static blocks"):
        raise AssertionError
    assert str(caught.value) == (
        f"the pass order_blocks (stage: static blocks) failed: AssertionError\n{REPORT}"
    )


@pytest.mark.parametrize(
    "error", [ab.OptionError("no"), ab.ToolchainError("no"), SyntaxError("no"), MemoryError()]
)
def test_what_is_not_the_compilers_fault_passes_through(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, naming("typed", "front end"):
        raise error
    assert caught.value is error


def test_an_error_in_the_model_is_none_of_the_compiler(load_model: Load) -> None:
    m = load_model(MODEL.replace("ops.tanh(y)", "ops.tanh(z)"))
    context = Context(ab.Options(), m.P(w=np.eye(3, dtype=np.float32)))
    with pytest.raises(ab.ModelError, match="AC011"):
        run_stages(PIPELINE, m.f, context, None)


def test_what_was_made_before_the_failure_is_dumped(
    load_model: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACROBAT_DUMP", str(tmp_path / "dump"))
    m = load_model(MODEL)
    context = Context(ab.Options(), m.P(w=np.eye(3, dtype=np.float32)))
    dump = Dump.of("f")
    with pytest.raises(ab.CompilerBug):
        run_stages(with_pass("prune_dead", fails_at_the_tanh), m.f, context, dump)
    files = sorted(p.name for p in (tmp_path / "dump" / "f").iterdir())
    assert files == [
        "01_typed.txt",
        "02_number_dropouts.txt",
        "03_bind_dims.txt",
        "04_check_shapes.txt",
        "05_flatten_tuples.txt",
        "times.txt",
    ]


@pytest.mark.parametrize(
    ("place", "named"),
    [
        ("acrobat.build.VmProgram", "the pass kernels (stage: code generation)"),
        ("acrobat.backward.compiled.training_plan", "the pass adjoints (stage: gradients)"),
        ("acrobat.backward.compiled.InterpretedTraining", "the pass gradients (stage: code gener"),
    ],
)
def test_a_failure_behind_the_passes_is_named_too(
    load_model: Load, monkeypatch: pytest.MonkeyPatch, place: str, named: str
) -> None:
    def fails(*_: Any) -> Any:
        raise AssertionError("broken on purpose")

    m = load_model(MODEL)
    weights, x = m.P(w=np.eye(3)), np.ones(3, np.float32)
    monkeypatch.setattr(place, fails)
    with pytest.raises(ab.CompilerBug, match=re.escape(named)):
        fast = ab.compile(m.f, weights, "cpu", ab.Options(executor="vm"))
        fast.vjp([x], [x])
