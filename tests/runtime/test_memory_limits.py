"""What takes more memory than there may be is an error, and the next call works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import acrobat as ab
from acrobat.runtime.program import Program
from acrobat.vm import memory
from tests.runtime.kept_models import step, weights

ROOT = Path(__file__).parents[2]
X = np.zeros(8, np.float32)
START = """
import os, resource, sys
from pathlib import Path
import numpy as np
import acrobat as ab
from tests.runtime.kept_models import encode, step, trees, weights

def mapped(): return int(Path("/proc/self/statm").read_text().split()[0]) * 4096
def resident(): return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
def of(executor, **more):
    return ab.Options(executor=executor, threads=2, stack_mb=64, **more)
X = np.zeros(8, np.float32)
"""


def run_script(text: str) -> str:
    """What a process prints, which must end well."""
    done = subprocess.run(
        [sys.executable, "-c", START + text],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(("executor", "most"), [("aot", 16), ("vm", 1)])
def test_an_endless_graph_ends_at_the_option(executor: Literal["aot", "vm"], most: int) -> None:
    options = ab.Options(executor=executor, memory_mb=most, threads=1)
    fast = ab.compile(step, weights(), "cpu", options)  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(ab.CapacityError) as caught:
            fast([(X, 10**12)])  # type: ignore[list-item]
        assert str(caught.value).startswith(
            f"the mini-batch needs more than the {most} MiB that Options.memory_mb allows, the "
            f"last of it for its "
        )
        np.testing.assert_array_equal(fast([(X, 2)]), [X])  # type: ignore[list-item]


@pytest.mark.slow
@pytest.mark.parametrize(("executor", "copies"), [("aot", 500), ("vm", 25)])
def test_addresses_that_run_out(executor: str, copies: int) -> None:
    """As under `ulimit -v`, and again without the limit."""
    said = run_script(
        f"executor, copies = {executor!r}, {copies}"
        + """
fast = ab.compile(encode, weights(64), "cpu", of(executor, memoisation=False))
few, many = trees(2, 3, 64), fast.prepare(trees(40, 3, 64) * copies)
want, most = fast(few), resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (mapped() + (2 << 20), most))
try:
    fast.run(many)
except ab.CapacityError as error:
    print(any(word in str(error) for word in ("memory", "addresses", "MiB")))
same = all(map(np.array_equal, want, fast(few)))
resource.setrlimit(resource.RLIMIT_AS, (most, most))
print(same, len(fast.run(many)) == 40 * copies)
"""
    )
    assert said.split() == ["True", "True", "True"]


@pytest.mark.slow
def test_small_results_that_are_kept_take_little() -> None:
    """8,000 calls; a million are `python -m tests.kept_results`."""
    said = run_script("""
from tests.kept_results import keep
taken, maps = keep(8_000, "aot")
print(taken < 8_000 * 1024, maps < 200)
taken, maps = keep(300, "vm")
print(taken < 4 << 20, maps < 200)
""")
    assert said.split() == ["True"] * 4


def group(folder: Path, limit: str, used: str, stat: str, names: tuple[str, str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(stat)


ONE = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
TWO = ("memory.max", "memory.current", "inactive_file")
MIB = 1 << 20


@pytest.mark.parametrize(("names", "none"), [(ONE, "9223372036854771712"), (TWO, "max")])
def test_limits_of_control_groups(names: tuple[str, str, str], none: str, tmp_path: Path) -> None:
    """What is free: the limit, less what is used and no file that may be dropped, less 1/32."""
    group(tmp_path, str(320 * MIB), str(200 * MIB), f"cache 1\n{names[2]} {50 * MIB}\n", names)
    assert list(memory._free_of_group(tmp_path, names)) == [160 * MIB]
    group(tmp_path, none, str(200 * MIB), "", names)
    assert list(memory._free_of_group(tmp_path, names)) == []
    (tmp_path / names[0]).write_text("nonsense")
    assert list(memory._free_of_group(tmp_path, names)) == []


GROUPS = Path("/sys/fs/cgroup/memory")


@pytest.mark.slow
@pytest.mark.skipif(not os.access(GROUPS / "tasks", os.W_OK), reason="needs root and version 1")
def test_a_control_group() -> None:
    """CapacityError where the kernel would kill the process."""
    folder = GROUPS / f"acrobat-test-{os.getpid()}"
    folder.mkdir()
    try:
        (folder / "memory.limit_in_bytes").write_text(str(60 * MIB))
        said = run_script(f"""
fast = ab.compile(step, weights(), "cpu", of("aot"))
Path("{folder}/tasks").write_text(str(os.getpid()))
try:
    fast([(X, 10**12)])
except ab.CapacityError as error:
    print("MiB are free" in str(error), len(fast([(X, 2)])))
""")
        assert said.split() == ["True", "1"]
    finally:
        folder.rmdir()


@pytest.mark.parametrize("moment", ["_raw_profile", "_checked"])
def test_memory_that_ends_around_the_call_is_named_too(
    moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast: ab.CompiledModel[Any, Any] = ab.compile(step, weights(8), "cpu", ab.Options(threads=1))  # type: ignore[arg-type]
    want = fast([(X, 2)])

    def nothing_left(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Program, moment, nothing_left)
        with pytest.raises(ab.CapacityError, match="memory ran out in the middle of it"):
            fast([(X, 2)])
    np.testing.assert_array_equal(fast([(X, 2)]), want)
