"""The kernels of harness.gpu.probe, in the emulator: grid barriers, and links that are followed."""

from __future__ import annotations

import numpy as np
import pytest

from harness.gpu.probe_kernels import BARRIER, CHASE, EMPTY
from tests.ptx.compiled import Program
from tests.ptx.execution import launch, launch_cooperatively
from tests.ptx.shared_memory import Fault
from tests.ptx.syntax import parse

COUNTER, LINKS, OUT = 1 << 32, 2 << 32, 3 << 32


class Memory:
    """Words at three addresses."""

    def __init__(self) -> None:
        self.words = {at: np.zeros(256, np.uint32) for at in (COUNTER, LINKS, OUT)}

    def find(self, address: int) -> tuple[int, np.ndarray]:
        begin = address >> 32 << 32
        return begin, self.words[begin]


@pytest.mark.parametrize("programs", [1, 3])
def test_grid_barriers_round_after_round(programs: int) -> None:
    memory, rounds, counted = Memory(), 4, 7
    memory.words[COUNTER].view(np.int64)[0] = counted
    arguments = [COUNTER, counted, rounds]
    program = Program(parse(BARRIER))
    report = launch_cooperatively(
        program, "probe_barrier", programs, arguments, memory.find, 0, programs
    )
    assert report.problems == {}
    assert memory.words[COUNTER].view(np.int64)[0] == counted + programs * rounds


def test_a_grid_barrier_in_vain_ends_the_launch() -> None:
    """The counter is behind what the programs were told: they wait for others that never come."""
    memory = Memory()
    program = Program(parse(BARRIER.replace("4194304", "20")))
    with pytest.raises(Fault):
        launch_cooperatively(program, "probe_barrier", 2, [COUNTER, 50, 1], memory.find, 0, 0)


def test_links_are_followed() -> None:
    memory, order = Memory(), [0, 3, 1, 2]
    links = memory.words[LINKS].view(np.int64)
    for here, there in zip(order, [*order[1:], order[0]], strict=True):
        links[16 * here] = LINKS + 128 * there
    for steps, last in ((1, 3), (3, 2), (4, 0)):
        launch(Program(parse(CHASE)), "probe_chase", (1, 1), [LINKS, steps, OUT], memory.find, 0)
        assert memory.words[OUT].view(np.int64)[0] == LINKS + 128 * last


def test_nothing() -> None:
    launch(Program(parse(EMPTY)), "probe_empty", (1, 1), [], Memory().find, 0)
