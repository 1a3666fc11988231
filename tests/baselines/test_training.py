"""A training step of every system that trains, on every workload with a loss: losses, gradients of
all weights, and weights after the update are those of plain Python in float64."""

from __future__ import annotations

from pathlib import Path

import pytest

import baselines
from baselines.api import FORWARD, NotBuilt, Problem, Training, Unsupported
from baselines.dynet import cpu
from tests.baselines.children import ask, end
from tests.selection import some
from workloads import losses

CHILD = Path(__file__).with_name("run_training.py")
SYSTEMS = [
    ("acrobat", "full"),
    ("acrobat", FORWARD),
    ("torch_eager", "full"),
    ("torch_batched", "full"),
    ("floor", "full"),
    *(("dynet", f"autobatch{n}") for n in (1, 2, 3)),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "variant", "name"),
    some(
        [(*s, name) for s in SYSTEMS for name in losses.names()],  # one system after the other
        always=lambda _, variant, name: variant != FORWARD or name in ("birnn", "treelstm"),
    ),
)
def test_steps_are_the_references(system: str, variant: str, name: str) -> None:
    if system == "dynet":
        if cpu.built() is None:
            pytest.skip("DyNet is not built natively")
        end()  # it is set up once per process
    rows = ask(CHILD, f"{system}:{variant}", name, "1", "7")
    for batch, row in rows.items():
        if "unsupported" in row:
            crash = variant == "autobatch3" and name in ("nestedrnn", "treelstm_childsum")
            lacks = {
                "floor": ("berxit", "mvrnn", "stackrnn"),
                "torch_batched": ("stackrnn",),
                "dynet": ("berxit", "drnn", "mvrnn"),
            }
            assert crash or name in lacks.get(system, ()), row
            continue
        found = row["errors"]
        if system == "floor":
            assert not found
        elif variant == FORWARD:
            assert list(found) == ["losses"]
        else:
            assert list(found) == row["names"]
        assert max(found.values(), default=0.0) <= 2e-5, (batch, found)
        parts = [row["breakdown"][f"{part}_ms"] for part in ("forward", "backward", "update")]
        if variant != FORWARD and system != "floor":
            assert all(0 < part < 10_000 for part in parts[:2]) and parts[2] >= 0, parts


@pytest.mark.slow
@pytest.mark.parametrize("name", ["treelstm", "birnn"])
@pytest.mark.parametrize(
    ("system", "variant"),
    [(s, v) for s, v in SYSTEMS if s != "floor" and v not in (FORWARD, "autobatch2", "autobatch3")],
)
def test_a_first_step_of_adam_is_the_references(system: str, variant: str, name: str) -> None:
    if system == "dynet":
        if cpu.built() is None:
            pytest.skip("DyNet is not built natively")
        end()  # it is set up once per process
    (row,) = ask(CHILD, f"{system}:{variant}:adam", name, "7").values()
    assert list(row["errors"]) == row["names"]
    assert max(row["errors"].values()) <= 2e-5, row["errors"]


def problem(workload: str, variant: str = "full", device: str = "cpu") -> Problem:
    return Problem(workload, "tiny", 1, 0, device, 1, variant, None, [], Training(0.1))


@pytest.mark.parametrize(
    ("system", "given", "reason"),
    [
        ("cortex", problem("treelstm"), "cortex only infers: it has no training step"),
        (
            "torch_eager",
            problem("spinn"),
            f"spinn has no loss to train with; there is one of {', '.join(losses.names())}",
        ),
        ("torch_eager", problem("birnn", device="cuda"), "torch_eager runs on cpu, not on 'cuda'"),
        (
            "acrobat",
            problem("birnn", "backward"),
            "acrobat has no variant 'backward': expected option=value, found 'backward'",
        ),
        (
            "dynet",
            problem("birnn", "wheel-autobatch1"),
            "dynet has no variant 'wheel-autobatch1'; it has autobatch0, autobatch1, autobatch2, "
            "autobatch3",
        ),
    ],
)
def test_what_does_not_train_says_why(system: str, given: Problem, reason: str) -> None:
    assert baselines.supports(system, given) == Unsupported(reason)


def test_what_is_not_built_says_how(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    assert baselines.supports("dynet", problem("treelstm", "autobatch1")) == NotBuilt(
        "DyNet has not been built natively for this machine: python -m baselines.dynet.build; the "
        "wheel does not train here"
    )
