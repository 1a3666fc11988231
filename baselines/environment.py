"""A separate virtual environment for a system whose packages conflict with those of the others.

It is made once per machine, Python and lock file, below acrobat's cache, from the lock file
`requirements/NAME.txt`, which has hashes. The worker process of such a system runs the
environment's Python; the checkout is on its path, and the packages that the harness imports there,
numpy and filelock, are in the lock file.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from acrobat.cache import cache_dir, content_hash

ROOT = Path(__file__).resolve().parents[1]
# Written last; lists the installed packages.
_COMPLETE = "complete.txt"
# Number of lines of pip's output to show if it fails.
_LAST_LINES = 8


class EnvironmentFailure(Exception):
    """An environment could not be made; the message says why."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment; `name` is that of its lock file, and `command` makes it."""

    name: str
    command: str

    @property
    def lock(self) -> Path:
        """The lock file, which pins the packages."""
        return ROOT / "requirements" / f"{self.name}.txt"

    @property
    def folder(self) -> Path:
        """The environment's folder, made or not; it depends on the lock file and on the Python."""
        key = content_hash([self.lock.read_bytes(), sys.version, sys.base_prefix])
        return cache_dir() / "environments" / f"{self.name}-{key[:12]}"

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.folder / "bin" / "python"

    def is_there(self) -> bool:
        """Whether the environment has been made completely."""
        return (self.folder / _COMPLETE).is_file()

    def lack(self) -> str | None:
        """What to do if the environment has not been made; None if it has."""
        if self.is_there():
            return None
        return f"the environment {self.name!r} has not been made on this machine: {self.command}"

    def make(self) -> bool:
        """Make the environment unless it exists; returns whether it was made now.
        EnvironmentFailure if a package cannot be installed. One process makes it, others wait."""
        folder = self.folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f"{folder.name}.lock")):
            if self.is_there():
                return False
            shutil.rmtree(folder, ignore_errors=True)
            _run([sys.executable, "-m", "venv", str(folder)])
            pip = [str(self.python), "-m", "pip", "--disable-pip-version-check", "--no-input"]
            # Never compile: a system without wheels for this machine is not measured on it.
            only = ["--quiet", "--require-hashes", "--only-binary=:all:"]
            _run([*pip, "install", *only, "-r", str(self.lock)])
            packages = _run([*pip, "freeze"])
            (folder / _COMPLETE).write_text(packages, encoding="utf-8")
        return True


def command_line(environment: Environment, systems: str) -> int:
    """Run the command that makes an environment for `systems`, and return its exit status."""
    parser = argparse.ArgumentParser(description=f"Make the environment of {systems}.")
    # Every native build gets this option; there is nothing to compile here.
    parser.add_argument("--jobs", type=int, default=1, help="of native builds; unused here")
    parser.parse_args()
    try:
        new = environment.make()
    except (EnvironmentFailure, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{'made' if new else 'there already'}: {environment.folder}", file=sys.stderr)
    return 0


def _run(command: list[str]) -> str:
    """Run a program and return its output; EnvironmentFailure with the last lines if it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        last = "\n".join(said[-_LAST_LINES:])
        raise EnvironmentFailure(f"{' '.join(command[:4])} ... failed ({done.returncode}):\n{last}")
    return done.stdout
