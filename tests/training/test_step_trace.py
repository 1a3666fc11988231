"""`step.trace`: the batches there and back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.trace import Trace
from acrobat.trace.trace import ACTIVITIES
from tests.training.dropout_models import LISTS, TREES, recursive, uneven
from tests.training.dropout_models import weights as drop_weights
from tests.training.models import INSTANCES, loss, weights


def traced(model: Any, p: Any, instances: Any, **options: Any) -> tuple[Trace, Any]:
    step = ab.gradients(model, p, options=ab.Options(**options))
    return step.trace(instances), step


@pytest.mark.usefixtures("interpreted_kernels")
def test_batches_of_adjoints_follow_those_of_the_forward_run(tmp_path: Path) -> None:
    found, step = traced(loss, weights(), INSTANCES, executor="vm")
    assert step.number == 0
    step(INSTANCES)
    profile = step.last_profile
    there, back = found.batches[: profile.n_batches], found.batches[profile.n_batches :]
    names = [b.name for b in found.blocks]
    assert Counter(names[b] for b in there["block"].tolist()) == profile.batches
    assert len(back) and all("_adjoint" in names[b] for b in back["block"].tolist())
    # An adjoint runs for nodes that ran, later ones first.
    assert back["n"].sum() <= there["n"].sum()
    places = [(int(b["phase"]), int(b["depth"])) for b in back]
    assert places == sorted(places, reverse=True) and set(back["computation"].tolist()) == {1}
    of_batch = Counter(found.nodes["batch"].tolist())
    assert [of_batch[i] for i in range(len(found.batches))] == found.batches["n"].tolist()
    assert set(found.nodes["instance"].tolist()) == set(range(len(INSTANCES)))
    did = Counter(ACTIVITIES[a] for a in found.spans["activity"].tolist())
    assert did["kernels"] == len(found.batches) and did["weight gradients"] == 1
    text = found.save(tmp_path / "step.svg").read_text()
    assert "dark grey is weight gradients" in text
    assert found.save(tmp_path / "step.html").exists() and "_adjoint" in found.chrome()


@pytest.mark.slow
def test_compiled_and_interpreted_steps_do_the_same() -> None:
    for model, p, instances in ((loss, weights(), INSTANCES), (recursive, drop_weights(), TREES)):
        compiled, _ = traced(model, p, instances, threads=2)
        interpreted, _ = traced(model, p, instances, executor="vm")
        for array in ("nodes", "batches", "waits"):
            same = np.array_equal(getattr(compiled, array), getattr(interpreted, array))
            assert same, (model, array)
        spans = compiled.spans
        assert (spans["end"] >= spans["begin"]).all()
        kernels = spans[spans["activity"] == ACTIVITIES.index("kernels")]
        assert set(kernels["batch"].tolist()) == set(range(len(compiled.batches)))


@pytest.mark.slow
def test_steps_with_decisions() -> None:
    """Their batches are the same, although the interpreter counts depths otherwise."""
    counts = []
    for executor in ("aot", "vm"):
        found, _ = traced(uneven, drop_weights(), LISTS, executor=executor, threads=1)
        assert len(set(found.waits["computation"].tolist())) == found.profile.n_syncs > 0
        names = [b.name for b in found.blocks]
        counts.append(Counter((names[b["block"]], int(b["n"])) for b in found.batches))
        of_batch = Counter(found.nodes["batch"].tolist())
        assert [of_batch[i] for i in range(len(found.batches))] == found.batches["n"].tolist()
    assert counts[0] == counts[1]


def test_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", "1")
    step = ab.gradients(loss, weights())
    with pytest.raises(ValueError) as caught:
        step.trace(INSTANCES)
    assert str(caught.value) == (
        "loss runs as plain Python, because ACROBAT_DISABLE=1 is set: there are no batches to trace"
    )
