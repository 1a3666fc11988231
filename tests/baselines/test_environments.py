"""Environments of systems' own: what is said where one is missing or cannot be made, the
interpreter of the worker, its threads; and that the locks are locks."""

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
from baselines.environment import Environment, EnvironmentFailure, command_line
from baselines.jax_shared.environment import JAX
from baselines.tfp.environment import TFP

ENVIRONMENTS = {"jax_vmap": JAX, "jax_levels": JAX, "tfp": TFP}
# The module that makes each, and what it is for.
MADE_BY = {"jax": ("baselines.jax_shared.environment", "JAX")}
MADE_BY["tfp"] = ("baselines.tfp.environment", "TensorFlow Probability")


def problem(system: str) -> Problem:
    """One that the system has a model of."""
    variant = baselines.variants(system)[0]
    return Problem("treelstm", "tiny", 1, 0, "cpu", 1, variant, None, [])


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache in which there is no environment."""
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    return tmp_path


def test_these_have_one() -> None:
    records = baselines.records().items()
    assert {name: r.environment for name, r in records if r.environment} == ENVIRONMENTS


@pytest.mark.parametrize("system", ENVIRONMENTS)
def test_a_missing_environment_is_a_reason(system: str, elsewhere: Path) -> None:
    name = ENVIRONMENTS[system].name
    module, rows = MADE_BY[name]
    lack = f"the environment '{name}' has not been made on this machine: python -m {module}"
    assert baselines.get(system).supports(problem(system)) == NotBuilt(f"{system}: {lack}")
    # Once for all systems of an environment.
    sharing = [s for s, environment in ENVIRONMENTS.items() if environment.name == name]
    needs = [n for s in sharing for n in baselines.record(s).needs]
    found = [n.examine(compiler=True, headers=True) for n in needs]
    assert found == [(False, f"no rows of {rows}: {lack}")]


@pytest.mark.parametrize("environment", [JAX, TFP], ids=lambda e: e.name)
def test_the_command(
    environment: Environment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is the one that is named, takes the builds' `--jobs`, and tells what pip told."""
    module, rows = MADE_BY[environment.name]
    assert environment.command == f"python -m {module}"
    answers: list[bool | Exception] = [True, False, EnvironmentFailure("no such wheel")]

    def make(_: Environment) -> bool:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(Environment, "make", make)
    monkeypatch.setattr(sys, "argv", ["command", "--jobs", "2"])
    assert [command_line(environment, rows) for _ in range(3)] == [0, 0, 1]
    assert capsys.readouterr().err.splitlines() == [
        f"made: {environment.folder}",
        f"there already: {environment.folder}",
        "no such wheel",
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


@pytest.mark.parametrize("name", ["jax", "tfp"])
def test_a_lock_has_a_hash_and_one_version_of_everything_its_group_asks_for(name: str) -> None:
    project = tomllib.loads((environment.ROOT / "pyproject.toml").read_text())
    text = Environment(name, command="").lock.read_text()
    pinned = re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE)
    wanted = {re.match(r"[a-z0-9-]+", entry)[0] for entry in project["dependency-groups"][name]}  # type: ignore[index]
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


@pytest.mark.parametrize("system", ENVIRONMENTS)
def test_the_worker_has_the_environments_interpreter(system: str) -> None:
    own = ENVIRONMENTS[system]
    assert baselines.record(system).python == str(own.python) != sys.executable
    assert baselines.record("acrobat").python == sys.executable
    if not own.is_there():
        pytest.skip(str(own.lack()))
    assert baselines.get(system).supports(problem(system)) == Supported()
