"""`acrobat doctor`: its exit code, and what it says of a machine that lacks something."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import acrobat
from acrobat import cli, doctor
from acrobat.aot import toolchain
from acrobat.doctor import Check

ROOT = Path(acrobat.__file__).resolve().parents[1]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Check]]:
    """The checks on a machine without certain packages and programs."""
    version, which = importlib.metadata.version, shutil.which

    def examine(*missing: str) -> dict[str, Check]:
        def version_of(name: str) -> str:
            if name in missing:
                raise importlib.metadata.PackageNotFoundError(name)
            return version(name)

        def find(name: str, **kwargs: str) -> str | None:
            return None if name in missing else which(name, **kwargs)  # type: ignore[call-overload]

        monkeypatch.setattr(importlib.metadata, "version", version_of)
        monkeypatch.setattr(shutil, "which", find)
        toolchain.find_compiler.cache_clear()
        try:
            return {c.name: c for c in doctor.examine()}
        finally:
            toolchain.find_compiler.cache_clear()

    return examine


def code(checks: dict[str, Check], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(doctor, "examine", lambda: list(checks.values()))
    return cli.main(["doctor"])


def test_nothing_is_missing(
    without: Callable[..., dict[str, Check]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = without()
    assert {c.name for c in found.values() if not c.ok} <= {
        "gpu",
        "data",
        "torch",
        "torch.compile",
        "jax",
        "torchfold",
        "dgl",
        "tfp",
    }
    assert code(found, monkeypatch) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "models can be compiled here"


def test_without_tvm(
    without: Callable[..., dict[str, Check]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = without("apache-tvm")
    assert found["tvm"].line() == (
        "missing  tvm           CPU kernels cannot be generated; "
        "pip install apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.14.post1"
    )
    assert code(found, monkeypatch) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "models cannot be compiled here: tvm missing"


def test_without_a_compiler(
    without: Callable[..., dict[str, Check]], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = without("g++", "torch")
    assert found["g++"].detail == (
        "g++ is needed to compile a model's control flow and was not found; install it "
        "(Debian and Ubuntu: apt-get install g++)"
    )
    assert found["dynet-native"].detail == "no rows of DyNet's native build: g++ missing"
    assert found["torch.compile"].detail == (
        "no rows of torch.compile: torch, g++ missing; pip install torch"
    )
    assert code(found, monkeypatch) == 1


def test_another_ffi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.2")
    found = {c.name: c for c in doctor.examine()}["tvm-ffi"]
    assert (found.ok, found.essential) == (False, True)
    assert found.detail.startswith("0.2 instead of 0.1.14.post1; pip install apache-tvm==")


def test_what_systems_need(without: Callable[..., dict[str, Check]]) -> None:
    found = without("cmake", "ninja", "dynet38", "snakemake", "scipy", "triton")
    said = {name: found[name].detail for name in found if not found[name].ok}
    assert said["dynet-wheel"] == ("no rows of DyNet's wheel: dynet38 missing; pip install dynet38")
    assert said["dynet-native"] == (
        "no rows of DyNet's native build: cmake, ninja missing; pip install cmake ninja"
    )
    assert said["snakemake"] == (
        "no pipeline; `acrobat bench` works without it; pip install snakemake"
    )
    assert said["harness"] == "no measurements, tables and figures; pip install scipy"
    assert said["triton"] == "no kernels for GPUs; pip install 'triton>=3.6,<3.8'"


def test_a_gpu_needs_no_tvm(
    without: Callable[..., dict[str, Check]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_gpu", lambda: Check("gpu", True, "a GPU"))
    monkeypatch.setattr(doctor, "_triton", lambda: Check("triton", True, "3.6.0"))
    found = without("apache-tvm", "apache-tvm-ffi")
    assert not found["tvm"].ok
    assert code(found, monkeypatch) == 0


def test_its_packages_are_those_of_the_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert extras["cpu"] == [f"{package}=={version}" for _, package, version in doctor.TVM]
    assert set(doctor._HARNESS) <= {Requirement(text).name for text in extras["bench"]}


@pytest.mark.slow
def test_outside_of_a_checkout(tmp_path: Path) -> None:
    """The package alone, as from a wheel."""
    shutil.copytree(ROOT / "acrobat", tmp_path / "acrobat")
    for command in ("bench", "report", "explain treelstm"):
        arguments = [sys.executable, "-m", "acrobat.cli", *command.split()]
        done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, env={})
        assert done.returncode == 2
        assert done.stderr == (
            f"acrobat {command.split()[0]}: measuring needs a checkout of the project, and this "
            f"is the compiler alone, installed in {tmp_path}; git clone the project, and in its "
            "folder: make setup\n"
        )
    arguments = [sys.executable, "-m", "acrobat.cli", "doctor"]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True)
    names = [line.split()[1] for line in done.stdout.splitlines()[:-1]]
    assert names[-1] == "checkout" and "torch" not in names


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"acrobat {importlib.metadata.version('acrobat')}\n"
