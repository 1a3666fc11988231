"""Persistent kernels as PTX in the emulator, on the tables that the run-time writes for
mini-batches of the workloads: several programs at once, their memory as weak as it may be.
`python -m tests.ptx` has all of them, and mutations."""

from __future__ import annotations

import functools

import pytest

pytest.importorskip("triton")

import acrobat as ab
import workloads
from acrobat.kernels.printers.cuda.device_functions import POLLS
from tests.ptx.emulated import Emulated, emulate
from tests.ptx.mutations import Mutation, judge, mutations_of_order, without_each
from tests.ptx.syntax import parse
from tests.selection import some

PERSISTENT = ab.Options(gpu_mode="persistent")


@functools.cache
def recorded() -> Emulated:
    """Two programs, whose launch can be run again."""
    return emulate("mvrnn", 1, PERSISTENT, most=2, keep=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arch"),
    some(
        [*((name, 90) for name in workloads.NAMES), ("treelstm", 80), ("drnn", 86)],
        always=lambda name, arch: name == "mvrnn",
    ),
)
def test_a_workload(name: str, arch: int) -> None:
    done = emulate(name, 2, PERSISTENT, arch=arch)
    assert done.report.problems == {}
    assert done.launches > 0 and done.report.instructions > 1000


@pytest.mark.slow
def test_less_order_is_noticed() -> None:
    """Each mistake in the grid barrier, in every interleaving; and the right text is not."""
    done = recorded()
    assert done.report.problems == {}
    [launch] = done.recorded
    for mutation in mutations_of_order(done.text):
        outcome = judge(mutation, launch, 1)
        assert outcome.noticed == outcome.runs, (mutation.what, outcome)


@pytest.mark.slow
def test_a_program_that_waits_in_vain_ends_the_launch() -> None:
    """It counts its polls. Here it waits for a number that the others pass by, at most 30 times."""
    done = recorded()
    [launch] = done.recorded
    [never] = [m for m in mutations_of_order(done.text) if m.what == "waits for equality"]
    polls = str(POLLS.value - 1)
    assert polls in never.text
    outcome = judge(Mutation("", never.text.replace(polls, "30")), launch, 2)
    assert outcome.by == {"fault": 2}


@pytest.mark.slow
@pytest.mark.exhaustive
def test_missing_barriers_are_noticed() -> None:
    """Those of a step that polls and of its sums, but for the first: Triton puts one of its own
    before each call, and every step begins with another."""
    done = recorded()
    [launch] = done.recorded
    functions = parse(done.text)
    missing = [m for m in without_each(done.text, "bar.sync") if m.ran(functions, launch.report)]
    noticed = {m.where for m in missing if judge(m, launch, 1).noticed}
    assert len(noticed) > len(missing) * 2 / 3
    steps = {m.where for m in missing if not m.where.startswith("persistent_kernel")}
    names = {where.split(" #")[0] for where in steps}
    assert {f"{name} #{n}" for name in names for n in (2, 3, 4)} <= noticed
