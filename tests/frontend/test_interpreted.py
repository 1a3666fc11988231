"""The front end by itself: models as plain Python and interpreted as typed IR, the same result."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acrobat as ab
import workloads
from acrobat.frontend.module import lower_model
from acrobat.ir import typed as T
from acrobat.ir.host_functions import HOST_FUNCTIONS
from acrobat.ir.ops import OPS, POINTWISE
from acrobat.ir.printer import print_typed
from acrobat.ir.rewrite import statements
from acrobat.ir.typed_verify import verify_typed
from acrobat.pipeline import run_pipeline
from tests.frontend.construct_data import make_params
from tests.frontend.constructs import MODELS, make_instances
from tests.frontend.interpret import interpret
from tests.frontend.interpreted_operations import LISTS, SCALARS
from tests.loading import load_file
from tests.programs.generator.program import write_program
from tests.programs.try_program import Reference
from tests.selection import some
from workloads.data.source import TreeSource
from workloads.results import flatten

pytestmark = pytest.mark.usefixtures("interpreted_kernels")


def same(want: Any, got: Any) -> None:
    (structure, arrays), (got_structure, got_arrays) = flatten(want), flatten(got)
    assert got_structure == structure
    for a, b in zip(arrays, got_arrays, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_the_interpreter_agrees_with_plain_python(model: Any) -> None:
    params, module = make_params(), lower_model(model)
    verify_typed(module)
    for instance in make_instances()[MODELS[model]]:
        same(model(params, instance), interpret(module, params, instance))


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_compiled_models_agree_with_plain_python(model: Any) -> None:
    params, instances = make_params(), make_instances()[MODELS[model]]
    fast = ab.compile(model, params, options=ab.Options(executor="vm"))
    for instance, got in zip(instances, fast(instances), strict=True):
        same(model(params, instance), got)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_every_pass_keeps_the_types(model: Any) -> None:
    run_pipeline(model, make_params(), ab.Options())


def test_the_models_use_every_construct() -> None:
    """Every node of the typed IR, every operation on tensors, numbers and lists."""
    nodes: set[type] = set()
    used: dict[type, set[str]] = {T.Op: set(), T.Scalar: set(), T.ListOp: set()}
    printed = ""
    for model in MODELS:
        module = lower_model(model)  # type: ignore[arg-type]
        printed += print_typed(module)
        for function in module.functions.values():
            for stmt in statements(function.body):
                nodes.add(type(stmt))
                if isinstance(stmt, T.Let):
                    nodes.add(type(stmt.rhs))
                    if type(stmt.rhs) in used:
                        used[type(stmt.rhs)].add(
                            getattr(stmt.rhs, "op", getattr(stmt.rhs, "name", ""))
                        )
    left_out = {T.Weight}  # comes later, from `specialise`
    assert nodes == {*T.Stmt.__args__, *T.Rhs.__args__} - left_out
    written = {op.name for op in OPS.values() if op.written or op.name == "eye"}
    assert used[T.Op] >= written - {"one_hot", "dropout"} - set(POINTWISE)  # a row of eye; x
    assert len(used[T.Op] & set(POINTWISE)) > 10  # the others: tests/lang/test_operation_records.py
    assert used[T.Scalar] - HOST_FUNCTIONS.keys() == set(SCALARS)
    assert used[T.ListOp] == set(LISTS)
    for text in (
        "map, filtered, i.",
        "list_append(",
        "narrow ",
        "read ",
        "phase",
        "break",
        "while:",
    ):
        assert text in printed
    assert "data Leaf(word: int, x: Tensor[H])" in printed


@pytest.mark.slow
@pytest.mark.parametrize("part", some(range(3), always=lambda part: part == 0))
def test_random_programs(part: int, tmp_path: Path) -> None:
    for seed in range(10 * part, 10 * (part + 1)):
        source = write_program(random.Random(seed), "vm")
        path = tmp_path / f"interpreted_{seed}.py"
        path.write_text(source)
        plain, m = Reference(source, str(path)), load_file(path, path.stem)
        with np.errstate(all="ignore"):
            for i, (model, params, instances, _) in enumerate(m.CASES):
                module = lower_model(model, params)
                for j, instance in enumerate(instances):
                    # Of what this module fails on, plain Python needs nothing; and where rounding
                    # decides, the two need not agree.
                    outcome = plain.outcome(i, j)
                    if outcome.error is None and outcome.sure:
                        same(model(params, *instance), interpret(module, params, *instance))
                run_pipeline(model, params, ab.Options())


@pytest.mark.parametrize("name", workloads.NAMES)
def test_workloads(name: str) -> None:
    workload, source = workloads.get(name), TreeSource(None)
    params = workload.make_params("tiny", 0, source)
    instances = workload.make_instances("tiny", 2, 0, source)
    module = lower_model(workload.model)
    for instance, want in zip(instances, workload.reference(params, instances), strict=True):
        parts = instance if isinstance(instance, tuple) else (instance,)
        same(want, interpret(module, params, *parts))
