"""The PyTorch systems with a device that is not the host's: nothing is on the wrong one, and a run
sends and fetches as little as it can (other_device.py)."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

from baselines import torch_batched, torch_compile, torch_eager
from baselines.torch_batched import RECURRENT
from tests.baselines.children import ask

CHILD = Path(__file__).with_name("run_other_device.py")
STATIC = ("treelstm", "treelstm_childsum", "mvrnn", "birnn", "nestedrnn")


@functools.cache
def run(system: str, name: str) -> dict[str, Any]:
    """The child's report on a mini-batch of 7."""
    report: dict[str, Any] = ask(CHILD, system, name, "7")
    return report


@pytest.mark.slow
def test_what_would_fail_on_a_gpu_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from tests.baselines.other_device import other_device

    with other_device(monkeypatch) as mode:
        here = torch.zeros(2)
        there = here.to("meta")
        assert mode.is_there(there + 1) and mode.is_there(there[:1]) and not mode.is_there(here)
        assert mode.is_there(torch.zeros(2, device="meta")) and mode.is_there(there.new_zeros(3))
        with pytest.raises(AssertionError, match="tensors on two devices"):
            there + here
        with pytest.raises(AssertionError, match="numpy of a tensor on the other device"):
            there.numpy()
        assert there.to("cpu").numpy().tolist() == [0.0, 0.0]
        assert (mode.sent, mode.fetched) == (1, 1)


SYSTEMS = {
    "torch_eager": torch_eager.WORKLOADS,
    "torch_batched": torch_batched.WORKLOADS,
    "torch_compile": torch_compile.WORKLOADS,
}


@pytest.mark.parametrize(
    ("system", "name"),
    [
        *((system, name) for system, names in SYSTEMS.items() for name in names),
        *(("torch_batched:nn", name) for name in RECURRENT),
    ],
)
def test_results(system: str, name: str) -> None:
    report = run(system, name)
    assert report["same_structure"] and report["error"] <= 1e-4, report


@pytest.mark.parametrize(
    ("system", "name"),
    [
        *(("torch_batched", name) for name in STATIC),
        *(("torch_batched:nn", name) for name in RECURRENT if name in STATIC),
    ],
)
def test_what_depends_on_the_structure_goes_there_at_once(system: str, name: str) -> None:
    report = run(system, name)
    assert (report["sent"], report["fetched"]) == (1, 0)


def test_a_step_with_decisions_fetches_once() -> None:
    waves, layers = run("torch_batched", "drnn"), run("torch_batched", "berxit")
    assert waves["sent"] == waves["fetched"] > 1, "the tokens, then what goes on, but for the last"
    assert layers["sent"] <= layers["fetched"]
    steps = run("torch_batched", "stackrnn")
    assert steps["sent"] <= 2 * steps["fetched"] + 20, "actions, then rows; forced steps only rows"


@pytest.mark.parametrize("name", torch_batched.WORKLOADS)
def test_the_products_alone_move_nothing(name: str) -> None:
    report = run("floor", name)
    assert (report["sent"], report["fetched"]) == (0, 0)
