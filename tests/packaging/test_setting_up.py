"""requirements/: the script that sets up an environment, the locks, and env.yml."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import acrobat
from tests.loading import load_file

ROOT = Path(acrobat.__file__).resolve().parents[1]
FOLDER = ROOT / "requirements"


install, lock = (load_file(FOLDER / f"{n}.py", f"requirements_{n}") for n in ("install", "lock"))
PINS = {path.stem: lock.pins(path.read_text()) for path in FOLDER.glob("*.txt")}


def test_locks_hold_their_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for name, wanted in lock.LOCKS.items():
        asked = [*project["dependencies"], *(text for extra in wanted for text in extras[extra])]
        for extra in ("native", "safetensors"):
            if (own := f"acrobat[{extra}]") in asked:
                asked = [*(text for text in asked if text != own), *extras[extra]]
        for requirement in map(Requirement, asked):
            version = PINS[name].get(requirement.name.lower())
            if requirement.name == "torch" and name not in lock.WITH_CUDA:
                assert version is None
            else:
                assert version and requirement.specifier.contains(version), requirement


def test_locks_agree_and_have_hashes() -> None:
    together: dict[str, str] = {}
    for name in lock.LOCKS:
        for package, version in PINS[name].items():
            assert together.setdefault(package, version) == version, package
        entries = re.split(r"\n(?=[a-z])", (FOLDER / f"{name}.txt").read_text())
        assert all("--hash=sha256:" in entry for entry in entries[1:])


def test_without_a_gpu_there_are_no_gigabytes() -> None:
    for name in set(lock.LOCKS) - set(lock.WITH_CUDA):
        large = [p for p in PINS[name] if p == "torch" or p.startswith(("nvidia-", "cuda-"))]
        assert large in ([], ["nvidia-ml-py"])
    assert "triton" not in PINS["bench"]
    # PyTorch's own dependencies, for it is installed without.
    assert {"networkx", "sympy", "fsspec", "typing-extensions", "setuptools"} <= set(PINS["bench"])
    assert PINS["torch-cpu"]["torch"] == PINS["gpu"]["torch"] + "+cpu"


@pytest.mark.parametrize("name", lock.ENVIRONMENTS)
def test_environments_of_conda_are_those_of_the_locks(name: str) -> None:
    text, project = (ROOT / name).read_text(), lock.ENVIRONMENTS[name]
    assert text == lock.environment(FOLDER, project)
    parts = yaml.safe_load(text)["dependencies"]
    (listed,) = (part["pip"] for part in parts if isinstance(part, dict))
    assert (listed[-1] == "--editable .") == project
    pinned = [Requirement(text) for text in listed if not text.startswith("-")]
    assert {r.name for r in pinned} == {*PINS["bench"], "torch"}


def test_what_a_machine_lacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """All at once, before anything is made or downloaded."""
    version = "{}.{}".format(*sys.version_info[:2])
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(install.sysconfig, "get_paths", lambda: {"include": str(tmp_path)})
    venv = tmp_path / "venv"
    monkeypatch.setattr(sys, "argv", ["install.py", "bench", "--venv", str(venv)])
    assert install.main() == 2
    assert capsys.readouterr().err == (
        "This machine lacks:\n"
        "  virtual environments (the module ensurepip): Debian and Ubuntu: apt-get install "
        f"python{version}-venv; Fedora: dnf install python3-pip; conda: conda install pip\n"
        f"  Python.h: Debian and Ubuntu: apt-get install python{version}-dev; "
        "Fedora: dnf install python3-devel; conda: conda install python\n"
        "  g++: Debian and Ubuntu: apt-get install g++; Fedora: dnf install gcc-c++; "
        "conda: conda install gxx_linux-64\n"
        "  make: Debian and Ubuntu: apt-get install make; Fedora: dnf install make; "
        "conda: conda install make\n"
    )
    assert not venv.exists()


def test_an_old_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    assert install.missing() == [
        f"{sys.executable} is Python 3.9, and 3.11 or later is needed: name another "
        "(make setup PYTHON=python3.12)"
    ]


@pytest.fixture
def fake_venv(tmp_path: Path) -> Path:
    """An environment whose python notes what it is asked for, and finds no PyTorch."""
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(
        f"""#!/bin/sh
case "$2" in
*version_info*) echo 3.11; exit;;
*metadata*) exit 1;;
esac
echo "$@" >> {tmp_path}/asked
case "$*" in *torch-cpu.txt) exit 1;; esac
"""
    )
    python.chmod(0o755)
    return tmp_path / "venv"


@pytest.mark.parametrize(
    ("gpu", "torch", "last"),
    [
        (False, "auto", "torch-cpu.txt"),
        (True, "auto", "gpu.txt"),
        (True, "cpu", "torch-cpu.txt"),
        (False, "none", "dev.txt"),
    ],
)
def test_which_torch(
    fake_venv: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    gpu: bool,
    torch: str,
    last: str,
) -> None:
    monkeypatch.setattr(install, "has_gpu", lambda: gpu)
    monkeypatch.setattr(sys, "argv", ["i", "dev", "--venv", str(fake_venv), "--torch", torch])
    assert install.main() == 0
    *locks, project = (fake_venv.parent / "asked").read_text().splitlines()
    assert locks[-1].endswith(last)
    hashed = [line for line in locks if not line.endswith("torch-cpu.txt")]
    assert all("--require-hashes" in line for line in hashed)
    assert project.endswith(f"--no-deps --no-build-isolation --editable {ROOT}")
    said = capsys.readouterr().out
    assert ("will be no rows of PyTorch" in said) == (last == "torch-cpu.txt")


def test_another_python_makes_the_environment_anew(
    fake_venv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(install, "version_of", lambda python: "3.10")
    monkeypatch.setattr(install.subprocess, "run", lambda c, check: commands.append(c))
    install.make_venv(fake_venv, recreate=False)
    assert commands == []
    install.make_venv(fake_venv, recreate=True)
    assert commands == [[sys.executable, "-m", "venv", "--clear", str(fake_venv)]]


def test_make_notices_another_python(tmp_path: Path) -> None:
    def asked(*arguments: str) -> str:
        command = ["make", "-n", "-C", str(ROOT), "setup", f"VENV={tmp_path}", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / ".dev").touch()
    assert "install.py" not in asked()
    assert "install.py" not in asked(f"PYTHON={sys.executable}")
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho 3 99\n")
    other.chmod(0o755)
    assert f"{other} requirements/install.py --venv {tmp_path} --torch auto --recreate dev" in (
        asked(f"PYTHON={other}").replace("\\\n", "").replace("\t", "")
    )
