"""What can be pickled and copied, and what is said of the rest; whose inputs a model runs."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.runtime import kept_models as models

NOT_PICKLED = (
    "prepared instances cannot be pickled: they are memory of this process. Pickle the instances "
    "themselves, and call prepare() of the compiled model that will run them"
)


@pytest.fixture(scope="module", params=["aot", "vm", "disabled"])
def fast(request: pytest.FixtureRequest) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        options = ab.Options(threads=1)
        if request.param == "disabled":
            patch.setenv("ACROBAT_DISABLE", "1")
        else:
            options = ab.Options(threads=1, executor=request.param)
        yield ab.compile(models.encode, models.weights(), options=options)


def test_a_compiled_model_is_pickled_as_what_it_was_made_of(fast: Any) -> None:
    again = pickle.loads(pickle.dumps(fast))
    assert (again.options, again.target, again.model) == (fast.options, fast.target, fast.model)
    trees = models.trees(3)
    for a, b in zip(again(pickle.loads(pickle.dumps(trees))), fast(trees), strict=True):
        assert np.array_equal(a, b)


def test_copies_run_the_same_program(fast: Any) -> None:
    trees = models.trees(3)
    want = fast(trees)
    for other in (copy.copy(fast), copy.deepcopy(fast), copy.deepcopy([fast])[0]):
        assert other is not fast
        for a, b in zip(other.run(fast.prepare(trees)), want, strict=True):
            assert np.array_equal(a, b)
        assert other.last_profile.n_nodes == fast.last_profile.n_nodes


def test_prepared_inputs_stay_in_their_process(fast: Any) -> None:
    inputs = fast.prepare(models.trees(1))
    with pytest.raises(ab.InstanceError) as caught:
        pickle.dumps(inputs)
    assert str(caught.value) == NOT_PICKLED
    assert copy.copy(inputs) is inputs and copy.deepcopy(inputs) is inputs


def test_a_model_runs_what_it_prepared_itself(fast: Any) -> None:
    trees = models.trees(2)
    other = ab.compile(models.encode, models.weights(), options=fast.options)
    inputs = other.prepare(trees)
    want = other.run(inputs)
    message = (
        "these instances were prepared by another compiled model than this one (encode), or before "
        "it was compiled anew; call prepare() of the compiled model that runs them"
    )
    for call in (fast.run, fast.count_least_batches):
        with pytest.raises(ab.InstanceError) as caught:
            call(inputs)
        assert str(caught.value) == message
        with pytest.raises(ab.InstanceError) as caught:
            call(trees)
        assert str(caught.value) == (
            "run() takes what prepare() returned, got list; call the compiled model with a list of "
            "instances, or prepare() the list first"
        )
    for a, b in zip(other.run(inputs), want, strict=True):
        assert np.array_equal(a, b)


def test_a_model_without_a_place_is_not_pickled() -> None:
    @ab.model
    def inner(p: models.Weights, x: models.Vector) -> models.Vector:
        return x @ p.w

    with pytest.raises(pickle.PicklingError) as caught:
        pickle.dumps(inner)
    name = "test_a_model_without_a_place_is_not_pickled.<locals>.inner"
    assert str(caught.value) == (
        f"the model {name} of {__name__} cannot be pickled: models are found by module and name, "
        f"and it is defined inside of a function; define it at the top level of a module, under a "
        f"name of its own"
    )


def test_a_name_that_means_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    encode = models.encode
    monkeypatch.setattr(models, "encode", "compiled")
    with pytest.raises(pickle.PicklingError) as caught:
        pickle.dumps(encode)
    assert str(caught.value) == (
        f"the model encode of {models.__name__} cannot be pickled: models are found by module and "
        f"name, and what {models.__name__} has of that name is something else; define it at the "
        f"top level of a module, under a name of its own"
    )


SPAWN = """
import multiprocessing, sys
sys.path.insert(0, {folder!r})
import numpy as np, acrobat as ab, kept_models as models

def call(job):
    fast, trees = job
    return fast(trees)

if __name__ == "__main__":
    fast = ab.compile(models.encode, models.weights(), options=ab.Options(threads=1))
    trees = models.trees(3)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found, = pool.map(call, [(fast, trees)])
    print(all(np.array_equal(a, b) for a, b in zip(found, fast(trees), strict=True)))
"""


@pytest.mark.slow
def test_a_spawned_pool(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SPAWN.format(folder=str(Path(__file__).parent)))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=1800)
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


def test_names_of_parameters_in_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(8, np.float32)
    want = models.step(models.weights(), x, times=2)
    compiled = ab.compile(models.step, models.weights(), options=ab.Options(threads=1))  # type: ignore[arg-type]
    monkeypatch.setenv("ACROBAT_DISABLE", "1")
    for fast in (ab.compile(models.step, models.weights()), compiled):  # type: ignore[arg-type]
        (got,) = fast([(x, 2)])  # type: ignore[list-item]
        np.testing.assert_allclose(got, want, rtol=1e-5)
