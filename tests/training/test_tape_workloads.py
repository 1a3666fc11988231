"""Gradients in plain Python against torch's autograd, both in float64, for every workload."""

from __future__ import annotations

import numpy as np
import pytest

import workloads
from acrobat.lang.params import weights
from acrobat.lang.sparse_rows import SparseRows
from acrobat.training.cotangents import tensors_of
from acrobat.training.on_tape import TapeRun
from tests.training.torch_gradients import torch_gradients
from workloads.data.source import TreeSource

pytest.importorskip("torch")
SOURCE = TreeSource(None)


@pytest.mark.parametrize("name", workloads.NAMES)
def test_every_weight_of_a_workload(name: str) -> None:
    workload = workloads.get(name)
    params = workload.make_params("tiny", 0, SOURCE)
    instances = workload.make_instances("tiny", 3, 0, SOURCE)
    run = TapeRun(workload.model, params, tuple(weights(params)), np.float64)
    run.forward(instances)
    rng = np.random.default_rng(1)
    given = [[rng.normal(size=t.shape) for t in tensors_of(r)] for r in run.results]
    results, want = torch_gradients(workload, params, instances, given)
    for got, result in zip(run.results, results, strict=True):
        for a, b in zip(tensors_of(got), result, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
    run.backward(dict(enumerate(given)))
    gradients = run.gradients()
    assert set(gradients) == set(want)
    assert isinstance(gradients.get("emb", gradients.get("vectors", SparseRows)), SparseRows) or (
        name == "berxit"
    )
    for path, wanted in want.items():
        np.testing.assert_allclose(
            np.asarray(gradients[path]), wanted, rtol=1e-8, atol=1e-10, err_msg=path
        )
