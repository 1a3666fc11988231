"""Environments of systems' own: what is said where one is missing or cannot be made, the
interpreter of the worker, its threads; and that the lock is one."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import baselines
from baselines import environment
from baselines.api import NotBuilt, Problem, Supported
from baselines.environment import Environment, EnvironmentFailure
from baselines.jax_shared.environment import JAX

PROBLEM = Problem("treelstm", "tiny", 1, 0, "cpu", 1, "full", None, [])
OWN = [name for name, record in baselines.records().items() if record.environment]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache in which there is no environment."""
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("system", OWN)
def test_a_missing_environment_is_a_reason(system: str, elsewhere: Path) -> None:
    assert baselines.get(system).supports(PROBLEM) == NotBuilt(
        f"{system}: the environment 'jax' has not been made on this machine: "
        "python -m baselines.jax_shared.environment"
    )
    needs = [n for s in OWN for n in baselines.record(s).needs]
    assert [n.examine(compiler=True, headers=True) for n in needs] == [
        (
            False,
            "no rows of JAX: the environment 'jax' has not been made on this machine: "
            "python -m baselines.jax_shared.environment",
        )
    ]


def test_what_was_not_made_to_its_end_is_made_anew(
    elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock of nothing, so that there is nothing to download."""
    lock = tmp_path / "requirements" / "nothing.txt"
    lock.parent.mkdir()
    lock.write_text("")
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    made = Environment("nothing", command="make it")
    ran: list[list[str]] = []

    def run(command: list[str]) -> str:
        ran.append(command)
        if len(ran) == 2:
            raise EnvironmentFailure("no index")
        made.folder.mkdir(parents=True, exist_ok=True)
        return ""

    monkeypatch.setattr(environment, "_run", run)
    with pytest.raises(EnvironmentFailure):
        made.make()
    assert made.lack() == "the environment 'nothing' has not been made on this machine: make it"
    half = made.folder / "half"
    half.touch()
    assert made.make() and made.is_there() and not half.exists()
    assert not made.make() and len(ran) == 5
    # Another lock is another environment.
    before = made.folder
    lock.write_text("# more\n")
    assert made.folder != before and not made.is_there()


def test_a_failure_says_what_pip_said(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EnvironmentFailure) as error:
        environment._run([sys.executable, "-c", "raise SystemExit('no such wheel')"])
    assert str(error.value) == (
        f"{sys.executable} -c raise SystemExit('no such wheel') ... failed (1):\nno such wheel"
    )


def test_the_lock_has_a_hash_and_one_version_of_everything_its_group_asks_for() -> None:
    project = tomllib.loads((environment.ROOT / "pyproject.toml").read_text())
    text = JAX.lock.read_text()
    pinned = re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE)
    wanted = {re.match(r"[a-z0-9-]+", entry)[0] for entry in project["dependency-groups"]["jax"]}  # type: ignore[index]
    assert wanted <= {name for name, _ in pinned} and len(dict(pinned)) == len(pinned)
    # A block per package, with its hashes.
    blocks = re.split(r"^(?=[a-z0-9-]+==)", text, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in block for block in blocks)
    heavy = {"torch", "apache-tvm", "snakemake"}
    assert not heavy & {name for name, _ in pinned}


THREADS = """
import os, sys, time
from baselines.jax_shared.threads import limit_threads
limit_threads(int(sys.argv[1]))
import jax, jax.numpy as jnp
f = jax.jit(lambda x: jnp.tanh(x @ x).sum())
x = jnp.ones((1500, 1500)) / 1500
f(x).block_until_ready()
wall, cpu = time.perf_counter(), time.process_time()
for _ in range(8):
    f(x).block_until_ready()
print((time.process_time() - cpu) / (time.perf_counter() - wall))
try:
    limit_threads(7)
except RuntimeError as error:
    print(error)
"""


def test_threads_are_limited() -> None:
    """CPU time per wall time; a busy machine makes it less, never more."""
    if not JAX.is_there():
        pytest.skip(str(JAX.lack()))
    command = [str(JAX.python), "-c", THREADS, "1"]
    env = {"PYTHONPATH": str(environment.ROOT), "PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
    ratio, late = done.stdout.splitlines()
    assert float(ratio) <= 1.05
    assert late == "jax has been imported: its number of threads cannot be changed"


@pytest.mark.parametrize("system", OWN)
def test_the_worker_has_the_environments_interpreter(system: str) -> None:
    record = baselines.record(system)
    assert record.python == str(JAX.python) != sys.executable
    assert baselines.record("acrobat").python == sys.executable
    if not JAX.is_there():
        pytest.skip(str(JAX.lack()))
    assert baselines.get(system).supports(PROBLEM) == Supported()
