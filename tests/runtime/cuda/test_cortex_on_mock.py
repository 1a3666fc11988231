"""The Cortex-like compiler's programs for a GPU, on the mock driver: one persistent kernel runs
all levels of a mini-batch."""

from __future__ import annotations

from typing import Any

import pytest

import workloads
from acrobat.errors import CapacityError, DeviceError
from baselines.api import Problem, Supported, Unsupported
from baselines.cortex.compiler import Schedule, compile_recursion
from baselines.cortex.recursions import RECURSIONS
from baselines.cortex.system import System
from tests.runtime.cuda.mock_gpu import Mock
from tests.runtime.cuda.problems import check, problem
from tests.selection import some

# Its programs take half a minute of g++.
pytestmark = pytest.mark.slow

CASES = [
    ("treelstm", Schedule()),
    ("treelstm", Schedule(refactor=True)),
    ("mvrnn", Schedule()),
    ("mvrnn", Schedule(refactor=True)),
    ("birnn", Schedule()),
    ("birnn", Schedule(project=True)),
]
# The same programs run on the CPU: tests/baselines/test_cortex.py.
ALWAYS = (CASES[0],)


def compiled(name: str, schedule: Schedule) -> Any:
    """The program of a workload at `tiny`."""
    params, _, _ = problem(name, 1)
    model = workloads.get(name).model
    return compile_recursion(RECURSIONS[name], model, params, schedule, 1, "cuda")[0]


@pytest.mark.parametrize(
    ("name", "schedule"),
    some(CASES, always=lambda *case: case in ALWAYS),
    ids=lambda x: str(x).lower(),
)
def test_batches_agree_with_plain_python(mock: Mock, name: str, schedule: Schedule) -> None:
    program = compiled(name, schedule)
    for batch in (1, 2, 7, 2):
        _, instances, want = problem(name, batch)
        results, read_profile = program.run(program.convert(instances))
        check(want, results)
        profile = read_profile()
        assert profile.n_kernel_calls == 1 and profile.n_batches > 1


def test_programs_meet_between_levels(mock: Mock) -> None:
    """Leaves, which read nothing, and one stage per level of inner nodes and kernel of the cell."""
    program = compiled("treelstm", Schedule())
    _, instances, _ = problem("treelstm", 7)
    _, read_profile = program.run(program.convert(instances))
    (stages,) = mock.stages
    assert len(stages) == sum(stages) == read_profile().n_batches
    mock.ignore_grid_barriers = True
    program.run(program.convert(instances))
    assert any("reads what" in line for line in mock.wrong())


@pytest.mark.parametrize(
    ("name", "schedule"),
    some([CASES[0], CASES[5]], always=lambda *case: case in ALWAYS),
    ids=lambda x: str(x).lower(),
)
def test_a_mini_batch_is_one_launch_and_one_wait(mock: Mock, name: str, schedule: Schedule) -> None:
    program = compiled(name, schedule)
    _, instances, _ = problem(name, 7)
    program.run(program.convert(instances))
    mock.log()
    program.run(program.convert(instances))
    log = [line.split()[0] for line in mock.log()]
    assert sum("Launch" in call for call in log) == 1
    assert log.count("cuStreamSynchronize") == 1
    assert log.count("cuMemcpyHtoDAsync") == 1


def test_an_error_loses_nothing(mock: Mock) -> None:
    program = compiled("treelstm", Schedule())
    _, instances, want = problem("treelstm", 7)
    inputs = program.convert(instances)
    mock.fail("cuLaunchCooperativeKernel", 720)
    with pytest.raises(DeviceError, match="cooperative"):
        program.run(inputs)
    check(want, program.run(inputs)[0])


def test_buffers_of_a_call(mock: Mock) -> None:
    program = compiled("treelstm", Schedule())
    _, instances, want = problem("treelstm", 7)
    inputs = program.convert(instances)
    mock.fail("cuStreamCreate", 2)
    with pytest.raises(CapacityError, match="creating a stream failed"):
        program.run(inputs)
    check(want, program.run(inputs)[0])


def test_what_can_be_measured(mock: Mock) -> None:
    def answer(name: str, variant: str = "full") -> Supported | Unsupported:
        return System.supports(Problem(name, "tiny", 1, 0, "cuda", 1, variant, None, []))

    assert answer("treelstm") == answer("birnn", "project") == Supported()
    assert answer("mvrnn", "unroll") == Unsupported(
        "cortex has nothing to unroll on a GPU: what is unrolled is a thread's share of several "
        "levels, and the programs of the persistent kernel have none"
    )
    mock.reset(gpus=-1)
    assert answer("treelstm") == Unsupported("cortex: the NVIDIA driver shows no GPU")
